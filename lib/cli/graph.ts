/** The command graph: how decision records supersede, amend and relate to each other. */

import type { Platform } from "../../deps.ts";
import type { Document } from "../documents/catalogue.ts";
import type { Relation } from "../page/graph.ts";
import type { Options } from "./main.ts";
import { printable } from "../base/text.ts";
import { currentStatus, numberedTitle } from "../documents/metadata.ts";
import { toUri } from "../documents/uri.ts";
import { createLog, noteSample, toJson } from "./main.ts";
import { findRecord } from "./record_text.ts";
import { assemble } from "./serve.ts";

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
  const { drawGraph, relations } = await import("../page/graph.ts");
  const edges = relations(catalogue);
  const shown = new Set(center ? [center.key] : edges.flatMap(({ from, to }) => [from, to]));
  for (let size = 0; size < shown.size;) {
    size = shown.size;
    for (const { from, to } of edges) if (shown.has(from) || shown.has(to)) shown.add(from).add(to);
  }
  const nodes = catalogue.documents.filter(({ key }) => shown.has(key));
  const part = edges.filter(({ from }) => shown.has(from));
  const format = options.get("format") ?? "mermaid";
  const drawing = DRAWINGS[format];
  const uriOf = (key: string) => toUri(key, documents.scheme);
  const text = drawing ? draw(nodes, part, drawing) : format === "json"
    ? toJson({
      nodes: nodes.map((document) => ({ uri: uriOf(document.key), ...toNode(document) })),
      edges: part.map(({ from, to, kind }) => ({ from: uriOf(from), to: uriOf(to), kind })),
    })
    : drawGraph(nodes, part);
  platform.print("output", text);
  return 0;
}

function toNode(document: Document) {
  const { title, record } = document;
  return { number: record?.number, title, status: currentStatus(document) };
}

/** A format that has a line or more for each record and each relation; records are called by their place, from 1 on. */
interface Drawing {
  head(count: number): string;
  node(place: number, label: string): string;
  edge(from: number, to: number, kind: Relation["kind"]): string;
  readonly foot: string;
}

function draw(nodes: readonly Document[], edges: readonly Relation[], drawing: Drawing): string {
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

const ARROWS = {
  "supersedes": "-->|supersedes|",
  "amends": "-.->|amends|",
  "relates-to": "---",
  "mentions": "-.->",
};
const STYLES = { "supersedes": "solid", "amends": "dashed", "relates-to": "dotted", "mentions": "dotted" };

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
};
