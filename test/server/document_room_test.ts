import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { loadPlatform } from "../../deps.ts";
import { RawJson } from "../../lib/jsonrpc/message.ts";
import { openDocumentRoom } from "../../lib/documents/resources.ts";
import { makeFolder } from "../harness/folder.ts";

const { files } = await loadPlatform();
const OLD = '---\nstatus: superseded\nsuperseded-by: 2\n---\r\n# "Old"\n\n## Why\n\nWhy 漢字 not.\n';
const NEW = "---\nstatus: accepted\ndate: 2026-01-01\nsupersedes: 001-old.md\n---\n# New\n";

async function open(t: TestContext) {
  const root = makeFolder(t, {
    "resources/adr/001-old.md": OLD,
    "resources/adr/002-new.md": NEW,
    "resources/adr/overview.md": "# Overview\n",
    "resources/guidelines/api.md": "---\nstatus: accepted\n---\n# API\n",
  });
  const room = await openDocumentRoom(files, { root }, () => {});
  /** The one content of a resource. */
  const read = async (uri: string, withMeta = true) => {
    const result = await room.read(uri, withMeta);
    assert.ok(result instanceof RawJson, uri);
    const { contents } = result.toJSON() as { contents: Record<string, unknown>[] };
    assert.equal(contents.length, 1);
    return contents[0]!;
  };
  return { room, read };
}

test("read() gives a record with the facts that it is listed with beside its text, byte for byte", async (t) => {
  const { room, read } = await open(t);
  const listed = room.resources().find(({ uri }) => uri === "architecture://adr/001-old")!;
  assert.deepEqual(listed._meta, {
    "architrave/record": { number: 1, status: "superseded", supersededBy: ["architecture://adr/002-new"] },
  });
  for (const uri of ["architecture://adr/1", "architecture://adr/001-old"]) {
    assert.deepEqual(await read(uri), {
      uri: "architecture://adr/001-old",
      mimeType: "text/markdown",
      text: OLD,
      _meta: listed._meta,
    });
  }
  assert.deepEqual(await read("architecture://adr/1#why"), {
    uri: "architecture://adr/001-old#why",
    mimeType: "text/markdown",
    text: "## Why\n\nWhy 漢字 not.\n",
    _meta: listed._meta,
  });
});

test("read() names other records in the spelling of URIs that it is asked in", async (t) => {
  const { read } = await open(t);
  const { uri, _meta } = await read("file:///adr/002-new.md");
  assert.equal(uri, "file:///adr/002-new.md");
  assert.deepEqual(_meta, {
    "architrave/record": {
      number: 2,
      status: "accepted",
      date: "2026-01-01",
      supersedes: ["file:///adr/001-old.md"],
    },
  });
});

test("read() and resources() say nothing of a document that states no facts of a record", async (t) => {
  const { room, read } = await open(t);
  for (const uri of ["architecture://adr/overview", "architecture://guidelines/api"]) {
    assert.deepEqual(Object.keys(await read(uri)), ["uri", "mimeType", "text"]);
    assert.equal("_meta" in room.resources().find((resource) => resource.uri === uri)!, false);
  }
});

test("read() leaves the facts of a record out for revisions that have no place for them", async (t) => {
  const { read } = await open(t);
  for (const uri of ["architecture://adr/1", "architecture://adr/1#why"]) {
    assert.deepEqual(Object.keys(await read(uri, false)), ["uri", "mimeType", "text"]);
  }
});
