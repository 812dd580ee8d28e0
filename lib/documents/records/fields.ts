/** Finds the fields of a decision record in its text. */

import type { Body, Heading } from "../../formats/markdown/body.ts";
import { DEFINITION, MAX_LINE, plain } from "../../formats/markdown/lines.ts";
import { continued, statusWord } from "./values.ts";
import { DECISION, fieldName, fieldOf, headingPattern, NEXT_FIELD } from "./signs.ts";
import { PHRASES } from "./relations.ts";
import { isStatus } from "./status.ts";

/** The texts of each field, by `fieldName`. */
export type FieldTexts = ReadonlyMap<string, readonly string[]>;

/** The number of lines at the head of a record in which fields are read: later, such words are prose. */
const HEAD_LINES = 40;
/** The heading that ends the head of a record. */
const BODY = headingPattern("(?:context|background|problem|motivation|decision|what|why)\\b");
/** A relation in a list of links, anywhere: "- Supersedes [5. Use Y](0005-use-y.md)". */
const LINKED = /^ {0,3}[-*+][ \t]+[*_]{0,2}([a-z]+(?![a-z])(?:[ _-](?:by|to)\b)?)(.*\]\(.*)$/i;
/** A relation in a sentence at the head, which becomes the field "itself": "This RFC is superseded by [44](0044-x.md)". */
const ABOUT_ITSELF =
  /\bthis (?:ADR|RFC|KEP|decision|proposal|record)(?: is| was| has been)?(?: now)? [*_]{0,2}(?:supers|replac|amend|relate)(?!\w+ (?:some|parts?)\b).*/i;
/** The section of a field. Its text may follow after a colon. */
const FIELD_HEADING = headingPattern("(status|date)[ \\t]*(?::[ \\t]*(.*))?$");
/** A link with its target in another line: "[text][name]", "[name]". */
const REFERENCE = /\[([^\][]*)\](?:\[([^\][]*)\])?(?![(:[])/g;
/** The maximum number of sections of fields that are read. */
const MAX_SECTIONS = 10;

/**
 * The fields that are `stated` outside of the text, in lines at the head, in lists of links, and in sections of their own. Such a
 * section comes before the body, or is a sibling of the section of the decision; other sections are about something else.
 */
export function readFields(
  stated: readonly FieldTexts[],
  lines: readonly string[],
  { prose, sections }: Body,
): FieldTexts {
  const fields = new Map<string, string[]>();
  let definitions: Map<string, string> | undefined;
  const withTarget = (link: string, label: string, name: string | undefined) => {
    definitions ??= new Map(lines.flatMap((line) => {
      const [, name, target] = DEFINITION.exec(line) ?? [];
      return name === undefined ? [] : [[name.toLowerCase(), target!]];
    }));
    const target = definitions.get((name || label).toLowerCase());
    return target === undefined ? link : `[${label}](${target})`;
  };
  const add = (name: string, ...texts: readonly string[]) => {
    // "Superseded: 2026-01-01 by X" is read as a sentence, so that "Superseded: yes" states no successor.
    const [field, start] = name === "superseded" ? ["itself", "superseded "] : [name, ""];
    const known = fields.get(field) ?? [];
    fields.set(field, known);
    for (const text of texts) known.push(start + text.replace(REFERENCE, withTarget));
  };
  for (const [key, texts] of stated.flatMap((one) => [...one])) add(fieldName(key), ...texts);
  const top = sections[0]?.level ?? 1;
  const body = sections.find(({ level, title }) => level > 1 && BODY.test(title))?.line ?? lines.length;
  const headEnd = Math.min((prose[0] ?? 0) + HEAD_LINES, body);
  for (const index of prose) {
    const line = lines[index]!.slice(0, MAX_LINE);
    // These cheap tests exclude most lines; "his " is in both "This" and "this".
    const mayState = index < headEnd && /[:|]|this|date/i.test(line), hasLink = line.includes("](");
    if (!hasLink && !mayState) continue;
    const sentence = mayState && line.includes("his ") && ABOUT_ITSELF.exec(line)?.[0];
    if (sentence) add("itself", firstSentence(continued(sentence, lines, index)));
    const isRow = /^[ \t]*\|/.test(line);
    const parts = mayState && !isRow && /[|·•]/.test(line) ? line.split(NEXT_FIELD) : [line];
    for (const part of parts) {
      const [, linked, target] = hasLink && LINKED.exec(part) || [];
      const relation = linked && fieldName(linked);
      const [name, text] = (mayState && fieldOf(part)) ||
        (relation && Object.hasOwn(PHRASES, relation) ? [relation, target] : []);
      const isAlone = !isRow && parts.length === 1;
      if (name) add(name, isAlone ? continued(text!, lines, index) : text!.split("|")[0]!);
    }
  }
  for (const section of sections.filter(({ title }) => FIELD_HEADING.test(title)).slice(0, MAX_SECTIONS)) {
    const { title, line, level, end } = section;
    const [, name, text = ""] = FIELD_HEADING.exec(title)!;
    const own = prose.filter((at) => line < at && at < end).map((at) => lines[at]!);
    const stated = [text, ...own.filter(isStatement)].join("\n");
    const isHigh = level <= top + 1;
    const isOwn = isHigh && (line < body || isStatus(statusWord(stated.trim()) ?? ""));
    if (isOwn || isSiblingOfDecision(section, sections)) add(name!.toLowerCase(), stated);
  }
  return fields;
}

/** A text up to a full stop that is not in a link: "by [2. Use Y](0002-use-y.md). It …". */
function firstSentence(text: string): string {
  const stop = [...text.matchAll(/\[[^\][]*\]|\.[ \t]/g)].find(([mark]) => mark[0] === ".");
  return stop ? text.slice(0, stop.index) : text;
}

/** Whether a section has the level and the parent of the section of the decision. */
function isSiblingOfDecision({ level, line }: Heading, sections: readonly Heading[]): boolean {
  const parent = sections.findLast((other) => other.level < level && other.line < line && other.end > line);
  const { line: from, end } = parent ?? { line: -1, end: Infinity };
  const isSibling = (other: Heading) => other.level === level && other.line > from && other.line < end;
  return sections.some((other) => isSibling(other) && DECISION.test(other.title));
}

/** Whether a line in the section of a field states something. Each line may: adr-tools adds one for each change. */
function isStatement(line: string): boolean {
  // A quote is often advice from the template.
  const isAdvice = /^[ \t]*>/.test(line) && !isStatus(plain(line.replace(/^[ \t>]+/, "")).toLowerCase());
  return !isAdvice && !/^[ \t]*(?:$|[-=]+[ \t]*$)/.test(line);
}
