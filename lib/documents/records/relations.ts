/** What a decision record states of other records. */

import { MAX_LINE, plain } from "../../formats/markdown/lines.ts";
import { isReference } from "./record.ts";
import { isStatus } from "./status.ts";
import { NOTHING, statedText } from "./values.ts";

const WHOLE = ["supersedes", "supersededBy", "amends", "amendedBy", "relatesTo"] as const;

type Relation = (typeof WHOLE)[number];

/** What the text of a status says of other records, by the field for it; two of the words are often misspelt. */
const PHRASES: Readonly<Record<string, RegExp>> = {
  supersedes: /\b(?:super[sc]e+des|replaces)\b:?/i,
  supersededby:
    /\b(?:super[sc]e+ded|replaced)\b:?(?:[ \t]+(?:on[ \t]+)?\(?\d{4}-\d{2}-\d{2}\)?,?(?=[ \t]+by\b))?(?:[ \t]+by\b)?:?/i,
  amends: /\bamends\b:?/i,
  amendedby: /\bamended(?:[ \t]+by\b)?:?/i,
  relatesto: /\brelate[sd][ \t]+to\b:?/i,
};

/** The relation that a line of a status begins with, as adr-tools writes it: "Amends [9. X](0009-x.md)". */
export function leadingRelation(line: string): Relation | undefined {
  const text = line.replace(/^[ \t]*(?:[-*+][ \t]+)?[*_]*/, "");
  return WHOLE.find((name) => {
    const phrase = PHRASES[name.toLowerCase()]!;
    return phrase.exec(text)?.index === 0 && mentionsAfter(text, phrase).length > 0;
  });
}

/** A relation of any name, as adr-tools links records: "Clarified by [9. X](0009-x.md)". */
const ANY_RELATION =
  /^[ \t]*(?:[-*+][ \t]+)?[*_]*(\p{L}+)(?: by| to)?:?[*_]*:?[ \t]+\[.*\]\([^()]*\)\.?[ \t]*$/u;

/** Whether a line of a status is about the record itself, as the name of its successor is, and not about another record. */
export function isAboutItself(line: string): boolean {
  const relation = leadingRelation(line), word = ANY_RELATION.exec(line)?.[1];
  if (relation !== undefined) return relation === "supersededBy";
  return word === undefined || isStatus(word.toLowerCase());
}

const LINK = /\]\([ \t]*<?([^)\s>]+)(?:[\s>][^)]*)?\)/g;

/** What a line refers to: the targets of its links, else the names in it. */
function mentions(whole: string): string[] {
  const text = statedText(whole.slice(0, MAX_LINE));
  if (text === undefined) return [];
  const targets = Array.from(text.matchAll(LINK), ([, target]) => target!);
  if (targets.length > 0) return targets;
  const name = (part: string) => plain(part).replace(/[.:]+$/, "").replace(/^\[(.*)\]$/, "$1");
  const names = text.split(/[,;\n]|\band\b/).map(name).filter((part) => !NOTHING.test(part));
  // A comma or an "and" may also be part of a title.
  return names.every(isReference) ? names : [name(text)];
}

/** What a line refers to after a phrase. Within prose, and without "by", only a link, a file or a number counts. */
function mentionsAfter(whole: string, phrase: RegExp): string[] {
  const line = whole.slice(0, MAX_LINE);
  const found = phrase.exec(line);
  if (!found) return [];
  const rest = line.slice(found.index + found[0].length);
  const isProse = /\p{L}/u.test(line.slice(0, found.index)) || !/(?:s|by|to):?$/i.test(found[0]);
  const hasLink = rest.search(LINK) >= 0;
  // A date after the phrase says when it happened.
  const namesRecord = (name: string) => isReference(name) && !/^\d{4}-?\d{2}-?\d{2}\)?$/.test(name);
  return mentions(rest).filter((name) => !isProse || hasLink || namesRecord(name));
}
