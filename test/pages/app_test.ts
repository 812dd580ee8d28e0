/** Tests that only clients that can show the view of documents get it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { documentProvider } from "../../lib/documents/mod.ts";
import { overview } from "../../lib/pages/app.ts";
import { Access, createServer, defineTool } from "../../lib/mcp/server/mod.ts";
import { MemoryFiles } from "../documents/stores.ts";
import { makeFolder } from "../harness/folder.ts";
import { modern, Program } from "../harness/program.ts";

const VIEW = "ui://architrave/documents";
const ui = (mimeTypes: unknown) => ({ extensions: { "io.modelcontextprotocol/ui": { mimeTypes } } });
const UI = ui(["text/html;profile=mcp-app"]);
const record = (title: string, ...fields: string[]) =>
  `---\n${fields.join("\n")}\n---\n# ${title}\n\n## Context\n`;
const RECORDS = {
  "0001-a.md": record("A", "status: superseded"),
  "0002-b.md": record("B", "status: accepted", "supersedes: 1"),
};

test("a client that shows apps gets the view and its tool, and the answers to all others do not change", async (t) => {
  const folder = makeFolder(t, RECORDS);
  const program = new Program(["--mount", `adr=${folder}`, "--log-level", "silent"]);
  t.after(() => program.close());
  // The result of each request, to a client with these capabilities.
  type Client = (method: string, params?: object) => ReturnType<Program["ask"]>;
  const stateless = (capabilities: object): Client => (method, params) =>
    program.ask(method, modern(params, "2026-07-28", capabilities));
  const see = async (ask: Client) => {
    const { result } = await ask("tools/list");
    const tools = result!["tools"] as { name: string; _meta?: { ui: unknown } }[];
    return {
      tools: tools.map(({ name, _meta }) => [name, _meta?.ui]),
      read: await ask("resources/read", { uri: VIEW }),
      other: await ask("resources/read", { uri: `${VIEW}2` }),
      called: await ask("tools/call", { name: "document_overview", arguments: {} }),
      resources: JSON.stringify((await ask("resources/list")).result),
    };
  };
  const isPlain = (seen: Awaited<ReturnType<typeof see>>, code: number) => {
    const names = ["decisions_for", "list_documents", "read_document", "search_documents"];
    assert.deepEqual(seen.tools, names.map((name) => [name, undefined]));
    assert.deepEqual(seen.read.error, { code, message: "Resource not found", data: { uri: VIEW } });
    assert.deepEqual(seen.called.error, { code: -32602, message: "Unknown tool: document_overview" });
  };
  const isShown = (seen: Awaited<ReturnType<typeof see>>) => {
    assert.deepEqual(seen.tools, [
      ["decisions_for", { resourceUri: VIEW }],
      ["document_overview", { resourceUri: VIEW, visibility: ["app"] }],
      ["list_documents", { resourceUri: VIEW }],
      ["read_document", undefined],
      ["search_documents", undefined],
    ]);
    const [{ text, ...contents }] = seen.read.result!["contents"] as [{ text: string }];
    const csp = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] };
    const _meta = { ui: { csp, prefersBorder: true } };
    assert.deepEqual(contents, { uri: VIEW, mimeType: "text/html;profile=mcp-app", _meta });
    const policy =
      /^<!doctype html>\n[^]*content="default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+'; /;
    assert.match(text, policy);
    assert.doesNotMatch(text, /POLICY|https?:\/\/|innerHTML/);
    assert.equal(seen.other.error?.message, "Resource not found");
    const { content, structuredContent } = seen.called.result!;
    assert.deepEqual(content, [{ type: "text", text: "2 documents, 1 accepted, 1 superseded" }]);
    const { graph, ...counts } = structuredContent as { graph: string };
    const statuses = [{ status: "accepted", count: 1 }, { status: "superseded", count: 1 }];
    assert.deepEqual(counts, { total: 2, statuses });
    assert.match(graph, /^<svg [^]*href="architecture:\/\/adr\/0002-b"/);
  };
  const plain = await see(stateless({}));
  isPlain(plain, -32602);
  const others = [ui(undefined), ui("text/html;profile=mcp-app"), ui(["text/html"]), { extensions: [] }];
  for (const capabilities of others) {
    const seen = await see(stateless(capabilities));
    const withoutIds = (value: object) => JSON.stringify(value, (key, one) => key === "id" ? 0 : one);
    assert.equal(withoutIds(seen), withoutIds(plain));
  }
  const shown = await see(stateless(UI));
  isShown(shown);
  assert.equal(shown.resources, plain.resources);
  for (const [capabilities, isDeclared] of [[{}, false], [UI, true]] as const) {
    const { result } = await stateless(capabilities)("server/discover");
    const { extensions } = result!["capabilities"] as { extensions: object };
    assert.equal("io.modelcontextprotocol/ui" in extensions, isDeclared);
  }
  const open = (capabilities: object): Client => {
    const clientInfo = { name: "t", version: "1" };
    const opened = program.ask("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo });
    return async (method, params = {}) => {
      assert.equal("extensions" in ((await opened).result!["capabilities"] as object), false);
      return await program.ask(method, params);
    };
  };
  isShown(await see(open(UI)));
  isPlain(await see(open({})), -32002);
});

test("overview() counts and draws only the documents that a client may see", async () => {
  const contents = Object.fromEntries(
    Object.entries(RECORDS).flatMap(([name, text]) => [
      [`resources/adr/${name}`, text],
      [`resources/secret/${name}`, text.replace("# ", "# Secret ")],
    ]),
  );
  const options = { root: "/root", records: ["adr", "secret"], watch: false };
  const documents = documentProvider({ files: new MemoryFiles(contents, "/root/").system }, options);
  await documents.ready();
  const policy = { categories: { secret: ["s"] } };
  for (const [scopes, total] of [[[], 2], [["s"], 4]] as const) {
    const { value } = overview(documents, new Access(policy, { scopes }));
    const { total: counted, graph } = value as { total: number; graph: string };
    assert.deepEqual([counted, graph.includes("Secret")], [total, total === 4]);
  }
});

test("a tool with a view is checked like other tools, and an extension for some clients adds no methods", () => {
  const ui = { resourceUri: 1 as unknown as string };
  assert.throws(
    () => defineTool({ name: "x", inputSchema: { type: "object" }, ui, handler: () => "" }),
    /Cannot define the tool "x": ui\.resourceUri must be a string/,
  );
  const extension = { id: "x/y", accepts: () => true, methods: ["x"], load: () => Promise.resolve({}) };
  assert.throws(
    () => createServer({ info: { name: "t", version: "1" }, extensions: [extension] }),
    /Cannot use the method "x" of the extension "x\/y": an extension that has accepts\(\) cannot add methods/,
  );
});
