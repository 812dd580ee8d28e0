/** Completes arguments of prompts and variables of resource templates. */

import type { ExecutionContext } from "./context.ts";
import type { Provider } from "./provider.ts";
import type { Services } from "./services.ts";
import { firstOf } from "../../base/async.ts";
import { quoted } from "../../base/text.ts";
import { invalidParams, objectParam, stringParam } from "../protocol/errors.ts";
import { checked } from "./shapes.ts";

/** The maximum number of values in one response, set by the specification. */
const MAX_VALUES = 100;

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
  const row = REFERENCES.get(reference["type"] as string);
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
  const ranked = rank(checked(values, "string[]", "values", `${target} ${name}`), typed);
  const { length: total } = ranked;
  return { completion: { values: ranked.slice(0, MAX_VALUES), total, hasMore: total > MAX_VALUES } };
}

/**
 * The values that contain the typed text: first those that start with it, then those with a word that starts with it, then the
 * others.
 */
function rank(values: readonly string[], typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const byRank = Map.groupBy(values, (value) => {
    const text = value.toLowerCase();
    let at = text.indexOf(wanted);
    if (at <= 0) return at;
    while (at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1]!)) at = text.indexOf(wanted, at + 1);
    return at < 0 ? 2 : 1;
  });
  return [0, 1, 2].flatMap((rank) => byRank.get(rank) ?? []);
}
