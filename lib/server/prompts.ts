/**
 * The methods of prompts, and completion.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 */

import type { Awaitable } from "../base/async.ts";
import type { RawJson } from "../jsonrpc/message.ts";
import type { ExecutionContext } from "./context.ts";
import type { Services } from "./handlers.ts";
import type { Prompt } from "./provider.ts";
import { allOf, andThen, firstOf } from "../base/async.ts";
import { own } from "../base/json.ts";
import { quoted } from "../base/text.ts";
import { invalidParams, objectParam, stringParam } from "../protocol/errors.ts";
import { listPage, mergeLists } from "./lists.ts";

/** The most completion values in one response, as the specification sets it. */
const MAX_VALUES = 100;

/** Answers `prompts/list`. */
export function listPrompts(context: ExecutionContext, services: Services): Awaitable<RawJson> {
  const { titles } = context.revision;
  return andThen(
    allOf(services.prompts.map((provider) => provider.list(context))),
    (lists) =>
      listPage<Prompt>({
        member: "prompts",
        items: mergeLists(lists, (prompt) => prompt.name),
        cursor: own(context.params, "cursor"),
        pageSize: services.pageSize,
        form: String(titles),
        keyOf: (prompt) => prompt.name,
        present: titles ? (prompt) => prompt : ({ title: _, ...prompt }) => prompt,
      }),
  );
}

/** Answers `prompts/get`. */
export function getPrompt(context: ExecutionContext, services: Services): Awaitable<unknown> {
  const name = stringParam(context.params, "name");
  const given = own(context.params, "arguments");
  const found = firstOf(services.prompts, (provider) => provider.get(name, given, context));
  return andThen(found, (result) => {
    if (result === undefined) throw invalidParams(`There is no prompt "${quoted(name, 100)}"`);
    return result;
  });
}

/** Answers `completion/complete`. */
export async function complete(context: ExecutionContext, services: Services): Promise<unknown> {
  const reference = objectParam(context.params, "ref");
  const argument = objectParam(context.params, "argument");
  const name = stringParam(argument, "name", "argument.name");
  const typed = stringParam(argument, "value", "argument.value");
  const ranked = rank(await valuesFor(reference, name, context, services), typed);
  return {
    completion: {
      values: ranked.slice(0, MAX_VALUES),
      total: ranked.length,
      hasMore: ranked.length > MAX_VALUES,
    },
  };
}

async function valuesFor(
  reference: Readonly<Record<string, unknown>>,
  name: string,
  context: ExecutionContext,
  services: Services,
): Promise<readonly string[]> {
  const type = reference["type"];
  if (type === "ref/prompt") {
    const prompt = stringParam(reference, "name", "ref.name");
    const values = await firstOf(services.prompts, (provider) => provider.values?.(prompt, name, context));
    if (values) return values;
    throw invalidParams(
      `There is no prompt "${quoted(prompt, 100)}" with the argument "${quoted(name, 100)}"`,
    );
  }
  if (type === "ref/resource") {
    const uri = stringParam(reference, "uri", "ref.uri");
    const values = await firstOf(services.resources, (provider) => provider.values?.(uri, name, context));
    if (values) return values;
    throw invalidParams(
      `There is no template "${quoted(uri, 200)}" with the variable "${quoted(name, 100)}"`,
    );
  }
  throw invalidParams('ref.type must be "ref/prompt" or "ref/resource"');
}

/** Values that start with the typed text first, then those with a word that does, then those that contain it. */
function rank(values: readonly string[], typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const ranks: [string[], string[], string[]] = [[], [], []];
  for (const value of values) {
    const text = value.toLowerCase();
    if (text.startsWith(wanted)) ranks[0].push(value);
    else if (startsWord(text, wanted)) ranks[1].push(value);
    else if (text.includes(wanted)) ranks[2].push(value);
  }
  return ranks.flat();
}

function startsWord(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (!/[\p{L}\p{N}]/u.test(text[at - 1] ?? "")) return true;
  }
  return false;
}
