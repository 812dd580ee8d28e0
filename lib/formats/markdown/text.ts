/** What blocks and inline text share: escapes, entities, tags, the parts of links. */

import { escapeHtml } from "../../base/html.ts";

/** An attribute of a tag, or "" without a value. In an address, characters that a URI cannot have are percent-encoded. */
export function attribute(name: string, value = ""): string {
  const isAddress = name === "href" || name === "src";
  if (value === "" && !isAddress) return "";
  const encoded = isAddress ? encodeURI(value.toWellFormed()).replace(/%25(?=[\da-f]{2})/gi, "%") : value;
  return ` ${name}="${escapeHtml(encoded)}"`;
}

/** Removes spaces, tabs and line breaks on both sides. Other white space is text. */
export const strip = (text: string): string => text.replace(/^[ \t\n]+|(?<![ \t\n])[ \t\n]+$/g, "");

/** The named entities that people use. All 2,125 of HTML would need more space than the rest of this folder. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  ("amp& lt< gt> quot\" apos' nbsp\u00a0 ensp\u2002 emsp\u2003 thinsp\u2009 shy\u00ad zwj\u200d zwnj\u200c copy© reg® " +
    "trade™ mdash— ndash– hellip… lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ laquo« raquo» bull• middot· sect§ para¶ " +
    "dagger† deg° plusmn± times× divide÷ minus− frac12½ frac14¼ frac34¾ sup1¹ sup2² sup3³ microµ euro€ pound£ yen¥ " +
    "cent¢ iexcl¡ iquest¿ larr← rarr→ uarr↑ darr↓ harr↔ lArr⇐ rArr⇒ hArr⇔ le≤ ge≥ ne≠ asymp≈ equiv≡ infin∞ sum∑ " +
    "prod∏ radic√ isin∈ notin∉ cap∩ cup∪ sub⊂ sup⊃ forall∀ exist∃ empty∅ and∧ or∨ not¬ alphaα betaβ gammaγ deltaδ " +
    "DeltaΔ epsilonε lambdaλ muμ piπ sigmaσ SigmaΣ omegaω OmegaΩ aumlä oumlö uumlü AumlÄ OumlÖ UumlÜ szligß eacuteé " +
    "egraveè agraveà ccedilç ntildeñ aringå oslashø aeligæ AEligÆ")
    .split(" ").map((entry) => [entry.slice(0, -1), entry.slice(-1)]),
);
const PUNCTUATION = "[!-/:-@[-`{-~]";
const ENTITY = "&(?:#x([\\da-f]{1,6})|#(\\d{1,7})|([a-z][a-z\\d]{1,31}));";
const ESCAPED = new RegExp(`\\\\(${PUNCTUATION})|${ENTITY}`, "gi");

/** Resolves backslash escapes and entities ("&amp;", "&#38;", "&#x26;"); unknown entities are kept. */
export function unescape(text: string): string {
  return text.replace(ESCAPED, (whole, escaped?: string, hex?: string, decimal?: string, name = "") => {
    const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
    if (Number.isNaN(code)) return escaped ?? ENTITIES.get(name) ?? whole;
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : "\ufffd";
  });
}

const TAG =
  "<(?:[a-z][a-z\\d-]*(?:\\s+[a-z_:][\\w.:-]*(?:\\s*=\\s*(?:[^\\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)*\\s*/?|" +
  "/[a-z][a-z\\d-]*\\s*)>";
const HOST = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
/** A character of the target of a link. The target may have nested round brackets. */
const VISIBLE = "[^\\0-\\x20\\x7f", CHARACTER = `${VISIBLE}()\\\\]|\\\\${VISIBLE}]|\\\\(?!${VISIBLE}])`;
const nested = (depth: number): string =>
  depth === 0 ? CHARACTER : `${CHARACTER}|\\((?:${nested(depth - 1)})*\\)`;
const TARGET = `(?:<((?:[^<>\\n\\\\]|\\\\.)*)>|(?!<)((?:${nested(8)})+))`;
const QUOTED = "\"((?:[^\"\\\\]|\\\\[^])*)\"|'((?:[^'\\\\]|\\\\[^])*)'|\\(((?:[^()\\\\]|\\\\[^])*)\\)";
const TITLE = `[ \\t\\n]+(?:${QUOTED})`, LABEL = "\\[((?:[^\\\\[\\]]|\\\\[^])*)\\]", END = "[ \\t]*(?:\\n|$)";
type Pattern = "tagLine" | "html" | "escape" | "address" | "note" | "label" | "resource" | "definition";
const PATTERNS: Readonly<Record<Pattern, RegExp>> = {
  tagLine: new RegExp(`^${TAG}[ \\t]*$`, "i"),
  html: new RegExp(`^(?:${TAG}|<!---?>|<!--[^]*?-->|<\\?[^]*?\\?>|<![a-z][^>]*>|<!\\[CDATA\\[[^]*?]]>)`, "i"),
  escape: new RegExp(`^(?:\\\\${PUNCTUATION}|${ENTITY})`, "i"),
  address: new RegExp(
    `^<(?:([a-z][a-z\\d+.-]{1,31}:[^\\0-\\x20\\x7f<>]*)|([\\w.!#$%&'*+/=?^\`{|}~-]+@${HOST}(?:\\.${HOST})*))>`,
    "i",
  ),
  note: /^\[\^([^\][\s]+)\]/,
  label: new RegExp(`^${LABEL}`),
  resource: new RegExp(`^\\([ \\t\\n]*(?:${TARGET}(?:${TITLE})?[ \\t\\n]*)?\\)`),
  definition: new RegExp(`^${LABEL}:[ \\t\\n]*${TARGET}(?:${TITLE}${END}|${END})`),
};
/** The maximum length of inline HTML. Like `MAX_MATCH`, it limits the time and memory of the patterns. */
const MAX_HTML = 1000;
/** The maximum length of a link or a definition. */
const MAX_MATCH = 1_000_000;

/** Matches a pattern at an index of a text. Returns the match and its groups, or an empty list. */
export function match(name: Pattern, text: string, from = 0): readonly (string | undefined)[] {
  const most = name === "html" ? MAX_HTML : MAX_MATCH;
  const found = PATTERNS[name].exec(text.slice(from, from + most));
  return found && found[0].length < most ? found : [];
}

/** The target and the title of a link. */
export interface Target {
  readonly target: string;
  readonly title: string;
}

/** The target and the title from the parts of a resource or definition. */
export function toTarget([angle, bare, ...titles]: readonly (string | undefined)[]): Target {
  return { target: unescape(angle ?? bare ?? ""), title: unescape(titles.find((title) => title) ?? "") };
}

/** The normalized form of a label, for comparison; "" if it is not a label. */
export function toLabel(text = ""): string {
  return text.length > 999 ? "" : text.trim().replace(/\s+/g, " ").toLowerCase().toUpperCase();
}
