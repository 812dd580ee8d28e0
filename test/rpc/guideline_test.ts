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
  const urlOf = (_: string, name: string) => `"${pathToFileURL(`${REPOSITORY}/${exports[`./${name}`]}`)}"`;
  const source = block("ts").replaceAll(/"@architrave\/architrave\/(\w+)"/g, urlOf);
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
  const rows = [...text.matchAll(/^\| `(\w+)` \| ([\d,]+ (?:(?:Mi?B|minutes|seconds)\b)?)/gm)];
  const units: Record<string, number> = { "": 1, "MiB": 2 ** 20, "minutes": 60_000, "seconds": 1000 };
  const shown = rows.map(([, name, value]) => {
    const [number = "", unit = ""] = value!.split(" ");
    return [name, Number(number.replace(",", "")) * units[unit]!];
  });
  assert.deepEqual(Object.fromEntries(shown), { ...DEFAULT_LIMITS });
});
