import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { FileSystem, Watch } from "../../deps.ts";
import type { Look, WatchOptions } from "../../lib/documents/watch.ts";
import type { Clock } from "./clock.ts";
import { MAX_PUT_OFF_MS, QUIET_MS, SAFETY_MS, Watcher } from "../../lib/documents/watch.ts";
import { stopClock } from "./clock.ts";
import { files } from "./shelf.ts";

/** One call of `watch`. */
interface Watched extends Watch {
  readonly folders: readonly string[];
  readonly hint: () => void;
  readonly fail: (cause: unknown) => void;
  isOpen: boolean;
}

/** A watcher, and what it does. */
interface Scene {
  readonly clock: Clock;
  readonly watcher: Watcher;
  /** What each look is to find out: an empty settled one after the last. */
  readonly finds: Partial<Look>[];
  /** When each look began, in milliseconds. */
  readonly looks: number[];
  readonly watches: Watched[];
  readonly warnings: string[];
  /** How long a look takes, in milliseconds. */
  lasts: number;
  /** What `watch` throws from now on. */
  failure: unknown;
  /** Hints at a change. */
  hint(): void;
}

const FOLDERS: ReadonlySet<string> = new Set(["/root", "/root/docs"]);

/** How long after the beginning the first look is, in milliseconds. */
const FIRST_MS = 100;

/** Starts a watcher and lets its first look pass; times count from there. */
async function start(
  test: TestContext,
  change: Partial<WatchOptions> = {},
  setUp: (scene: Scene) => { watch: FileSystem["watch"] | undefined } | void = () => {},
): Promise<Scene> {
  const clock = stopClock(test);
  const scene = {
    clock,
    finds: [],
    looks: [],
    watches: [],
    warnings: [],
    lasts: 0,
    failure: undefined,
    hint: () => scene.watches.at(-1)!.hint(),
  } as unknown as Scene & { watcher: Watcher };
  const watch: FileSystem["watch"] = (folders, hint, fail) => {
    if (scene.failure) return Promise.reject(scene.failure);
    const watched: Watched = {
      folders: [...folders],
      hint,
      fail,
      isOpen: true,
      close: () => watched.isOpen = false,
    };
    scene.watches.push(watched);
    return Promise.resolve(watched);
  };
  let isLooking = false;
  const look = async (): Promise<Look> => {
    assert.equal(isLooking, false, "two looks at a time");
    isLooking = true;
    scene.looks.push(clock.now - FIRST_MS);
    if (scene.lasts > 0) await new Promise((resolve) => setTimeout(resolve, scene.lasts));
    isLooking = false;
    return { folders: FOLDERS, isSettled: true, ...scene.finds.shift() };
  };
  const system = { ...files, watch, ...setUp(scene) } as FileSystem;
  scene.watcher = new Watcher(system, { folders: FOLDERS, isSettled: true }, {
    look,
    onwarning: (message) => void scene.warnings.push(message),
    ...change,
  });
  test.after(() => scene.watcher.close());
  await clock.pass(change.pollMs ?? FIRST_MS);
  scene.looks.shift();
  return scene;
}

function error(change: { code?: string; name?: string }): Error {
  return Object.assign(new Error("It cannot be watched"), change);
}

test("Watcher looks when it has been quiet after a hint", async (t) => {
  const scene = await start(t);
  assert.deepEqual(scene.watches.map(({ folders }) => folders), [[...FOLDERS]]);
  await scene.clock.pass(10);
  scene.hint();
  await scene.clock.pass(20);
  scene.hint();
  await scene.clock.pass(QUIET_MS);
  assert.deepEqual(scene.looks, [30 + QUIET_MS]);
});

test("Watcher is not put off for ever by hints without end", async (t) => {
  const scene = await start(t);
  for (let time = 0; time < 1000; time += 5) {
    scene.hint();
    await scene.clock.pass(5);
  }
  const [first, ...others] = scene.looks;
  assert.equal(first, MAX_PUT_OFF_MS);
  for (const [index, time] of others.entries()) {
    const gap = time - scene.looks[index]!;
    assert.ok(gap >= QUIET_MS && gap <= MAX_PUT_OFF_MS + 5, `${gap} ms between two looks`);
  }
});

test("Watcher watches nothing anew in a flood of hints, and does once it is quiet", async (t) => {
  const scene = await start(t);
  for (let time = 0; time < 1000; time += 5) {
    scene.hint();
    await scene.clock.pass(5);
  }
  assert.equal(scene.watches.length, 1);
  const looks = scene.looks.length;
  assert.ok(looks >= 4, "it looks meanwhile");
  await scene.clock.pass(2 * QUIET_MS);
  assert.equal(scene.watches.length, 2);
  assert.ok(scene.looks.length > looks, "what happened before it was watched anew is looked for");
  await scene.clock.pass(SAFETY_MS - 1);
  assert.equal(scene.watches.length, 2, "once");
});

test("Watcher looks once more when something was reported during a look, and never twice at a time", async (t) => {
  const scene = await start(t);
  scene.lasts = 400;
  scene.hint();
  await scene.clock.pass(QUIET_MS + 300);
  assert.deepEqual(scene.looks, [QUIET_MS]);
  scene.hint();
  await scene.clock.pass(100 + QUIET_MS);
  assert.deepEqual(scene.looks, [QUIET_MS, QUIET_MS + 400 + QUIET_MS]);
  await scene.clock.pass(400 + SAFETY_MS);
  assert.equal(scene.looks.length, 2, "the second one was hinted at by nothing");
});

test("Watcher looks also when nothing is ever reported", async (t) => {
  const scene = await start(t);
  await scene.clock.pass(4 * SAFETY_MS);
  assert.deepEqual(scene.looks, [1, 2, 3, 4].map((count) => count * SAFETY_MS));
  assert.equal(scene.watches.length, 1, "nothing has to be watched anew");
});

test("Watcher spends no more than a tenth of the time on looks that nothing hinted at", async (t) => {
  const scene = await start(t);
  scene.lasts = 300;
  await scene.clock.pass(9000);
  assert.deepEqual(scene.looks.slice(0, 3), [SAFETY_MS, SAFETY_MS + 3300, SAFETY_MS + 6600]);
});

test("Watcher looks again soon when something is being written", async (t) => {
  const scene = await start(t);
  scene.finds.push({ isSettled: false }, { isSettled: false });
  scene.hint();
  await scene.clock.pass(1000);
  assert.deepEqual(scene.looks, [QUIET_MS, QUIET_MS + 100, QUIET_MS + 200]);
});

test("Watcher looks soon after it has begun: what happened since the last look was not reported", async (t) => {
  const clock = stopClock(t);
  let looks = 0;
  const last = { folders: FOLDERS, isSettled: true };
  const look = () => {
    looks++;
    return Promise.resolve(last);
  };
  const watcher = new Watcher({ ...files, watch: () => Promise.resolve({ close: () => {} }) }, last, {
    look,
  });
  await clock.pass(FIRST_MS);
  assert.equal(looks, 1);
  watcher.close();
});

test("Watcher watches anew before a look that was hinted at: a folder may have been made again", async (t) => {
  const scene = await start(t);
  scene.hint();
  await scene.clock.pass(QUIET_MS);
  assert.equal(scene.watches.length, 2);
  assert.deepEqual(scene.watches.map(({ isOpen }) => isOpen), [false, true]);
  scene.watches[1]!.hint();
  await scene.clock.pass(QUIET_MS);
  assert.equal(scene.looks.length, 2);
});

test("Watcher watches other folders when there are others, and looks once more", async (t) => {
  const scene = await start(t);
  const folders = new Set([...FOLDERS, "/root/docs/new"]);
  scene.finds.push({ folders }, { folders });
  await scene.clock.pass(SAFETY_MS + QUIET_MS);
  assert.deepEqual(scene.watches.map(({ folders }) => folders.length), [2, 3]);
  assert.deepEqual(scene.looks, [SAFETY_MS, SAFETY_MS + QUIET_MS]);
});

test("Watcher stops to watch before it begins anew: one path may be another folder by now", async (t) => {
  const open: number[] = [];
  const scene = await start(t, {}, (scene) => ({
    watch: (folders, hint, fail) => {
      open.push(scene.watches.filter(({ isOpen }) => isOpen).length);
      const watched: Watched = {
        folders: [...folders],
        hint,
        fail,
        isOpen: true,
        close: () => watched.isOpen = false,
      };
      scene.watches.push(watched);
      return Promise.resolve(watched);
    },
  }));
  scene.hint();
  await scene.clock.pass(QUIET_MS);
  assert.deepEqual(open, [0, 0]);
});

for (const cause of [error({ code: "ENOSPC" }), error({ code: "EMFILE" }), error({ name: "NotCapable" })]) {
  const name = String((cause as { code?: unknown }).code ?? cause.name);

  test(`Watcher warns once and goes on by the clock when watching fails at the start: ${name}`, async (t) => {
    const scene = await start(t, {}, (scene) => void (scene.failure = cause));
    await scene.clock.pass(3 * SAFETY_MS);
    assert.equal(scene.looks.length, 3);
    assert.equal(scene.warnings.length, 1);
    assert.match(
      scene.warnings[0]!,
      /^Changes of files cannot be watched here \((?:E[A-Z]+|It cannot be watched)\), so they are looked for every 1500 ms$/,
    );
  });

  test(`Watcher warns once and goes on by the clock when watching fails later: ${name}`, async (t) => {
    const scene = await start(t);
    const watched = scene.watches[0]!;
    watched.fail(cause);
    watched.fail(cause);
    assert.equal(watched.isOpen, false);
    await scene.clock.pass(QUIET_MS + 3 * SAFETY_MS);
    assert.deepEqual([scene.watches.length, scene.warnings.length, scene.looks.length], [1, 1, 4]);
  });

  test(`Watcher lets go of what it watched when it cannot watch anew: ${name}`, async (t) => {
    const scene = await start(t);
    scene.failure = cause;
    scene.hint();
    await scene.clock.pass(QUIET_MS);
    assert.deepEqual([scene.watches[0]!.isOpen, scene.warnings.length], [false, 1]);
    await scene.clock.pass(SAFETY_MS);
    assert.equal(scene.looks.length, 2);
  });
}

for (const cause of [error({ code: "ENOENT" }), error({ code: "EPERM" }), error({ name: "NotFound" })]) {
  const name = String((cause as { code?: unknown }).code ?? cause.name);

  test(`Watcher watches on when a folder has just gone: ${name}`, async (t) => {
    const scene = await start(t);
    scene.failure = cause;
    scene.hint();
    await scene.clock.pass(QUIET_MS);
    assert.equal(scene.looks.length, 1);
    scene.failure = undefined;
    await scene.clock.pass(SAFETY_MS);
    assert.deepEqual([scene.looks.length, scene.watches.length, scene.warnings.length], [2, 2, 0]);
    scene.watches[1]!.fail(cause);
    await scene.clock.pass(QUIET_MS);
    assert.deepEqual([scene.looks.length, scene.watches.length, scene.warnings.length], [3, 3, 0]);
  });
}

test("Watcher goes by the clock alone where nothing can be watched, and says nothing", async (t) => {
  const scene = await start(t, {}, () => ({ watch: undefined }));
  await scene.clock.pass(2 * SAFETY_MS);
  assert.deepEqual([scene.looks.length, scene.warnings.length], [2, 0]);
});

test("Watcher never watches when it is told how often to look", async (t) => {
  const scene = await start(t, { pollMs: 40 });
  scene.finds.push({ folders: new Set(["/elsewhere"]) });
  await scene.clock.pass(200);
  assert.equal(scene.watches.length, 0);
  assert.ok(scene.looks.length >= 4 && scene.looks.length <= 5, scene.looks.join(" "));
});

test("close() ends everything: no watch, no timer, no look, no warning", async (t) => {
  const scene = await start(t);
  scene.hint();
  scene.watcher.close();
  assert.equal(scene.watches[0]!.isOpen, false);
  scene.watches[0]!.hint();
  scene.watches[0]!.fail(error({ code: "ENOSPC" }));
  await scene.clock.pass(3 * SAFETY_MS);
  assert.deepEqual([scene.looks.length, scene.watches.length, scene.warnings.length], [0, 1, 0]);
});

test("close() during a look leaves that one as the last", async (t) => {
  const scene = await start(t);
  scene.lasts = 100;
  scene.finds.push({ folders: new Set(["/elsewhere"]), isSettled: false });
  scene.hint();
  await scene.clock.pass(QUIET_MS + 50);
  assert.equal(scene.looks.length, 1);
  scene.watcher.close();
  await scene.clock.pass(3 * SAFETY_MS);
  assert.deepEqual([scene.looks.length, scene.watches.length], [1, 2]);
});
