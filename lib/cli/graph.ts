/** The command graph: how decision records supersede, amend and relate to each other. */

import type { Platform } from "../../deps.ts";
import type { Options } from "./main.ts";
import { currentStatus } from "../documents/metadata.ts";
import { toUri } from "../documents/uri.ts";
import { toJson } from "./io.ts";
import { findRecord } from "./record_text.ts";
import { assemble } from "./serve.ts";

/** Prints the graph of all records that are related to others, or of one and those that it is related to, also through others. */
export async function graph(platform: Platform, options: Options): Promise<number> {
  const { documents } = assemble(platform, options);
  await documents.ready();
  const { catalogue } = documents.store;
  const around = options.get("around");
  const center = around === undefined
    ? undefined
    : findRecord(catalogue.documents.filter(({ record }) => record), around);
  const { graphText, relations } = await import("../graph/relations.ts");
  const all = relations(catalogue);
  const shown = new Set(center ? [center.key] : all.flatMap(({ from, to }) => [from, to]));
  for (let size = 0; size < shown.size;) {
    size = shown.size;
    for (const { from, to } of all) if (shown.has(from) || shown.has(to)) shown.add(from).add(to);
  }
  const nodes = catalogue.documents.filter(({ key }) => shown.has(key));
  const edges = all.filter(({ from }) => shown.has(from));
  const format = options.get("format") ?? "mermaid";
  if (format === "svg") {
    platform.print("output", (await import("../graph/svg.ts")).drawGraph(nodes, edges));
  } else if (format === "json") {
    const uriOf = (key: string) => toUri(key, documents.scheme);
    const text = toJson({
      nodes: nodes.map((document) => {
        const { key, title, record } = document;
        return { uri: uriOf(key), number: record?.number, title, status: currentStatus(document) };
      }),
      edges: edges.map(({ from, to, kind }) => ({ from: uriOf(from), to: uriOf(to), kind })),
    });
    platform.print("output", text);
  } else platform.print("output", graphText(format === "dot" ? format : "mermaid", nodes, edges));
  return 0;
}
