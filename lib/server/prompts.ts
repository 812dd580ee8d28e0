/**
 * Which prompts are there, and what do they say?
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */

import type { WrittenObject } from "../jsonrpc/encode.ts";
import type { Awaitable } from "./awaitable.ts";
import type { ExecutionContext } from "./context.ts";
import type { Services } from "./methods.ts";
import { allOf, andThen, firstOf } from "./awaitable.ts";
import { invalidParams, quoted } from "./errors.ts";
import { listPage, mergeLists } from "./pages.ts";
import { own, stringParam } from "./params.ts";

/** Answers `prompts/list`. */
export function listPrompts(context: ExecutionContext, services: Services): Awaitable<WrittenObject> {
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
export function getPrompt(context: ExecutionContext, services: Services): Awaitable<unknown> {
  const name = stringParam(context.params, "name");
  const given = own(context.params, "arguments");
  return andThen(firstOf(services.prompts, (provider) => provider.get(name, given, context)), (result) => {
    if (result === undefined) throw invalidParams(`There is no prompt "${quoted(name, 100)}"`);
    return result;
  });
}
