/** The body of a document: prose, headings, and the first paragraph. */

import { plain, toPattern } from "./lines.ts";

/** The maximum number of headings that are read. */
const MAX_HEADINGS = 10_000;

/** A heading without marks, and its section. Lines are counted from 0. */
export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  readonly title: string;
  readonly line: number;
  /** The line after the section. */
  readonly end: number;
}

/** A heading that begins with number signs, which CommonMark calls ATX. */
export const ATX: RegExp = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
/** The line below a heading of the other form, setext. */
export const SETEXT: RegExp = /^ {0,3}(=+|-+)[ \t]*$/;
/** Opens or closes fenced code. Backticks that appear again in the same line are inline code. */
const FENCE = /^ {0,3}(`{3,}(?!`)(?!.*`)|~{3,})/;
/** A line that an underline makes a heading: text, not an item, a quote, a table row or marks. */
const PARAGRAPH = toPattern(String.raw`^ {0,3}(?![\s#>|=]|[-*+](?:[ \t]|$)).*[\p{L}\p{N}]`);

/** The body of a document. */
export interface Body {
  /** The indices of the lines that are neither code nor comment. */
  readonly prose: readonly number[];
  /** A section ends at the next heading of its level or above. */
  readonly sections: readonly Heading[];
}

/** Reads the lines from a first one on. The first character of most lines says what they are. */
export function readBody(lines: readonly string[], from: number): Body {
  const prose: number[] = [];
  const sections: { -readonly [K in keyof Heading]: Heading[K] }[] = [];
  const open: typeof sections = [];
  const add = (level: number, title: string, line: number) => {
    if (sections.length >= MAX_HEADINGS) return;
    while (open.length > 0 && open.at(-1)!.level >= level) open.pop()!.end = line;
    // `{#id}` at the end gives the heading an anchor of its own.
    const text = title.endsWith("}") ? title.replace(/(?<![ \t])[ \t]*\{#[^{}]*\}$/, "") : title;
    const section = { level, title: plain(text), line, end: lines.length };
    sections.push(section);
    open.push(section);
  };
  let fence: string | undefined;
  let isComment = false;
  /** The last line of prose that was not a heading. */
  let text = -2;
  for (let index = from; index < lines.length; index++) {
    const line = lines[index]!;
    let indent = 0;
    while (indent < 3 && line[indent] === " ") indent++;
    const first = line[indent];
    const mark = first === "`" || first === "~" ? FENCE.exec(line)?.[1] : undefined;
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    } else if (isComment || (first === "<" && line.startsWith("<!--", indent))) {
      isComment = !line.includes("-->");
    } else if (mark !== undefined) fence = mark;
    else {
      prose.push(index);
      const atx = first === "#" ? ATX.exec(line) : undefined;
      const isUnderline = (first === "=" || first === "-") && text === index - 1 && SETEXT.test(line);
      if (atx) {
        add(atx[1]!.length, line.slice(atx[0].length).trim().replace(/(?<![^ \t])#+$/, ""), index);
      } else if (isUnderline && PARAGRAPH.test(lines[text]!)) add(first === "=" ? 1 : 2, lines[text]!, text);
      else {
        text = index;
        continue;
      }
      text = -2;
    }
  }
  return { prose, sections };
}

const NOT_PROSE =
  /^[ \t]*(?:#|>|\||[-*+](?:[ \t]|$)|\d+[.)][ \t]|<|!\[|\[!|\[[^\]]*\]:|={3,}|-{3,}|\*{3,}|:::|!!!|\{[:%]| {4})/;

/**
 * The first paragraph in the lines of `prose`, as plain text in one line; undefined without one. List items, quotes and lines that
 * are fields are not part of a paragraph.
 */
export function firstParagraph(
  lines: readonly string[],
  prose: Iterable<number>,
  isField: (line: string) => boolean,
): string | undefined {
  const found: string[] = [];
  let previous = -1;
  /** Lines without a mark continue a list, a quote or a table; after a blank line, only indented ones do. */
  let block: "none" | "open" | "gap" = "none";
  for (const index of prose) {
    const line = lines[index]!;
    const isGap = line.trim() === "";
    const isUnderline = SETEXT.test(line);
    const isOther = isUnderline || NOT_PROSE.test(line);
    if (isUnderline) found.length = 0;
    if (found.length > 0 && (isGap || isOther || previous !== index - 1)) break;
    previous = index;
    if (isOther) block = isUnderline || ATX.test(line) ? "none" : "open";
    else if (isGap) block = block === "none" ? "none" : "gap";
    else if (block === "open" || (block === "gap" && line.startsWith("  "))) continue;
    else if (found.length > 0 || !isField(line)) found.push(line);
  }
  return plain(found.join(" ")) || undefined;
}
