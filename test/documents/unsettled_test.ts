import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileStatus } from "../../deps.ts";
import { Unsettled } from "../../lib/documents/unsettled.ts";
import { ChangingFiles } from "./changing_files.ts";
import { stopClock } from "./clock.ts";

const PATH = "/root/docs/a.md";

function status(size: number, age: number): FileStatus {
  return { kind: "file", size, modified: Date.now() - age, identity: "1" };
}

test("a file is being written until it was left alone for 50 ms", async (t) => {
  const clock = stopClock(t);
  const unsettled = new Unsettled(new ChangingFiles().system);
  const before = status(10, 60_000);
  const now = status(20, 0);
  for (let age = 0; age < 50; age++, await clock.pass(1)) {
    assert.equal(unsettled.has(PATH, before, now), true, `${age} ms`);
    assert.equal(unsettled.has(PATH, undefined, now), true, `${age} ms, and new`);
  }
  assert.equal(unsettled.has(PATH, before, now), false);
  assert.equal(unsettled.has(PATH, undefined, now), false);
});

test("a file is being written also within the millisecond of the clock, and not when its time is in the future", (t) => {
  stopClock(t);
  const unsettled = new Unsettled(new ChangingFiles().system);
  const before = status(10, 60_000);
  assert.equal(unsettled.has(PATH, before, status(20, -0.9)), true);
  assert.equal(unsettled.has(PATH, before, status(20, -1)), false);
  assert.equal(unsettled.has(PATH, before, status(20, -3_600_000)), false);
});

test("a file that never comes to rest is passed over for a second, and for whoever asks", async (t) => {
  const clock = stopClock(t);
  const unsettled = new Unsettled(new ChangingFiles().system);
  const before = status(10, 60_000);
  for (; clock.now < 1000; await clock.pass(10)) {
    assert.equal(unsettled.has(PATH, before, status(20, 0)), true, `${clock.now} ms`);
  }
  // One was told that it counts now; the others have not to wait once more, and neither has the next version.
  for (let time = 0; time < 12_000; time += 10, await clock.pass(10)) {
    assert.equal(unsettled.has(PATH, before, status(20 + time, 0)), false, `${time} ms later`);
    assert.equal(unsettled.has(PATH, undefined, status(20 + time, 0)), false, `new, ${time} ms later`);
  }
  assert.equal(unsettled.has(PATH, before, status(20, 60)), false, "it has come to rest");
  assert.equal(unsettled.has(PATH, before, status(30, 0)), true, "and is written again");
});

test("a file that has become empty is passed over for two seconds, and for whoever asks", async (t) => {
  const clock = stopClock(t);
  const unsettled = new Unsettled(new ChangingFiles().system);
  const before = status(10, 60_000);
  const now = status(0, 0);
  for (; clock.now < 2000; await clock.pass(10)) {
    assert.equal(unsettled.has(PATH, before, now), true, `${clock.now} ms`);
  }
  assert.equal(unsettled.has(PATH, before, now), false);
  assert.equal(unsettled.has(PATH, now, now), false);
  await clock.pass(100);
  assert.equal(unsettled.has(PATH, before, now), false, "who asks next has not to wait once more");
  // It was taken for empty. That it is filled now is another story, and has its own second.
  for (let time = 0; time < 1000; time += 10, await clock.pass(10)) {
    assert.equal(unsettled.has(PATH, now, status(5, 0)), true, `filled, ${time} ms later`);
  }
  assert.equal(unsettled.has(PATH, now, status(5, 0)), false);
});

test("a file that was empty before, or is new, is not waited for because it is empty", (t) => {
  stopClock(t);
  const unsettled = new Unsettled(new ChangingFiles().system);
  assert.equal(unsettled.has(PATH, undefined, status(0, 60)), false);
  assert.equal(unsettled.has(PATH, status(0, 60_000), status(0, 60)), false);
  assert.equal(unsettled.has(PATH, undefined, status(0, 10)), true, "but because it is young");
});

test("a file that is emptied and filled without end is never taken for empty", async (t) => {
  const clock = stopClock(t);
  const unsettled = new Unsettled(new ChangingFiles().system);
  const before = status(10, 60_000);
  let taken = 0;
  while (clock.now < 10_000) {
    assert.equal(unsettled.has(PATH, before, status(0, 0)), true, `empty, ${clock.now} ms`);
    await clock.pass(10);
    if (!unsettled.has(PATH, before, status(10, 0))) taken++;
    await clock.pass(10);
  }
  assert.ok(taken > 0, "what it is filled with counts after a second");
});

test("a file that was emptied while it was being written has its two seconds", async (t) => {
  const clock = stopClock(t);
  const unsettled = new Unsettled(new ChangingFiles().system);
  const before = status(10, 60_000);
  for (; clock.now < 3000; await clock.pass(50)) unsettled.has(PATH, before, status(20, 0));
  const emptied = clock.now;
  for (; clock.now < emptied + 2000; await clock.pass(50)) {
    assert.equal(unsettled.has(PATH, before, status(0, 0)), true, `${clock.now - emptied} ms`);
  }
  assert.equal(unsettled.has(PATH, before, status(0, 2000)), false);
});

test("a file that is gone may come back while its folder is changing", async (t) => {
  const clock = stopClock(t);
  const files = new ChangingFiles({ [PATH]: "text" });
  const unsettled = new Unsettled(files.system);
  const before = files.system.status(PATH);
  assert.equal(unsettled.has(PATH, before, undefined), false, "the folder is at rest");
  files.remove(PATH);
  assert.equal(unsettled.has(PATH, before, undefined), true);
  await clock.pass(49);
  assert.equal(unsettled.has(PATH, before, undefined), true);
  await clock.pass(1);
  assert.equal(unsettled.has(PATH, before, undefined), false);
  for (let time = 0; time < 1000; time += 10, await clock.pass(10)) {
    files.write(`/root/docs/${time}.md`, "");
    assert.equal(unsettled.has(PATH, before, undefined), true, `${time} ms`);
  }
  assert.equal(unsettled.has(PATH, before, undefined), false, "but not for longer than a second");
  assert.equal(unsettled.has("/gone/a.md", before, undefined), false, "there is no folder");
});

test("one file says nothing of another", async (t) => {
  const clock = stopClock(t);
  const unsettled = new Unsettled(new ChangingFiles().system);
  for (; clock.now < 1000; await clock.pass(100)) unsettled.has(PATH, undefined, status(1, 0));
  assert.equal(unsettled.has(PATH, undefined, status(1, 0)), false);
  assert.equal(unsettled.has("/root/docs/b.md", undefined, status(1, 0)), true);
});

test("what nobody asked for in a while is forgotten", async (t) => {
  const clock = stopClock(t);
  const unsettled = new Unsettled(new ChangingFiles().system);
  assert.equal(unsettled.has(PATH, undefined, status(1, 0)), true);
  await clock.pass(11_000);
  assert.equal(unsettled.has("/root/docs/b.md", undefined, status(1, 0)), true);
  assert.equal(unsettled.has(PATH, undefined, status(1, 0)), true, "its second begins anew");
});
