/** The links in markdown, and the anchors that its author set. */

import type { Markdown } from "./document.ts";
import { DEFINITION } from "./lines.ts";

/** How much of a line is searched for links, in UTF-16 units: many authors write a paragraph in one line. */
const MAX_LINK_LINE = 20_000;

/** Code: text between two equal runs of backticks. */
const CODE = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g;
/** `[text](target)`, `[text](<target>)`. A target may contain a pair of round brackets. */
const INLINE_LINK = /\]\(\s*(?:<([^<>]*)>|((?:[^\s()<>\\]|\\.|\([^\s()]*\))+))/g;
/** `<architecture://...>` anywhere. */
const AUTOLINK = /<(architecture:\/\/[^\s<>]+)>/gi;
/** `[text][name]`, `[name][]`, `[name]`; not the text of an inline link. */
const REFERENCE = /\[([^\][]+)\](?!\()/g;
/** Anchors that authors set themselves: `<a id="x">`, `## Heading {#x}`. */
const ANCHOR = /\b(?:id|name)=["']?([^"'\s>]+)|\{#([^{}\s]+)\}/g;

/** The links of a body outside of code, each once per line, with the definitions that are used; and the anchors of its author. */
export function readLinks(
  { lines, prose }: Pick<Markdown, "lines" | "prose">,
): { links: { target: string; line: number }[]; anchors: string[] } {
  const links: { target: string; line: number }[] = [];
  const defined: { name: string; target: string; line: number }[] = [];
  const used = new Set<string>();
  const toName = (text: string) => text.replace(/\s+/g, " ").trim().toLowerCase();
  const anchors: string[] = [];
  const found = (line: string, form: RegExp) =>
    Array.from(line.matchAll(form), ([, one, other]) => (one ?? other)!);
  for (const index of prose) {
    const whole = lines[index]!;
    if (!/[\]<]|\{#/.test(whole)) continue;
    const line = whole.slice(0, MAX_LINK_LINE);
    if (/<|\{#/.test(line)) anchors.push(...found(line, ANCHOR));
    const text = line.replace(CODE, " ").replace(/<!--.*?(?:-->|$)/g, " ");
    const [, name, target] = DEFINITION.exec(text) ?? [];
    if (name !== undefined) {
      defined.push({ name: toName(name), target: target!, line: index + 1 });
      continue;
    }
    for (const reference of found(text, REFERENCE)) used.add(toName(reference));
    const targets = new Set([...found(text, INLINE_LINK), ...found(text, AUTOLINK)]);
    for (const target of targets) links.push({ target, line: index + 1 });
  }
  for (const { name, target, line } of defined) if (used.has(name)) links.push({ target, line });
  return { links, anchors };
}
