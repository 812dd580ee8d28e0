/** Relations between documents, and their graph as text for Mermaid and Graphviz. */

import type { Catalogue, Document } from "../documents/catalogue.ts";
import { compare, printable } from "../base/text.ts";
import { currentStatus, numberedTitle } from "../documents/metadata.ts";

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

export function graphText(
  format: "mermaid" | "dot",
  documents: readonly Document[],
  relations: readonly Relation[],
): string {
  const ids = new Map(documents.map(({ key }, index) => [key, `n${index + 1}`])), isDot = format === "dot";
  const nodes = documents.map((document) => {
    const status = currentStatus(document), id = ids.get(document.key)!;
    const title = numberedTitle(document.title, document.record?.number);
    const label = printable(status === undefined ? title : `${title} (${status})`);
    if (isDot) return `  ${id} [label="${label.replace(/["\\]/g, "\\$&")}"];`;
    return `  ${id}["${label.replace(/["#&;<>`\\]/g, (mark) => `#${mark.charCodeAt(0)};`)}"]`;
  });
  const edges = relations.map(({ from, to, kind }) => {
    const [, , arrow, style] = KINDS[kind], undirected = kind === "relates-to" ? " dir=none" : "";
    if (!isDot) return `  ${ids.get(from)} ${arrow} ${ids.get(to)}`;
    return `  ${ids.get(from)} -> ${ids.get(to)} [label="${kind}" style=${style}${undirected}];`;
  });
  const head = isDot ? "digraph decisions {\n  rankdir=LR;\n  node [shape=box];" : "flowchart LR";
  return [head, ...nodes, ...edges, isDot ? "}\n" : ""].join("\n");
}
