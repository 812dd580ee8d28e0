/** Templates of prompts: texts with placeholders for arguments and documents. */

import type { EmbeddedPart, TemplatePart } from "./prompt.ts";
import type { Catalogue } from "../catalogue.ts";
import { toMatcher } from "../../formats/wildcard.ts";
import { canonicalPath, parseUri } from "../uri.ts";

/** The name of an argument. */
export const ARGUMENT_NAME: RegExp = /^[A-Za-z_][\w-]*$/;
/** A placeholder between its marks, after an optional backslash. */
export const PROMPT_MARK: RegExp = /(\\?)(?:<<([^<>{}\r\n]{1,1000})>>|\{\{([^<>{}\r\n]{1,1000})\}\})/g;

/** A definition file is not valid. The message says where, such as in `messages[0].content.text`, and why. */
export class DefinitionError extends Error {}

/** @throws {DefinitionError} */
export function fail(message: string): never {
  throw new DefinitionError(message);
}

/** @throws {DefinitionError} When the condition is false. */
export function ensure(holds: unknown, message: string): asserts holds {
  if (!holds) fail(message);
}

/** Parses a text once. Arguments and documents that are inserted later are never parsed. */
export function parseTemplate(text: string, names: ReadonlySet<string>, place: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  const addText = (text: string) => {
    const json = new TextEncoder().encode(JSON.stringify(text)).subarray(1, -1);
    if (text !== "") parts.push({ kind: "text", text, json });
  };
  let end = 0;
  for (const { 0: mark, 1: escape = "", 2: angled, 3: braced, index } of text.matchAll(PROMPT_MARK)) {
    const part = escape === "" ? readPlaceholder((angled ?? braced)!.trim(), names, place) : undefined;
    addText(text.slice(end, index) + (part ? "" : mark.slice(escape.length)));
    if (part) parts.push(part);
    end = index + mark.length;
  }
  addText(text.slice(end));
  return parts;
}

/** Reads the text between the marks; undefined when it is not a placeholder. */
function readPlaceholder(inner: string, names: ReadonlySet<string>, place: string): TemplatePart | undefined {
  const uri = /^resource:\s*(.*)$/.exec(inner)?.[1];
  if (uri !== undefined) return readResource(uri, place);
  if (!ARGUMENT_NAME.test(inner)) return undefined;
  const advice = "declare it, or write a backslash before the marks for literal text";
  ensure(names.has(inner), `${place}: "${inner}" is not among the arguments; ${advice}`);
  return { kind: "argument", name: inner };
}

function readResource(uri: string, place: string): EmbeddedPart {
  const [, own, file, fragment] = /^(?:architecture:\/\/([^#]*)|file:\/\/\/([^#]*))(#.*)?$/i.exec(uri) ?? [];
  const path = own ?? file?.replace(/\.md$/i, "") ?? "", isPattern = path.includes("*");
  const address = parseUri(uri);
  const forms = "write architecture://{category}/{path} or file:///{category}/{path}.md";
  ensure(address || isPattern, `${place}: "${uri}" is not a document; ${forms}`);
  ensure(
    !isPattern || fragment === undefined,
    `${place}: "${uri}" asks for one section of several documents`,
  );
  const matches = toMatcher(path.replace(/[^*]+/g, canonicalPath));
  const find = (catalogue: Catalogue) =>
    isPattern ? catalogue.documents.filter(({ key }) => matches(key)) : catalogue.find(uri).documents;
  return { kind: "documents", uri, section: address?.section, isPattern, find };
}
