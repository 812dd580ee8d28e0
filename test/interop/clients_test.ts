/**
 * The official clients get every document, prompt and tool of this repository over stdio and HTTP, and clear errors; awkward
 * names, odd texts and long lists come through whole; and they find a revision that both sides speak, whichever they know.
 */

import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { OfficialClient } from "./clients.ts";
import { errorOf, InPlace, notFoundCode, V1, V2_AUTO, V2_AUTO_IN_PLACE } from "./clients.ts";
import { V2_EACH_LEGACY, V2_LEGACY, V2_MIXED, V2_MODERN } from "./clients.ts";
import {
  awkwardRoot,
  encodeSegment,
  expectedCategories,
  expectedDocuments,
  expectedPrompts,
} from "./documents.ts";
import { MANY } from "./documents.ts";
import { makeFolder } from "../harness/folder.ts";
import { NODE_RUNTIME, onEachRuntime, OWN_ROOT, serveProgram, serving } from "./programs.ts";
import { MODERN_REVISION, NEWEST_LEGACY } from "../harness/conformance.ts";

const documents = expectedDocuments(OWN_ROOT);
const awkward = awkwardRoot(makeFolder({ after }));

/** What some of the awkward documents are titled, by their name: in every line end and script. */
const TITLES: Readonly<Record<string, string>> = {
  "guidelines/Größe und Maß": "Größe und Maß",
  "guidelines/決定の記録": "決定の記録",
  "texts/crlf": "Windows",
  "texts/bom": "With a byte order mark",
  "texts/bom-crlf-front-matter": "All at once",
  "texts/no-final-newline": "No end",
  "texts/empty": "empty",
  "guidelines/UPPER": "Upper case ending",
};

const OPENINGS = {
  stdio: [V1, V2_LEGACY, V2_MODERN, V2_AUTO, V2_AUTO_IN_PLACE],
  HTTP: [V1, V2_LEGACY, V2_AUTO, V2_MODERN],
} as const;
const CALLS: readonly (readonly [tool: string, args: Record<string, unknown>, expected: RegExp])[] = [
  ["decisions_for", { paths: ["lib/mcp/server/server.ts"] }, /./],
  ["list_documents", { category: "adr" }, /^architecture:\/\/adr\/001-zero-runtime-dependencies - /],
  [
    "read_document",
    { uri: "architecture://adr/1#consequences" },
    /001-zero-runtime-dependencies#consequences/,
  ],
  ["search_documents", { query: "dependencies", limit: 3 }, /architecture:\/\//],
];

/** The tools are described, as harmless as they are, answer as their schemas promise, and say what is wrong with a call. */
async function useTools(client: OfficialClient): Promise<void> {
  const hasData = client.revision >= "2025-06-18";
  const tools = await client.tools();
  assert.deepEqual(tools.map(({ name }) => name), CALLS.map(([name]) => name));
  for (const { name, description, annotations, outputSchema } of tools) {
    assert.ok((description ?? "").length > 40, name);
    assert.equal(annotations?.readOnlyHint, client.revision >= "2025-03-26" ? true : undefined);
    assert.equal(outputSchema !== undefined, hasData, name);
  }
  for (const [name, args, expected] of CALLS) {
    const { isError, texts, data } = await client.call(name, args);
    assert.deepEqual([isError, data !== undefined], [false, hasData], name);
    assert.match(texts[0]!, expected);
  }
  const wrong = await client.call("read_document", { url: "architecture://adr/1", limit: 1 });
  assert.deepEqual([wrong.isError, wrong.data], [true, undefined]);
  assert.equal(wrong.texts[0]!.split("; ").length, 3, String(wrong.texts));
  assert.equal((await client.call("read_document", { uri: "architecture://adr/999" })).isError, true);
  assert.equal((await errorOf(client.call("no_such_tool"))).code, -32602);
  // Older lists have no titles.
  for (const { uri, title } of hasData ? await client.resources() : []) {
    const text = await client.textOf("search_documents", { query: title, limit: 5 });
    assert.ok(text.split("\n").some((line) => line.startsWith(`${uri} - `)), `${title} finds ${uri}`);
  }
}

/** A client sees every document of a root: listed with what is known of it, read, and found by its path. */
function documentTests(root: string, client: () => OfficialClient): void {
  const documents = expectedDocuments(root);

  it("lists every document in the order of their URIs, over several pages, with what is known of it", async () => {
    const resources = await client().resources();
    assert.deepEqual(
      resources.map(({ uri, name, size, mimeType, annotations }) => {
        return { uri, name, size, mimeType, lastModified: annotations?.lastModified };
      }),
      documents.map(({ uri, name, size, lastModified }) => {
        return { uri, name, size, mimeType: "text/markdown", lastModified };
      }),
    );
    for (const { uri } of resources) {
      assert.match(uri, /^architecture:\/\/[\w.~%/-]+$/, "only what is unreserved");
      assert.equal(new URL(uri).href, uri, "what a URI parser leaves as it is");
    }
  });

  it("reads every document, all at once, in both spellings, byte for byte", async () => {
    const spellings = documents.flatMap((one) => [{ ...one }, { ...one, uri: one.fileUri }]);
    const read = await Promise.all(spellings.map(({ uri }) => client().read(uri)));
    for (const [index, { uri, text }] of spellings.entries()) {
      assert.equal(read[index]!.uri, uri);
      assert.ok(Buffer.from(read[index]!.text).equals(text), uri);
    }
  });

  it("lists a template for each category, whose values are the paths to read", async () => {
    const prefixes = expectedCategories(root).map((category) => `architecture://${encodeSegment(category)}/`);
    const templates = await client().templates();
    assert.deepEqual(
      templates.map(({ uriTemplate }) => uriTemplate).sort(),
      prefixes.map((prefix) => `${prefix}{+path}`).sort(),
    );
    for (const prefix of prefixes) {
      const ref = { type: "ref/resource", uri: `${prefix}{+path}` } as const;
      const { values, total, hasMore } = await client().complete(ref, "path", "");
      const uris = documents.map(({ uri }) => uri).filter((uri) => uri.startsWith(prefix));
      const paths = uris.map((uri) => uri.slice(prefix.length));
      const expected = [paths.slice(0, 100), paths.length, paths.length > 100];
      assert.deepEqual([values, total, hasMore], expected, prefix);
    }
  });
}

/** Everything that a client was listed first, by its name: every transport and runtime must give the same. */
const listed = new Map<string, unknown>();

onEachRuntime("the official clients", (runtime) => {
  const url = serving(() => serveProgram(runtime));

  for (const transport of ["stdio", "HTTP"] as const) {
    // What clients differ in lies above the runtime: on Deno, one of each era is enough.
    const openings = OPENINGS[transport].filter((one) =>
      runtime === NODE_RUNTIME || one === V1 || one === V2_MODERN
    );
    for (const opening of openings) {
      const isModern = opening.revision === MODERN_REVISION;

      describe(`${opening.name} over ${transport}`, () => {
        let client: OfficialClient;
        before(async () => {
          client = await opening.connect(transport === "stdio" ? runtime.launch() : url());
        });
        // What was cancelled too late is answered, which a client should ignore and these report.
        after(() => client.close(/unknown message ID/));

        it("opens, and learns which server it is", () => {
          assert.equal(client.revision, opening.revision);
          assert.equal(client.raw.getServerVersion()?.name, "architrave");
          assert.match(client.raw.getInstructions() ?? "", /architecture:\/\//);
          if (transport === "HTTP") assert.equal(client.transport.sessionId === undefined, isModern);
        });

        documentTests(OWN_ROOT, () => client);

        it("lists every prompt with its arguments, and all lists are the same over every transport", async () => {
          const all = {
            resources: await client.resources(),
            templates: await client.templates(),
            prompts: await client.prompts(),
            tools: await client.tools(),
          };
          for (const { uri, title, description } of all.resources) assert.ok(title && description, uri);
          assert.deepEqual(all.prompts.map(({ name }) => name), expectedPrompts(OWN_ROOT));
          const { arguments: parameters } = all.prompts.find(({ name }) => name === "create-adr")!;
          assert.deepEqual(parameters?.map(({ required }) => required), [true]);
          const key = opening === V2_AUTO_IN_PLACE ? V2_AUTO.name : opening.name;
          assert.deepEqual(all, listed.get(key) ?? all);
          listed.set(key, all);
        });

        it("calls the document tools", () => useTools(client));

        it("gets every prompt, with its arguments and documents in it", async () => {
          const words = 'Wörter, <<topic>> {{code}} \\<<x>> <<resource:architecture://adr/1>> "$&" 🏛\r\n';
          const patterns = documents.filter(({ uri }) => uri.startsWith("architecture://patterns/"));
          for (const { name, arguments: parameters = [] } of await client.prompts()) {
            const required = parameters.filter((one) => one.required).map((one) => [one.name, words]);
            const [[role, text]] = await client.prompt(name, Object.fromEntries(required)) as [
              [string, string],
            ];
            assert.equal(role, "user");
            assert.equal(text.split(words).length, 2, `${name} holds the argument once, as it was given`);
            for (const { uri, text: document } of patterns) {
              assert.equal(text.includes(document.toString()), name !== "create-adr", `${name} and ${uri}`);
            }
          }
        });

        it("gets an error for what is not there", async () => {
          const uri = "architecture://adr/999-not-there";
          const { code, data } = await errorOf(client.read(uri));
          assert.equal(code, notFoundCode(client));
          assert.deepEqual(data, { uri });
          assert.equal((await errorOf(client.read("file:///etc/passwd"))).code, code);
          assert.equal((await errorOf(client.raw.listResources({ cursor: "made up" }))).code, -32602);
          const prompt = { type: "ref/prompt", name: "create-adr" } as const;
          assert.deepEqual((await client.complete(prompt, "topic", "x")).values, []);
          assert.equal((await errorOf(client.complete(prompt, "nope", ""))).code, -32602);
          const { code: wrong, message } = await errorOf(client.prompt("create-adr", {}));
          assert.deepEqual([wrong, message.includes('"topic" is missing')], [-32602, true], message);
        });

        it("may ping where there is a ping", async () => {
          if (!isModern) await client.raw.ping();
          else await assert.rejects(client.raw.ping(), "2026-07-28 has none, and the client knows");
        });

        it("cancels requests, and goes on", async () => {
          const controllers = documents.map(() => new AbortController());
          const reads = documents.map(({ uri }, index) => client.read(uri, controllers[index]!.signal));
          const settled = Promise.allSettled([...reads, client.resources(controllers[0]!.signal)]);
          await Promise.resolve();
          for (const [index, controller] of controllers.entries()) {
            if (index % 2 === 0) controller.abort("a test");
          }
          for (const [index, { status }] of (await settled).slice(0, documents.length).entries()) {
            if (index % 2 === 1) assert.equal(status, "fulfilled", `read ${index} was not cancelled`);
          }
          assert.equal((await client.resources()).length, documents.length);
        });
      });
    }
  }

  for (const opening of runtime === NODE_RUNTIME ? [V1, V2_LEGACY, V2_MODERN] : [V2_MODERN]) {
    describe(`${opening.name} on awkward documents`, () => {
      let client: OfficialClient;
      before(async () => void (client = await opening.connect(runtime.launch(awkward))));
      after(() => client.close());

      documentTests(awkward, () => client);

      it("lists them with their titles", async () => {
        const resources = await client.resources();
        assert.ok(resources.length > MANY, "more than a page");
        const titles = new Map(resources.map(({ uri, title }) => [decodeURIComponent(uri), title]));
        for (const [name, title] of Object.entries(TITLES)) {
          assert.equal(titles.get(`architecture://${name}`), title);
        }
      });
    });
  }
});

const AUTO = { versionNegotiation: { mode: "auto" } } as const;
const newClient = (options: ConstructorParameters<typeof Client>[1] = AUTO) =>
  new Client({ name: "interop", version: "1" }, options);

describe("negotiation", () => {
  const runtime = NODE_RUNTIME;
  const piped = () => ({ ...runtime.launch(), stderr: "pipe" } as const);

  for (const opening of [...V2_EACH_LEGACY, ...V2_MIXED]) {
    it(`${opening.name}: agrees on ${opening.revision}`, async () => {
      const client = await opening.connect(runtime.launch());
      assert.equal(client.revision, opening.revision);
      assert.equal(client.raw.getServerVersion()?.name, "architrave");
      assert.deepEqual((await client.resources()).map(({ uri }) => uri), documents.map(({ uri }) => uri));
      assert.equal((await client.read(documents[0]!.uri)).text, documents[0]!.text.toString());
      assert.notEqual((await client.prompts()).length, 0);
      assert.equal((await errorOf(client.read("architecture://none"))).code, -32602);
      await useTools(client);
      await client.close();
    });
  }

  it("tells a client that only knows a revision to come which ones are served", async () => {
    const client = newClient({ versionNegotiation: { mode: { pin: "2027-01-01" } } });
    const { code, data } = await errorOf(client.connect(new InPlace(piped())));
    assert.equal(code, -32022);
    const { requested, supported } = data as { requested: string; supported: string[] };
    assert.equal(requested, "2027-01-01");
    assert.ok(supported.includes(MODERN_REVISION));
  });

  it("serves a client that remembers what server/discover said the last time", async () => {
    const first = newClient();
    await first.connect(new InPlace(piped()));
    const discover = first.getDiscoverResult()!;
    assert.equal(first.getProtocolEra(), "modern");
    assert.ok(discover.supportedVersions.includes(MODERN_REVISION));
    await first.close();

    const second = newClient({});
    await second.connect(new StdioClientTransport(piped()), { prior: { kind: "modern", discover } });
    assert.equal((await second.listResources()).resources.length, documents.length);
    assert.deepEqual((await second.discover()).supportedVersions, discover.supportedVersions);
    await second.close();

    const third = newClient();
    await third.connect(new StdioClientTransport(piped()), { prior: { kind: "legacy" } });
    assert.equal(third.getNegotiatedProtocolVersion(), NEWEST_LEGACY);
    assert.equal((await third.listResources()).resources.length, documents.length);
    await third.close();
  });

  it("is never answered from what a client kept: lists and reads are stale at once", async () => {
    const client = newClient();
    const transport = new InPlace(piped());
    let sent = 0;
    const send = transport.send.bind(transport);
    transport.send = (message) => (sent++, send(message));
    await client.connect(transport);
    const before = sent;
    for (let turn = 0; turn < 3; turn++) {
      await client.listResources();
      await client.readResource({ uri: documents[0]!.uri });
      await client.listPrompts();
    }
    assert.equal(sent - before, 9);
    await client.close();
  });
});
