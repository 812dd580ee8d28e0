/** What the scopes of a credential allow: tools, and categories of documents on every way to them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { documentProvider, documentTools } from "../../../lib/documents/mod.ts";
import { bearerToken } from "../../../lib/mcp/http/mod.ts";
import { promptProvider } from "../../../lib/documents/prompts/mod.ts";
import type { ScopePolicy } from "../../../lib/mcp/server/mod.ts";
import { loadPlatform } from "../../../mod.ts";
import { skills } from "../../../lib/documents/skills/mod.ts";
import { makeFolder } from "../../harness/folder.ts";
import { HttpClient } from "../../harness/http_client.ts";
import { serve } from "../../harness/http_server.ts";

const promptOf = (name: string, text: string) =>
  JSON.stringify({ name, messages: [{ role: "user", content: { type: "text", text } }] });
/** A word that only the hidden documents have, in all that is known of them. */
const SECRET = "zebra";
const FILES = {
  "resources/adr/0001-zebra.md":
    "---\ntags: [zebra]\ndescription: zebra\napplies-to: src/**\n---\n# 1. Use zebra\n\n## Status\n\nAccepted\n\n## Context\n\nA zebra runs.\n",
  "resources/patterns/zebra.md": "# Zebra pattern\n\nA zebra runs.\n",
  "resources/guidelines/open.md":
    "---\napplies-to: src/**\n---\n# Open guideline\n\nA horse runs. See the [record](../adr/0001-zebra.md).\n",
  "prompts/named.json": promptOf("named", "<<resource:architecture://adr/0001-zebra>>"),
  "prompts/all.json": promptOf("all", "<<resource:architecture://*/*>>"),
};
const SCOPES: ScopePolicy = {
  tools: { decisions_for: ["tools.decide"] },
  categories: { adr: ["docs.adr", "docs"], patterns: ["docs"] },
};
const TOKENS = {
  none: "0123456789abcdef-none",
  adr: "0123456789abcdef-adr",
  all: "0123456789abcdef-all",
  decide: "0123456789abcdef-decide",
};
const GRANTED = {
  adr: ["docs.adr", "docs"],
  all: ["docs", "docs.adr", "tools.decide", "more"],
  // Not all that a decision needs.
  decide: ["tools.decide", "docs"],
};
const URL = "https://docs.example.com/.well-known/oauth-protected-resource/mcp";

async function start(t: TestContext, scopes: ScopePolicy | undefined = SCOPES) {
  const platform = await loadPlatform();
  const root = makeFolder(t, FILES);
  const documents = documentProvider(platform, { root });
  const prompts = promptProvider(platform, { root, documents });
  const resource = "https://docs.example.com/mcp";
  const resourceMetadata = { resource, authorization_servers: ["https://a.example"] };
  const authenticate = bearerToken({ tokens: TOKENS, scopes: GRANTED });
  const served = await serve(t, { authenticate, resourceMetadata }, {
    resources: [documents],
    prompts: [prompts],
    tools: [documentTools(documents)],
    extensions: [skills(platform, { root, documents, prompts })],
    ...scopes ? { scopes } : {},
  });
  return async (who: keyof typeof TOKENS, version?: string) => {
    const client = new HttpClient(served, version);
    client.fields = { authorization: `Bearer ${TOKENS[who]}` };
    return await client.start();
  };
}

type Question = readonly [method: string, params: object];
const read = (uri: string): Question => ["resources/read", { uri }];
const call = (name: string, args: object): Question => ["tools/call", { name, arguments: args }];
const complete = (category: string): Question => ["completion/complete", {
  ref: { type: "ref/resource", uri: `architecture://${category}/{+path}` },
  argument: { name: "path", value: "" },
}];
/** Requests that could show something of any document. */
const QUESTIONS: Question[] = [
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["prompts/list", {}],
  ["tools/list", {}],
  ["prompts/get", { name: "all" }],
  read("architecture://guidelines/open"),
  read("architecture://guidelines/zebr"),
  read("skill://patterns/zebra/SKILL.md"),
  complete("adr"),
  complete("patterns"),
  call("list_documents", {}),
  call("list_documents", { category: "adr" }),
  call("list_documents", { status: "accepted" }),
  call("search_documents", { query: "runs" }),
  call("search_documents", { query: "zebr OR runs", category: "adr" }),
  call("read_document", { uri: "adr/1" }),
  call("read_document", { uri: "architecture://patterns/zebr" }),
  call("read_document", { uri: "architecture://guidelines/open" }),
];
const MODERN_QUESTIONS: Question[] = [
  ["skills/list", {}],
  ["skills/get", { uri: "skill://patterns/zebra/SKILL.md" }],
  ["resources/directory/read", { uri: "skill://patterns" }],
];

/** The structured result of a tool. */
async function structured(client: HttpClient, name: string, args: object): Promise<Record<string, unknown>> {
  const { result } = await client.ask(...call(name, args));
  return (result as { structuredContent: Record<string, unknown> }).structuredContent;
}

for (const version of ["2026-07-28", "2025-11-25"]) {
  test(`what a client may not read is nowhere in its answers: ${version}`, async (t) => {
    const connect = await start(t);
    const [none, all] = [await connect("none", version), await connect("all", version)];
    const questions = version === "2026-07-28" ? [...QUESTIONS, ...MODERN_QUESTIONS] : QUESTIONS;
    let shown = 0;
    for (const [method, params] of questions) {
      // Those who may see it first: nothing of their answers is kept for others.
      if (JSON.stringify(await all.ask(method, params)).toLowerCase().includes(SECRET)) shown++;
      const text = JSON.stringify(await none.ask(method, params)), asked = JSON.stringify(params);
      // The request itself may be repeated, as may the reference in the text of a document that may be read.
      const rest = text.replaceAll(
        /zebr OR runs|(?:skill|architecture):\/\/[\w/.]*zebra?[\w/.]*/g,
        (uri) => asked.includes(uri) ? "" : uri,
      ).replaceAll("../adr/0001-zebra.md", "");
      assert.doesNotMatch(rest, /zebra/i, `${method} ${asked}`);
    }
    assert.ok(shown > questions.length / 2, `${shown} of ${questions.length}`);
    assert.equal((await structured(none, "list_documents", {}))["total"], 1);
    const { hits, total } = await structured(none, "search_documents", { query: "runs" });
    const uris = (hits as { uri: string }[]).map(({ uri }) => uri);
    assert.deepEqual([uris, total], [["architecture://guidelines/open"], 1]);
  });

  test(`a request that names what needs a scope is a 403 that names all of it: ${version}`, async (t) => {
    const connect = await start(t);
    const clients = { none: await connect("none", version), adr: await connect("adr", version) };
    const decide = call("decisions_for", { paths: ["src/a.ts"] });
    const rows: [who: keyof typeof clients, question: Question, scope?: string][] = [
      ["none", decide, "tools.decide"],
      ["adr", decide, "tools.decide"],
      ["adr", read("architecture://adr/1")],
      ["adr", read("architecture://patterns/zebra")],
      ["none", read("architecture://patterns/zebra"), "docs"],
      ["none", ["prompts/get", { name: "named" }], "docs.adr docs"],
      ["adr", ["prompts/get", { name: "named" }]],
      ["none", ["prompts/get", { name: "all" }]],
      ["none", read("architecture://adr/1"), "docs.adr docs"],
      ["none", read("architecture://adr/0001-zebra#context"), "docs.adr docs"],
      ["none", read("architecture://adr/none"), "docs.adr docs"],
      ["none", read("architecture://adr"), "docs.adr docs"],
      ["none", read("ARCHITECTURE://adr/1"), "docs.adr docs"],
      ["none", read("architecture://%61dr/1"), "docs.adr docs"],
      ["none", read("file:///adr/0001-zebra.md"), "docs.adr docs"],
    ];
    const subscribe: Question = ["resources/subscribe", { uri: "architecture://adr/1" }];
    if (version === "2025-11-25") rows.push(["none", subscribe, "docs.adr docs"]);
    for (const [who, question, scope] of rows) {
      const answered = await clients[who].post(clients[who].request(...question));
      const about = `${who} ${JSON.stringify(question)}`;
      assert.equal(answered.status, scope === undefined ? 200 : 403, about);
      const challenge = scope &&
        `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${URL}"`;
      assert.equal(answered.headers.get("www-authenticate"), challenge, about);
      if (scope === undefined) {
        assert.ok(answered.messages().at(-1)?.["result"] ?? answered.json["result"], about);
      } else assert.deepEqual((answered.json["error"] as { data: object }).data, { scope });
    }
    // Other spellings of a category name nothing that is served.
    for (const path of ["ADR/1", "guidelines/../adr/1", "/adr/1", "%2561dr/1"]) {
      const text = JSON.stringify(await clients.none.ask(...read(`architecture://${path}`)));
      assert.match(text, /not found/i);
      assert.doesNotMatch(text, /zebra/);
    }
  });
}

test("tools, decisions and subscriptions are those that the client may use; descriptions tell of what all may see", async (t) => {
  const connect = await start(t);
  const read = ["list_documents", "read_document", "search_documents"];
  for (const [who, names] of [["all", ["decisions_for", ...read]], ["none", read]] as const) {
    const { result } = await (await connect(who)).ask("tools/list");
    const { tools } = result as { tools: { name: string }[] };
    assert.doesNotMatch(JSON.stringify(tools), /zebra|adr \(/);
    assert.deepEqual(tools.map(({ name }) => name), names);
  }
  const open = "architecture://guidelines/open", record = "architecture://adr/0001-zebra";
  for (const [who, uris] of [["decide", [open]], ["all", [record, open]]] as const) {
    const { documents } = await structured(await connect(who), "decisions_for", { paths: ["src/a.ts"] });
    assert.deepEqual((documents as { uri: string }[]).map(({ uri }) => uri), uris);
  }
  const uris = [record, open, "architecture://%61dr/1"];
  for (const [who, count] of [["none", 1], ["all", 3]] as const) {
    const stream = await (await connect(who)).listen({}, { resourceSubscriptions: uris });
    const [{ params } = {}] = await stream.take(1);
    const { notifications } = params as { notifications: { resourceSubscriptions: string[] } };
    assert.equal(notifications.resourceSubscriptions.length, count, who);
    stream.socket.destroy();
  }
});

test("without a policy, scopes have no say; with one, a client without a credential has none", async (t) => {
  const connect = await start(t, {});
  const client = await connect("none");
  assert.ok((await client.ask(...read("architecture://adr/1")))["result"]);
  const open = await serve(t, {}, { scopes: { tools: { echo: ["a"] } } });
  const [modern, legacy] = [new HttpClient(open), await open.client("2025-03-26")];
  assert.equal((await modern.post(modern.request("tools/call", { name: "echo" }))).status, 403);
  const batch = [legacy.request("tools/call", { name: "echo" }), legacy.request("ping")];
  const answered = await legacy.post(batch);
  assert.equal(answered.status, 200);
  const answers = answered.json as unknown as { error?: { code: number } }[];
  assert.deepEqual(answers.map(({ error }) => error?.code).sort(), [-32600, undefined]);
});
