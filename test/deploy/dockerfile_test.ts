/** Is the container that is documented the one that `read_only.sh` tries? That script does what these lines say. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { REPOSITORY } from "../harness/program.ts";

const dockerfile = readFileSync(`${REPOSITORY}/test/deploy/Dockerfile`, "utf8");
const guideline = readFileSync(`${REPOSITORY}/mcp/resources/guidelines/running.md`, "utf8");
const linesOf = (word: string) =>
  dockerfile.split("\n").filter((line) => line.startsWith(`${word} `)).map((line) =>
    line.slice(word.length + 1)
  );

test("the Dockerfile builds on official images of one version each, and Deno is what comes without --target", () => {
  assert.deepEqual(linesOf("FROM").map((line) => line.replace(/\d+\.\d+\.\d+/, "VERSION")), [
    "node:VERSION-slim AS node",
    "denoland/deno:VERSION AS deno",
  ]);
});

test("the Dockerfile starts the program itself, which gets the signals, and not as root", () => {
  assert.deepEqual(linesOf("USER"), ["1001:1001", "1001:1001"]);
  const commands = linesOf("ENTRYPOINT").map((line) => JSON.parse(line) as string[]);
  assert.deepEqual(commands.map(([runtime]) => runtime), ["node", "deno"]);
  for (const command of commands) assert.equal(command.at(-1), "/architrave/mod.ts");
});

test("the guideline and the Dockerfile run the container with the same words", () => {
  const documented = /^docker run [^`]*\n(?=```)/m.exec(guideline)?.[0] ?? "";
  assert.match(documented, /--read-only/);
  assert.ok(dockerfile.replaceAll("\n#   ", "\n").includes(documented), documented);
});
