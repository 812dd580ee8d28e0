/** Checks the arguments of a prompt by what its provider lists. Providers that do it themselves do not need this. */

import type { ExecutionContext } from "./context.ts";
import type { PromptProvider } from "./provider.ts";
import { andThen } from "../../base/async.ts";
import { asArray, asObject, isObject, own } from "../../base/json.ts";
import { invalidParams } from "../protocol/errors.ts";

/** Fills in a prompt whose arguments fit. @throws {RpcError} -32602 when they do not. */
export function fill(
  provider: PromptProvider,
  name: string,
  given: unknown,
  context: ExecutionContext,
): ReturnType<PromptProvider["get"]> {
  if (!isObject(given)) throw invalidParams("The arguments must be an object");
  return andThen(provider.list(context), (list) => {
    // The list is checked when it is sent.
    const prompt = asArray(list).map(asObject).find((one) => one["name"] === name);
    for (const argument of asArray(prompt?.["arguments"]).map(asObject)) {
      const key = String(argument["name"]), fault = faultOf(own(given, key), argument["required"] === true);
      if (fault !== undefined) throw invalidParams(`The argument "${key}" ${fault}`);
    }
    return provider.get(name, given, context);
  });
}

/** What is wrong with an argument; undefined when nothing is. */
function faultOf(value: unknown, isRequired: boolean): string | undefined {
  if (value === undefined) return isRequired ? "is missing" : undefined;
  if (typeof value !== "string") return "must be a string";
  return value === "" && isRequired ? "is required and must not be empty" : undefined;
}
