/** Relations between documents. */

import type { Catalogue } from "../documents/catalogue.ts";
import { compare } from "../base/text.ts";

/** What one document says of another, by their keys, from the newer one to the older one. */
export interface Relation {
  readonly from: string;
  readonly to: string;
  readonly kind: "supersedes" | "amends" | "relates-to" | "mentions";
}

/** The fields that state a relation, its kind, and whether they state it from its other end. */
const FIELDS = [
  ["supersedes", "supersedes", false],
  ["supersededBy", "supersedes", true],
  ["amends", "amends", false],
  ["amendedBy", "amends", true],
  ["relatesTo", "relates-to", false],
] as const;
type Display = readonly [active: string, passive: string, arrow: string, style: string];
/** The words for a relation from both of its ends, and its line in Mermaid and Graphviz; drawings show the first kind of a pair. */
export const KINDS: Readonly<Record<Relation["kind"], Display>> = {
  "supersedes": ["supersedes", "superseded by", "-->|supersedes|", "solid"],
  "amends": ["amends", "amended by", "-.->|amends|", "dashed"],
  "relates-to": ["relates to", "relates to", "---", "dotted"],
  "mentions": ["mentions", "mentioned by", "-.->", "dotted"],
};

/** What the records of a catalogue state of each other, whichever of the two says so; sorted by `from`. */
export function relations(catalogue: Catalogue): Relation[] {
  const found = new Map<string, Relation>();
  for (const document of catalogue.documents) {
    for (const [field, kind, isBackward] of FIELDS) {
      for (const reference of document.record?.[field] ?? []) {
        const other = catalogue.resolve(document, reference);
        if (!other || other === document) continue;
        // "Relates to" has no direction, and both records may state it: the later key comes first.
        const isTurned = kind === "relates-to" ? document.key < other.key : isBackward;
        const [from, to] = isTurned ? [other.key, document.key] : [document.key, other.key];
        found.set(`${from} ${kind} ${to}`, { from, to, kind });
      }
    }
  }
  return [...found.values()].sort((one, two) => compare(one.from, two.from));
}
