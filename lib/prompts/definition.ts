/** Prompt definitions: reads a definition file, and parses its templates once. */

import { compact, isObject } from "../base/json.ts";
import { canonical } from "../documents/uri.ts";

/** The longest argument that a definition may allow, and the default for `code`, in code points. */
const MAX_ARGUMENT_LENGTH = 10_000;
/** The default for all other arguments, in code points. */
const DEFAULT_ARGUMENT_LENGTH = 2_000;

/** One part of a template, in order. */
export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "argument"; readonly name: string }
  | { readonly kind: "document"; readonly uri: string }
  | { readonly kind: "documents"; readonly uri: string; readonly pattern: string };

/** The parts of a text, in order. */
export type Template = readonly TemplatePart[];

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
  /** Values to suggest while the argument is typed; others are allowed. */
  readonly values: readonly string[];
}

/** One message of a prompt. */
export interface PromptMessage {
  /** The speaker. */
  readonly role: "user" | "assistant";
  /** The text. */
  readonly template: Template;
}

/** A prompt that is ready to be filled in. */
export interface PromptDefinition {
  /** Lower-case letters, digits and hyphens: "create-adr". */
  readonly name: string;
  /** For people. */
  readonly title?: string;
  /** What it is for. */
  readonly description?: string;
  /** What can be filled in, each name once. */
  readonly arguments: readonly PromptArgument[];
  /** In order; at least one. */
  readonly messages: readonly PromptMessage[];
}

/** A definition file is not valid; the message says where and why. */
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
  const file = objectAt(value, "the file");
  const name = nameAt(file["name"], "name", PROMPT_NAME);
  const parameters = listAt(file["arguments"] ?? [], "arguments").map(readArgument);
  const names = new Set<string>();
  for (const { name } of parameters) {
    if (names.has(name)) throw new DefinitionError(`arguments names "${name}" twice`);
    names.add(name);
  }
  const messages = listAt(file["messages"], "messages").map((message, index) =>
    readMessage(message, `messages[${index}]`, names)
  );
  if (messages.length === 0) throw new DefinitionError("messages is empty");
  return Object.freeze(compact({
    name,
    title: optionalTextAt(file["title"], "title"),
    description: optionalTextAt(file["description"], "description"),
    arguments: Object.freeze(parameters),
    messages: Object.freeze(messages),
  }));
}

function readArgument(value: unknown, index: number): PromptArgument {
  const place = `arguments[${index}]`;
  const argument = objectAt(value, place);
  const name = nameAt(argument["name"], `${place}.name`, ARGUMENT_NAME);
  const maxLength = argument["maxLength"] ??
    (name === "code" ? MAX_ARGUMENT_LENGTH : DEFAULT_ARGUMENT_LENGTH);
  if (!(Number.isInteger(maxLength) && Number(maxLength) >= 1 && Number(maxLength) <= MAX_ARGUMENT_LENGTH)) {
    throw new DefinitionError(`${place}.maxLength must be an integer from 1 to ${MAX_ARGUMENT_LENGTH}`);
  }
  const required = argument["required"] ?? false;
  if (typeof required !== "boolean") throw new DefinitionError(`${place}.required must be true or false`);
  const values = listAt(argument["values"] ?? [], `${place}.values`);
  return Object.freeze(compact({
    name,
    description: optionalTextAt(argument["description"], `${place}.description`),
    required,
    maxLength: Number(maxLength),
    values: Object.freeze(values.map((item, at) => textAt(item, `${place}.values[${at}]`))),
  }));
}

function readMessage(value: unknown, place: string, names: ReadonlySet<string>): PromptMessage {
  const { role, content: inner } = objectAt(value, place);
  if (role !== "user" && role !== "assistant") {
    throw new DefinitionError(`${place}.role must be "user" or "assistant"`);
  }
  const content = objectAt(inner, `${place}.content`);
  if (content["type"] !== "text") throw new DefinitionError(`${place}.content.type must be "text"`);
  const text = textAt(content["text"], `${place}.content.text`);
  return Object.freeze({ role, template: parseTemplate(text, names, `${place}.content.text`) });
}

function objectAt(value: unknown, place: string): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value;
  throw new DefinitionError(`${place} must be an object`);
}

function listAt(value: unknown, place: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new DefinitionError(`${place} must be a list`);
}

function textAt(value: unknown, place: string): string {
  if (typeof value === "string") return value;
  throw new DefinitionError(`${place} must be a text`);
}

function optionalTextAt(value: unknown, place: string): string | undefined {
  return value === undefined ? undefined : textAt(value, place);
}

function nameAt(value: unknown, place: string, pattern: RegExp): string {
  const name = textAt(value, place);
  if (pattern.test(name)) return name;
  throw new DefinitionError(`${place} must match ${pattern.source}, and "${name}" does not`);
}

/** One placeholder, with the backslash that may stand before it. */
const MARK = /(\\?)(?:<<([^<>{}\r\n]{1,1000})>>|\{\{([^<>{}\r\n]{1,1000})\}\})/g;
const RESOURCE = "resource:";
const SCHEME = "architecture://";

/**
 * Parses a text once, so that nothing in an argument or a document can insert another one.
 *
 * - `<<name>>` is an argument, `<<resource:URI>>` a document, `<<resource:architecture://patterns/*>>` every document that
 *   the pattern matches. `{{...}}` means the same.
 * - A backslash before the opening marks makes them text: `\<<name>>`.
 * - Marks around anything that cannot be a name (`<<EOF`, `{{ a b }}`) are text.
 */
function parseTemplate(text: string, names: ReadonlySet<string>, place: string): Template {
  const parts: TemplatePart[] = [];
  let literal = "";
  let end = 0;
  const add = (...part: readonly TemplatePart[]): void => {
    if (literal !== "") parts.push(Object.freeze({ kind: "text", text: literal }));
    literal = "";
    parts.push(...part.map((one) => Object.freeze(one)));
  };
  for (const { 0: mark, 1: escape, 2: angled, 3: braced, index } of text.matchAll(MARK)) {
    literal += text.slice(end, index);
    end = index + mark.length;
    const part = escape === "" ? readMark((angled ?? braced)!.trim(), names, place) : undefined;
    if (part) add(part);
    else literal += mark.slice(escape!.length);
  }
  literal += text.slice(end);
  add();
  return Object.freeze(parts);
}

function readMark(inner: string, names: ReadonlySet<string>, place: string): TemplatePart | undefined {
  if (inner.startsWith(RESOURCE)) return readResource(inner.slice(RESOURCE.length).trim(), place);
  if (!ARGUMENT_NAME.test(inner)) return undefined;
  if (names.has(inner)) return { kind: "argument", name: inner };
  throw new DefinitionError(
    `${place}: "${inner}" is not among the arguments; declare it, or write a backslash before the marks to mean the text`,
  );
}

function readResource(uri: string, place: string): TemplatePart {
  if (!uri.toLowerCase().startsWith(SCHEME)) {
    throw new DefinitionError(`${place}: "${uri}" is no document; write ${SCHEME}{category}/{path}`);
  }
  const [path = "", section] = uri.slice(SCHEME.length).split("#", 2);
  if (!path.includes("*")) return { kind: "document", uri };
  if (section !== undefined) {
    throw new DefinitionError(`${place}: "${uri}" asks for a section of many documents`);
  }
  const pattern = path.split(/(\*+)/).map((part, index) => index % 2 === 1 ? part : canonical(part)).join("");
  return { kind: "documents", uri, pattern };
}
