/** When a store scans its files again, with a clock that stands still and a system whose reports the test makes. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { FileSystem, Watch } from "../../deps.ts";
import type { WatchOptions } from "../../lib/documents/mod.ts";
import type { Clock } from "./clock.ts";
import { stopClock } from "./clock.ts";
import { MemoryFiles, openStore } from "./stores.ts";

/** All in milliseconds: after a hint, at most; without any; after the start, and while files are being written. */
const [QUIET, MAX_DELAY, SAFETY, SOON] = [50, 200, 1500, 100];
const A = "/root/resources/docs/a.md";

/** One call of `watch`. */
interface Watched extends Watch {
  readonly folders: readonly string[];
  readonly hint: () => void;
  readonly fail: (cause: unknown) => void;
  isOpen: boolean;
}

/** A store that is watched, after its first scan there. */
interface Scene {
  readonly clock: Clock;
  readonly files: MemoryFiles;
  /** When each scan began, in milliseconds from now on. */
  readonly scans: number[];
  readonly watches: Watched[];
  readonly warnings: string[];
  /** Called when a scan begins. */
  onscan: (() => void) | undefined;
  /** What `watch` rejects with from now on. */
  failure: unknown;
  /** How many watches are open when a new one begins. */
  readonly open: number[];
  hint(): void;
  close(): void;
}

async function start(
  test: TestContext,
  options: WatchOptions & { failure?: unknown; unwatchable?: true } = {},
): Promise<Scene> {
  const clock = stopClock(test);
  const files = new MemoryFiles({ [A]: "# A\n" });
  const watches: Watched[] = [];
  let from = 0;
  const scene: Scene = {
    ...{
      clock,
      files,
      scans: [],
      watches,
      warnings: [],
      open: [],
      onscan: undefined,
      failure: options.failure,
    },
    hint: () => watches.at(-1)!.hint(),
    close: () => watcher.close(),
  };
  const watch: FileSystem["watch"] = (folders, hint, fail) => {
    if (scene.failure) return Promise.reject(scene.failure);
    scene.open.push(watches.filter(({ isOpen }) => isOpen).length);
    const close = () => void (watched.isOpen = false);
    const watched: Watched = { folders: [...folders], hint, fail, isOpen: true, close };
    watches.push(watched);
    return Promise.resolve(watched);
  };
  const { watch: _, ...system } = { ...files.system };
  const store = await openStore(options.unwatchable ? system : { ...system, watch }, "/root");
  files.oncall = (call) => {
    if (call !== "list /root/resources") return;
    scene.scans.push(clock.now - from);
    scene.onscan?.();
  };
  const watcher = store.watch({ ...options, onwarning: (message) => void scene.warnings.push(message) });
  test.after(() => watcher.close());
  await clock.pass(options.pollMs ?? SOON);
  assert.equal(scene.scans.length, 1, "what changed since the last scan was not reported");
  scene.scans.length = 0;
  from = clock.now;
  return scene;
}

function error(change: { code?: string; name?: string }): Error {
  return Object.assign(new Error("It cannot be watched"), change);
}

test("a scan follows when it has been quiet after a hint, with the folders watched again before it", async (t) => {
  const { clock, scans, watches, open, hint } = await start(t);
  assert.deepEqual(watches.map(({ folders }) => folders), [[
    "/root",
    "/root/resources",
    "/root/resources/docs",
  ]]);
  await clock.pass(10);
  hint();
  await clock.pass(20);
  hint();
  await clock.pass(QUIET);
  assert.deepEqual(scans, [30 + QUIET]);
  assert.deepEqual(watches.map(({ isOpen }) => isOpen), [false, true]);
  assert.deepEqual(open, [0, 0], "the old watch ends first: one path may be another folder by now");
  hint();
  await clock.pass(QUIET);
  assert.equal(scans.length, 2);
});

test("hints without end do not put a scan off, and nothing is watched again before it is quiet", async (t) => {
  const { clock, scans, watches, hint } = await start(t);
  for (let time = 0; time < 1000; time += 5) {
    hint();
    await clock.pass(5);
  }
  assert.equal(scans[0], MAX_DELAY);
  const gaps = scans.slice(1).map((time, index) => time - scans[index]!);
  assert.ok(gaps.length >= 3 && gaps.every((gap) => gap >= QUIET && gap <= MAX_DELAY + 5), gaps.join(" "));
  assert.equal(watches.length, 1);
  const { length } = scans;
  await clock.pass(2 * QUIET);
  assert.equal(watches.length, 2);
  assert.ok(scans.length > length, "what happened before it was watched again is looked for");
  await clock.pass(SAFETY - 1);
  assert.equal(watches.length, 2);
});

test("a hint during a scan leads to one more, and there is never more than one at a time", async (t) => {
  const scene = await start(t);
  scene.onscan = () => {
    scene.onscan = undefined;
    scene.clock.jump(400);
    scene.hint();
  };
  scene.hint();
  await scene.clock.pass(2 * QUIET);
  assert.deepEqual(scene.scans, [QUIET, QUIET + 400 + QUIET]);
  await scene.clock.pass(SAFETY - 1);
  assert.equal(scene.scans.length, 2);
});

test("scans follow also when nothing is reported, and take at most a tenth of the time", async (t) => {
  const scene = await start(t);
  await scene.clock.pass(3 * SAFETY);
  assert.deepEqual(scene.scans, [1, 2, 3].map((count) => count * SAFETY));
  assert.equal(scene.watches.length, 1);
  scene.onscan = () => scene.clock.jump(300);
  await scene.clock.pass(7500);
  assert.deepEqual(scene.scans.slice(3, 6), [4 * SAFETY, 4 * SAFETY + 3300, 4 * SAFETY + 6600]);
});

test("a scan follows soon while a file is being written", async (t) => {
  const { clock, files, scans, hint } = await start(t);
  files.write(A, "# N", Date.now() + 40);
  hint();
  setTimeout(() => files.write(A, "# New\n"), 140);
  await clock.pass(1000);
  assert.deepEqual(scans, [QUIET, QUIET + SOON, QUIET + 2 * SOON]);
});

test("other folders are watched when there are others, and one more scan looks for what happened in them", async (t) => {
  const { clock, files, scans, watches } = await start(t);
  files.write("/root/resources/new/b.md", "# B\n", Date.now() - 1000);
  await clock.pass(SAFETY + QUIET);
  assert.deepEqual(watches.map(({ folders }) => folders.length), [3, 4]);
  assert.deepEqual(scans, [SAFETY, SAFETY + QUIET]);
});

for (
  const [name, failure] of [["ENOSPC", { code: "ENOSPC" }], ["NotCapable", { name: "NotCapable" }]] as const
) {
  test(`polling replaces watching, with one warning, where the system cannot watch: ${name}`, async (t) => {
    const scene = await start(t, { failure: error(failure) });
    await scene.clock.pass(3 * SAFETY);
    assert.equal(scene.scans.length, 3);
    assert.equal(scene.warnings.length, 1);
    assert.match(
      scene.warnings[0]!,
      /^File changes cannot be watched here \((?:ENOSPC|It cannot be watched)\), so files are checked every 1500 ms$/,
    );
  });

  test(`polling replaces watching, with one warning, when watching fails later: ${name}`, async (t) => {
    const { clock, scans, watches, warnings } = await start(t);
    for (let time = 0; time < 2; time++) watches[0]!.fail(error(failure));
    assert.equal(watches[0]!.isOpen, false);
    await clock.pass(QUIET + 3 * SAFETY);
    assert.deepEqual([watches.length, warnings.length, scans.length], [1, 1, 4]);
  });

  test(`polling replaces watching, with one warning, when folders cannot be watched again: ${name}`, async (t) => {
    const scene = await start(t);
    scene.failure = error(failure);
    scene.hint();
    await scene.clock.pass(QUIET + SAFETY);
    assert.deepEqual([scene.watches[0]!.isOpen, scene.warnings.length, scene.scans.length], [false, 1, 2]);
  });
}

for (const failure of [{ code: "ENOENT" }, { code: "EPERM" }, { name: "NotFound" }]) {
  test(`watching goes on when a folder has just gone: ${JSON.stringify(failure)}`, async (t) => {
    const scene = await start(t);
    scene.failure = error(failure);
    scene.hint();
    await scene.clock.pass(QUIET);
    assert.equal(scene.scans.length, 1);
    scene.failure = undefined;
    await scene.clock.pass(SAFETY);
    assert.deepEqual([scene.scans.length, scene.watches.length], [2, 2]);
    scene.watches[1]!.fail(error(failure));
    await scene.clock.pass(QUIET);
    assert.deepEqual([scene.scans.length, scene.watches.length, scene.warnings.length], [3, 3, 0]);
  });
}

test("a system that cannot watch is polled without a warning", async (t) => {
  const unwatchable = await start(t, { unwatchable: true });
  await unwatchable.clock.pass(2 * SAFETY);
  assert.deepEqual([unwatchable.scans.length, unwatchable.warnings.length], [2, 0]);
});

test("pollMs replaces watching", async (t) => {
  const { clock, files, scans, watches } = await start(t, { pollMs: 40 });
  files.write("/root/resources/new/b.md", "# B\n", Date.now() - 1000);
  await clock.pass(200);
  assert.equal(watches.length, 0);
  assert.ok(scans.length >= 4 && scans.length <= 5, scans.join(" "));
});

test("close() ends everything, and a scan under way is the last one", async (t) => {
  const scene = await start(t);
  scene.onscan = () => scene.close();
  scene.hint();
  await scene.clock.pass(QUIET);
  const watched = scene.watches.at(-1)!;
  assert.equal(watched.isOpen, false);
  watched.hint();
  watched.fail(error({ code: "ENOSPC" }));
  await scene.clock.pass(3 * SAFETY);
  assert.deepEqual([scene.scans.length, scene.watches.length, scene.warnings.length], [1, 2, 0]);
});
