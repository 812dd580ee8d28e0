import assert from "node:assert/strict";
import { rmSync, symlinkSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import type { FileSystem } from "../../deps.ts";
import type { PromptSet } from "../../lib/prompts/folder.ts";
import { MAX_DEFINITION_BYTES, readPrompts } from "../../lib/prompts/folder.ts";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { definition, files } from "./shelf.ts";

const ON_WINDOWS = process.platform === "win32" ? "not on Windows" : false;

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
