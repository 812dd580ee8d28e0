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
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { quantile } from "../report.ts";
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
const docs = makeCorpus(
  Math.ceil(Number(values.mb) * 1e6 / DOC_BYTES),
  DOC_BYTES,
);
const queries = makeQueries(docs, LATER + 1);
const root = mkdtempSync(join(tmpdir(), "architrave-first-"));
mkdirSync(join(root, "resources", "texts"), { recursive: true });
for (const { id, title, body } of docs) {
  writeFileSync(
    join(root, "resources", "texts", `${id}.md`),
    `# ${title}\n\n${body}\n`,
  );
}

const program = join(import.meta.dirname, "..", "..", "..", "mod.ts");
const [command, ...args] = positionals.length > 0 ? positionals : [
  process.execPath,
  "--experimental-strip-types",
  "--disable-warning=ExperimentalWarning",
  program,
];
const child = spawn(command!, [...args, "--root", root], {
  stdio: ["pipe", "pipe", "inherit"],
});
const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
let id = 0;

/** How long the main thread of the server was on a processor, where the system tells it; else the clock. In milliseconds. */
function now(): number {
  const times = `/proc/${child.pid}/schedstat`;
  return existsSync(times)
    ? Number(readFileSync(times, "utf8").split(" ")[0]) / 1e6
    : performance.now();
}

/** How long one request takes, in milliseconds. */
async function time(
  method: string,
  params: object = {},
  clock = now,
): Promise<number> {
  const start = clock();
  child.stdin.write(
    `${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`,
  );
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error("The server has ended");
    const message = JSON.parse(value);
    if (message.id !== id) continue;
    if (message.error || message.result.isError) throw new Error(value);
    return clock() - start;
  }
}

const search = (query: string) =>
  time("tools/call", { name: "search_documents", arguments: { query } });

await time("initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
});
child.stdin.write(
  `${
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })
  }\n`,
);
await time("tools/list");
const pings: number[] = [];
for (
  const end = performance.now() + Number(values.wait) * 1000;
  performance.now() < end;
) {
  pings.push(await time("ping", {}, () => performance.now()));
  await new Promise((resolve) => setTimeout(resolve, 20));
}
// The first call of any tool compiles what all calls share.
await time("tools/call", { name: "read_document", arguments: { uri: "architecture://texts/1" } });
const first = await search(queries[0]!);
const later: number[] = [];
for (const query of queries.slice(1)) later.push(await search(query));
const again = await search(queries[0]!);
child.stdin.end();
const closing = performance.now();
await new Promise((resolve) => child.once("exit", resolve));
rmSync(root, { recursive: true });
const ms = (value: number): string => `${value.toFixed(1)} ms`;
console.log(
  `${docs.length} documents, ${values.mb} MB: first search ${
    ms(first)
  }, the same again ${ms(again)}, ` +
    `later ones ${ms(quantile(later, 0.5))} (median), ${
      ms(Math.max(...later))
    } (longest); ` +
    `ping ${ms(quantile(pings, 0.5))} (median), ${
      ms(quantile(pings, 0.99))
    } (99 %); exit ${ms(performance.now() - closing)}`,
);
