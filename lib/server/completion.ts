/**
 * What could the user mean to type? Suggests values for the arguments of prompts and the variables of templates.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 */

import type { ExecutionContext } from "./context.ts";
import type { Services } from "./methods.ts";
import { invalidParams } from "../protocol/errors.ts";
import { quoted } from "../base/text.ts";
import { objectParam, stringParam } from "./params.ts";

/** The most values in one answer, as the specification sets it. */
const MAX_VALUES = 100;

/** Answers `completion/complete`. */
export async function complete(context: ExecutionContext, services: Services): Promise<unknown> {
  const reference = objectParam(context.params, "ref");
  const argument = objectParam(context.params, "argument");
  const name = stringParam(argument, "name", "argument.name");
  const typed = stringParam(argument, "value", "argument.value");
  const values = await valuesFor(reference, name, context, services);
  const ranked = rank(values, typed);
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
  switch (reference["type"]) {
    case "ref/prompt": {
      const prompt = stringParam(reference, "name", "ref.name");
      for (const provider of services.prompts) {
        const values = await provider.values?.(prompt, name, context);
        if (values) return values;
      }
      throw invalidParams(
        `There is no prompt "${quoted(prompt, 100)}" with the argument "${quoted(name, 100)}"`,
      );
    }
    case "ref/resource": {
      const template = stringParam(reference, "uri", "ref.uri");
      for (const provider of services.resources) {
        const values = await provider.values?.(template, name, context);
        if (values) return values;
      }
      throw invalidParams(
        `There is no template "${quoted(template, 200)}" with the variable "${quoted(name, 100)}"`,
      );
    }
    default:
      throw invalidParams('ref.type must be "ref/prompt" or "ref/resource"');
  }
}

/** Values that begin with what was typed come first, then those with a word that does, then those that hold it. */
function rank(values: readonly string[], typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const ranks: string[][] = [[], [], []];
  for (const value of values) {
    const at = placeOf(value.toLowerCase(), wanted);
    if (at !== undefined) ranks[at]!.push(value);
  }
  return ranks.flat();
}

function placeOf(value: string, wanted: string): 0 | 1 | 2 | undefined {
  if (value.startsWith(wanted)) return 0;
  let found = value.indexOf(wanted);
  if (found < 0) return undefined;
  for (; found >= 0; found = value.indexOf(wanted, found + 1)) {
    if (!/[\p{L}\p{N}]/u.test(value[found - 1]!)) return 1;
  }
  return 2;
}
