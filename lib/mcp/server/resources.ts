/** Reads resources and gets prompts. */

import type { Awaitable } from "../../base/async.ts";
import type { ExecutionContext } from "./context.ts";
import type { Services } from "./services.ts";
import { allOf, andThen, firstOf } from "../../base/async.ts";
import { own } from "../../base/json.ts";
import { didYouMean, quoted } from "../../base/text.ts";
import { RawJson } from "../../jsonrpc/message.ts";
import { invalidParams, resourceNotFound, stringParam, unusableParam } from "../protocol/errors.ts";
import { checked } from "./shapes.ts";

export function readResource(
  context: ExecutionContext,
  { resources }: Services,
): Awaitable<unknown> {
  const { uri } = context.params;
  if (typeof uri !== "string") throw unusableParam(uri, "uri", "a string");
  const first = resources[0]?.read(uri, context);
  // Most reads end here, so they make no closures.
  if (first instanceof RawJson) return first;
  const others = (contents: typeof first) =>
    contents ?? firstOf(resources, (provider) => provider.read(uri, context), 1);
  return andThen(andThen(first, others), (contents) => {
    if (contents === undefined) {
      return andThen(allOf(resources.map((provider) => provider.nearest?.(uri, context) ?? [])), (near) => {
        throw resourceNotFound(uri, context.revision, near.flat());
      });
    }
    return contents instanceof RawJson
      ? contents
      : { contents: checked(contents, "contents[]", "contents", quoted(uri, 200)) };
  });
}

export function getPrompt(
  context: ExecutionContext,
  { prompts }: Services,
): Awaitable<unknown> {
  const name = stringParam(context.params, "name");
  const given = own(context.params, "arguments");
  return andThen(firstOf(prompts, (provider) => provider.get(name, given, context)), (result) => {
    if (result instanceof RawJson) return result;
    if (result !== undefined) return checked(result, "prompt result", "result", quoted(name, 100));
    return andThen(allOf(prompts.map((provider) => provider.list(context))), async (lists) => {
      const { nearest } = await import("../../base/nearest.ts");
      const near = nearest(name, lists.flat().map((prompt) => prompt.name));
      throw invalidParams(`There is no prompt "${quoted(name, 100)}"${didYouMean(near)}`);
    });
  });
}
