/** When a store scans its files again, with a clock that stands still and a system whose reports the test makes. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { FileSystem, Watch } from "../../deps.ts";
import type { FileOptions } from "../../lib/documents/mod.ts";
import { stopClock } from "../harness/clock.ts";
import { MemoryFiles, openStore } from "./stores.ts";

/** All in milliseconds: after a hint, at most; without any; after the start, and while files are being written. */
const [QUIET, MAX_DELAY, SAFETY, SOON] = [50, 200, 1500, 100];
const A = "/root/resources/docs/a.md";
const FOLDERS = ["/root", "/root/resources", "/root/resources/docs"];

/** One call of `watch`. */
interface Watched extends Watch {
  readonly folders: readonly string[];
  readonly hint: () => void;
  readonly fail: (cause: unknown) => void;
  isOpen: boolean;
}

/** A store that is watched, after its first scan there. */
async function start(
  test: TestContext,
  { failure, isUnwatchable, ...options }: FileOptions & { failure?: unknown; isUnwatchable?: true } = {},
) {
  const clock = stopClock(test);
  const files = new MemoryFiles({ [A]: "# A\n" });
  const scene = {
    clock,
    files,
    /** When each scan began, in milliseconds from now on. */
    scans: [] as number[],
    watches: [] as Watched[],
    warnings: [] as string[],
    /** How many watches are open when a new one begins. */
    open: [] as number[],
    /** What `watch` rejects with from now on. */
    failure,
    /** Called when a scan begins. */
    onscan: undefined as (() => void) | undefined,
    hint: () => scene.watches.at(-1)!.hint(),
    close: () => watcher.close(),
  };
  const watch: FileSystem["watch"] = async (folders, hint, fail) => {
    if (scene.failure) throw scene.failure;
    scene.open.push(scene.watches.filter(({ isOpen }) => isOpen).length);
    const close = () => void (watched.isOpen = false);
    const watched: Watched = { folders: [...folders], hint, fail, isOpen: true, close };
    scene.watches.push(watched);
    return await Promise.resolve(watched);
  };
  const store = await openStore(isUnwatchable ? files.system : { ...files.system, watch }, "/root");
  let from = 0;
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

test("a scan follows when it has been quiet after a hint, with the folders watched again before it", async (t) => {
  const { clock, scans, watches, open, hint } = await start(t);
  assert.deepEqual(watches.map(({ folders }) => folders), [FOLDERS]);
  for (const time of [10, 20, QUIET]) {
    await clock.pass(time);
    if (time !== QUIET) hint();
  }
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

function error(change: { code?: string; name?: string }): Error {
  return Object.assign(new Error("It cannot be watched"), change);
}

for (const failure of [error({ code: "ENOSPC" }), error({ name: "NotCapable" })]) {
  const moments: Readonly<Record<string, (scene: Awaited<ReturnType<typeof start>>) => void>> = {
    "from the start": () => {},
    "when watching fails later": ({ watches: [watch] }) => [1, 2].forEach(() => watch!.fail(failure)),
    "when folders cannot be watched again": (scene) => {
      scene.failure = failure;
      scene.hint();
    },
  };
  for (const [moment, fail] of Object.entries(moments)) {
    test(`polling replaces watching, with one warning, ${moment}: ${failure}`, async (t) => {
      const isLater = moment !== "from the start";
      const scene = await start(t, isLater ? {} : { failure });
      fail(scene);
      const { clock, watches, scans, warnings } = scene;
      await clock.pass((isLater ? QUIET : 0) + 3 * SAFETY);
      assert.deepEqual(watches.map(({ isOpen }) => isOpen), isLater ? [false] : []);
      assert.equal(scans.length, isLater ? 4 : 3);
      const what = "code" in failure ? "ENOSPC" : "It cannot be watched";
      assert.deepEqual(warnings, [
        `File changes cannot be watched here (${what}), so files are checked every 1500 ms`,
      ]);
    });
  }
}

for (const failure of [{ code: "ENOENT" }, { code: "EPERM" }, { name: "NotFound" }]) {
  test(`watching goes on when a folder has just gone: ${JSON.stringify(failure)}`, async (t) => {
    const scene = await start(t);
    const { clock, scans, watches, warnings } = scene;
    const passed = async (milliseconds: number) => {
      await clock.pass(milliseconds);
      return [scans.length, watches.length];
    };
    scene.failure = error(failure);
    scene.hint();
    assert.deepEqual(await passed(QUIET), [1, 1]);
    scene.failure = undefined;
    assert.deepEqual(await passed(SAFETY), [2, 2]);
    watches[1]!.fail(error(failure));
    assert.deepEqual(await passed(QUIET), [3, 3]);
    assert.deepEqual(warnings, []);
  });
}

test("a system that cannot watch is polled without a warning", async (t) => {
  const { clock, scans, warnings } = await start(t, { isUnwatchable: true });
  await clock.pass(2 * SAFETY);
  assert.deepEqual([scans.length, warnings.length], [2, 0]);
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
  scene.onscan = scene.close;
  scene.hint();
  await scene.clock.pass(QUIET);
  const watched = scene.watches.at(-1)!;
  assert.equal(watched.isOpen, false);
  watched.hint();
  watched.fail(error({ code: "ENOSPC" }));
  await scene.clock.pass(3 * SAFETY);
  assert.deepEqual([scene.scans.length, scene.watches.length, scene.warnings.length], [1, 2, 0]);
});
