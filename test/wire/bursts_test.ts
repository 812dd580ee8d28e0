/** Many changes at once, and changes that a client does not read of. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { Program, REPOSITORY } from "../harness/program.ts";
import { brief, listen } from "../harness/streams.ts";

const A = "architecture://guidelines/a";

test("five hundred new files are told of twice at most, to each stream and to the connection, and all are there by then", async (t) => {
  const root = makeFolder(t, { "resources/guidelines/a.md": "# A\n" });
  const program = new Program(["--root", root]);
  await program.initialize();
  await program.ask("resources/list");
  program.send(
    listen("s", { resourcesListChanged: true, promptsListChanged: true, resourceSubscriptions: [A] }),
  );
  program.send(listen("t", { resourcesListChanged: true }));
  await program.notice();
  await program.notice();
  const started = performance.now();
  writeFiles(
    root,
    Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`resources/new/${n}.md`, `# ${n}\n`])),
  );
  const told = brief([await program.notice()]);
  const count = (line: string) => told.filter((one) => one === line).length;
  const lines = ["resources/list_changed", "s resources/list_changed", "t resources/list_changed"];
  const listed = async () => ((await program.ask("resources/list")).result!["resources"] as unknown[]).length;
  while (await listed() < 501 || !lines.every((line) => count(line) > 0)) {
    told.push(...brief(await program.notices()));
  }
  // A last change, with which whatever was held back is told.
  writeFiles(root, { "resources/guidelines/a.md": "# A\n\nMore.\n" });
  const last = `s resources/updated ${A}`;
  while (!told.includes(last)) told.push(...brief([await program.notice()]));
  const seconds = Math.floor((performance.now() - started) / 1000);
  // On a machine that takes so long that it is no burst any more, there is one more for every second.
  for (const line of lines) {
    assert.ok(count(line) <= 2 + seconds, `${count(line)} times ${line} in ${seconds} s`);
  }
  assert.deepEqual(told.filter((line) => !lines.includes(line)), [last]);
  assert.equal(await program.close(), 0);
});

test("a client that stops reading while resources change learns of each of them, and little waits for it meanwhile", async () => {
  const program = new Program([], { module: `${REPOSITORY}/test/transcripts/server.ts` });
  await program.initialize();
  // Long names, so that what is told of them is soon more than may wait.
  const long = ["x", "y", "z"].map((letter) => `doc:${letter.repeat(170_000)}`);
  const rounds = 6;
  const short = Array.from({ length: rounds }, (_, round) => `doc:${round}`);
  program.send(listen("s", { resourceSubscriptions: [...long, ...short] }));
  await program.notice();
  program.child.stdout.pause();
  for (const [round, uri] of short.entries()) {
    // What comes within a second of the last news is told together with it.
    if (round > 0) await new Promise((resolve) => setTimeout(resolve, 1050));
    program.send({
      jsonrpc: "2.0",
      id: `change ${round}`,
      method: "tools/call",
      params: { name: "change", arguments: { of: "resources", uris: [...long, uri] } },
    });
  }
  program.child.stdout.resume();
  await program.answers(rounds);
  const updates: string[] = [];
  while (!updates.includes("s resources/updated doc:5")) updates.push(...brief([await program.notice()]));
  updates.push(...brief(await program.notices()));
  for (const uri of [...long, ...short]) {
    assert.ok(updates.includes(`s resources/updated ${uri}`), uri.slice(0, 9));
  }
  // What the program lets wait is half of it; then there is what a pipe holds, and all that is told in the end.
  const size = updates.join("").length;
  assert.ok(size < 2.5 * 1024 * 1024, `${size} characters of ${rounds * long.join("").length} were told`);
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
});
