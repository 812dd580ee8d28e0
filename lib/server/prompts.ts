/**
 * Which prompts are there, and what do they say?
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */

import type { RawJson } from "../jsonrpc/codec.ts";
import type { Awaitable } from "../base/async.ts";
import type { ExecutionContext } from "./context.ts";
import type { Exchange, Services } from "./methods.ts";
import { allOf, andThen, firstOf } from "../base/async.ts";
import { invalidParams } from "../protocol/errors.ts";
import { quoted } from "../base/text.ts";
import { listPage, mergeLists } from "./pages.ts";
import { own } from "../base/json.ts";
import { stringParam } from "./params.ts";
import { InputRequired, Questions } from "./questions.ts";

/** Answers `prompts/list`. */
export function listPrompts(context: ExecutionContext, services: Services): Awaitable<RawJson> {
  const { titles } = context.revision;
  return andThen(allOf(services.prompts.map((provider) => provider.list(context))), (lists) =>
    listPage({
      member: "prompts",
      items: mergeLists(lists, (prompt) => prompt.name),
      cursor: own(context.params, "cursor"),
      pageSize: services.pageSize,
      form: String(titles),
      keyOf: (prompt) => prompt.name,
      present: titles ? (prompt) => prompt : ({ title: _, ...prompt }) => prompt,
    }));
}

/** Answers `prompts/get`. */
export function getPrompt(
  context: ExecutionContext,
  services: Services,
  exchange: Exchange,
): Awaitable<unknown> {
  const name = stringParam(context.params, "name");
  const given = own(context.params, "arguments");
  const questions = new Questions(context, services, exchange);
  const asking = context.withQuestions(questions);
  const find = () => firstOf(services.prompts, (provider) => provider.get(name, given, asking));
  return andThen(questions.run(find), (result) => {
    if (result instanceof InputRequired) return result.result;
    if (result === undefined) throw invalidParams(`There is no prompt "${quoted(name, 100)}"`);
    return result;
  });
}
