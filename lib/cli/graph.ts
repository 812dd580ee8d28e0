/** The command graph: how decision records supersede, amend and relate to each other. */

import type { Platform } from "../../deps.ts";
import type { Catalogue, Document } from "../documents/catalogue.ts";
import type { Options } from "./main.ts";
import { printable, shortened } from "../base/text.ts";
import { currentStatus } from "../documents/metadata.ts";
import { toUri } from "../documents/uri.ts";
import { createLog, noteSample, toJson } from "./main.ts";
import { findRecord } from "./record_text.ts";
import { assemble } from "./serve.ts";
import { numberedTitle } from "./text.ts";

/** What one record says of another, from the newer one to the older one. */
interface Edge {
  readonly from: string;
  readonly to: string;
  readonly kind: "supersedes" | "amends" | "relates-to";
}

/** The fields that state a relation; some state it from its other end. */
const FIELDS = [
  ["supersedes", "supersedes", false],
  ["supersededBy", "supersedes", true],
  ["amends", "amends", false],
  ["amendedBy", "amends", true],
  ["relatesTo", "relates-to", false],
] as const;

/** Prints the graph of all records that are related to others, or of one and those that it is related to, also through others. */
export async function graph(platform: Platform, options: Options): Promise<number> {
  const log = createLog(platform, options, "error");
  const { documents, folders } = assemble(platform, options, log, { watch: false });
  noteSample(platform, folders);
  await documents.ready();
  const { catalogue } = documents.store;
  const around = options.get("around");
  const center = around === undefined
    ? undefined
    : findRecord(catalogue.documents.filter(({ record }) => record), around);
  if (typeof center === "string") {
    platform.print("error", `architrave: ${printable(center)}\n`);
    return 1;
  }
  const edges = edgesOf(catalogue);
  const shown = new Set(center ? [center.key] : edges.flatMap(({ from, to }) => [from, to]));
  for (let size = 0; size < shown.size;) {
    size = shown.size;
    for (const { from, to } of edges) if (shown.has(from) || shown.has(to)) shown.add(from).add(to);
  }
  const nodes = catalogue.documents.filter(({ key }) => shown.has(key));
  const part = edges.filter(({ from }) => shown.has(from));
  const drawing = DRAWINGS[options.get("format") ?? "mermaid"];
  const uriOf = (key: string) => toUri(key, documents.scheme);
  const text = drawing ? draw(nodes, part, drawing) : toJson({
    nodes: nodes.map((document) => ({ uri: uriOf(document.key), ...toNode(document) })),
    edges: part.map(({ from, to, kind }) => ({ from: uriOf(from), to: uriOf(to), kind })),
  });
  platform.print("output", text);
  return 0;
}

function toNode(document: Document) {
  const { title, record } = document;
  return { number: record?.number, title, status: currentStatus(document) };
}

function edgesOf(catalogue: Catalogue): Edge[] {
  const edges = new Map<string, Edge>();
  for (const document of catalogue.documents) {
    for (const [field, kind, isBackward] of FIELDS) {
      for (const reference of document.record?.[field] ?? []) {
        const other = catalogue.resolve(document, reference);
        if (!other || other === document) continue;
        const pair = [document.key, other.key] as const;
        // A relation has no direction, and both records may state it.
        const isTurned = kind === "relates-to" ? pair[0] < pair[1] : isBackward;
        const [from, to] = isTurned ? pair.toReversed() as [string, string] : pair;
        edges.set(`${from} ${kind} ${to}`, { from, to, kind });
      }
    }
  }
  return [...edges.values()].sort(({ from: one }, { from: other }) => one < other ? -1 : one > other ? 1 : 0);
}

/** A format that has a line or more for each record and each relation; records are called by their place, from 1 on. */
interface Drawing {
  head(count: number): string;
  node(place: number, label: string): string;
  edge(from: number, to: number, kind: Edge["kind"]): string;
  readonly foot: string;
}

function draw(nodes: readonly Document[], edges: readonly Edge[], drawing: Drawing): string {
  const places = new Map(nodes.map(({ key }, index) => [key, index + 1]));
  const boxes = nodes.map(toNode).map(({ title, number, status }, index) =>
    drawing.node(
      index + 1,
      printable(numberedTitle(title, number) + (status === undefined ? "" : ` (${status})`)),
    )
  );
  const arrows = edges.map(({ from, to, kind }) => drawing.edge(places.get(from)!, places.get(to)!, kind));
  return [drawing.head(nodes.length), ...boxes, ...arrows, drawing.foot].join("\n");
}

const encoded = (text: string, marks: RegExp, start: string): string =>
  text.replace(marks, (mark) => `${start}${mark.charCodeAt(0)};`);

const ARROWS = { "supersedes": "-->|supersedes|", "amends": "-.->|amends|", "relates-to": "---" };
const STYLES = { "supersedes": "solid", "amends": "dashed", "relates-to": "dotted" };
const DASHES = { "supersedes": "none", "amends": "6 4", "relates-to": "2 4" };

const DRAWINGS: Readonly<Record<string, Drawing>> = {
  mermaid: {
    head: () => "flowchart LR",
    node: (place, label) => `  n${place}["${encoded(label, /["#&;<>`\\]/g, "#")}"]`,
    edge: (from, to, kind) => `  n${from} ${ARROWS[kind]} n${to}`,
    foot: "",
  },
  dot: {
    head: () => "digraph decisions {\n  rankdir=LR;\n  node [shape=box];",
    node: (place, label) => `  n${place} [label="${label.replace(/["\\]/g, "\\$&")}"];`,
    edge(from, to, kind) {
      const undirected = kind === "relates-to" ? " dir=none" : "";
      return `  n${from} -> n${to} [label="${kind}" style=${STYLES[kind]}${undirected}];`;
    },
    foot: "}\n",
  },
  // The records one below the other, and each relation as an arc to the right of them.
  svg: {
    head: (count) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="620" height="${
        44 * count + 8
      }" font-family="sans-serif" font-size="12">
<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#666"/></marker></defs>`,
    node(place, label) {
      const [whole, short] = [label, shortened(label, 46)].map((text) => encoded(text, /[&<>"]/g, "&#"));
      const y = 44 * place - 34;
      return `<g><title>${whole}</title><rect x="10" y="${y}" width="320" height="32" rx="4" fill="#fff" stroke="#333"/>` +
        `<text x="18" y="${y + 20}">${short}</text></g>`;
    },
    edge(from, to, kind) {
      const [start, end] = [44 * from - 22, 44 * to - 14];
      const bend = 330 + Math.min(360, 30 + 30 * Math.abs(from - to));
      const arrow = kind === "relates-to" ? "" : ' marker-end="url(#arrow)"';
      return `<path d="M330 ${start}C${bend} ${start} ${bend} ${end} 330 ${end}" fill="none" stroke="#666" ` +
        `stroke-dasharray="${DASHES[kind]}"${arrow}><title>${kind}</title></path>`;
    },
    foot: "</svg>\n",
  },
};
