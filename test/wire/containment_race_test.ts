/** Is anything outside read while somebody swaps what lies in the root, as fast as they can? With real files, in a race. */

import assert from "node:assert/strict";
import { linkSync, renameSync, symlinkSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Answer } from "../harness/program.ts";
import { ON_DENO, Program } from "../harness/program.ts";
import { closeContained, INSIDE, makeSurroundings, OUTSIDE } from "./outside.ts";

const ON_WINDOWS = process.platform === "win32" ? "not on Windows" : false;
/** How often each is read; every answer is read from the disk, or was within the last second. */
const ROUNDS = 10;
const READS = 2000;
/** How often they are listed; each list may be another look at the files. */
const LISTS = 30;
/** How often something is swapped between two looks at what was answered; odd, so that either may be there by then. */
const SWAPS_AT_ONCE = 25;
/**
 * How long nothing is swapped after that, in milliseconds. Deno watches with a thread that takes reports for as long as
 * there are any, and a program that begins or ends to watch waits for it: a flood without a gap is a program that stands.
 */
const GAP_MS = ON_DENO ? 10 : 0;
/** How often the program looks for changes, and how often it is asked for them. */
const POLL_MS = 10;
const URI = "architecture://race/sub/001-use-one-thing";

/** Puts a link out in the place of something in `docs/resources/race`, or takes it away again. */
type Swap = (folder: string, isOut: boolean) => void;

/** Puts something in a place in one step, whatever is there. */
function put(place: string, make: (path: string) => void): void {
  make(`${place}.new`);
  renameSync(`${place}.new`, place);
}

/** What is swapped, and how. The document is `sub/001-use-one-thing.md`, and its text lies in `kept/` too. */
const RACES: Readonly<Record<string, { prepare(race: string): void; swap: Swap }>> = {
  "a link to a document is pointed elsewhere": {
    prepare: (race) => put(`${race}/sub/001-use-one-thing.md`, (path) => symlinkSync("../kept/text", path)),
    swap: (race, isOut) =>
      put(
        `${race}/sub/001-use-one-thing.md`,
        (path) => symlinkSync(isOut ? "../../../../outside/001-use-one-thing.md" : "../kept/text", path),
      ),
  },
  "a document becomes a link": {
    prepare: () => {},
    swap: (race, isOut) =>
      put(
        `${race}/sub/001-use-one-thing.md`,
        (path) =>
          isOut
            ? symlinkSync("../../../../outside/001-use-one-thing.md", path)
            : linkSync(`${race}/kept/text`, path),
      ),
  },
  "a link to a folder is pointed elsewhere": {
    prepare: (race) => {
      renameSync(`${race}/sub`, `${race}/kept/sub`);
      symlinkSync("kept/sub", `${race}/sub`);
    },
    swap: (race, isOut) =>
      put(`${race}/sub`, (path) => symlinkSync(isOut ? "../../../outside" : "kept/sub", path)),
  },
  "a folder becomes a link": {
    prepare: (race) => symlinkSync("../../../outside", `${race}/kept/link`),
    swap: (race, isOut) => {
      renameSync(`${race}/sub`, `${race}/kept/${isOut ? "sub" : "link"}`);
      renameSync(`${race}/kept/${isOut ? "link" : "sub"}`, `${race}/sub`);
    },
  },
};

/** The root of a race: the document in a folder of its own, and a prompt that embeds it. */
function makeRace(t: Parameters<typeof makeSurroundings>[0]): string {
  const content = { type: "text", text: `<<resource:${URI}#part>>` };
  return makeSurroundings(t, {
    "docs/resources/race/sub/001-use-one-thing.md": INSIDE,
    "docs/resources/race/kept/text": INSIDE,
    "docs/prompts/p.json": JSON.stringify({ name: "p", messages: [{ role: "user", content }] }),
  });
}

/** Swaps as fast as the program can bear until something else is done. */
async function swapUntil(done: Promise<unknown>, swap: (isOut: boolean) => void): Promise<void> {
  let isOver = false;
  void done.then(() => isOver = true, () => isOver = true);
  for (let isOut = true; !isOver || !isOut;) {
    for (let count = 0; count < SWAPS_AT_ONCE; count++, isOut = !isOut) swap(isOut);
    await pause(GAP_MS);
  }
}

for (const [name, { prepare, swap }] of Object.entries(RACES)) {
  test(
    `while ${name}, each of ${READS} answers is the document or not found`,
    { skip: ON_WINDOWS },
    async (t) => {
      const folder = makeRace(t);
      const race = `${folder}/docs/resources/race`;
      prepare(race);
      const program = new Program(["--root", `${folder}/docs`]);
      await program.initialize();
      await program.ask("prompts/list");
      await program.ask("resources/list");
      // A section is read anew each time, a document is kept for a while.
      const questions = [
        ["resources/read", { uri: `${URI}#part` }],
        ["resources/read", { uri: URI }],
        ["prompts/get", { name: "p" }],
      ] as const;
      const asked = Array.from({ length: READS }, (_, id) => questions[id % questions.length]!);
      const counts = { found: 0, missing: 0 };
      // On a busy machine one of the two may be through before the other one begins.
      for (let round = 0; round < ROUNDS && !(counts.found > 0 && counts.missing > 0); round++) {
        program.send(...asked.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params })));
        const answered = program.answers(READS);
        await swapUntil(answered, (isOut) => swap(race, isOut));
        for (const answer of await answered) judge(answer);
      }
      assert.ok(counts.found > 0 && counts.missing > 0, `there was a race: ${JSON.stringify(counts)}`);
      await closeContained(program, folder);

      function judge({ id, result, error }: Answer): void {
        counts[result ? "found" : "missing"]++;
        if (asked[id as number]![0] === "resources/read") assert.equal(error?.code ?? -32002, -32002);
        else {assert.equal(
            error?.message ?? "",
            error ? `The prompt "p" embeds ${URI}#part, which is not there` : "",
          );}
        const { contents, messages } = (result ?? {}) as {
          contents?: { text: string }[];
          messages?: unknown;
        };
        if (contents) assert.ok(INSIDE.endsWith(contents[0]!.text));
        if (messages) assert.match(JSON.stringify(messages), /Everybody may read this/);
      }
    },
  );

  test(
    `while ${name}, what is listed again and again is never described from outside`,
    { skip: ON_WINDOWS },
    async (t) => {
      const folder = makeRace(t);
      const race = `${folder}/docs/resources/race`;
      prepare(race);
      const program = new Program(["--root", `${folder}/docs`, "--poll", String(POLL_MS)]);
      await program.initialize();
      const listed = (async () => {
        for (let list = 0; list < LISTS; list++) {
          await program.ask("resources/list");
          await pause(10);
        }
      })();
      await swapUntil(listed, (isOut) => swap(race, isOut));
      await listed;
      await closeContained(program, folder);
    },
  );
}

test("what is raced with outside would be served if it lay inside", async (t) => {
  const folder = makeSurroundings(t, { "docs/resources/race/sub/001-use-one-thing.md": OUTSIDE });
  const program = new Program(["--root", `${folder}/docs`]);
  const { result } = await program.askModern("resources/read", { uri: `${URI}#part` });
  assert.ok(OUTSIDE.endsWith((result?.["contents"] as { text: string }[])[0]!.text));
  assert.equal(await program.close(), 0);
});
