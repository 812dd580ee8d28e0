/**
 * Gets a prompt.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt
 */

import type { Awaitable } from "../../base/async.ts";
import type { ExecutionContext } from "./context.ts";
import type { PromptProvider } from "./provider.ts";
import type { Services } from "./services.ts";
import { allOf, andThen, firstOf } from "../../base/async.ts";
import { own } from "../../base/json.ts";
import { didYouMean, quoted } from "../../base/text.ts";
import { RawJson } from "../../jsonrpc/message.ts";
import { invalidParams, stringParam } from "../protocol/errors.ts";
import { checked } from "./shapes.ts";

/** Answers `prompts/get`. */
export function getPrompt(context: ExecutionContext, { prompts }: Services): Awaitable<unknown> {
  const name = stringParam(context.params, "name");
  const given = own(context.params, "arguments") ?? {};
  const fill = (provider: PromptProvider) => {
    if (provider.checksArguments) return provider.get(name, given, context);
    return import("./prompt_arguments.ts").then((checks) => checks.fill(provider, name, given, context));
  };
  return andThen(firstOf(prompts, fill), (result) => {
    if (result instanceof RawJson) return result;
    if (result !== undefined) return checked(result, "prompt result", "result", quoted(name, 100));
    return andThen(allOf(prompts.map((provider) => provider.list(context))), async (lists) => {
      const { nearest } = await import("../../base/nearest.ts");
      const near = nearest(name, lists.flat().map((prompt) => prompt.name));
      throw invalidParams(`There is no prompt "${quoted(name, 100)}"${didYouMean(near)}`);
    });
  });
}
