import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { Program } from "../harness/program.ts";
import { brief, listen } from "../harness/streams.ts";
import { guideline, startInitialized, toldUntil } from "./shelf.ts";

const A = "architecture://guidelines/a";
const B = "architecture://guidelines/b";
/** What the program lets wait is half of it; then there is what a pipe holds, and all that is told in the end. */
const MOST_TOLD = 2.5 * 1024 * 1024;

/** Waits until the program has complained of a file: then it has looked at everything that was written before. */
async function complaint(program: Program, file: string): Promise<void> {
  while (!program.errors.includes(file)) {
    await once(program.child.stderr, "data", { signal: AbortSignal.timeout(30_000) });
  }
}

test("five hundred new files are news twice, to each stream and to the connection, and everything is there by then", async (t) => {
  const { program, write } = await startInitialized(t);
  program.send(
    listen("s", { resourcesListChanged: true, promptsListChanged: true, resourceSubscriptions: [A] }),
  );
  program.send(listen("t", { resourcesListChanged: true }));
  await program.notice();
  await program.notice();
  const files = Array.from(
    { length: 500 },
    (_, index) => [`resources/new/${index}.md`, guideline(`${index}`, "Text.")],
  );
  const began = performance.now();
  write(Object.fromEntries(files));
  const first = await program.notice();
  const listed = async () =>
    ((await program.askModern("resources/list")).result
      ?.["resources"] as unknown[]).length;
  while (await listed() < 503) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  // What is told last: whatever was held back is told with it.
  write({ "resources/guidelines/a.md": guideline("A", "As it is now.") });
  const told = [...brief([first]), ...await toldUntil(program, A)];
  const seconds = Math.floor((performance.now() - began) / 1000);
  for (const line of ["resources/list_changed", "s resources/list_changed", "t resources/list_changed"]) {
    const count = told.filter((one) => one === line).length;
    // On a machine that takes so long that it is no burst any more, there is one more for every second.
    assert.ok(count >= 1 && count <= 2 + seconds, `${count} times ${line} in ${seconds} seconds`);
  }
  assert.deepEqual(told.filter((line) => !line.endsWith("resources/list_changed")), [
    `s resources/updated ${A}`,
  ]);
  assert.equal(await program.close(), 0);
});

test("a client that stops reading while files change learns of each of them, and little waits for it meanwhile", async (t) => {
  const { program, write } = await startInitialized(t);
  // Long spellings of one resource, so that what is told of it is soon more than may wait.
  const long = ["x", "y", "z"].map((letter) => `${A}#${letter.repeat(170_000)}`);
  const short = Array.from({ length: 7 }, (_, round) => `architecture://guidelines/c${round}`);
  program.send(listen("s", { resourceSubscriptions: [...long, ...short, B] }));
  await program.notice();
  program.child.stdout.pause();
  for (const [round, uri] of short.entries()) {
    const name = uri.slice("architecture://".length);
    write({
      "resources/guidelines/a.md": guideline("A", `As it is in round ${round}.`),
      [`resources/${name}.md`]: guideline(name, "It is there."),
    });
    write({ [`resources/odd/${round}.md`]: `---\nnothing\n---\n# Odd\n` });
    await complaint(program, `odd/${round}.md`);
    // There is nothing to wait for while nothing is read; what comes within a second would be told together.
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  program.child.stdout.resume();
  write({ "resources/guidelines/b.md": guideline("B", "As it is now.") });
  const told = await toldUntil(program, B);
  for (const uri of [...long, ...short]) {
    assert.ok(told.includes(`s resources/updated ${uri}`), uri.slice(0, 60));
  }
  const size = told.join("").length;
  assert.ok(size < MOST_TOLD, `${size} characters of ${short.length * long.join("").length} were told`);
  assert.equal(await program.close(), 0);
});
