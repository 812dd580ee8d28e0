/** Finds what a template left in a record: instructions and placeholders that say nothing of the decision. */

import { MAX_LINE, toLines } from "../../formats/markdown/lines.ts";
import { re } from "./pattern.ts";
import { pageKind } from "./name.ts";

/** Sentences of the templates of adr-tools, Nygard, Henderson, arc42 and others, in lower case and with straight apostrophes. */
const SENTENCES: readonly RegExp[] = [
  /^(?:what is )?the change (?:or decision )?that (?:we're|we are) (?:proposing|making)\b.{0,80}$/,
  /^(?:what is )?the issue (?:.{0,40} )?(?:is )?motivat(?:ing|es) (?:this|the) /,
  /^what is the issue (?:that )?(?:we're|we are) /,
  /^what becomes easier or (?:more difficult|harder|possible)\b/,
  /^this section (?:describes|explains|contains|states|should) .{0,60}\b(?:forces|decision|context|consequences)\b/,
  /^describe here (?:our|the|your)\b/,
  /^clearly state the architecture's direction\b/,
  /^(?:describe|explain|state|summari[sz]e|specify) (?:the|our|your|what|which|how)\b.{0,40}\b(?:decision|decided|response to|solution|proposed change|option)\b.{0,200}$/,
  /^(?:what|which) (?:is|was|are|were|did|have|has) .{0,80}\b(?:decision|decide|decided|proposing|chosen|choose)\b.{0,80}\?$/,
  /^(?:your |the |add |insert |write )?(?:decision|text|content|description)s? (?:goes|go|here|text)\b.{0,20}$/,
  /^lorem ipsum\b/,
];
/** A mark for a text that is still to be written. */
const OPEN =
  /^(?:tbd|tbc|tba|todo|to ?do|fixme|x{3,}|coming soon|to be (?:done|decided|defined|determined|written|completed))[.:!]*$/;
/** The words that templates have around their placeholders, in lower case. */
const FRAME = new RegExp(
  "\\b(?:chosen option|decision|option|because|so that|in (?:the )?context of|facing(?: the concern)?|we (?:have )?decided" +
    "(?: for| to| on| that)?|we (?:will|should|choose|chose|use)|and|neglected|to achieve|accepting(?: that)?|downside|etc|" +
    "(?:positive|negative) consequences|good|bad|neutral)\\b|gewählte option|\\bdenn\\b|option choisie|\\bcar\\b|" +
    "opci[oó]n elegida|\\bporque\\b",
  "gu",
);
/** Words that an instruction begins with, if its marks say that it is one. */
const INSTRUCTION =
  /^(?:describe|explain|state|list|what|which|why|how|who|when|where|write|add|insert|provide|summari[sz]e|outline|give|fill|replace|specify|enter|here|this section|in this section|e\.g|optional|delete|todo|tbd|short|brief|one (?:or|sentence)|your)\b/;

/** Text in braces, which may be nested once or cut at the end: "{title of option 1}". */
const BRACED = /\{(?:[^{}]|\{[^{}]*\})*(?:\}|…$)/g;
/** "<option o>", not "<b>", "<https://…>" or a comparison. */
const ANGLED =
  re`/(?<!\\)<(?!\/|!|(?:a|b|br|code|del|details|div|em|i|img|kbd|li|p|small|span|strong|sub|summary|sup|table|td|th|tr|u|ul)\b)(?![^<>]*(?::\/\/|@))[\p{L}][^<>]*>/g`;
/** "[option 1]", "[short title …]"; not a link, a task or a footnote. */
const BRACKETED = /(?<![\]!\\])\[(?![ xX]\]|\^)([^\][]+)\](?![([:])/g;
const CODE = /(`+)[^`]*\1/g;

/** The paragraphs of some lines: indices of the first line and the line after. Each item of a list is one; code has none. */
function* paragraphs(
  lines: readonly string[],
): Generator<readonly [start: number, end: number, isCode: boolean]> {
  let start = -1, fence = "";
  for (let index = 0; index <= lines.length; index++) {
    const line = lines[index] ?? "";
    const mark = /^[\s>]*(`{3,}|~{3,})/.exec(line.slice(0, MAX_LINE))?.[1] ?? "";
    if (fence !== "") {
      const isEnd = mark.startsWith(fence) && line.replace(/[\s>]/g, "") === mark;
      if (!isEnd && index < lines.length) continue;
      yield [start, Math.min(index + 1, lines.length), true];
      [start, fence] = [-1, ""];
      continue;
    }
    const begins = mark !== "" || /^[\s>]*(?:[-*+]|\d+[.)])(?:\s|$)/.test(line) || /^ {0,3}#/.test(line);
    if (start >= 0 && (begins || /^[\s>]*$/.test(line))) {
      yield [start, index, false];
      start = -1;
    }
    if (start < 0 && !/^[\s>]*$/.test(line)) start = index;
    fence = mark;
  }
}

/** A text for comparison: one line in lower case, without comments, the marks of lists and quotes, and emphasis around it. */
function normalized(text: string): string {
  return text.slice(0, MAX_LINE).replace(/<!--[^]*?(?:-->|$)/g, "").replace(
    /^[ \t>]*(?:(?:[-*+]|\d+[.)])(?:[ \t]+|$))?/gm,
    "",
  )
    .replace(/[‘’]/g, "'").replace(/\s+/g, " ").trim().toLowerCase();
}

/** The texts of a template's own paragraphs, for `isTemplateText`. */
export function templateTexts(lines: readonly string[]): string[] {
  return Array.from(paragraphs(lines), ([start, end]) => normalized(lines.slice(start, end).join("\n")))
    // Short texts such as "accepted" are values.
    .filter((text) => text.length > 20);
}

/** What the templates among some documents say. */
export function templatesIn<D extends { readonly label: string }>(
  documents: readonly D[],
  textOf: (document: D) => string | undefined,
): ReadonlySet<string> {
  const templates = documents.filter(({ label }) => pageKind(label) === "template");
  return new Set(templates.flatMap((document) => templateTexts(toLines(textOf(document) ?? ""))));
}

/** What a paragraph is: text of its author, of a template, or only words that lead to a decision ("We decided that:"). */
type Kind = "own" | "template" | "frame";

function kindOf(paragraph: string, own?: ReadonlySet<string>): Kind {
  const text = normalized(paragraph);
  if (text === "" || own?.has(text)) return "template";
  const [, , marked = ""] = /^([*_("]{1,3})(.*?)[*_)"]{1,3}\.?$/.exec(text) ?? [];
  if (/^\s*>/.test(paragraph) && INSTRUCTION.test(text)) return "template";
  if (marked !== "" && !/^\*\*|^__/.test(text) && INSTRUCTION.test(marked)) return "template";
  const inner = marked || text;
  if (OPEN.test(inner) || SENTENCES.some((sentence) => sentence.test(inner))) return "template";
  const isName = (name: string) =>
    re`/[ |…]|[\p{L}].*\d$|^(?:option|decision|justification|title|name|driver|etc)/`.test(name);
  const plain = text.replace(CODE, "x");
  const rest = plain.replace(BRACED, "").replace(ANGLED, "")
    .replace(BRACKETED, (whole, name) => isName(name) ? "" : whole);
  if (re`/[\p{L}\p{N}]/`.test(rest.replace(FRAME, ""))) return "own";
  return rest === plain ? "frame" : "template";
}

/**
 * Whether a paragraph is what a template had there: a known sentence, one of the `own` template, or only text in braces, brackets or
 * italics that says what to write.
 */
export function isTemplateText(paragraph: string, own?: ReadonlySet<string>): boolean {
  return kindOf(paragraph, own) !== "own";
}

/** The indices of the lines that a template left among some lines. Words that lead to what the author wrote are not left. */
export function templateLines(lines: readonly string[], own?: ReadonlySet<string>): ReadonlySet<number> {
  const kinds = Array.from(paragraphs(lines), ([start, end, isCode]) => {
    const isHeading = /^ {0,3}#/.test(lines[start]!);
    const kind: Kind | undefined = isHeading
      ? undefined
      : isCode
      ? "own"
      : kindOf(lines.slice(start, end).join("\n"), own);
    return { start, end, kind };
  });
  const isWritten = kinds.some(({ kind }) => kind === "own");
  const found = new Set<number>();
  for (const { start, end, kind } of kinds) {
    if (kind !== "template" && (kind !== "frame" || isWritten)) continue;
    for (let index = start; index < end; index++) found.add(index);
  }
  return found;
}
