/**
 * What does a prompt say with these arguments? Checks the arguments, gathers the documents, and writes the messages.
 *
 * The fixed parts of a prompt are encoded once; what goes in between is encoded on its way.
 */

import type { Catalogue, Document } from "../documents/catalogue.ts";
import type { PromptArgument, PromptDefinition } from "./definition.ts";
import type { TemplatePart } from "./template.ts";
import { isOver, standing } from "../documents/record.ts";
import { sectionText } from "../documents/sections.ts";
import { toUri } from "../documents/uri.ts";

/**
 * A stretch of JSON text: a string that is yet to be encoded, or its UTF-8 bytes. The same as `Piece` of `jsonrpc`,
 * which this room does not know.
 *
 * @internal
 */
type Piece = string | Uint8Array;

/** The most documents in one prompt. */
export const MAX_PROMPT_DOCUMENTS = 50;
/** The most document text in one prompt, in bytes of UTF-8. */
export const MAX_PROMPT_BYTES: number = 1024 * 1024;

/** A prompt cannot be filled in as asked: an argument is wrong, or a document is missing or too much. */
export class PromptError extends Error {
  /** Names the class in logs. */
  override readonly name = "PromptError";
}

/** Where documents come from. A `Shelf` and its catalogue fit. */
export interface DocumentSource {
  /** What there is to embed. */
  readonly catalogue: Catalogue;
  /** The text of a document as a JSON string in UTF-8, quotes included; undefined when it is not there any more. */
  json(document: Document): Uint8Array | undefined;
  /** The text of a document; undefined when it is not there any more. */
  text(document: Document): string | undefined;
}

/**
 * Checks what a client gave as arguments.
 *
 * @throws {PromptError} Naming the first argument that is unknown, missing, empty though required, no text, or too
 * long, and the limit.
 */
export function checkArguments(prompt: PromptDefinition, given: unknown): ReadonlyMap<string, string> {
  if (given !== undefined && (typeof given !== "object" || given === null || Array.isArray(given))) {
    throw new PromptError("The arguments must be an object");
  }
  const record = (given ?? {}) as Record<string, unknown>;
  for (const name of Object.keys(record)) {
    if (prompt.arguments.some((argument) => argument.name === name)) continue;
    const known = prompt.arguments.map((argument) => argument.name).join(", ");
    throw new PromptError(
      `Unknown argument "${name.slice(0, 100).toWellFormed()}"; the prompt "${prompt.name}" takes ${
        known || "none"
      }`,
    );
  }
  return new Map(prompt.arguments.map((argument) => {
    const value = Object.hasOwn(record, argument.name) ? record[argument.name] : undefined;
    return [argument.name, checkArgument(argument, value)];
  }));
}

function checkArgument(argument: PromptArgument, value: unknown): string {
  const { name, required, maxLength } = argument;
  if (value === undefined && required) throw new PromptError(`The argument "${name}" is missing`);
  if (value === undefined) return "";
  if (typeof value !== "string") throw new PromptError(`The argument "${name}" must be a text`);
  if (value === "" && required) {
    throw new PromptError(`The argument "${name}" is required and must not be empty`);
  }
  // A string has at most as many code points as it has units, so most need no counting.
  if (value.length > maxLength && Array.from(value).length > maxLength) {
    throw new PromptError(`The argument "${name}" is longer than ${maxLength} characters`);
  }
  return value;
}

/** The documents that a prompt embeds, as far as they are there. */
export function embeddedDocuments(
  prompt: PromptDefinition,
  source: Pick<DocumentSource, "catalogue">,
): Document[] {
  return prompt.messages.flatMap(({ template }) => template).flatMap((part) => {
    if (part.kind === "documents") return source.catalogue.match(part.pattern);
    const found = part.kind === "document" ? source.catalogue.find(part.uri) : undefined;
    return found?.kind === "document" ? [found.document] : [];
  });
}

/**
 * Writes the messages of a prompt as JSON text in pieces: a list, brackets included.
 *
 * @throws {PromptError} When a named document is missing, or the documents are over a limit.
 */
export function renderMessages(
  prompt: PromptDefinition,
  values: ReadonlyMap<string, string>,
  source: DocumentSource | undefined,
): Piece[] {
  const embedded: Uint8Array[] = [];
  const pieces: Piece[] = [];
  let opening = "[";
  for (const { role, template } of prompt.messages) {
    pieces.push(`${opening}{"role":"${role}","content":{"type":"text","text":"`);
    for (const part of template) pieces.push(...renderPart(prompt.name, part, values, source, embedded));
    pieces.push('"}}');
    opening = ",";
  }
  pieces.push("]");
  return pieces;
}

function renderPart(
  prompt: string,
  part: TemplatePart,
  values: ReadonlyMap<string, string>,
  source: DocumentSource | undefined,
  embedded: Uint8Array[],
): Piece[] {
  switch (part.kind) {
    case "text":
      return [encodedText(part)];
    case "argument":
      return [inner(values.get(part.name) ?? "")];
    case "document":
      return renderDocument(prompt, part.uri, source, embedded);
    case "documents": {
      const documents = source?.catalogue.match(part.pattern) ?? [];
      if (documents.length === 0) return [inner(`(No document matches ${part.uri}.)`)];
      return documents.flatMap((document, index) => [
        index === 0 ? "" : inner("\n\n"),
        headline(document),
        spend(
          prompt,
          source!.json(document) ?? missing(prompt, toUri(document.key, "architecture")),
          embedded,
        ),
      ]);
    }
  }
}

function renderDocument(
  prompt: string,
  uri: string,
  source: DocumentSource | undefined,
  embedded: Uint8Array[],
): Piece[] {
  const found = source?.catalogue.find(uri);
  if (!source || !found || found.kind === "none") return missing(prompt, uri);
  if (found.kind === "ambiguous") {
    const candidates = found.candidates.map(({ key }) => toUri(key, "architecture")).join(" and ");
    throw new PromptError(`The prompt "${prompt}" embeds ${uri}, which names ${candidates}`);
  }
  const { document, address } = found;
  if (address.section === undefined) {
    return [headline(document), spend(prompt, source.json(document) ?? missing(prompt, uri), embedded)];
  }
  const text = source.text(document);
  const section = text === undefined ? undefined : sectionText(text, address.section);
  if (section === undefined) return missing(prompt, uri);
  return [headline(document, address.section), spend(prompt, encode(section), embedded)];
}

/** Counts a document against the limits and gives the inside of its JSON string. */
function spend(prompt: string, json: Uint8Array, embedded: Uint8Array[]): Uint8Array {
  embedded.push(json);
  if (embedded.length > MAX_PROMPT_DOCUMENTS) {
    throw new PromptError(`The prompt "${prompt}" embeds more than ${MAX_PROMPT_DOCUMENTS} documents`);
  }
  if (isTooMuch(embedded)) {
    throw new PromptError(`The prompt "${prompt}" embeds more than ${MAX_PROMPT_BYTES} bytes of documents`);
  }
  return json.subarray(1, -1);
}

/** JSON is never shorter than its text, so most need no counting. */
function isTooMuch(embedded: readonly Uint8Array[]): boolean {
  const length = embedded.reduce((sum, json) => sum + json.length - 2, 0);
  return length > MAX_PROMPT_BYTES &&
    length - embedded.reduce((sum, json) => sum + escapeBytes(json), 0) > MAX_PROMPT_BYTES;
}

/** How many bytes more the JSON of a text has than the text: "\\n" one, "\\u001f" five. */
function escapeBytes(json: Uint8Array): number {
  let extra = 0;
  for (let place = json.indexOf(BACKSLASH); place >= 0; place = json.indexOf(BACKSLASH, place)) {
    const isLong = json[place + 1] === LETTER_U;
    extra += isLong ? 5 : 1;
    place += isLong ? 6 : 2;
  }
  return extra;
}

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

function missing(prompt: string, uri: string): never {
  throw new PromptError(`The prompt "${prompt}" embeds ${uri}, which is not there`);
}

/** The line that says where the text below it comes from. */
function headline(document: Document, section?: string): string {
  const uri = toUri(document.key, "architecture") + (section === undefined ? "" : `#${section}`);
  // A model that reads it here should not take it for what holds.
  const mark = isOver(document) ? ` (${standing(document)}: this decision holds no more)` : "";
  return inner(`[${uri}] ${document.title}${mark}\n\n`);
}

/** The fixed parts of templates, encoded; they live as long as their prompt. */
const encodedTexts = new WeakMap<TemplatePart, Uint8Array>();

function encodedText(part: TemplatePart & { kind: "text" }): Uint8Array {
  let bytes = encodedTexts.get(part);
  if (!bytes) encodedTexts.set(part, bytes = encode(part.text).subarray(1, -1));
  return bytes;
}

const encoder = new TextEncoder();

function encode(text: string): Uint8Array {
  return encoder.encode(JSON.stringify(text));
}

/** The inside of a JSON string. */
function inner(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
