/** Prompts made by code, each with typed arguments. */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Named, Prompt, PromptResult } from "../protocol/types.ts";
import type { Content } from "./content.ts";
import type { ExecutionContext } from "./context.ts";
import type { PromptProvider } from "./provider.ts";
import { andThen } from "../../base/async.ts";
import { compact, freeze, own } from "../../base/json.ts";
import { quoted, repeated } from "../../base/text.ts";
import { invalidParams } from "../protocol/errors.ts";
import { checkType } from "./shapes.ts";

/** The arguments of a prompt, in the order in which a user is asked for them. */
export type PromptParameters = NonNullable<Prompt["arguments"]>;

/** The values of the arguments of a prompt: required ones are texts that are not empty, others may be undefined. */
export type PromptValues<A extends PromptParameters> = {
  readonly [P in A[number] as P["name"]]: P extends { readonly required: true } ? string : string | undefined;
};

/** What a prompt is filled in with: a text from the user, or messages. A string is a block of text. */
export type PromptMessages =
  | string
  | readonly {
    /** The role of the sender. */
    readonly role: "user" | "assistant";
    /** One block. */
    readonly content: string | Content;
  }[];

/** How a prompt is defined. */
export interface DefinePromptOptions<A extends PromptParameters> extends Named {
  /** Its arguments. Clients send texts only. @default {none} */
  readonly arguments?: A;
  /** Fills it in. The arguments are checked; the context can ask the client, as in tools. */
  handler(values: PromptValues<A>, context: ExecutionContext): Awaitable<PromptMessages>;
  /** The values of an argument, for completion. @default {none} */
  values?(argument: A[number]["name"], context: ExecutionContext): Awaitable<readonly string[]>;
}

/**
 * Defines a prompt, for the `prompts` of a server.
 *
 * The client gets the error -32602 when an argument is unknown, is not a string, or is required and missing or empty.
 *
 * @throws {TypeError} When the definition is incorrect.
 * @example
 * ```ts
 * import { createServer, definePrompt } from "@architrave/architrave";
 *
 * const review = definePrompt({
 *   name: "review",
 *   description: "Reviews code.",
 *   arguments: [{ name: "code", required: true }, { name: "language" }],
 *   handler: ({ code, language = "TypeScript" }) => `Review this ${language}:\n\n${code}`,
 * });
 * const server = createServer({ info: { name: "reviews", version: "1.0.0" }, prompts: [review] });
 * ```
 */
export function definePrompt<const A extends PromptParameters = readonly []>(
  definition: DefinePromptOptions<A>,
): PromptProvider {
  const fail = (reason: string): never => {
    throw new TypeError(`Cannot define the prompt "${definition?.name}": ${reason}`);
  };
  checkType(definition, "prompt definition", "", fail, []);
  const { name, title, description, arguments: parameters } = definition;
  const names = (parameters ?? []).map((parameter) => parameter.name);
  const twice = repeated(names);
  if (name === "" || names.includes("")) fail("a name must not be empty");
  if (twice !== undefined) fail(`it has two arguments called "${twice}"`);
  const item = structuredClone(compact({ name, title, description, arguments: parameters }));
  const listed: readonly Prompt[] = freeze([item as Prompt]);
  return {
    names: [name],
    list: () => listed,
    get(asked, given, context) {
      if (asked !== name) return undefined;
      // The server has checked them against the list.
      const unknown = Object.keys(given as JsonObject).find((key) => !names.includes(key));
      if (unknown !== undefined) throw invalidParams(`There is no argument "${quoted(unknown, 100)}"`);
      const values = Object.fromEntries(names.map((key) => [key, own(given as JsonObject, key)]));
      return andThen(definition.handler(values as PromptValues<A>, context), toResult);
    },
    values(of, argument, context) {
      if (of !== name || !names.includes(argument)) return undefined;
      return definition.values?.(argument, context) ?? [];
    },
  };
}

function toResult(filled: PromptMessages): PromptResult {
  const messages = typeof filled === "string" ? [{ role: "user" as const, content: filled }] : filled;
  // Anything else is refused when it is sent.
  if (!Array.isArray(messages)) return { messages } as unknown as PromptResult;
  const toBlock = (content: string | Content) =>
    typeof content === "string" ? { type: "text", text: content } : content;
  return { messages: messages.map((message) => ({ ...message, content: toBlock(message?.content) })) };
}
