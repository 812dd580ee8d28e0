/** Reads prompt definition files, and parses their templates once. */

import type { Catalogue, Document } from "../documents/catalogue.ts";
import type { FileContent } from "../documents/files.ts";
import { toMatcher } from "../base/glob.ts";
import { compact, isObject } from "../base/json.ts";
import { decodeText } from "../documents/files.ts";
import { canonical, parseUri } from "../documents/uri.ts";
import { check } from "../server/shapes.ts";

/** The longest argument that a definition may allow, which is the default for `code`; and the other default; in code points. */
const MAX_ARGUMENT_LENGTH = 10_000, DEFAULT_ARGUMENT_LENGTH = 2_000;

/** One part of a template. A text is also kept as JSON without quotes. */
export type TemplatePart =
  | { readonly kind: "text"; readonly text: string; readonly json: Uint8Array }
  | { readonly kind: "argument"; readonly name: string }
  | EmbeddedPart;

/** One document, or all that a pattern matches. */
export interface EmbeddedPart {
  readonly kind: "documents";
  readonly uri: string;
  readonly section?: string | undefined;
  /** Whether the pattern matches a key: `*` within a segment, `**` across segments. Undefined for one document. */
  readonly matches?: (key: string) => boolean;
}

export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  /** Whether it must be given, and not be empty. */
  readonly required: boolean;
  /** In Unicode code points. */
  readonly maxLength: number;
  /** Suggested values; others are allowed. */
  readonly values: readonly string[];
}

export interface PromptDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly PromptArgument[];
  readonly messages: readonly PromptMessage[];
  /** Members without a meaning, such as `arguments[0].requird`: mistyped, probably. */
  readonly unknown: readonly string[];
}

interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly template: readonly TemplatePart[];
}

/** A definition file is not valid; the message says where and why. */
export class DefinitionError extends Error {}

const PROMPT_NAME = /^[a-z0-9-]+$/;
const ARGUMENT_NAME = /^[A-Za-z_][\w-]*$/;

/** Reads a definition file. Throws a `DefinitionError` with the place, such as `messages[0].content.text`, and the reason. */
export function readDefinition(content: FileContent | undefined): PromptDefinition {
  ensure(content, "The file cannot be read, is too large, or a link leads out of the root");
  const text = decodeText(content.bytes);
  ensure(text !== undefined, "The file is not UTF-8 text");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DefinitionError(`The file is not valid JSON: ${(cause as Error).message}`, { cause });
  }
  ensure(isObject(value), "the file must be an object");
  const unknown: string[] = [];
  check(value, "prompt file", "", fail, unknown);
  const { name, title, description, arguments: args = [], messages } = value as unknown as WrittenPrompt;
  requireName(name, "name", PROMPT_NAME);
  const parameters = args.map(readArgument);
  const names = new Set<string>();
  for (const { name } of parameters) {
    ensure(!names.has(name), `arguments names "${name}" twice`);
    names.add(name);
  }
  ensure(messages.length > 0, "messages is empty");
  const read = messages.map(({ role, content: { text } }, index): PromptMessage => {
    return { role, template: parseTemplate(text, names, `messages[${index}].content.text`) };
  });
  return compact({ name, title, description, arguments: parameters, messages: read, unknown });
}

type WrittenArgument = Pick<PromptArgument, "name"> & Partial<PromptArgument>;

interface WrittenPrompt extends Pick<PromptDefinition, "name" | "title" | "description"> {
  readonly arguments?: readonly WrittenArgument[];
  readonly messages: readonly { readonly role: PromptMessage["role"]; readonly content: { text: string } }[];
}

function readArgument({ name, ...rest }: WrittenArgument, index: number): PromptArgument {
  const usual = name === "code" ? MAX_ARGUMENT_LENGTH : DEFAULT_ARGUMENT_LENGTH;
  const { description, required = false, maxLength = usual, values = [] } = rest;
  const place = `arguments[${index}]`;
  requireName(name, `${place}.name`, ARGUMENT_NAME);
  const isLength = Number.isInteger(maxLength) && maxLength >= 1 && maxLength <= MAX_ARGUMENT_LENGTH;
  ensure(isLength, `${place}.maxLength must be an integer from 1 to ${MAX_ARGUMENT_LENGTH}`);
  return compact({ name, description, required, maxLength, values });
}

function fail(message: string): never {
  throw new DefinitionError(message);
}

function ensure(holds: unknown, message: string): asserts holds {
  if (!holds) fail(message);
}

function requireName(name: string, place: string, pattern: RegExp): void {
  ensure(pattern.test(name), `${place} must match ${pattern.source}, and "${name}" does not`);
}

/** One placeholder, with the backslash that may stand before it. */
const MARK = /(\\?)(?:<<([^<>{}\r\n]{1,1000})>>|\{\{([^<>{}\r\n]{1,1000})\}\})/g;

/** Parses a text once, so that nothing in an argument or a document can insert another mark. */
function parseTemplate(text: string, names: ReadonlySet<string>, place: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  const toText = (text: string): TemplatePart => {
    return { kind: "text", text, json: new TextEncoder().encode(JSON.stringify(text)).subarray(1, -1) };
  };
  let literal = "";
  let end = 0;
  for (const { 0: mark, 1: escape = "", 2: angled, 3: braced, index } of text.matchAll(MARK)) {
    const part = escape === "" ? readMark((angled ?? braced)!.trim(), names, place) : undefined;
    literal += text.slice(end, index) + (part ? "" : mark.slice(escape.length));
    end = index + mark.length;
    if (!part) continue;
    parts.push(toText(literal), part);
    literal = "";
  }
  parts.push(toText(literal + text.slice(end)));
  return parts.filter((part) => part.kind !== "text" || part.text !== "");
}

function readMark(inner: string, names: ReadonlySet<string>, place: string): TemplatePart | undefined {
  const uri = /^resource:\s*(.*)$/.exec(inner)?.[1];
  if (uri !== undefined) return readResource(uri, place);
  if (!ARGUMENT_NAME.test(inner)) return undefined;
  const advice = "declare it, or write a backslash before the marks to mean the text";
  ensure(names.has(inner), `${place}: "${inner}" is not among the arguments; ${advice}`);
  return { kind: "argument", name: inner };
}

function readResource(uri: string, place: string): TemplatePart {
  const [, own, file, fragment] = /^(?:architecture:\/\/([^#]*)|file:\/\/\/([^#]*))(#.*)?$/i.exec(uri) ?? [];
  const path = own ?? file?.replace(/\.md$/i, "") ?? "", address = parseUri(uri);
  const forms = "write architecture://{category}/{path} or file:///{category}/{path}.md";
  ensure(address || path.includes("*"), `${place}: "${uri}" is no document; ${forms}`);
  if (!path.includes("*")) return { kind: "documents", uri, section: address?.section };
  ensure(fragment === undefined, `${place}: "${uri}" asks for a section of many documents`);
  const pattern = path.split(/(\*+)/).map((part, index) => index % 2 === 1 ? part : canonical(part)).join("");
  return { kind: "documents", uri, matches: toMatcher(pattern) };
}

/** The documents that a part names: one, or those that a pattern matches; several with one number are an error. */
export function documentsOf(part: TemplatePart, catalogue: Catalogue | undefined): readonly Document[] {
  if (!catalogue || part.kind !== "documents") return [];
  const { uri, matches } = part;
  return matches ? catalogue.documents.filter(({ key }) => matches(key)) : catalogue.find(uri).documents;
}
