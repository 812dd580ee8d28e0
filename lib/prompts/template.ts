/**
 * Where do arguments and documents go in a text? Parsed once, when the prompt is loaded; what is put in later is never
 * looked at again, so nothing in an argument or a document can pull in another one.
 *
 * - `<<name>>` is an argument, `<<resource:URI>>` a document, `<<resource:architecture://patterns/*>>` every document
 *   that the pattern matches. `{{…}}` means the same.
 * - A backslash before the opening marks takes them as text: `\<<name>>`.
 * - Marks around anything that cannot be a name (`<<EOF`, `{{ a b }}`) are text.
 */

import { canonical } from "../documents/uri.ts";

/** One part of a template, in order. */
export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "argument"; readonly name: string }
  | { readonly kind: "document"; readonly uri: string }
  | { readonly kind: "documents"; readonly uri: string; readonly pattern: string };

/** The parts of a text, in order. */
export type Template = readonly TemplatePart[];

/** A template names what is not there to be named; the message says what. */
export class TemplateError extends Error {
  /** Names the class in logs. */
  override readonly name = "TemplateError";
}

/** One placeholder, with the backslash that may stand before it. */
const MARK = /(\\?)(?:<<([^<>{}\r\n]{1,1000})>>|\{\{([^<>{}\r\n]{1,1000})\}\})/g;
const NAME = /^[A-Za-z_][\w-]*$/;
const RESOURCE = "resource:";
const SCHEME = "architecture://";

/**
 * Parses a text.
 *
 * @param names The arguments that may be named.
 * @throws {TemplateError} When it names another argument, or a resource of another scheme.
 */
export function parseTemplate(text: string, names: ReadonlySet<string>): Template {
  const parts: TemplatePart[] = [];
  let literal = "";
  let end = 0;
  for (const found of text.matchAll(MARK)) {
    literal += text.slice(end, found.index);
    end = found.index + found[0].length;
    const inner = (found[2] ?? found[3])!.trim();
    if (found[1] !== "") {
      literal += found[0].slice(1);
      continue;
    }
    const part = readMark(inner, names);
    if (!part) {
      literal += found[0];
      continue;
    }
    if (literal !== "") parts.push(Object.freeze({ kind: "text", text: literal }));
    literal = "";
    parts.push(Object.freeze(part));
  }
  literal += text.slice(end);
  if (literal !== "") parts.push(Object.freeze({ kind: "text", text: literal }));
  return Object.freeze(parts);
}

function readMark(inner: string, names: ReadonlySet<string>): TemplatePart | undefined {
  if (inner.startsWith(RESOURCE)) return readResource(inner.slice(RESOURCE.length).trim());
  if (!NAME.test(inner)) return undefined;
  if (names.has(inner)) return { kind: "argument", name: inner };
  throw new TemplateError(
    `"${inner}" is not among the arguments; declare it, or write a backslash before the marks to mean the text`,
  );
}

function readResource(uri: string): TemplatePart {
  if (!uri.toLowerCase().startsWith(SCHEME)) {
    throw new TemplateError(`"${uri}" is no document; write ${SCHEME}{category}/{path}`);
  }
  const [path, section] = uri.slice(SCHEME.length).split("#", 2);
  if (!path!.includes("*")) return { kind: "document", uri };
  if (section !== undefined) throw new TemplateError(`"${uri}" asks for a section of many documents`);
  const pattern = path!.split(/(\*+)/).map((part, index) => index % 2 === 1 ? part : canonical(part)).join(
    "",
  );
  return { kind: "documents", uri, pattern };
}
