import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { makeFolder } from "../harness/folder.ts";
import { ON_DENO, REPOSITORY, run } from "../harness/program.ts";

const text = readFileSync(`${REPOSITORY}/mcp/resources/guidelines/json-rpc-server.md`, "utf8");
const block = (language: string) => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)![1]!;

test("the example of the guideline runs, and prints what the guideline says", async (t) => {
  const { exports } = JSON.parse(readFileSync(`${REPOSITORY}/deno.json`, "utf8"));
  const source = block("ts").replaceAll(
    /"@architrave\/architrave\/(\w+)"/g,
    (_, name) => JSON.stringify(pathToFileURL(`${REPOSITORY}/${exports[`./${name}`]}`).href),
  );
  const module = `${makeFolder(t, { "example.ts": source })}/example.ts`;
  const runtimeFlags = ON_DENO
    ? ["--no-prompt", "--no-check", "--allow-net=127.0.0.1"]
    : ["--experimental-strip-types", "--no-warnings"];
  const { code, output, errors } = await run([], "", { module, runtimeFlags });
  assert.equal(errors, "");
  assert.equal(code, 0);
  // The runtimes quote and break what they print in their own ways.
  const plain = (printed: string) => printed.replaceAll(/['"\s]/g, "");
  assert.equal(plain(output), plain(block("text")));
});

test("the guideline names every bound with its default", async () => {
  const { DEFAULT_LIMITS } = await import("../../lib/rpc/mod.ts");
  const shown: Record<string, string> = {
    maxConnections: "1,000",
    maxLineBytes: "1 MiB",
    maxInFlight: "100 ",
    idleMs: "5 minutes",
    graceMs: "5 seconds",
  };
  const values = {
    maxConnections: 1000,
    maxLineBytes: 2 ** 20,
    maxInFlight: 100,
    idleMs: 300_000,
    graceMs: 5000,
  };
  assert.deepEqual(DEFAULT_LIMITS, values);
  for (const [name, value] of Object.entries(shown)) {
    assert.ok(text.includes(`| \`${name}\` | ${value}`), name);
  }
});
