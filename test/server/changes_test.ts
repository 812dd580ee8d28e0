import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangeSet } from "../../lib/server/subscriptions.ts";
import type { Provider } from "../../lib/server/provider.ts";
import { Changes } from "../../lib/server/subscriptions.ts";
import { Source } from "./conversation.ts";

/** Listens, and hands over what is told, one by one. */
class Listener {
  readonly told: ChangeSet[] = [];
  readonly #changes: Changes;
  readonly stop: () => void;
  #wake: (() => void) | undefined;

  constructor(changes: Changes) {
    this.#changes = changes;
    this.stop = this.#changes.listen((news) => {
      this.told.push(news);
      this.#wake?.();
    });
  }

  /** Waits until something was told that often. */
  async until(count: number): Promise<ChangeSet> {
    while (this.told.length < count) {
      const woken = Promise.withResolvers<void>();
      this.#wake = woken.resolve;
      await woken.promise;
    }
    return this.told[count - 1]!;
  }
}

function changesOf(source: Source): Changes {
  return new Changes({ resources: [source.resources()], prompts: [] });
}

test("Changes has the providers look from the first listener to the last, and again from the next", () => {
  const [documents, prompts] = [new Source(), new Source()];
  const changes = new Changes({
    resources: [documents.resources(), {}],
    prompts: [prompts.prompts()],
  });
  const looking = () => [documents.listeners.size, prompts.listeners.size];
  assert.deepEqual(looking(), [0, 0]);
  const first = changes.listen(() => {});
  const second = changes.listen(() => {});
  assert.deepEqual(looking(), [1, 1]);
  first();
  first();
  assert.deepEqual(looking(), [1, 1]);
  second();
  assert.deepEqual(looking(), [0, 0]);
  changes.listen(() => {})();
  assert.deepEqual([documents.started, prompts.started], [2, 2]);
  assert.deepEqual(looking(), [0, 0]);
});

test("Changes are told of where a provider tells of them", () => {
  const source = new Source();
  const silent: Provider = {};
  const tells = (changes: Changes) => [changes.reports("resources"), changes.reports("prompts")];
  assert.deepEqual(tells(new Changes({ resources: [], prompts: [] })), [false, false]);
  assert.deepEqual(tells(new Changes({ resources: [silent], prompts: [silent] })), [false, false]);
  assert.deepEqual(tells(new Changes({ resources: [silent, source.resources()], prompts: [] })), [
    true,
    false,
  ]);
  assert.deepEqual(tells(new Changes({ resources: [], prompts: [silent, source.prompts()] })), [false, true]);
});

test("Changes tells the first change at once, to everybody, and as what it is", () => {
  const [documents, prompts] = [new Source(), new Source()];
  const changes = new Changes({ resources: [documents.resources()], prompts: [prompts.prompts()] });
  const [one, other] = [new Listener(changes), new Listener(changes)];
  documents.update("doc:1");
  prompts.relist();
  for (const { told } of [one, other]) {
    assert.deepEqual(told.map(({ resources, prompts }) => [resources, prompts]), [[false, false], [
      false,
      true,
    ]]);
    assert.deepEqual(["doc:1", "doc:2"].map((uri) => told[0]!.affects(uri)), [true, false]);
    assert.equal(told[1]!.affects("doc:1"), false);
  }
  one.stop();
  other.stop();
});

test("Changes that follow soon are told together, once", async () => {
  const source = new Source();
  const listener = new Listener(changesOf(source));
  source.update("doc:1");
  for (let index = 0; index < 500; index++) source.update(`doc:${index % 3}`);
  source.relist();
  source.update("doc:9");
  assert.equal(listener.told.length, 1);
  assert.equal(listener.told[0]!.resources, false);
  const rest = await listener.until(2);
  assert.equal(rest.resources, true);
  assert.equal(rest.prompts, false);
  assert.deepEqual(
    ["doc:0", "doc:1", "doc:2", "doc:3", "doc:9"].map((uri) => rest.affects(uri)),
    [true, true, true, false, true],
  );
  // What is told together counts as told just now: what follows it soon waits again.
  source.relist();
  assert.equal(listener.told.length, 2);
  await listener.until(3);
  listener.stop();
});

test("Changes that never cease are told all the same", async () => {
  const source = new Source();
  const listener = new Listener(changesOf(source));
  source.update("doc:0");
  const start = performance.now();
  for (let index = 1; listener.told.length < 2; index++) {
    assert.ok(performance.now() - start < 10_000, "nothing was told in ten seconds");
    source.update(`doc:${index}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.ok(listener.told[1]!.affects("doc:1") && listener.told[1]!.affects("doc:2"));
  listener.stop();
});

test("Changes of prompts do not wait for those of resources", () => {
  const [documents, prompts] = [new Source(), new Source()];
  const changes = new Changes({ resources: [documents.resources()], prompts: [prompts.prompts()] });
  const listener = new Listener(changes);
  documents.relist();
  documents.relist();
  prompts.relist();
  assert.deepEqual(listener.told.map(({ resources, prompts }) => [resources, prompts]), [
    [true, false],
    [false, true],
  ]);
  listener.stop();
});

test("Changes tells nobody who has stopped, and nobody later of what was held back for them", async () => {
  const source = new Source();
  const changes = changesOf(source);
  const [gone, staying] = [new Listener(changes), new Listener(changes)];
  source.update("doc:1");
  source.update("doc:2");
  gone.stop();
  await staying.until(2);
  assert.equal(gone.told.length, 1);
  source.update("doc:3");
  staying.stop();
  // Whoever comes next is told of what happens from then on, at once and together.
  const next = new Listener(changes);
  source.update("doc:4");
  source.update("doc:5");
  await next.until(2);
  const uris = ["doc:3", "doc:4", "doc:5"];
  assert.deepEqual(next.told.map(({ affects }) => uris.map((uri) => affects(uri))), [
    [false, true, false],
    [false, false, true],
  ]);
  next.stop();
  assert.equal(staying.told.length, 2);
});
