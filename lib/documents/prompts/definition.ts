/** Definition files of prompts: reads and checks them. */

import type { PromptArgument, PromptDefinition, PromptMessage } from "./prompt.ts";
import type { FileContent } from "../files.ts";
import type { TemplatePart } from "./prompt.ts";
import { compact, isObject } from "../../base/json.ts";
import { checkType } from "../../mcp/server/shapes.ts";
import { decodeText } from "../files.ts";
import { ARGUMENT_NAME, ensure, fail, parseTemplate } from "./template.ts";

/** The maximum length of an argument that a definition may set, and the default for `code`, in code points. */
const MAX_ARGUMENT_LENGTH = 10_000;
/** The default maximum length of other arguments, in code points. */
const DEFAULT_ARGUMENT_LENGTH = 2_000;
const PROMPT_NAME = /^[a-z0-9-]+$/;

/** The contents of a definition file after its shape was checked. */
interface WrittenPrompt extends Pick<PromptDefinition, "name" | "title" | "description"> {
  readonly arguments?: readonly (Pick<PromptArgument, "name"> & Partial<PromptArgument>)[];
  readonly messages: readonly { readonly role: PromptMessage["role"]; readonly content: { text: string } }[];
}

/** Reads a definition file. @throws {DefinitionError} When it is not valid. */
export function readDefinition(content: FileContent | undefined): PromptDefinition {
  ensure(content, "The file cannot be read, is too large, or a link leads out of the root");
  const text = decodeText(content.bytes);
  ensure(text !== undefined, "The file is not UTF-8 text");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    fail(`The file is not valid JSON: ${(cause as Error).message}`);
  }
  ensure(isObject(value), "the file must be an object");
  const unknown: string[] = [];
  checkType(value, "prompt file", "", fail, unknown);
  const { name, title, description, arguments: args = [], messages } = value as unknown as WrittenPrompt;
  requireName(name, "name", PROMPT_NAME);
  const names = new Set<string>();
  const parameters = args.map(({ name, ...rest }, index) => {
    const usual = name === "code" ? MAX_ARGUMENT_LENGTH : DEFAULT_ARGUMENT_LENGTH;
    const { description, required = false, maxLength = usual, values = [] } = rest;
    const place = `arguments[${index}]`;
    requireName(name, `${place}.name`, ARGUMENT_NAME);
    const isLength = Number.isInteger(maxLength) && maxLength >= 1 && maxLength <= MAX_ARGUMENT_LENGTH;
    ensure(isLength, `${place}.maxLength must be an integer from 1 to ${MAX_ARGUMENT_LENGTH}`);
    ensure(!names.has(name), `arguments names "${name}" twice`);
    names.add(name);
    return compact({ name, description, required, maxLength, values });
  });
  ensure(messages.length > 0, "messages is empty");
  const read = messages.map(({ role, content: { text } }, index) => {
    return { role, text, template: parseTemplate(text, names, `messages[${index}].content.text`) };
  });
  return compact({ name, title, description, arguments: parameters, messages: read, unknown });
}

function requireName(name: string, place: string, pattern: RegExp): void {
  ensure(pattern.test(name), `${place} must match ${pattern.source}, and "${name}" does not`);
}

/** The parts of all messages, in order. */
export function templateParts({ messages }: PromptDefinition): TemplatePart[] {
  return messages.flatMap(({ template }) => template);
}
