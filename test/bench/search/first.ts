/**
 * What the first search costs beside later ones, over stdio, when the client has listed the tools some seconds before and
 * has called another tool.
 *
 *     node --experimental-strip-types test/bench/search/first.ts [--mb N] [--wait SECONDS] [-- COMMAND...]
 *
 * Generates N megabytes of documents in a temporary folder. COMMAND starts the server and gets `--root FOLDER`; without
 * one it is this repository's `mod.ts` on Node. Times of searches are of the processor, where the system tells them. Also
 * reports how long pings took on the clock while the index was prepared.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ServerProcess } from "../process.ts";
import { quantile } from "../report.ts";
import { REPOSITORY } from "../servers.ts";
import { makeCorpus, makeQueries } from "./corpus.ts";

const DOC_BYTES = 8_000;
const LATER = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mb: { type: "string", default: "32" },
    wait: { type: "string", default: "20" },
  },
});
const docs = makeCorpus(Math.ceil(Number(values.mb) * 1e6 / DOC_BYTES), DOC_BYTES);
const queries = makeQueries(docs, LATER + 1);
const root = mkdtempSync(join(tmpdir(), "architrave-first-"));
mkdirSync(join(root, "resources", "texts"), { recursive: true });
for (const { id, title, body } of docs) {
  writeFileSync(join(root, "resources", "texts", `${id}.md`), `# ${title}\n\n${body}\n`);
}

const ours = [process.execPath, "--experimental-strip-types", join(REPOSITORY, "mod.ts")];
const [command, ...args] = positionals.length > 0 ? positionals : ours;
const server = new ServerProcess(command!, [...args, "--root", root]);

/** How long the main thread of the server was on a processor, where the system tells it; else the clock. In milliseconds. */
function now(): number {
  const times = `/proc/${server.pid}/schedstat`;
  return existsSync(times) ? Number(readFileSync(times, "utf8").split(" ")[0]) / 1e6 : performance.now();
}

/** How long one request takes, in milliseconds. */
async function time(method: string, params: object = {}, clock = now): Promise<number> {
  const start = clock();
  const result = await server.request<{ isError?: boolean }>(method, params);
  if (result.isError) throw new Error(`${method} fails: ${JSON.stringify(result)}`);
  return clock() - start;
}

const search = (query: string) => time("tools/call", { name: "search_documents", arguments: { query } });

const clientInfo = { name: "bench", version: "1" };
await time("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
server.notify("notifications/initialized");
await time("tools/list");
const pings: number[] = [];
for (const end = performance.now() + Number(values.wait) * 1000; performance.now() < end; await pause(20)) {
  pings.push(await time("ping", {}, () => performance.now()));
}
// The first call of any tool compiles what all calls share.
await time("tools/call", { name: "read_document", arguments: { uri: "architecture://texts/1" } });
const first = await search(queries[0]!);
const later: number[] = [];
for (const query of queries.slice(1)) later.push(await search(query));
const again = await search(queries[0]!);
const closing = performance.now();
await server.stop();
const exit = performance.now() - closing;
rmSync(root, { recursive: true });
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const median = (all: number[]): string => `${ms(quantile(all, 0.5))} (median)`;
console.log(
  `${docs.length} documents, ${values.mb} MB: first search ${ms(first)}, the same again ${ms(again)}, ` +
    `later ones ${median(later)}, ${ms(Math.max(...later))} (longest); ` +
    `ping ${median(pings)}, ${ms(quantile(pings, 0.99))} (99 %); exit ${ms(exit)}`,
);
