/** Finds the records that a text names: links, wiki links, files, URIs and numbers. Dates and numbers of issues are none. */

import { MAX_LINE, plain, toPattern } from "../../formats/markdown/lines.ts";
import { re } from "./pattern.ts";
import { recordDate } from "./name.ts";
import { isReference } from "./record.ts";
import { NO_VALUE, PLACEHOLDER } from "./words.ts";

/** The records that a text names at its start, and the text after the last of them. */
export interface NamedRecords {
  readonly names: readonly string[];
  readonly rest: string;
  /** Whether the names are certain: a title is not. */
  readonly isSure: boolean;
}

const NOTHING: NamedRecords = { names: [], rest: "", isSure: false };
/** The maximum number of records that one text names. */
const MAX_NAMES = 100;

/**
 * One name. Groups: the target of a wiki link, the text and the target of a link, a URI or a file, a record with its prefix, a
 * number by itself.
 */
const NAME = toPattern(
  [
    "\\[\\[([^\\][|#\\n]{1,200})[^\\][\\n]{0,200}\\]\\]",
    "!?\\[((?:[^\\][\\n]|\\[[^\\][\\n]{0,100}\\]){0,300})\\]\\([ \\t]*<?([^)\\s>]{1,500})(?:[\\s>][^()]{0,200})?\\)",
    "((?:[a-z][a-z0-9+.-]{1,20}:\\/\\/?|architecture:)[^\\s)\\]>,;]{1,300}|(?<![^\\s(])\\.{0,2}\\/[\\w.\\/-]{1,300}|[\\w.\\/-]{0,200}\\.(?:md|mdx|markdown)(?![\\p{L}\\p{N}])[?#\\w-]{0,100})",
    "((?:(?:[a-z]{1,20}[-_]){0,3}(?:m?adr|[a-z]?ep|[a-z]{1,2}ip|rf[cd]|simd|decision)(?:[-_ ]|[ ]?#|: ?)?\\d{1,6}(?:[a-z](?![a-z])|\\.\\d{1,3})?|[a-z]{1,20}[-_]0\\d{2,4}|(?<![\\d.])\\d{1,8}(?:[-_][a-z][\\w-]{1,200}))(?:[-_][\\w-]{1,200})?)(?![\\p{L}\\p{N}])",
    "(?<![\\p{L}\\p{N}.])(#?\\d{1,6}(?:[a-z](?![a-z])|\\.\\d{1,3})?)(?![\\p{L}\\p{N}])",
  ].join("|"),
  "gi",
);
/** What separates two names. */
const JOINT =
  /^[\s"'*_`\])]*(?:,|;|&|\/|\+|\n|·|\band\b|\bor\b|\bas well as\b|\bund\b|\bet\b|\by\b|\be\b|\ben\b|\bi\b|[、，和及と]|и)[\s"'*_`[(]*(?:(?:,|and|also|&|the|by|with|in|und)[\s"'*_`[]*){0,3}$/i;
/** The same with the title of the first name before it: "5. Direct calls and ADR-6". */
const TITLED = /^[^()\n]{0,200}?(?:,|;|&|\/|\band\b|\bund\b|\bet\b)[\s"'*_`[(]*(?:the[ \t]+)?$/i;
/** The same between the links of a field, with words before the second: "and invitations in [5](5.md)". */
const LISTED = re`/^[^()\n]{0,200}?(?:,|;|&|\/|(?<![\p{L}])(?:and|or|und|et)(?![\p{L}]))[^()\n]{0,80}$/i`;
const ASIDE =
  re`/(?:^|[^\p{L}])(?:because|see|but|which|that|for|not|as|since|when|if|so|due|amends|supersedes|relates|extends|weil|siehe)(?![\p{L}])|[.!?][ \t]/i`;
const ISSUE =
  re`/(?:^|[^\p{L}])(?:issues?|pr|prs|pull(?: request)?|mr|ticket|bug|gates?|phases?|steps?|version|v|commit|section|sections|part|parts|chapter|§)[ \t#]*(?:\d+,?[ \t]*(?:and[ \t]*)?)*$/i`;

/** The records that the value of a field names: "ADR-5 and [6](6.md) (in part)". Without any, its text is taken as a title. */
export function namesIn(value: string): NamedRecords {
  return read(value, true);
}

/** The records that a sentence names directly after a phrase such as "superseded by". */
export function namesAfter(text: string): NamedRecords {
  return read(text, false);
}

function read(whole: string, isField: boolean): NamedRecords {
  const text = whole.slice(0, MAX_LINE);
  if (NO_VALUE.test(text)) return NOTHING;
  // A path may have brackets in it.
  if (isField && (/^\.{0,2}\/\S+$/.test(text.trim()) || isPath(text.trim()))) {
    return { names: [text.trim()], rest: "", isSure: true };
  }
  const masked = withoutNotes(text);
  const names: string[] = [];
  let end = 0, isOther = false;
  NAME.lastIndex = 0;
  for (const found of masked.matchAll(NAME)) {
    const [match, wiki, label, target, file, record, number] = found;
    const gap = masked.slice(end, found.index);
    const name = nameOf({ wiki, label, target, file, record, number });
    const isLink = target !== undefined;
    if (
      name === undefined || (!isLink && ISSUE.test(masked.slice(Math.max(0, found.index - 40), found.index)))
    ) {
      isOther = true;
      if (names.length > 0 || !isField) break;
      continue;
    }
    const isBare = number !== undefined;
    if (names.length === 0) {
      // Before the first name, a sentence may have a date and an article, and the value of a field a few words.
      if (!isLead(gap, isField && !isBare, isLink)) break;
    } else if (
      !JOINT.test(gap) && (isBare || ASIDE.test(gap) || !(isField && isLink ? LISTED : TITLED).test(gap))
    ) break;
    names.push(name);
    end = found.index + match.length;
    if (names.length >= MAX_NAMES) break;
  }
  if (names.length === 0) {
    // "superseded (see ADR-1)"
    const note =
      /^[\s:,*_`–—→>-]{0,10}\((?:see|by|→|->|now|siehe|voir|ver)[ \t]+([^()]{1,200}(?:\([^()]{0,200}\)[^()]{0,200})?)\)/i
        .exec(text);
    if (note) return { ...read(note[1]!, isField), rest: "" };
    if (!isField || isOther || PLACEHOLDER.test(text)) return NOTHING;
    const title = plain(text).replace(/[.:]+$/, "").replace(/^\[(.*)\]$/, "$1").replace(
      /^["'“](.*)["'”]$/,
      "$1",
    );
    const isTitle = !NO_VALUE.test(title) && !/^(?:yes|true|[\d\s./:-]+)$/i.test(title) &&
      !/^#?\d+ /.test(title);
    return isTitle ? { names: [title], rest: "", isSure: false } : NOTHING;
  }

  return { names: [...new Set(names)], rest: text.slice(end), isSure: true };
}

/** Whether a text is a path such as "sig/7-use-x", and not "ADR-5/ADR-1". */
function isPath(text: string): boolean {
  const [first = "", ...others] = /^[\w.-]+(?:\/[\w.-]+)+\/?$/.test(text)
    ? text.replace(/\/$/, "").split("/")
    : [];
  return others.length > 0 && !isReference(first) && isReference(others.at(-1)!);
}

/** Notes in brackets, filled up so that places stay right. The brackets of links stay. */
function withoutNotes(text: string): string {
  if (!/[(（]/.test(text)) return text;
  let result = "", depth = 0, isLink = false;
  for (let at = 0; at < text.length; at++) {
    const mark = text[at]!;
    if (mark === "(" && depth === 0 && text[at - 1] === "]") isLink = true;
    if (mark === "（" || (mark === "(" && !isLink)) depth++;
    result += depth > 0 ? " " : mark;
    if (mark === ")" || mark === "）") {
      if (isLink && mark === ")") isLink = false;
      else depth = Math.max(0, depth - 1);
    }
  }
  return result;
}

type Groups = Readonly<
  Record<"wiki" | "label" | "target" | "file" | "record" | "number", string | undefined>
>;

/** The name of a record; undefined when a match names something else: a date, an issue, the placeholder of a template. */
function nameOf({ wiki, label, target, file, record, number }: Groups): string | undefined {
  if (wiki !== undefined) {
    const name = wiki.trim();
    return PLACEHOLDER.test(name) ? undefined : isReference(name) ? name : `${name}.md`;
  }
  if (target !== undefined) {
    // A link in a list of records counts even if it leads to a pull request.
    const isOther = /^\W*(?:issue|ticket|bug)\b/i.test(label ?? "") || target === "#";
    return isOther || PLACEHOLDER.test(label ?? "") ? undefined : target;
  }
  const name = (file ?? record ?? number)!.replace(/[.,:]+$/, "");
  if (
    /^(?:19|20)\d{2}(?:-?\d{2}(?:-?\d{2})?)?$/.test(name) &&
    (number !== undefined || recordDate(name) !== undefined)
  ) {
    return undefined;
  }
  return PLACEHOLDER.test(name) ? undefined : name;
}

/** The words that a sentence may have before the first name. */
const LEAD_WORDS = new Set(
  `the our new original earlier previous former old both by with in favor favour of a see and on record records decision decisions
    adr adrs den die das la le l el o ao il lo de à dem`.split(/\s+/),
);
const MAX_LEAD_WORDS = 4;

/** Whether a text may be before the first name. */
function isLead(gap: string, isField: boolean, isLink: boolean): boolean {
  const words = gap.replace(/\d{4}-\d{2}-\d{2}(?:T\S{1,20})?/g, "").replace(re`/[^\p{L}\p{N}]+/g`, " ")
    .trim();
  if (words === "") return true;
  if (
    isLink && !isField && re`/(?:^|[^\p{L}])(?:see|because|but|not|which)(?![\p{L}])|[.!?][ \t]/i`.test(gap)
  ) {
    return false;
  }
  if (isField || isLink) return words.length <= 80 && !/[.!?;][ \t]+\p{Lu}/u.test(gap);
  const leading = words.toLowerCase().split(" ", MAX_LEAD_WORDS + 1);
  return leading.length <= MAX_LEAD_WORDS && leading.every((word) => LEAD_WORDS.has(word));
}
