/** Does the client do what the protocol asks of clients? The official conformance suite says, for each revision that it knows. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { environment, RUNTIMES } from "./runtimes.ts";

const SUITE = dirname(
  createRequire(import.meta.url).resolve(
    "@modelcontextprotocol/conformance/package.json",
  ),
);
const CLIENT = fileURLToPath(
  new URL("./everything_client.ts", import.meta.url),
);
const NODE = process.env["INTEROP_NODE"] ?? process.execPath;
const DENO = process.env["INTEROP_DENO"] ?? "deno";
const COMMANDS = {
  node: `${NODE} --experimental-strip-types --no-warnings ${CLIENT}`,
  deno: `${DENO} run --no-check --allow-net --allow-env ${CLIENT}`,
};

/** The scenarios for clients that a revision requires, without those about authorization; and those that it only runs. */
function scenariosOf(revision: string): string[] {
  const text = readFileSync(
    join(SUITE, "requirements", `${revision}.yaml`),
    "utf8",
  );
  const required = /^client:\n((?: {2}- .*\n| *#.*\n|\n)*)/m.exec(text)?.[1] ??
    "";
  const names = Array.from(
    required.matchAll(/^ {2}- (\S+)/gm),
    ([, name]) => name!,
  );
  const others = Array.from(
    text.matchAll(
      /^ {2}- scenario: (\S+)\n {4}leg: client\n {4}reason: added-after-release/gm,
    ),
    ([, name]) => name!,
  );
  return [...names, ...others].filter((name) => !name.startsWith("auth/"));
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Runs one scenario; returns what was checked. */
async function run(
  runtime: "node" | "deno",
  scenario: string,
  revision: string,
  folder: string,
): Promise<Check[]> {
  const child = spawn(process.execPath, [
    join(SUITE, "dist", "index.js"),
    "client",
    ...[
      "--command",
      COMMANDS[runtime],
      "--scenario",
      scenario,
      "--spec-version",
      revision,
    ],
    ...["--output-dir", folder, "--timeout", "60000"],
  ], { env: environment(), stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => output += text);
  }
  const code = await new Promise((resolve) => child.on("close", resolve));
  const found = readdirSync(folder).find((name) => name.startsWith(scenario));
  assert.ok(found, `The suite has left no results: ${output}`);
  const checks: Check[] = JSON.parse(
    readFileSync(join(folder, found, "checks.json"), "utf8"),
  );
  const failed = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  assert.deepEqual(failed, [], output);
  assert.equal(code, 0, output);
  return checks;
}

const folders: string[] = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

for (const runtime of RUNTIMES) {
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    describe(`the client on ${runtime.name}, in ${revision}`, {
      skip: runtime.skip,
    }, () => {
      const scenarios = scenariosOf(revision);

      it("has scenarios to pass", () => {
        assert.ok(
          scenarios.includes("tools_call") && scenarios.length >= 5,
          scenarios.join(", "),
        );
      });

      for (const scenario of scenarios) {
        it(scenario, async () => {
          const folder = mkdtempSync(join(tmpdir(), "architrave-conformance-"));
          folders.push(folder);
          const checks = await run(runtime.name, scenario, revision, folder);
          assert.ok(
            checks.some(({ status }) => status === "SUCCESS"),
            "something was checked",
          );
        });
      }
    });
  }
}
