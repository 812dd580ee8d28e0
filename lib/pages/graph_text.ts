/** Writes the graph of related documents as text for Mermaid and Graphviz. */

import type { Document } from "../documents/document.ts";
import type { Relation } from "./relations.ts";
import { printable } from "../base/text.ts";
import { statusLabel } from "../documents/records/label.ts";
import { numberedTitle } from "../documents/records/status.ts";
import { KINDS } from "./relations.ts";

export function graphText(
  format: "mermaid" | "dot",
  documents: readonly Document[],
  relations: readonly Relation[],
): string {
  const ids = new Map(documents.map(({ key }, index) => [key, `n${index + 1}`])), isDot = format === "dot";
  const nodes = documents.map((document) => {
    const status = statusLabel(document), id = ids.get(document.key)!;
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
