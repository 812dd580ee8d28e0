/** With `--log-format json`, every line on standard error is a JSON object. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { runHere } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";

/** What a command writes to standard error, as levels and messages. */
async function logOf(
  line: readonly string[],
  interactive = false,
): Promise<[level: string, message: string][]> {
  const { errors } = await runHere([...line, "--log-format", "json"], { interactive });
  assert.match(errors, /^(?:[^\n]+\n)*$/, line.join(" "));
  return errors.split("\n").slice(0, -1).map((text) => {
    const { time, level, message } = JSON.parse(text);
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000, line.join(" "));
    return [level, message];
  });
}

test("errors, notes and greetings are lines of JSON too, after the options were read", async (t) => {
  const folder = makeFolder(t, {
    "docs/a.md": "# A\n\n[gone](gone.md)\n",
    "docs/b.md": Uint8Array.of(255),
    "short": "abc\n",
    "api.json": "{",
  });
  const docs = `adr=${folder}/docs`;
  const rows: [line: string[], level: string, message: RegExp][] = [
    [["http", "--listen", "0.0.0.0:0"], "error", /^Cannot listen on 0\.0\.0\.0 without --token-file.*\.$/],
    [["http", "--listen", "somewhere"], "error", /^--listen takes HOST:PORT/],
    [["http", "--metrics", "somewhere"], "error", /^--metrics takes HOST:PORT/],
    [["http", "--token-file", `${folder}/short`], "error", /^Cannot use --token-file/],
    [["http", "--root", `${folder}/gone`], "error", /gone/],
    [["http", "--mount", docs, "--require-scope", "x=y"], "error", /^--require-scope/],
    [["serve", "--root", `${folder}/gone\n{}`], "error", /gone/],
    [["serve", "--mount", `${docs}/b.md`], "error", /b\.md/],
    [["page", "--listen", "0.0.0.0:0"], "error", /^Cannot show the page on 0\.0\.0\.0/],
    [["gateway", "--openapi", `${folder}/api.json`, "--list"], "error", /^Cannot read .*api\.json/],
    [["gateway"], "error", /^A gateway takes either/],
    [["read", "architecture://adr/none", "--mount", docs], "error", /none/],
    [["list"], "info", /sample/],
  ];
  for (const [line, level, message] of rows) {
    const [first, ...others] = (await logOf(line)).toReversed();
    assert.deepEqual([first?.[0], others.length <= 2], [level, true], line.join(" "));
    assert.match(first![1], message, line.join(" "));
  }
  const findings = await logOf(["serve", "--mount", docs]);
  assert.ok(findings.every(([, message]) => message !== ""));
  const greetings = await logOf(["serve", "--mount", docs], true);
  assert.ok(
    greetings.some(([, message]) => /^architrave \S+ serves .* waits for an MCP client/.test(message)),
  );
  // Standard output is not touched.
  const { output } = await runHere(["list", "--mount", docs, "--log-format", "json"]);
  assert.match(output, /^architecture:\/\/adr\/a/);
});
