/**
 * Do the official clients get everything through tools alone? They hold each result against the schema that was listed, by
 * themselves; and one that has nothing but tools must come to every byte that a client with resources gets.
 */

import type { CallResult, OfficialClient } from "./official.ts";
import type { ExpectedDocument } from "./shelf.ts";
import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { V1 } from "./client_v1.ts";
import { V2_AUTO, V2_EACH_LEGACY, V2_LEGACY, V2_MODERN } from "./client_v2.ts";
import { buildFixture } from "./fixture.ts";
import { refusal, WELL } from "./official.ts";
import { OWN_ROOT, RUNTIMES } from "./runtimes.ts";
import { expectedDocuments } from "./shelf.ts";

const NAMES = [
  "decisions_for",
  "list_documents",
  "read_document",
  "search_documents",
];

/** All that a client has that can only call tools. */
type ToolsAlone = Pick<OfficialClient, "tools" | "call">;

/** A document as it was put together. */
interface Found {
  readonly uri: string;
  readonly title: string;
  readonly text: string;
  /** How many calls it took. */
  readonly pieces: number;
}

/** Calls a tool, and waits when it is told to. */
async function call(
  client: ToolsAlone,
  name: string,
  args: Record<string, unknown>,
): Promise<CallResult> {
  for (;;) {
    const result = await client.call(name, args);
    if (
      !result.isError ||
      !/^Too many calls: wait a second/.test(result.texts[0]!)
    ) return result;
    await pause(1_000);
  }
}

async function listAll(
  client: ToolsAlone,
): Promise<{ uri: string; title: string }[]> {
  const all: { uri: string; title: string }[] = [];
  for (let cursor: string | undefined;;) {
    const { texts } = await call(
      client,
      "list_documents",
      cursor === undefined ? {} : { cursor },
    );
    const lines = texts[0]!.split("\n");
    for (const line of lines) {
      const [, uri, title] = /^(\S+:\/\/\S+) - (.*?)(?: \([^()]*\))?$/.exec(line) ?? [];
      if (uri !== undefined) all.push({ uri, title: title! });
    }
    cursor = /call list_documents again with cursor "([^"]+)"/.exec(
      lines.at(-1)!,
    )?.[1];
    if (cursor === undefined) return all;
  }
}

/** Reads in pieces as the texts say; of a long document the pieces get longer, so that they are not too many. */
async function readAll(
  client: ToolsAlone,
  uri: string,
): Promise<{ text: string; pieces: number }> {
  let text = "";
  let limit = 61;
  for (let offset = 0, pieces = 1;; pieces++) {
    const { isError, texts, data } = await call(client, "read_document", {
      uri,
      offset,
      limit,
    });
    assert.equal(isError, false, String(texts[0]));
    if (data) assert.equal(data["text"], texts[1]);
    text += texts[1]!;
    const [, next] = /call read_document again with offset (\d+)/.exec(texts[2] ?? "") ?? [];
    if (next === undefined) return { text, pieces };
    offset = Number(next);
    const size = Number(/, (\d+) bytes/.exec(texts[0]!)![1]);
    limit = Math.min(Math.max(limit, Math.ceil(size / 5)), 200_000);
  }
}

async function findAll(client: ToolsAlone): Promise<Found[]> {
  const found: Found[] = [];
  for (const { uri, title } of await listAll(client)) {
    found.push({ uri, title, ...await readAll(client, uri) });
  }
  return found;
}

function checkFound(
  found: readonly Found[],
  documents: readonly ExpectedDocument[],
): void {
  assert.deepEqual(
    found.map(({ uri }) => uri),
    documents.map(({ uri }) => uri),
  );
  for (const [index, { uri, text, pieces }] of found.entries()) {
    const expected = documents[index]!.text;
    assert.ok(Buffer.from(text).equals(expected), uri);
    assert.ok(
      pieces > 1 || expected.length <= 61,
      `${uri} came in ${pieces} pieces`,
    );
  }
}

for (const runtime of RUNTIMES) {
  for (
    const opening of [V1, V2_LEGACY, V2_MODERN, V2_AUTO, ...V2_EACH_LEGACY]
  ) {
    const hasData = opening.revision >= "2025-06-18";

    describe(`tools for ${opening.name} on ${runtime.name}`, {
      skip: runtime.skip,
    }, async () => {
      const documents = expectedDocuments(OWN_ROOT);
      const client = runtime.skip ? undefined! : await opening.connect(runtime.launch());

      after(async () => {
        assert.deepEqual(
          await client.close(),
          WELL,
          "the process ends by itself, silently, with 0",
        );
        assert.deepEqual(
          client.complaints,
          [],
          "the client has nothing to complain of",
        );
      });

      it("lists the four, described, as harmless as they are", async () => {
        const tools = await client.tools();
        assert.deepEqual(tools.map(({ name }) => name), NAMES);
        for (const { name, description, annotations, outputSchema } of tools) {
          assert.ok((description ?? "").length > 40, name);
          assert.equal(
            annotations?.readOnlyHint,
            opening.revision >= "2025-03-26" ? true : undefined,
          );
          assert.equal(outputSchema !== undefined, hasData, name);
        }
      });

      it("calls each of them, and finds what it gets as it was promised", async () => {
        await client.tools();
        const calls: [string, Record<string, unknown>, RegExp][] = [
          ["decisions_for", { paths: ["lib/server/server.ts"] }, /./],
          [
            "list_documents",
            { category: "adr" },
            /^architecture:\/\/adr\/001-zero-runtime-dependencies - /,
          ],
          [
            "read_document",
            { uri: "architecture://adr/1#consequences" },
            /001-zero-runtime-dependencies#consequences/,
          ],
          [
            "search_documents",
            { query: "dependencies", limit: 3 },
            /architecture:\/\//,
          ],
        ];
        for (const [name, args, told] of calls) {
          const { isError, texts, data } = await client.call(name, args);
          assert.equal(isError, false, name);
          assert.match(texts[0]!, told);
          assert.equal(data !== undefined, hasData, name);
        }
      });

      it("is told what is wrong with a call, by the side that can do something about it", async () => {
        const { isError, texts, data } = await client.call("read_document", {
          url: "architecture://adr/1",
          limit: 1,
        });
        assert.equal(isError, true);
        assert.equal(data, undefined);
        assert.equal(texts[0]!.split("\n- ").length, 4, String(texts[0]));
        assert.equal(
          (await client.call("read_document", {
            uri: "architecture://adr/999",
          })).isError,
          true,
        );
        assert.equal(
          (await refusal(client.call("no_such_tool", {}))).code,
          -32602,
        );
      });

      it("comes to every byte of every document with tools alone", async () => {
        const alone: ToolsAlone = { tools: client.tools, call: client.call };
        const found = await findAll(alone);
        checkFound(found, documents);
        for (const { uri, text } of found) {
          assert.equal((await client.read(uri)).text, text, uri);
        }
      });

      it("finds every document by the words of its title", async () => {
        for (const { uri, title } of await listAll(client)) {
          const { texts } = await call(client, "search_documents", {
            query: title,
            limit: 5,
          });
          assert.ok(
            texts[0]!.split("\n").some((line) => line.startsWith(`${uri} - `)),
            `${title} finds ${uri}`,
          );
        }
      });
    });
  }

  describe(`awkward documents by tools alone on ${runtime.name}`, {
    skip: runtime.skip,
  }, () => {
    for (const opening of [V1, V2_MODERN]) {
      it(`are complete for ${opening.name}, byte for byte`, async (t) => {
        const fixture = buildFixture(120);
        t.after(fixture.remove);
        const client = await opening.connect(runtime.launch(fixture.root));
        checkFound(
          await findAll({ tools: client.tools, call: client.call }),
          expectedDocuments(fixture.root),
        );
        assert.equal((await client.close()).code, 0);
      });
    }
  });
}
