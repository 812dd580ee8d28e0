import assert from "node:assert/strict";
import { test } from "node:test";
import type { Change } from "../../lib/server/provider.ts";
import { documentProvider, documentTools } from "../../lib/documents/mod.ts";
import type { RawJson } from "../../lib/jsonrpc/mod.ts";
import { until } from "../harness/process.ts";
import { connect, textOf } from "../server/tool_client.ts";
import { MemoryFiles } from "./stores.ts";

const OLD = '---\nstatus: superseded\nsuperseded-by: 2\n---\r\n# "Old"\n\n## Why\n\nWhy 漢字 not.\n';
const CONTENTS = {
  "adr/001-old.md": OLD,
  "adr/002-new.md": "---\nstatus: accepted\ndate: 2026-01-01\nsupersedes: 001-old.md\n---\n# New\n",
  "adr/overview.md": "# Overview\n",
  "guidelines/api v1.md": "---\nstatus: accepted\ndescription: How.\n---\n# API\n",
};
const [WITH_META, WITHOUT_META] = [true, false].map((titles) => ({ revision: { titles } }) as never);

async function open(options: Partial<Parameters<typeof documentProvider>[1]> = {}) {
  const files = new MemoryFiles(CONTENTS, "/root/resources/");
  const provider = documentProvider({ files: files.system }, { root: "/root", ...options });
  await provider.ready();
  const read = async (uri: string, context = WITH_META) => {
    const result = await provider.read(uri, context!) as RawJson | undefined;
    if (result === undefined) return undefined;
    const { contents } = result.toJSON() as { contents: unknown[] };
    assert.equal(contents.length, 1);
    return contents[0];
  };
  return { files, provider, read };
}

test("a provider reads nothing before it is asked, and says what to wait for", async () => {
  const files = new MemoryFiles(CONTENTS, "/root/resources/");
  const provider = documentProvider({ files: files.system }, { root: "/root" });
  assert.throws(() => provider.store, /wait for ready/);
  await provider.reload();
  assert.deepEqual(files.calls, []);
  await provider.ready();
  assert.equal(provider.ready(), undefined);
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

test("resources are listed with their metadata, and the lists stay the same while the documents do", async () => {
  const { provider } = await open();
  const resources = await provider.list(WITH_META!);
  assert.equal(await provider.list(WITH_META!), resources);
  assert.deepEqual(resources[3], {
    uri: "architecture://guidelines/api%20v1",
    name: "api v1",
    title: "API",
    description: "How.",
    mimeType: "text/markdown",
    size: 49,
    annotations: { lastModified: resources[3]!.annotations!.lastModified },
  });
  const templates = await provider.templates!(WITH_META!);
  assert.deepEqual(templates.map(({ uriTemplate, name }) => [uriTemplate, name]), [
    ["architecture://adr/{+path}", "adr"],
    ["architecture://guidelines/{+path}", "guidelines"],
  ]);
  const values = (template: string, variable = "path") => provider.values!(template, variable, WITH_META!);
  assert.deepEqual(values("architecture://guidelines/{+path}"), ["api%20v1"]);
  assert.deepEqual(values("architecture://adr/{+path}"), ["001-old", "002-new", "overview"]);
  assert.equal(values("architecture://adr/{+path}", "other"), undefined);
  assert.deepEqual(values("file:///adr/{+path}.md"), values("architecture://adr/{+path}"), "in both schemes");
  assert.equal(values("other://adr/{+path}"), undefined);
});

test("a record is read with the metadata that it is listed with, byte for byte, by its number or its name", async () => {
  const { provider, read } = await open();
  const [listed] = await provider.list(WITH_META!);
  const _meta = {
    "architrave/record": { number: 1, status: "superseded", supersededBy: ["architecture://adr/002-new"] },
  };
  assert.deepEqual(listed!._meta, _meta);
  const whole = { uri: "architecture://adr/001-old", mimeType: "text/markdown", text: OLD };
  const section = { ...whole, uri: "architecture://adr/001-old#why", text: "## Why\n\nWhy 漢字 not.\n" };
  for (
    const [uri, contents] of [["adr/1", whole], ["adr/001-old.md", whole], ["adr/1#why", section]] as const
  ) {
    assert.deepEqual(await read(`architecture://${uri}`), { ...contents, _meta });
    assert.deepEqual(
      await read(`architecture://${uri}`, WITHOUT_META),
      contents,
      "some revisions have no place for it",
    );
  }
  assert.deepEqual(await read("file:///adr/002-new.md"), {
    uri: "file:///adr/002-new.md",
    mimeType: "text/markdown",
    text: CONTENTS["adr/002-new.md"],
    _meta: {
      "architrave/record": {
        number: 2,
        status: "accepted",
        date: "2026-01-01",
        supersedes: ["file:///adr/001-old.md"],
      },
    },
  });
  for (const uri of ["architecture://adr/overview", "architecture://guidelines/api v1"]) {
    assert.deepEqual(Object.keys(await read(uri) as object), ["uri", "mimeType", "text"]);
  }
  for (const uri of ["architecture://adr/3", "architecture://adr/1#gone", "x:y"]) {
    assert.equal(await read(uri), undefined, uri);
  }
});

test("the other scheme is listed if it is chosen, and both are read", async () => {
  const { provider, read } = await open({ scheme: "file" });
  assert.equal((await provider.list(WITH_META!))[0]!.uri, "file:///adr/001-old.md");
  assert.equal(
    provider.values!("file:///guidelines/{+path}.md", "path", WITH_META!)?.[0 as never],
    "api%20v1",
  );
  assert.equal((await read("architecture://adr/2") as { uri: string }).uri, "architecture://adr/002-new");
});

test("a URI that names two documents is an error that names both", async () => {
  const { files, provider, read } = await open();
  files.write("/root/resources/adr/1-also.md", "# Also\n", Date.now() - 1000);
  await provider.reload();
  await assert.rejects(read("architecture://adr/1"), {
    code: -32602,
    message: "The URI names more than one document: architecture://adr/001-old and architecture://adr/1-also",
    data: {
      uri: "architecture://adr/1",
      candidates: ["architecture://adr/001-old", "architecture://adr/1-also"],
    },
  });
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

test("documents whose text cannot be searched are counted, and found by their titles", async () => {
  const { files, provider } = await open();
  const search = async () => {
    const { call, conversation } = await connect({ tools: [documentTools(provider)] });
    const answer = await call("search_documents", { query: "api overview" });
    await conversation.close();
    const { total, withoutText } = answer.result!["structuredContent"] as Record<string, unknown>;
    return { counts: [total, withoutText], text: textOf(answer) };
  };
  assert.deepEqual((await search()).counts, [2, undefined]);
  files.oncall = (call) => {
    if (call.includes("open") && call.includes("overview")) throw new Error("It is locked");
  };
  const { counts, text } = await search();
  assert.deepEqual(counts, [2, 1]);
  assert.match(text, /1 documents were searched by title and name only/);
});
