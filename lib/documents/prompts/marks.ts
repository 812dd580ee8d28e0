/** Finds marks in the text of a prompt that look like placeholders but are not expanded: unknown, nested or unclosed. */

import { quoted } from "../../base/text.ts";
import { ARGUMENT_NAME, PROMPT_MARK } from "./template.ts";

/** How much of a text after an opening mark is read, in UTF-16 units. */
const MAX_INNER = 1000;
/** The maximum number of marks of a text that are found. */
const MAX_MARKS = 10;
/** The place of a mark that is expanded. It is a character that a name cannot have. */
const EXPANDED = "\0";

/** An opening mark. After "$" and "=", braces belong to another language: "${{ x }}", "style={{ x }}". */
const OPENING = /(?<![$=])\{\{|<</g;
/** "tool:x", "resource: x", "resource:" before a mark or a line break. */
const PREFIXED = /^\s*(?:(?:resource|tool|prompt|skill|document|argument)\s*:|[A-Za-z_][\w-]*:[^\s:])/;
/** "user.name", "#if topic", "two words". */
const EXPRESSION = /^\s*(?:[#/^>!&]\s*)?[\p{L}_][\p{L}\p{N}_./|\s-]*$/u;
/** The same for angle brackets, which also shift numbers: no spaces inside the marks. */
const WORDS = /^[\p{L}_][\p{L}\p{N}_.-]*(?: [\p{L}\p{N}_.-]+)*$/u;

/** The marks that are not expanded, such as "{{tool:x}}", and why. `names` are the arguments of the prompt. */
export function unexpandedMarks(text: string, names: ReadonlySet<string>): [mark: string, reason: string][] {
  // What is expanded becomes one character, and literal marks become none.
  const left = text.replace(PROMPT_MARK, (mark: string, escape: string, angled?: string, braced?: string) => {
    const inner = (angled ?? braced ?? "").trim();
    if (escape !== "") return "";
    return /^resource:/.test(inner) || ARGUMENT_NAME.test(inner) ? EXPANDED : mark;
  }).replace(/\\(?:\{\{|<<)/g, "");
  const found: [string, string][] = [];
  for (const { 0: opening, index } of left.matchAll(OPENING)) {
    const rest = left.slice(index + 2, index + 2 + MAX_INNER);
    const reason = whyUnexpanded(opening === "{{", rest, names);
    if (reason === undefined) continue;
    const closing = opening === "{{" ? "}}" : ">>", end = rest.search(/\}\}|>>|\n|$/);
    const isClosed = rest.startsWith(closing, end);
    const mark = opening + rest.slice(0, end) + (isClosed ? closing : "");
    found.push([quoted(mark.replaceAll(EXPANDED, "…").trim(), 100), reason]);
    if (found.length >= MAX_MARKS) break;
  }
  return found;
}

/** Why the text after an opening mark is probably meant as a placeholder, but is not one; undefined when it is not meant as one. */
function whyUnexpanded(isBraced: boolean, rest: string, names: ReadonlySet<string>): string | undefined {
  const end = rest.search(isBraced ? /\}\}|\n[ \t]*\n/ : />>|\n/);
  // Another mark before the end belongs to another placeholder.
  const isClosed = end >= 0 && rest.startsWith(isBraced ? "}}" : ">>", end) &&
    !/\{\{|\}\}|<<|>>/.test(rest.slice(0, end));
  const inner = isClosed ? rest.slice(0, end) : rest;
  const [, word = ""] = (isBraced ? /^\s*([A-Za-z_][\w-]*)/ : /^([A-Za-z_][\w-]*)/).exec(rest) ?? [];
  if (isClosed && inner.includes(EXPANDED) && (isBraced || !/^\s/.test(inner))) return "it has a mark in it";
  const isMeant = PREFIXED.test(rest) || names.has(word);
  if (!isClosed) return isMeant ? "it is not closed" : undefined;
  if (isMeant && inner.includes("\n")) return "it has a line break in it";
  if (isMeant || (isBraced ? EXPRESSION : WORDS).test(inner)) {
    return "it names neither an argument nor a resource";
  }
  return undefined;
}
