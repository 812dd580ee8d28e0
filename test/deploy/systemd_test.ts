/** The unit of systemd: is it one, is it confined, and does its command line work? */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { filesOf, makeFolder } from "../harness/folder.ts";
import { startProgram } from "../harness/http_server.ts";
import { REPOSITORY } from "../harness/program.ts";

const UNIT = `${REPOSITORY}/test/deploy/architrave.service`;
const unit = readFileSync(UNIT, "utf8");
const [, line = ""] = /^ExecStart=((?:\\\n|.)*)$/m.exec(unit) ?? [];
const words = line.replaceAll("\\\n", " ").split(/\s+/);
/** The highest exposure, of 10 (and in tenths for the threshold), that systemd may find. */
const MAX_EXPOSURE = 20;

const analyze = (...args: string[]) => spawnSync("systemd-analyze", args, { encoding: "utf8" });
const { error } = analyze("--version");
const SYSTEMD = { skip: error ? "there is no systemd-analyze" : false };

test("the unit is valid, and is confined", SYSTEMD, (t) => {
  const folder = makeFolder(t, {
    // The program of the unit need not be on this machine.
    "architrave.service": unit.replace("/usr/bin/node", process.execPath),
  });
  const verified = analyze("verify", "--man=no", `${folder}/architrave.service`);
  const own = verified.stderr.split("\n").filter((line) => line.includes("architrave.service"));
  assert.deepEqual([verified.status, own], [0, []], verified.stderr);
  const { stdout, status } = analyze(
    "security",
    "--offline=yes",
    "--no-pager",
    `--threshold=${MAX_EXPOSURE}`,
    `${folder}/architrave.service`,
  );
  assert.equal(status, 0, stdout);
  const broken = makeFolder(t, { "architrave.service": unit.replace("Type=exec", "Typ=exec\nType=what") });
  assert.match(analyze("verify", "--man=no", `${broken}/architrave.service`).stderr, /Typ/);
});

test("the command line of the unit serves, answers a scrape, and logs only JSON", {
  skip: process.platform === "win32" && "Windows has no such signals",
}, async (t) => {
  assert.deepEqual(words.slice(0, 3), ["/usr/bin/node", "/opt/architrave/mod.ts", "http"]);
  const own = words.slice(3).join(" ").replaceAll("${CREDENTIALS_DIRECTORY}", "FOLDER").split(" ");
  const flags = own.map((word) => word.replace(/:(8080|9464)$/, ":0"));
  const files = { tokens: "ci 0123456789abcdef\n", keys: `${btoa("k".repeat(32))}\n` };
  const rest = flags.slice(flags.indexOf("--metrics"));
  const { program, served } = await startProgram(t, rest, files);
  assert.equal((await served.get("/readyz")).status, 200);
  assert.equal((await served.get("/mcp")).status, 401);
  process.kill(program.child.pid!, "SIGTERM");
  assert.equal(await program.exited, 0);
  const lines = program.errors.trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ level, message, method }) => [level, message?.replace(/ .*/, "") ?? method]),
    [["info", "architrave"], ["info", "architrave"], ["audit", "GET"], ["info", "stopping"], [
      "info",
      "stopped",
    ]],
  );
});

test("the guideline names every file that is deployed", () => {
  const guideline = readFileSync(`${REPOSITORY}/mcp/resources/guidelines/serving-over-http.md`, "utf8");
  const deployed = new Set(filesOf(`${REPOSITORY}/test/deploy`).map((file) => file.split("/")[0]!));
  for (const file of deployed) {
    if (!file.endsWith("_test.ts")) assert.ok(guideline.includes(`\`test/deploy/${file}\``), file);
  }
});
