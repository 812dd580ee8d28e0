import assert from "node:assert/strict";
import { test } from "node:test";
import type { DocumentOptions } from "../../lib/documents/mod.ts";
import type { Change } from "../../lib/mcp/server/changes.ts";
import { documentProvider, documentTools } from "../../lib/documents/mod.ts";
import { stopClock } from "../harness/clock.ts";
import { until } from "../harness/process.ts";
import { MemoryFiles, memoryProvider } from "./stores.ts";

const CONTENTS = {
  "adr/001-old.md": "---\nstatus: superseded\nsuperseded-by: 2\n---\n# Old\n",
  "adr/002-new.md": "---\nstatus: accepted\nsupersedes: 001-old.md\n---\n# New\n",
  "adr/overview.md": "# Overview\n",
  "guidelines/api v1.md": "---\nstatus: accepted\ndescription: How.\n---\n# API\n",
};
const CONTEXT = {} as never;

const open = (options?: DocumentOptions) => memoryProvider(CONTENTS, options);

test("a provider reads nothing before it is asked, then each file once, and says what to wait for", async () => {
  const files = new MemoryFiles(CONTENTS, "/root/resources/");
  const provider = documentProvider({ files: files.system }, { root: "/root" });
  assert.throws(() => provider.store, /wait for ready/);
  await provider.reload();
  assert.equal(files.calls.length, 0);
  await Promise.all([provider.ready(), provider.ready()]);
  assert.equal(provider.ready(), undefined);
  const opened = files.calls.filter((call) => call.startsWith("open ")).map((call) =>
    call.split("resources/")[1]
  );
  assert.deepEqual(opened, Object.keys(CONTENTS));
});

test("the texts are read for search in the background once the tools are loaded, and not before", async () => {
  const { files, provider } = await open();
  const reads = () => files.calls.filter((call) => call.startsWith("open ") && call.endsWith(".md")).length;
  const tools = documentTools(provider);
  const scanned = reads();
  assert.equal(scanned, Object.keys(CONTENTS).length);
  await tools.load();
  assert.equal(reads(), scanned);
  await until("every text was read again", () => reads() >= 2 * scanned);
});

test("the lists stay the same while the documents do, and paths are completed in both schemes", async () => {
  const { files, provider } = await open();
  const lists = () => Promise.all([provider.list(CONTEXT), provider.templates!(CONTEXT)]);
  const before = await lists();
  files.write("/root/resources/notes.txt", "");
  await provider.reload();
  (await lists()).forEach((list, index) => assert.equal(list, before[index]));
  const values = (template: string, variable = "path") => provider.values!(template, variable, CONTEXT);
  assert.deepEqual(values("architecture://guidelines/{+path}"), ["api%20v1"]);
  assert.deepEqual(values("file:///adr/{+path}.md"), ["001-old", "002-new", "overview"]);
  assert.equal(values("architecture://adr/{+path}", "x"), undefined);
  const others = "x://adr architecture://adr/.. architecture://adr/../adr ARCHITECTURE://adr file:///adr"
    .split(" ");
  for (const other of others) assert.equal(values(`${other}/{+path}`), undefined, other);
});

test("covers() is true for URIs that a document could have one day", async () => {
  const { provider } = await open();
  const paths = (text: string) => text.split(" ").map((path) => `architecture://${path}`);
  const possible = [
    ...paths("adr/99 new/a/b%20c new/a.md a/b#c"),
    "architecture://new/a b",
    "file:///adr/x.md",
  ];
  const others = [
    ...paths("adr adr/ adr//x adr/.hidden adr/../x adr/%2e%2e/x adr/a%2Fb adr/a%5Cb adr/a%00b"),
    ...["http://adr/x", "file:///adr/x", ""],
  ];
  for (const uri of [...possible, ...others]) {
    assert.equal(provider.covers!(uri), possible.includes(uri), uri);
  }
});

test("there is time between two scans, whatever pollMs says", async (t) => {
  const clock = stopClock(t);
  for (const pollMs of [0, -1, NaN]) {
    const { files, provider } = await open({ pollMs });
    let scans = 0;
    files.oncall = (call) => void (call === "list /root/resources" && scans++);
    const stop = provider.watch!(() => {});
    await clock.pass(50);
    stop();
    assert.ok(scans > 1 && scans < 60, `${pollMs}: ${scans} scans`);
  }
});

test("files are followed while there are listeners, which are told of each change", async () => {
  const { files, provider } = await open({ pollMs: 5 });
  const told: [string, Change][] = [];
  const listen = (name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = provider.watch!((change) => {
      told.push([name, change]);
      resolve();
    });
    return { promise, stop };
  };
  const write = (text: string) => files.write("/root/resources/adr/002-new.md", text, Date.now() - 1000);
  const [one, other] = [listen("one"), listen("other")];
  write("# Newer\n");
  await Promise.all([one.promise, other.promise]);
  assert.deepEqual(told.map(([name]) => name), ["one", "other"]);
  for (const [, { listChanged, affects }] of told) {
    assert.deepEqual([listChanged, affects!("architecture://adr/2")], [true, true]);
  }
  one.stop();
  const third = listen("third");
  write("# Newest\n");
  await third.promise;
  assert.deepEqual(told.slice(2).map(([name]) => name).sort(), ["other", "third"]);
  for (const { stop } of [other, third]) stop();
  assert.equal((await open({ watch: false })).provider.watch, undefined);
});
