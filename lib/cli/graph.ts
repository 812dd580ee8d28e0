/** The command graph: how decision records supersede, amend and relate to each other. */

import type { Platform } from "../../deps.ts";
import type { Catalogue, Document } from "../documents/catalogue.ts";
import type { Options } from "./main.ts";
import { compact } from "../base/json.ts";
import { printable, shortened } from "../base/text.ts";
import { currentStatus } from "../documents/metadata.ts";
import { toUri } from "../documents/uri.ts";
import { createLog, noteSample, toJson } from "./program.ts";
import { assemble } from "./serve.ts";
import { numberedTitle } from "./text.ts";

/** One record. */
interface Node {
  readonly uri: string;
  readonly number?: number;
  readonly title: string;
  readonly status?: string;
}

/** What one record says of another, from the newer one to the older one. */
interface Edge {
  readonly from: string;
  readonly to: string;
  readonly kind: "supersedes" | "amends" | "relates-to";
}

interface Graph {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/** The fields that state a relation; some state it from its other end. */
const FIELDS: readonly (readonly [field: string, kind: Edge["kind"], isBackward: boolean])[] = [
  ["supersedes", "supersedes", false],
  ["supersededBy", "supersedes", true],
  ["amends", "amends", false],
  ["amendedBy", "amends", true],
  ["relatesTo", "relates-to", false],
];

/** Prints the graph of all records that are related to others, or of those around one. */
export async function graph(platform: Platform, options: Options): Promise<number> {
  const log = createLog(platform, options, "error");
  const { documents, folders } = assemble(platform, options, log, { watch: false });
  noteSample(platform, folders);
  await documents.ready();
  const { catalogue } = documents.store;
  const whole = readGraph(catalogue);
  const around = options.get("around");
  const part = around === undefined ? whole : partAround(whole, catalogue, around);
  if (typeof part === "string") {
    platform.print("error", `architrave: ${printable(part)}\n`);
    return 1;
  }
  platform.print("output", FORMATS[options.get("format") ?? "mermaid"]!(part));
  return 0;
}

function readGraph(catalogue: Catalogue): Graph {
  const edges = new Map<string, Edge>();
  for (const document of catalogue.documents) {
    for (const [field, kind, isBackward] of FIELDS) {
      const record = document.record as Readonly<Record<string, unknown>> | undefined;
      for (const reference of (record?.[field] ?? []) as readonly string[]) {
        const other = catalogue.resolve(document, reference);
        if (!other || other === document) continue;
        const pair = [document, other].map(uriOf);
        // A relation has no direction, and both records may state it.
        const isTurned = kind === "relates-to" ? pair[0]! < pair[1]! : isBackward;
        const [from, to] = (isTurned ? pair.reverse() : pair) as [string, string];
        edges.set(`${from} ${kind} ${to}`, { from, to, kind });
      }
    }
  }
  const related = new Set([...edges.values()].flatMap(({ from, to }) => [from, to]));
  return {
    nodes: catalogue.documents.filter((document) => related.has(uriOf(document))).map(toNode),
    edges: [...edges.values()].sort((left, right) =>
      left.from < right.from ? -1 : left.from > right.from ? 1 : 0
    ),
  };
}

function uriOf({ key }: Document): string {
  return toUri(key, "architecture");
}

function toNode(document: Document): Node {
  const { title, record } = document;
  return compact({ uri: uriOf(document), number: record?.number, title, status: currentStatus(document) });
}

/** The record that is named, and all that it is related to, directly or through others; a message if there is none. */
function partAround({ nodes, edges }: Graph, catalogue: Catalogue, name: string): Graph | string {
  const found = /^\d+$/.test(name)
    ? catalogue.documents.filter(({ record }) => record?.number === Number(name))
    : catalogue.find(/^\w+:/.test(name) ? name : `architecture://${name}`).documents;
  const [center, ...others] = found;
  if (!center) return `There is no record "${name}": name one by its number or URI`;
  if (others.length > 0) {
    const names = found.map(uriOf).join(" and ");
    return `Several records have the number ${name}: name one by its URI, ${names}`;
  }
  const near = new Set([uriOf(center)]);
  for (let size = 0; size < near.size;) {
    size = near.size;
    for (const { from, to } of edges) if (near.has(from) || near.has(to)) near.add(from).add(to);
  }
  const isolated = near.size === 1 ? [toNode(center)] : [];
  return {
    nodes: [...isolated, ...nodes.filter(({ uri }) => near.has(uri) && isolated.length === 0)],
    edges: edges.filter(({ from }) => near.has(from)),
  };
}

/** "7. Use X (accepted)". */
function labelOf({ number, title, status }: Node): string {
  return printable(`${numberedTitle(title, number)}${status === undefined ? "" : ` (${status})`}`);
}

const FORMATS: Readonly<Record<string, (graph: Graph) => string>> = {
  json: toJson,
  mermaid({ nodes, edges }) {
    const ids = idsOf(nodes);
    const arrows = { "supersedes": "-->|supersedes|", "amends": "-.->|amends|", "relates-to": "---" };
    const quoted = (text: string) => text.replace(/["#&;<>`\\]/g, (mark) => `#${mark.charCodeAt(0)};`);
    return block("flowchart LR", [
      ...nodes.map((node) => `${ids.get(node.uri)}["${quoted(labelOf(node))}"]`),
      ...edges.map(({ from, to, kind }) => `${ids.get(from)} ${arrows[kind]} ${ids.get(to)}`),
    ]);
  },
  dot({ nodes, edges }) {
    const ids = idsOf(nodes);
    const styles = { "supersedes": "solid", "amends": "dashed", "relates-to": "dotted" };
    const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
    return `${
      block("digraph decisions {", [
        "rankdir=LR;",
        "node [shape=box];",
        ...nodes.map((node) => `${ids.get(node.uri)} [label=${quoted(labelOf(node))}];`),
        ...edges.map(({ from, to, kind }) => {
          const undirected = kind === "relates-to" ? " dir=none" : "";
          return `${ids.get(from)} -> ${ids.get(to)} [label="${kind}" style=${styles[kind]}${undirected}];`;
        }),
      ])
    }}\n`;
  },
  svg: toSvg,
};

function idsOf(nodes: readonly Node[]): ReadonlyMap<string, string> {
  return new Map(nodes.map(({ uri }, index) => [uri, `n${index + 1}`]));
}

function block(head: string, lines: readonly string[]): string {
  return [head, ...lines.map((line) => `  ${line}`), ""].join("\n");
}

/** Sizes of the drawing, in pixels. */
const BOX = { width: 260, height: 36, gapX: 110, gapY: 16, margin: 10, characters: 38 };

/** Draws columns from left to right: a record stands to the right of all that refer to it. */
function toSvg({ nodes, edges }: Graph): string {
  const { width, height, gapX, gapY, margin, characters } = BOX;
  const escaped = (text: string) => text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);
  const columns = new Map(nodes.map(({ uri }) => [uri, 0]));
  // Records may refer to each other in a circle, so the number of passes is bounded.
  for (let pass = 0, isMoved = true; isMoved && pass < Math.min(nodes.length, 20); pass++) {
    isMoved = false;
    for (const { from, to } of edges) {
      if (columns.get(to)! > columns.get(from)!) continue;
      columns.set(to, columns.get(from)! + 1);
      isMoved = true;
    }
  }
  const used = [...new Set(columns.values())].sort((left, right) => left - right);
  const rows = used.map(() => 0);
  const places = new Map(nodes.map(({ uri }) => {
    const column = used.indexOf(columns.get(uri)!);
    const row = rows[column]!++;
    return [uri, { x: margin + column * (width + gapX), y: margin + row * (height + gapY) }];
  }));
  const right = 2 * margin + Math.max(1, used.length) * (width + gapX) - gapX;
  const bottom = 2 * margin + Math.max(1, ...rows) * (height + gapY) - gapY;
  const dashes = { "supersedes": "none", "amends": "6 4", "relates-to": "2 4" };
  const lines = edges.map(({ from, to, kind }) => {
    const [start, end] = [places.get(from)!, places.get(to)!];
    const isForward = end.x > start.x;
    const [x1, x2] = [start.x + width, isForward ? end.x : end.x + width];
    const [y1, y2] = [start.y + height / 2, end.y + height / 2];
    const bend = gapX / 2;
    const arrow = kind === "relates-to" ? "" : ' marker-end="url(#arrow)"';
    const path = `M${x1} ${y1}C${x1 + bend} ${y1} ${isForward ? x2 - bend : x2 + bend} ${y2} ${x2} ${y2}`;
    return `<path d="${path}" fill="none" stroke="#666" stroke-dasharray="${
      dashes[kind]
    }"${arrow}><title>${kind}</title></path>`;
  });
  const boxes = nodes.map((node) => {
    const { x, y } = places.get(node.uri)!;
    const label = labelOf(node);
    return `<g><title>${
      escaped(label)
    }</title><rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4" ` +
      `fill="#fff" stroke="#333"/><text x="${x + 8}" y="${y + 23}">${
        escaped(shortened(label, characters))
      }</text></g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${right}" height="${bottom}" font-family="sans-serif" font-size="12">
<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#666"/></marker></defs>
${[...lines, ...boxes].join("\n")}
</svg>
`;
}
