import assert from "node:assert/strict";
import { rmSync, symlinkSync, utimesSync } from "node:fs";
import process from "node:process";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { FileSystem } from "../../deps.ts";
import type { PromptSet } from "../../lib/prompts/folder.ts";
import type { Clock } from "../documents/clock.ts";
import { Unsettled } from "../../lib/documents/unsettled.ts";
import { MAX_DEFINITION_BYTES, readPrompts } from "../../lib/prompts/folder.ts";
import { ChangingFiles } from "../documents/changing_files.ts";
import { stopClock } from "../documents/clock.ts";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { definition, files } from "./shelf.ts";

const ON_WINDOWS = process.platform === "win32" ? "not on Windows" : false;

const A = "/root/prompts/a.json";

function named(name: string, text = "x"): string {
  return definition(text, { name });
}

test("readPrompts() reads all definition files, sorted by name", (t) => {
  const root = makeFolder(t, {
    "prompts/2.json": named("a"),
    "prompts/1.json": named("b"),
    "prompts/.hidden.json": named("c"),
    "prompts/notes.md": "",
    "prompts/sub/d.json": named("d"),
  });
  const { prompts, files: read, findings } = readPrompts(files, root, undefined);
  assert.deepEqual(prompts.map(({ name }) => name), ["a", "b"]);
  assert.deepEqual([...read.keys()], ["prompts/1.json", "prompts/2.json"]);
  assert.deepEqual(findings, []);
});

test("readPrompts() takes a root without prompts for one that has none", (t) => {
  const { prompts, findings } = readPrompts(files, makeFolder(t), undefined);
  assert.deepEqual([prompts, findings], [[], []]);
});

test("readPrompts() reports a folder that is there and cannot be read", (t) => {
  const root = makeFolder(t, { "prompts": "a file" });
  assert.deepEqual(readPrompts(files, root, undefined).findings.map(({ file, rule }) => `${file} ${rule}`), [
    "prompts unreadable",
  ]);
});

test("readPrompts() reports each file that cannot be used, with the reason, and reads the others", (t) => {
  const root = makeFolder(t, {
    "prompts/bad-json.json": "{",
    "prompts/bad-mark.json": named("m", "<<gone>>"),
    "prompts/binary.json": Uint8Array.of(0xff),
    "prompts/good.json": `\ufeff${named("good")}`,
    "prompts/large.json": " ".repeat(MAX_DEFINITION_BYTES + 1),
    "prompts/folder.json/x": "",
  });
  const { prompts, findings } = readPrompts(files, root, undefined);
  assert.deepEqual(prompts.map(({ name }) => name), ["good"]);
  const reasons = Object.fromEntries(
    findings.map(({ file, message }) => [file.slice("prompts/".length), message]),
  );
  assert.match(reasons["bad-json.json"]!, /not valid JSON/);
  assert.match(reasons["bad-mark.json"]!, /messages\[0\]\.content\.text: "gone" is not among the arguments/);
  assert.match(reasons["binary.json"]!, /not UTF-8 text/);
  assert.match(reasons["large.json"]!, /too large/);
  assert.match(reasons["folder.json"]!, /cannot be read/);
  assert.ok(findings.every(({ severity, rule }) => severity === "error" && rule === "prompt-definition"));
});

test("readPrompts() reads no file through a link that leads out of the root", { skip: ON_WINDOWS }, (t) => {
  const folder = makeFolder(t, { "root/prompts/a.json": named("a"), "secret.json": named("secret") });
  symlinkSync("../../secret.json", `${folder}/root/prompts/b.json`);
  const { prompts, findings } = readPrompts(files, `${folder}/root`, undefined);
  assert.deepEqual(prompts.map(({ name }) => name), ["a"]);
  assert.match(findings[0]!.message, /a link leads out of the root/);
});

test(
  "readPrompts() keeps what a file said before it, or its folder, became a link out",
  { skip: ON_WINDOWS },
  (t) => {
    const folder = makeFolder(t, {
      "root/prompts/a.json": named("a"),
      "outside/a.json": named("secret", "secret"),
      "outside/b.json": named("secret", "secret"),
    });
    const root = `${folder}/root`;
    const first = readPrompts(files, root, undefined);
    const becomesLink = (place: string, target: string): PromptSet => {
      rmSync(`${root}/${place}`, { recursive: true });
      symlinkSync(target, `${root}/${place}`);
      return readPrompts(files, root, first);
    };
    for (
      const now of [
        becomesLink("prompts/a.json", "../../outside/a.json"),
        becomesLink("prompts", "../outside"),
      ]
    ) {
      assert.deepEqual(now.prompts, first.prompts);
      assert.equal(now.prompts[0], first.prompts[0]);
      assert.ok(
        now.findings.length > 0 && now.findings.every(({ message }) => /a link leads out/.test(message)),
      );
    }
  },
);

test("readPrompts() serves the first of two prompts with one name, and names the other", (t) => {
  const root = makeFolder(t, {
    "prompts/a.json": named("same", "first"),
    "prompts/b.json": named("same", "second"),
  });
  const { prompts, findings } = readPrompts(files, root, undefined);
  assert.equal(prompts.length, 1);
  assert.deepEqual(prompts[0]!.messages[0]!.template, [{ kind: "text", text: "first" }]);
  assert.match(findings[0]!.message, /prompts\/a\.json has the name "same" too/);
});

test("readPrompts() keeps the last good version of a file that cannot be used now", (t) => {
  const root = makeFolder(t, { "prompts/a.json": named("a"), "prompts/b.json": named("b") });
  const first = readPrompts(files, root, undefined);
  writeFiles(root, { "prompts/a.json": '{"name": "a", ', "prompts/b.json": named("b", "new") });
  const second = readPrompts(files, root, first);
  assert.equal(second.prompts[0], first.prompts[0]);
  assert.deepEqual(second.prompts[1]!.messages[0]!.template, [{ kind: "text", text: "new" }]);
  assert.deepEqual(second.findings.map(({ file }) => file), ["prompts/a.json"]);
  // And the time after that, when it was read once more.
  assert.equal(readPrompts(files, root, second).prompts[0], first.prompts[0]);
});

test("readPrompts() gives the same prompt for the same text, and lets go of a file that is gone", (t) => {
  const root = makeFolder(t, { "prompts/a.json": named("a"), "prompts/b.json": named("b") });
  const first = readPrompts(files, root, undefined);
  const without: FileSystem = {
    ...files,
    list: (path) => files.list(path).filter(({ name }) => name !== "b.json"),
  };
  const second = readPrompts(without, root, first);
  assert.deepEqual(second.prompts, [first.prompts[0]]);
  assert.equal(second.prompts[0], first.prompts[0]);
});

test("readPrompts() opens no file that did not change", (t) => {
  const names = Array.from({ length: 100 }, (_, number) => `prompt-${number}`);
  const root = makeFolder(t, Object.fromEntries(names.map((name) => [`prompts/${name}.json`, named(name)])));
  for (const name of names) utimesSync(`${root}/prompts/${name}.json`, 1, 1);
  const first = readPrompts(files, root, undefined);
  const opened: string[] = [];
  const counting: FileSystem = {
    ...files,
    open: (path) => {
      opened.push(path);
      return files.open(path);
    },
  };
  const second = readPrompts(counting, root, first, new Unsettled(files));
  assert.deepEqual(opened, []);
  assert.ok(second.prompts.every((prompt, place) => prompt === first.prompts[place]));
  assert.equal(second.prompts.length, 100);
});

test("readPrompts() survives a root that vanishes while it reads", (t) => {
  const root = makeFolder(t, { "prompts/a.json": named("a") });
  const first = readPrompts(files, root);
  let asked = 0;
  const vanishing: FileSystem = {
    ...files,
    realPath: (path) => {
      if (asked++ > 0) throw new Error("It is not there");
      return files.realPath(path);
    },
  };
  const fresh = readPrompts(vanishing, root);
  assert.deepEqual([fresh.prompts, fresh.findings.length], [[], 1]);
  utimesSync(`${root}/prompts/a.json`, 1, 1);
  asked = 0;
  assert.equal(readPrompts(vanishing, root, first).prompts[0], first.prompts[0]);
});

/** Prompts in memory: a.json, and what was read of it. */
function startPrompts(test: TestContext): { clock: Clock; memory: ChangingFiles; look: () => PromptSet } {
  const clock = stopClock(test);
  const memory = new ChangingFiles({ [A]: named("a", "old") });
  const unsettled = new Unsettled(memory.system);
  let set = readPrompts(memory.system, "/root");
  return { clock, memory, look: () => set = readPrompts(memory.system, "/root", set, unsettled) };
}

function said({ prompts }: PromptSet): string[] {
  return prompts.map(({ messages }) => JSON.stringify(messages[0]!.template)).map((text) =>
    text.slice(24, -3)
  );
}

test("readPrompts() passes over a file that is being written, an emptied one and one that is gone for a moment", async (t) => {
  const { clock, memory, look } = startPrompts(t);
  const steps: [() => void, number][] = [
    [() => memory.write(A, ""), 200],
    [() => memory.write(A, named("a").slice(0, 20)), 20],
    [() => memory.remove(A), 20],
    [() => memory.write(A, named("a", "new")), 49],
  ];
  for (const [change, lasts] of steps) {
    change();
    for (let time = 0; time < lasts; time++, await clock.pass(1)) {
      const set = look();
      assert.deepEqual([said(set), set.findings, set.isSettled], [["old"], [], false], `${clock.now} ms`);
    }
  }
  await clock.pass(1);
  const set = look();
  assert.deepEqual([said(set), set.findings, set.isSettled], [["new"], [], true]);
  memory.remove(A);
  await clock.pass(50);
  assert.deepEqual(look().prompts, []);
});

test("readPrompts() does not take over what was emptied between the look at it and the reading", async (t) => {
  const { clock, memory, look } = startPrompts(t);
  memory.write(A, named("a", "new"));
  await clock.pass(60);
  memory.onopen = () => memory.write(A, "");
  const set = look();
  assert.deepEqual([said(set), set.findings, set.isSettled], [["old"], [], false]);
});

test("readPrompts() says nothing of a name that two files have for a moment", async (t) => {
  const { clock, memory, look } = startPrompts(t);
  memory.remove(A);
  memory.write("/root/prompts/b.json", named("a", "renamed"), Date.now() - 60_000);
  const set = look();
  assert.deepEqual([said(set), set.findings], [["renamed"], []]);
  await clock.pass(60);
  assert.deepEqual([said(look()), look().isSettled], [["renamed"], true]);
});
