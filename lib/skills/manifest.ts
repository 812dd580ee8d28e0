/**
 * Reads the front matter of `SKILL.md` as JSON: the part of YAML 1.2 (core schema) that skills use. All else is an error,
 * because other readers might take it for something different.
 *
 * @see https://agentskills.io/specification
 */

import type { JsonObject } from "../base/json.ts";
import { isObject } from "../base/json.ts";
import { quoted, reasonOf } from "../base/text.ts";
import { attempt, decodeText } from "../documents/files.ts";

/** The file that makes a folder a skill. */
export const MANIFEST = "SKILL.md";
/** The longest front matter with its two lines of `---`, in UTF-16 units, and the deepest nesting. */
const MAX_LENGTH = 64 * 1024, MAX_DEPTH = 32;

/** The front matter of a `SKILL.md` in a folder of that name, with every field; a text that says why it is not one. */
export function readManifest(bytes: Uint8Array | undefined, folder: string): JsonObject | string {
  const text = bytes && decodeText(bytes) || "";
  const lines = text.slice(0, MAX_LENGTH).split("\n").map((line) => line.replace(/\r$/, ""));
  // The last line may be cut.
  if (text.length > MAX_LENGTH) lines.pop();
  const isFence = (line: string) => /^---[ \t]*$/.test(line);
  const end = lines.findIndex((line, index) => index > 0 && isFence(line));
  if (end < 0 || !isFence(lines[0]!)) {
    return `it must be UTF-8 and begin with front matter of at most ${MAX_LENGTH} characters`;
  }
  try {
    const fields = readYaml(lines.slice(1, end));
    return faultOf(fields, folder) ?? fields;
  } catch (cause) {
    return reasonOf(cause);
  }
}

/** Whether a text can be the name of a skill, and of its folder. */
export function isName(text: string): boolean {
  return text.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text);
}

/** Why fields are not those of a skill in a folder of that name; undefined when they are. */
export function faultOf(fields: JsonObject, folder: string): string | undefined {
  const { name, description, compatibility = "-", metadata = {} } = fields;
  const isText = (value: unknown, most: number) =>
    typeof value === "string" && value.trim() !== "" && Array.from(value).length <= most;
  if (name !== folder || !isName(folder)) {
    return "its name must be that of its folder, 1 to 64 lower-case letters, digits and single dashes";
  }
  if (isDeep(fields, 0)) return `its values are nested more than ${MAX_DEPTH} deep`;
  if (/"(?:__proto__|constructor)":/.test(JSON.stringify(fields))) {
    return 'it has a field "constructor" or "__proto__", which cannot be sent: rename it';
  }
  if (!isText(description, 1024)) return "its description must have 1 to 1024 characters";
  const isFlat = isObject(metadata) && Object.values(metadata).every((value) => typeof value === "string");
  return isFlat && isText(compatibility, 500) ? undefined : "its metadata and compatibility must be texts";
}

function isDeep(value: unknown, depth: number): boolean {
  const isParent = typeof value === "object" && value !== null;
  return depth > MAX_DEPTH || (isParent && Object.values(value).some((one) => isDeep(one, depth + 1)));
}

const BLANK = /^[ \t]*(?:#.*)?$/, COMMENT = /(?:^|[ \t])#.*$/, ITEM = /^-(?:[ \t]+|$)/;
/** A key and its colon. One without quotes cannot begin with what begins something else. */
const KEY = /^(?:("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')[ \t]*|([^\s"'[\]{}#&*!|>%@`,?:-][^:#]*)):(?:[ \t]+|$)/;
/** A text in quotes, and perhaps a comment. */
const QUOTED = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')[ \t]*(?:[ \t]#.*)?$/;
/** What YAML may read as something other than a text. */
const SPECIAL = /^["[\]{}'|>&*!%@`,]|^[?-](?:[ \t]|$)|:(?:[ \t]|$)|^[-+]?\.(?:inf|nan)$/im;
const NUMBER = /^(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|0x[\da-fA-F]+|0o[0-7]+)$/;
const UNEVEN = "it is indented differently from the lines above";

/** Reads the lines of an object, from the first to the last. Throws with the line and the reason. */
function readYaml(lines: string[]): JsonObject {
  let at = 0;
  const fail = (reason: string): Error =>
    new Error(`line ${Math.min(at, lines.length - 1) + 2} of its front matter: ${reason}`);
  /** The next line with content, which becomes the current one. */
  const peek = (): { indent: number; text: string } | undefined => {
    while (at < lines.length && BLANK.test(lines[at]!)) at++;
    const text = lines[at]?.replace(/^ +/, "");
    if (text?.startsWith("\t")) throw fail("tabs cannot indent");
    return text === undefined ? undefined : { indent: lines[at]!.length - text.length, text };
  };
  /** A list or an object, whose lines have the same indentation. */
  const block = (indent: number, depth: number): unknown => {
    const isList = ITEM.test(peek()!.text);
    const items: unknown[] = [];
    const members = new Map<string, unknown>();
    for (let line = peek(); line && line.indent >= indent; line = peek()) {
      const { text } = line;
      // A list may have the indentation of its key: it ends at the next key.
      if (isList && line.indent === indent && !ITEM.test(text)) break;
      const [start, inQuotes, plain = ""] = (isList ? ITEM : KEY).exec(text) ?? [];
      if (line.indent > indent || depth > MAX_DEPTH) throw fail(UNEVEN);
      if (start === undefined) throw fail("a key was expected");
      const rest = text.slice(start.length);
      if (isList && (ITEM.test(rest) || KEY.test(rest))) {
        lines[at] = rest.padStart(indent + text.length);
        items.push(block(indent + start.length, depth + 1));
        continue;
      }
      const name = inQuotes ?? plain.trimEnd();
      const key = isList ? "" : String(scalar(name, name, fail));
      if (members.has(key)) throw fail(`the key "${quoted(key, 100)}" stands there twice`);
      at++;
      const read = value(rest, indent, depth, !isList);
      if (isList) items.push(read);
      else members.set(key, read);
    }
    return isList ? items : Object.fromEntries(members);
  };
  /** The value behind a key or a dash, and in the lines below that are indented more. */
  const value = (text: string, indent: number, depth: number, isMember: boolean): unknown => {
    if (BLANK.test(text)) {
      const next = peek();
      const isItem = next !== undefined && ITEM.test(next.text);
      if (!next || next.indent < indent || (next.indent === indent && !(isMember && isItem))) return null;
      if (isItem || KEY.test(next.text)) return block(next.indent, depth + 1);
      at++;
      return value(next.text, indent, depth, isMember);
    }
    const [isBlock, style, isStripped] = /^([|>])(-?)[ \t]*$/.exec(text) ?? [];
    const below: string[] = [];
    for (; at < lines.length; at++) {
      const content = lines[at]!.trimStart();
      const isOver = lines[at]!.length - content.length <= indent || (!isBlock && content.startsWith("#"));
      if (content !== "" && isOver) break;
      below.push(lines[at]!);
    }
    while (below.at(-1)?.trim() === "") below.pop();
    if (!isBlock) {
      const all = [text, ...below].map((line) => line.trim());
      const isCut = all.slice(0, -1).some((line) => COMMENT.test(line)) || /^["'[{|>]/.test(text);
      if (below.length > 0 && isCut) throw fail("the value must end in its line");
      return scalar(fold(all.map((line) => line.replace(COMMENT, "").trim())), text, fail);
    }
    const column = below[0]?.search(/[^ ]/) ?? 0;
    const texts = below.map((line) => line.slice(Math.max(0, column)));
    const isUneven = (line: string) => /^[ \t]+$/.test(line) || (style === ">" && /^[ \t]/.test(line));
    const isOut = below.some((line) => line.slice(0, column).trim() !== "");
    if (column < 0 || isOut || texts.some(isUneven)) throw fail(UNEVEN);
    return (style === "|" ? texts.join("\n") : fold(texts)) + (isStripped || below.length === 0 ? "" : "\n");
  };
  const first = peek();
  const fields = first && !ITEM.test(first.text) ? block(first.indent, 0) : undefined;
  if (!fields || peek()) throw fail("a key was expected");
  return fields as JsonObject;
}

/** A value without its comment; `raw` is as it is written. */
function scalar(text: string, raw: string, fail: (reason: string) => Error): unknown {
  const [, inQuotes] = QUOTED.exec(raw) ?? [];
  if (inQuotes?.startsWith("'")) return inQuotes.slice(1, -1).replaceAll("''", "'");
  if (/^["[{]/.test(raw)) {
    const value = attempt(() => JSON.parse(inQuotes ?? text) as unknown);
    if (value !== undefined) return value;
    const items = /^\[([^"'[\]{}]*)\]$/.exec(text)?.[1]?.split(",").map((item) => item.trim());
    if (items?.every((item) => item !== "")) return items.map((item) => scalar(item, item, fail));
  }
  if (SPECIAL.test(text)) throw fail("write the value as JSON has it, or put it in quotes");
  if (/^(?:~|null|Null|NULL|)$/.test(text)) return null;
  if (/^(?:true|True|TRUE|false|False|FALSE)$/.test(text)) return /^t/i.test(text);
  if (!NUMBER.test(text)) return text;
  const number = Number(text);
  const most = text.startsWith("0x") ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE;
  if (!/\d{16}/.test(text.replace(".", "")) && Math.abs(number) <= most) return number;
  throw fail(`put the number ${quoted(text, 100)} in quotes: readers do not keep all its digits`);
}

/** Folds lines into one; an empty line, which is not the first, stands for a line break. */
function fold([first = "", ...lines]: readonly string[]): string {
  const isJoined = (index: number): boolean => index > 0 && lines[index - 1] === "";
  return first + lines.map((line, index) => line ? isJoined(index) ? line : ` ${line}` : "\n").join("");
}
