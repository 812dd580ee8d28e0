/** Nothing outside is read while what lies in the root is swapped as fast as the program can bear, with real files. */

import assert from "node:assert/strict";
import { linkSync, renameSync, symlinkSync } from "node:fs";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { pause } from "../harness/process.ts";
import type { Answer } from "../harness/program.ts";
import { ON_DENO } from "../harness/program.ts";
import { definition } from "../prompts/definitions.ts";
import { Guarded, INSIDE, makeGuarded, ON_WINDOWS, OUTSIDE } from "./outside.ts";

/** How many requests are sent at once, how often, and how long a state that stays may take to be seen, in milliseconds. */
const READS = 100;
const ROUNDS = 8;
const MAX_MS = 20_000;
/** How many swaps there are between two looks at what was answered; odd, so that either state may be there by then. */
const SWAPS_AT_ONCE = 25;
/**
 * How long nothing is swapped after that, in milliseconds. Deno watches with a thread that takes reports for as long as
 * there are any, and a program that begins or ends to watch waits for it: a flood without a gap is a program that stands.
 */
const GAP_MS = ON_DENO ? 10 : 0;
const URI = "architecture://race/sub/001-use-one-thing";

/** Puts something in a place in one step, whatever is there. */
function put(place: string, make: (path: string) => void): void {
  make(`${place}.new`);
  renameSync(`${place}.new`, place);
}

/** What is swapped, and how. The document is `sub/001-use-one-thing.md`, and its text lies in `kept/` too. */
const RACES: Readonly<
  Record<string, { prepare?(race: string): void; swap(race: string, isOut: boolean): void }>
> = {
  "a link to a document is pointed elsewhere": {
    prepare: (race) => put(`${race}/sub/001-use-one-thing.md`, (path) => symlinkSync("../kept/text", path)),
    swap: (race, isOut) =>
      put(
        `${race}/sub/001-use-one-thing.md`,
        (path) => symlinkSync(isOut ? "../../../../outside/001-use-one-thing.md" : "../kept/text", path),
      ),
  },
  "a document becomes a link": {
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
      // Not below resources/, where it would be listed under its own name.
      renameSync(`${race}/sub`, `${race}/../../kept`);
      symlinkSync("../../kept", `${race}/sub`);
    },
    swap: (race, isOut) =>
      put(`${race}/sub`, (path) => symlinkSync(isOut ? "../../../outside" : "../../kept", path)),
  },
  "a folder becomes a link": {
    prepare: (race) => symlinkSync("../../../outside", `${race}/kept/link`),
    swap: (race, isOut) => {
      renameSync(`${race}/sub`, `${race}/kept/${isOut ? "sub" : "link"}`);
      renameSync(`${race}/kept/${isOut ? "link" : "sub"}`, `${race}/sub`);
    },
  },
};

/** Starts the program on a root with the document in a folder of its own, and a prompt that embeds it. */
async function startRace(t: TestContext, name: string): Promise<Guarded> {
  const folder = makeGuarded(t, {
    files: {
      "docs/resources/race/sub/001-use-one-thing.md": INSIDE,
      "docs/resources/race/kept/text": INSIDE,
      "docs/prompts/p.json": definition(`<<resource:${URI}#part>>`, { name: "p" }),
    },
  });
  RACES[name]!.prepare?.(`${folder}/docs/resources/race`);
  // With --poll each list may be another look at the files.
  const guarded = new Guarded(t, { args: () => ["--poll", "10"] }, folder);
  await guarded.program.initialize();
  await guarded.program.ask("prompts/list");
  await guarded.program.ask("resources/list");
  return guarded;
}

/** Swaps as fast as the program can bear until something else is done, and leaves the document in its place. */
async function swapUntil(done: Promise<unknown>, name: string, { folder }: Guarded): Promise<void> {
  let isOver = false;
  void done.then(() => isOver = true, () => isOver = true);
  for (let isOut = true; !isOver || !isOut;) {
    for (let count = 0; count < SWAPS_AT_ONCE; count++, isOut = !isOut) {
      RACES[name]!.swap(`${folder}/docs/resources/race`, isOut);
    }
    await pause(GAP_MS);
  }
}

// A section is read anew each time, a document is kept for a while.
const QUESTIONS = [
  ["resources/read", { uri: `${URI}#part` }],
  ["resources/read", { uri: URI }],
  ["prompts/get", { name: "p" }],
  ["resources/list", {}],
] as const;

function judge([method]: typeof QUESTIONS[number], { result, error }: Answer): void {
  const missing = `The prompt "p" embeds ${URI}#part, which is not there`;
  if (error && method === "resources/read") assert.equal(error.code, -32002);
  else if (error) assert.equal(error.message, missing);
  const { contents, messages } = (result ?? {}) as { contents?: { text: string }[]; messages?: unknown };
  if (contents) assert.ok(INSIDE.endsWith(contents[0]!.text));
  if (messages) assert.match(JSON.stringify(messages), /This may be read/);
}

for (const name of Object.keys(RACES)) {
  test(`while ${name}, each answer is the document or not found, and no list describes what is outside`, {
    skip: ON_WINDOWS,
  }, async (t) => {
    const guarded = await startRace(t, name);
    const { program } = guarded;
    const asked = Array.from({ length: READS }, (_, id) => QUESTIONS[id % QUESTIONS.length]!);
    for (let round = 0; round < ROUNDS; round++) {
      program.send(...asked.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params })));
      const answered = program.answers(READS);
      await swapUntil(answered, name, guarded);
      for (const answer of await answered) judge(asked[answer.id as number]!, answer);
    }
    // Either side may have been through before the other began: each state is seen once more, at rest.
    for (const isOut of [true, false]) {
      RACES[name]!.swap(`${guarded.folder}/docs/resources/race`, isOut);
      const end = performance.now() + MAX_MS;
      for (let isSeen = false; !isSeen;) {
        const answer = await program.ask(...QUESTIONS[0]);
        judge(QUESTIONS[0], answer);
        isSeen = (answer.error !== undefined) === isOut;
        assert.ok(performance.now() < end, `is it seen that the document is ${isOut ? "gone" : "back"}?`);
      }
    }
    await guarded.close();
  });
}

test("what is raced with outside would be served if it lay inside", async (t) => {
  const guarded = new Guarded(t, { files: { "docs/resources/race/sub/001-use-one-thing.md": OUTSIDE } });
  assert.ok(OUTSIDE.endsWith((await guarded.text(`${URI}#part`))!));
  assert.equal(await guarded.program.close(), 0);
});
