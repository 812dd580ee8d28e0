/** The command graph: how decision records are related, as a drawing or data. */

import type { Platform } from "../platform/platform.ts";
import type { Options } from "./options.ts";
import { currentStatus } from "../documents/records/status.ts";
import { toUri } from "../documents/uri.ts";
import { graphText } from "../pages/graph_text.ts";
import { relations } from "../pages/relations.ts";
import { findRecord } from "./find_record.ts";
import { toJsonText } from "./io.ts";
import { assembleOnce } from "./once.ts";

/** Prints the graph of all related records, or of one record and those that it is related to, directly or through others. */
export async function graph(platform: Platform, options: Options): Promise<number> {
  const { documents } = await assembleOnce(platform, options);
  await documents.ready();
  const { catalogue } = documents.store;
  const around = options.get("around");
  const records = catalogue.documents.filter(({ record }) => record), all = relations(catalogue);
  const shown = around === undefined
    ? new Set(all.flatMap(({ from, to }) => [from, to]))
    : new Set([findRecord(records, around).key]);
  for (let size = 0; size < shown.size;) {
    size = shown.size;
    for (const { from, to } of all) if (shown.has(from) || shown.has(to)) shown.add(from).add(to);
  }
  const nodes = catalogue.documents.filter(({ key }) => shown.has(key));
  const edges = all.filter(({ from }) => shown.has(from));
  const uriOf = (key: string) => toUri(key, documents.scheme);
  const formats: Readonly<Record<string, () => Promise<string> | string>> = {
    mermaid: () => graphText("mermaid", nodes, edges),
    dot: () => graphText("dot", nodes, edges),
    svg: async () => (await import("../pages/graph.ts")).drawGraph(nodes, edges),
    json: () =>
      toJsonText({
        nodes: nodes.map((document) => {
          const { key, title, record } = document;
          return { uri: uriOf(key), number: record?.number, title, status: currentStatus(document) };
        }),
        edges: edges.map(({ from, to, kind }) => ({ from: uriOf(from), to: uriOf(to), kind })),
      }),
  };
  platform.print("output", await formats[options.get("format") ?? "mermaid"]!());
  return 0;
}
