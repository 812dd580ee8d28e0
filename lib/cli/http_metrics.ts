/** Metrics of the command http: what the server does, as OpenMetrics text on a listener of its own. */

import type { HttpUsage } from "../mcp/http/mod.ts";
import type { ServerOptions } from "../mcp/server/options.ts";
import { isLoopback } from "../base/hosts.ts";
import { createGuard, LOOPBACK_HOSTS, TARGET } from "../mcp/http/checks.ts";
import { HttpError, respondWithError } from "../mcp/http/errors.ts";
import { loadNetwork } from "../platform/load_network.ts";
import { bracketed } from "../platform/tcp.ts";
import { VERSION } from "./this_copy.ts";

type Labels = Readonly<Record<string, string>>;
type Family = readonly [type: string, name: string, help: string, samples: readonly string[] | number];

/** The upper bounds that OpenTelemetry recommends, in seconds. As text, because OpenMetrics writes 1.0. */
const BOUNDS = "0.01 0.02 0.05 0.1 0.2 0.5 1.0 2.0 5.0 10.0 30.0 60.0 120.0 300.0 +Inf".split(" ");
const FIELDS = { "content-type": "application/openmetrics-text; version=1.0.0; charset=utf-8" };
/** The metrics of `onmeasure`, and what they are. */
const DURATIONS = {
  "mcp.server.operation.duration": "Duration of answered MCP requests",
  "mcp.server.session.duration": "Duration of ended MCP sessions",
};
/** Maximum number of connections of the listener. */
const MAX_CONNECTIONS = 100;

const sample = (name: string, labels: Labels, value: number | string): string => {
  const escaped = (text: string) => text.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n");
  const pairs = Object.entries(labels).map(([key, text]) => `${key.replaceAll(".", "_")}="${escaped(text)}"`);
  return `${name}{${pairs.join()}} ${value}`;
};

/** The durations of requests and sessions, and the text of all metrics. */
export class Metrics {
  readonly #series = new Map<string, { metric: string; labels: Labels; counts: number[]; sum: number }>();

  readonly onmeasure: NonNullable<ServerOptions["onmeasure"]> = (metric, seconds, labels) => {
    const key = [metric, ...Object.values(labels)].join(" ");
    const series = this.#series.get(key) ?? { metric, labels, counts: BOUNDS.map(() => 0), sum: 0 };
    this.#series.set(key, series);
    // A bucket includes those below it.
    for (const [index, bound] of BOUNDS.entries()) if (!(seconds > Number(bound))) series.counts[index]!++;
    series.sum += seconds;
  };

  /** All metrics. @param sizes The sizes of the indexed documents, in bytes. */
  text({ used, refused }: HttpUsage, sizes: readonly number[]): string {
    const all = [...this.#series.values()];
    const durations = Object.entries(DURATIONS).map(([metric, help]): Family => {
      const name = `${metric.replaceAll(".", "_")}_seconds`, own = all.filter((one) => one.metric === metric);
      const samples = own.flatMap(({ labels, counts, sum }) => [
        ...counts.map((count, index) => sample(`${name}_bucket`, { ...labels, le: BOUNDS[index]! }, count)),
        sample(`${name}_count`, labels, counts.at(-1)!),
        sample(`${name}_sum`, labels, sum),
      ]);
      return ["histogram", name, help, samples];
    });
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    const program = { "service.name": "architrave", "service.version": VERSION };
    const refusals = [...refused].map(([reason, count]) =>
      sample("architrave_refused_requests_total", { reason }, count)
    );
    const families: Family[] = [
      ["info", "target", "The program", [sample("target_info", program, 1)]],
      ...durations,
      ["counter", "architrave_refused_requests", "Refused requests and connections", refusals],
      ["gauge", "architrave_requests", "HTTP requests in flight", used.requests],
      ["gauge", "architrave_streams", "Open notification streams", used.streams],
      ["gauge", "architrave_sessions", "Sessions that this process serves", used.sessions],
      ["gauge", "architrave_buffered_bytes", "Bodies and unread responses in memory", used.bytes],
      ["gauge", "architrave_documents", "Documents in the index", sizes.length],
      ["gauge", "architrave_documents_bytes", "Size of the documents in the index", bytes],
    ];
    const lines = families.flatMap(([type, name, help, samples]) => [
      `# TYPE ${name} ${type}\n# HELP ${name} ${help}.`,
      ...(/_(?:seconds|bytes)$/.test(name) ? [`# UNIT ${name} ${name.split("_").at(-1)}`] : []),
      ...typeof samples === "number" ? [`${name} ${samples}`] : samples,
    ]);
    return `${lines.join("\n")}\n# EOF\n`;
  }

  /** Serves a text at /metrics. Needs permission to listen. */
  async serve(
    { hostname, port }: { readonly hostname: string; readonly port: number },
    text: () => string,
  ): Promise<{ readonly url: string; close(): Promise<void> }> {
    const host = bracketed(hostname);
    // On other addresses the name is not known. Pages of other origins are refused all the same.
    const guard = createGuard(isLoopback(hostname) ? [...LOOPBACK_HOSTS, host] : ["*"]);
    let open = 0;
    const connect = () => open >= MAX_CONNECTIONS ? undefined : (open++, () => void open--);
    const options = { hostname, port, connect, requestTimeoutMs: 30_000 };
    const server = await (await loadNetwork()).listenHttp(options, (exchange) => {
      try {
        const [, authority, path] = TARGET.exec(exchange.target)!;
        guard(exchange, authority);
        if (`${exchange.method} ${path}` !== "GET /metrics") throw new HttpError(404, "Send GET /metrics");
        exchange.respond(200, FIELDS, [text()]);
      } catch (cause) {
        respondWithError(exchange, cause);
      }
    });
    return { url: `http://${host}:${server.port}/metrics`, close: () => (server.stop(), server.close(0)) };
  }
}
