import assert from "node:assert/strict";
import { test } from "node:test";
import { runHere } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";

test("config prints the same server for every client, in the format of each", async (t) => {
  const folder = makeFolder(t, { "0001-x.md": "# X\n" });
  const [, clients] = /^CLIENT is one of (.+)$/m.exec((await runHere(["config", "--help"])).output)!;
  assert.equal(clients!.split(", ").length, 12);
  for (const client of clients!.split(", ")) {
    const { code, output, errors } = await runHere(["config", client, "--mount", `adr=${folder}`]);
    assert.deepEqual([code, errors], [0, ""], client);
    assert.match(output, /^[\w ]+: add this to \S/, client);
    assert.ok(output.includes(`"--mount"`) && output.includes(JSON.stringify(`adr=${folder}`)), output);
  }
});

test("config says what is wrong with its arguments, and when it shows the sample", async () => {
  for (
    const [args, message] of [
      [["vim"], /Unknown client "vim": use one of claude-code, /],
      [["zed", "--name", "a b"], /--name takes letters, digits, dashes and underscores/],
      [["zed", "--root", "/nowhere"], /Cannot read --root/],
      [[], /Missing argument for config/],
    ] as const
  ) {
    const { code, errors } = await runHere(["config", ...args]);
    assert.equal(code, 2);
    assert.match(errors, message);
  }
  const { errors } = await runHere(["config", "zed"]);
  assert.match(errors, /These are the sample .*--mount NAME=DIR/);
});
