/**
 * Reading resources and prompts, and completing their arguments.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 */

import type { Awaitable } from "../base/async.ts";
import type { ExecutionContext } from "./context.ts";
import type { Services } from "./handlers.ts";
import type { Provider } from "./provider.ts";
import { andThen, firstOf } from "../base/async.ts";
import { own } from "../base/json.ts";
import { quoted } from "../base/text.ts";
import { RawJson } from "../jsonrpc/message.ts";
import {
  invalidParams,
  objectParam,
  resourceNotFound,
  stringParam,
  unusableParam,
} from "../protocol/errors.ts";

/** Answers `resources/read`. */
export function readResource(context: ExecutionContext, { resources }: Services): Awaitable<unknown> {
  const { uri } = context.params;
  if (typeof uri !== "string") throw unusableParam(uri, "uri", "a string");
  const found = resources.length === 1
    ? resources[0]!.read(uri, context)
    : firstOf(resources, (provider) => provider.read(uri, context));
  if (found instanceof RawJson) return found;
  return andThen(found, (contents) => {
    if (contents === undefined) throw resourceNotFound(uri, context.revision);
    return contents instanceof RawJson ? contents : { contents };
  });
}

/** Answers `prompts/get`. */
export function getPrompt(context: ExecutionContext, { prompts }: Services): Awaitable<unknown> {
  const name = stringParam(context.params, "name");
  const given = own(context.params, "arguments");
  return andThen(firstOf(prompts, (provider) => provider.get(name, given, context)), (result) => {
    if (result === undefined) throw invalidParams(`There is no prompt "${quoted(name, 100)}"`);
    return result;
  });
}

/** The most completion values in one response, as the specification sets it. */
const MAX_VALUES = 100;

/** What can be completed, by the type of the reference. */
const REFERENCES = new Map(Object.entries(
  {
    "ref/prompt": { of: "prompts", key: "name", noun: "prompt", part: "argument" },
    "ref/resource": { of: "resources", key: "uri", noun: "template", part: "variable" },
  } as const,
));

/** Answers `completion/complete`. */
export async function complete(context: ExecutionContext, services: Services): Promise<unknown> {
  const reference = objectParam(context.params, "ref");
  const argument = objectParam(context.params, "argument");
  const name = stringParam(argument, "name", "argument.name");
  const typed = stringParam(argument, "value", "argument.value");
  const row = REFERENCES.get(String(reference["type"]));
  if (!row) throw invalidParams('ref.type must be "ref/prompt" or "ref/resource"');
  const { of, key, noun, part } = row;
  const target = stringParam(reference, key, `ref.${key}`);
  const providers: readonly Provider[] = services[of];
  const values = await firstOf(providers, (provider) => provider.values?.(target, name, context));
  if (!values) {
    throw invalidParams(
      `There is no ${noun} "${quoted(target, 200)}" with the ${part} "${quoted(name, 100)}"`,
    );
  }
  const ranked = rank(values, typed);
  return {
    completion: {
      values: ranked.slice(0, MAX_VALUES),
      total: ranked.length,
      hasMore: ranked.length > MAX_VALUES,
    },
  };
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
