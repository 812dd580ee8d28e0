/** Relations between documents. */

import type { Catalogue } from "../documents/catalogue.ts";
import { compare } from "../base/text.ts";

/** A relation between two documents, given by their keys, from the newer one to the older one. */
export interface Relation {
  readonly from: string;
  readonly to: string;
  readonly kind: "supersedes" | "amends" | "relates-to" | "mentions";
}

/** By field of a record: the kind of the relation, and whether the record is its `to` end. */
const FIELDS = [
  ["supersedes", "supersedes", false],
  ["supersededBy", "supersedes", true],
  ["amends", "amends", false],
  ["amendedBy", "amends", true],
  ["relatesTo", "relates-to", false],
] as const;
type Display = readonly [active: string, passive: string, arrow: string, style: string];
/** By kind: the words for a relation from both ends, and its line in Mermaid and Graphviz. Drawings show the first kind of a pair. */
export const KINDS: Readonly<Record<Relation["kind"], Display>> = {
  "supersedes": ["supersedes", "superseded by", "-->|supersedes|", "solid"],
  "amends": ["amends", "amended by", "-.->|amends|", "dashed"],
  "relates-to": ["relates to", "relates to", "---", "dotted"],
  "mentions": ["mentions", "mentioned by", "-.->", "dotted"],
};

/** The relations between the records of a catalogue, stated by either of the two; sorted by `from`. */
export function relations(catalogue: Catalogue): Relation[] {
  const found = new Map<string, Relation>();
  for (const document of catalogue.documents) {
    for (const [field, kind, isBackward] of FIELDS) {
      for (const reference of document.record?.[field] ?? []) {
        const other = catalogue.resolve(document, reference);
        if (!other || other === document) continue;
        // "Relates to" has no direction, and both records may state it: use the later key as `from`.
        const isTurned = kind === "relates-to" ? document.key < other.key : isBackward;
        const [from, to] = isTurned ? [other.key, document.key] : [document.key, other.key];
        found.set(`${from} ${kind} ${to}`, { from, to, kind });
      }
    }
  }
  return [...found.values()].sort((one, two) => compare(one.from, two.from));
}
