/**
 * What is a prompt? Reads a definition file; everything that could go wrong when the prompt is asked for and can be
 * known now is an error now.
 */

import type { Template } from "./template.ts";
import { parseTemplate, TemplateError } from "./template.ts";

/** The longest argument that a definition may allow, and what `code` is allowed by default, in code points. */
const MAX_ARGUMENT_LENGTH = 10_000;
/** What any other argument is allowed by default, in code points: a description, not a file. */
const DEFAULT_ARGUMENT_LENGTH = 2_000;

/** One argument of a prompt. */
export interface PromptArgument {
  /** What its value is given under, and its placeholder in a template. */
  readonly name: string;
  /** What to fill in. */
  readonly description?: string;
  /** Whether it must be given, and not be empty. */
  readonly required: boolean;
  /** In Unicode code points. */
  readonly maxLength: number;
  /** Values to suggest while the argument is typed; others are allowed too. */
  readonly values: readonly string[];
}

/** One message of a prompt. */
export interface PromptMessage {
  /** Who says it. */
  readonly role: "user" | "assistant";
  /** What is said. */
  readonly template: Template;
}

/** A prompt that is ready to be filled in. */
export interface PromptDefinition {
  /** Lower-case letters, digits and hyphens: "create-adr". */
  readonly name: string;
  /** For people. */
  readonly title?: string;
  /** What it is good for. */
  readonly description?: string;
  /** What can be filled in, each name once; empty when there is nothing. */
  readonly arguments: readonly PromptArgument[];
  /** What is said, in order: at least one. */
  readonly messages: readonly PromptMessage[];
}

/** A definition file is not as it must be; the message says where and why. */
export class DefinitionError extends Error {
  /** Names the class in logs. */
  override readonly name = "DefinitionError";
}

const PROMPT_NAME = /^[a-z0-9-]+$/;
const ARGUMENT_NAME = /^[A-Za-z_][\w-]*$/;

/**
 * Reads the text of a definition file.
 *
 * @throws {DefinitionError} With the place, as a path such as `messages[0].content.text`, and the reason.
 */
export function readDefinition(text: string): PromptDefinition {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DefinitionError(`The file is not valid JSON: ${(cause as Error).message}`, { cause });
  }
  const record = object(value, "the file");
  const name = string(record["name"], "name");
  if (!PROMPT_NAME.test(name)) {
    throw new DefinitionError(`name must match ${PROMPT_NAME.source}, and "${name}" does not`);
  }
  const parameters = list(record["arguments"] ?? [], "arguments").map(readArgument);
  const names = new Set<string>();
  for (const { name } of parameters) {
    if (names.has(name)) throw new DefinitionError(`arguments names "${name}" twice`);
    names.add(name);
  }
  const messages = list(record["messages"], "messages").map((message, index) =>
    readMessage(message, `messages[${index}]`, names)
  );
  if (messages.length === 0) throw new DefinitionError("messages is empty");
  return Object.freeze({
    name,
    ...optional(record, "title", "title"),
    ...optional(record, "description", "description"),
    arguments: Object.freeze(parameters),
    messages: Object.freeze(messages),
  });
}

function readArgument(value: unknown, index: number): PromptArgument {
  const place = `arguments[${index}]`;
  const record = object(value, place);
  const name = string(record["name"], `${place}.name`);
  if (!ARGUMENT_NAME.test(name)) {
    throw new DefinitionError(`${place}.name must match ${ARGUMENT_NAME.source}, and "${name}" does not`);
  }
  const maxLength = record["maxLength"] ?? (name === "code" ? MAX_ARGUMENT_LENGTH : DEFAULT_ARGUMENT_LENGTH);
  if (
    !Number.isInteger(maxLength) || (maxLength as number) < 1 || (maxLength as number) > MAX_ARGUMENT_LENGTH
  ) {
    throw new DefinitionError(`${place}.maxLength must be an integer from 1 to ${MAX_ARGUMENT_LENGTH}`);
  }
  const required = record["required"] ?? false;
  if (typeof required !== "boolean") throw new DefinitionError(`${place}.required must be true or false`);
  return Object.freeze({
    name,
    ...optional(record, "description", `${place}.description`),
    required,
    maxLength: maxLength as number,
    values: Object.freeze(
      list(record["values"] ?? [], `${place}.values`).map((item, at) =>
        string(item, `${place}.values[${at}]`)
      ),
    ),
  });
}

function readMessage(value: unknown, place: string, names: ReadonlySet<string>): PromptMessage {
  const record = object(value, place);
  const role = record["role"];
  if (role !== "user" && role !== "assistant") {
    throw new DefinitionError(`${place}.role must be "user" or "assistant"`);
  }
  const content = object(record["content"], `${place}.content`);
  if (content["type"] !== "text") throw new DefinitionError(`${place}.content.type must be "text"`);
  const text = string(content["text"], `${place}.content.text`);
  try {
    return Object.freeze({ role, template: parseTemplate(text, names) });
  } catch (cause) {
    if (!(cause instanceof TemplateError)) throw cause;
    throw new DefinitionError(`${place}.content.text: ${cause.message}`, { cause });
  }
}

function object(value: unknown, place: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new DefinitionError(`${place} must be an object`);
}

function list(value: unknown, place: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new DefinitionError(`${place} must be a list`);
}

function string(value: unknown, place: string): string {
  if (typeof value === "string") return value;
  throw new DefinitionError(`${place} must be a text`);
}

function optional<K extends "title" | "description">(
  record: Record<string, unknown>,
  key: K,
  place: string,
): { [key in K]?: string } {
  if (record[key] === undefined) return {};
  return { [key]: string(record[key], place) } as { [key in K]?: string };
}
