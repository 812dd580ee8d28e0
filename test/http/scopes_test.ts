/** What the scopes of a credential allow: tools, and categories of documents on every way to them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { documentProvider, documentTools } from "../../lib/documents/mod.ts";
import { bearerToken } from "../../lib/http/mod.ts";
import { promptProvider } from "../../lib/prompts/mod.ts";
import type { ScopePolicy } from "../../lib/server/mod.ts";
import { loadPlatform } from "../../mod.ts";
import { skills } from "../../lib/skills/mod.ts";
import { makeFolder } from "../harness/folder.ts";
import { HttpClient, serve } from "./client.ts";

/** A word that only the hidden documents have, in all that is known of them. */
const SECRET = "zebra";
const FILES = {
  "resources/adr/0001-zebra.md":
    "---\ntags: [zebra]\ndescription: zebra\napplies-to: src/**\n---\n# 1. Use zebra\n\n## Status\n\nAccepted\n\n## Context\n\nA zebra runs.\n",
  "resources/patterns/zebra.md": "# Zebra pattern\n\nA zebra runs.\n",
  "resources/guidelines/open.md":
    "---\napplies-to: src/**\n---\n# Open guideline\n\nA horse runs. See the [record](../adr/0001-zebra.md).\n",
  "prompts/named.json": JSON.stringify({
    name: "named",
    messages: [{
      role: "user",
      content: { type: "text", text: "<<resource:architecture://adr/0001-zebra>>" },
    }],
  }),
  "prompts/all.json": JSON.stringify({
    name: "all",
    messages: [{ role: "user", content: { type: "text", text: "<<resource:architecture://*/*>>" } }],
  }),
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
  decide: ["tools.decide"],
};
const URL = "https://docs.example.com/.well-known/oauth-protected-resource/mcp";

async function start(t: TestContext, scopes: ScopePolicy | undefined = SCOPES) {
  const platform = await loadPlatform();
  const root = makeFolder(t, FILES);
  const documents = documentProvider(platform, { root });
  const prompts = promptProvider(platform, { root, documents });
  const resourceMetadata = {
    resource: "https://docs.example.com/mcp",
    authorization_servers: ["https://a.example"],
  };
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

/** Requests that could show something of any document. */
const URIS = [
  "architecture://guidelines/open",
  "architecture://guidelines/zebr",
  "skill://patterns/zebra/SKILL.md",
];
const QUESTIONS: [method: string, params: object][] = [
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["prompts/list", {}],
  ["tools/list", {}],
  ["prompts/get", { name: "all" }],
  ...URIS.map((uri): [string, object] => ["resources/read", { uri }]),
  ...["adr", "patterns"].map((name): [string, object] => ["completion/complete", {
    ref: { type: "ref/resource", uri: `architecture://${name}/{+path}` },
    argument: { name: "path", value: "" },
  }]),
  ...([
    ["list_documents", {}],
    ["list_documents", { category: "adr" }],
    ["list_documents", { status: "accepted" }],
    ["search_documents", { query: "runs" }],
    ["search_documents", { query: "zebr OR runs", category: "adr" }],
    ["read_document", { uri: "adr/1" }],
    ["read_document", { uri: "architecture://patterns/zebr" }],
    ["read_document", { uri: "architecture://guidelines/open" }],
  ] as [string, object][]).map(([name, args]): [string, object] => ["tools/call", { name, arguments: args }]),
];
const MODERN_QUESTIONS: [method: string, params: object][] = [
  ["skills/list", {}],
  ["skills/get", { uri: "skill://patterns/zebra/SKILL.md" }],
  ["resources/directory/read", { uri: "skill://patterns" }],
];

for (const version of ["2026-07-28", "2025-11-25"]) {
  test(`what a client may not read is nowhere in its answers: ${version}`, async (t) => {
    const connect = await start(t);
    const [none, all] = [await connect("none", version), await connect("all", version)];
    const questions = version === "2026-07-28" ? [...QUESTIONS, ...MODERN_QUESTIONS] : QUESTIONS;
    let shown = 0;
    for (const [method, params] of questions) {
      // Those who may see it first: nothing of their answers is kept for others.
      if (JSON.stringify(await all.ask(method, params)).toLowerCase().includes(SECRET)) shown++;
      const { text, asked } = {
        text: JSON.stringify(await none.ask(method, params)),
        asked: JSON.stringify(params),
      };
      // The request itself may be repeated, as may the reference in the text of a document that may be read.
      const rest = text.replaceAll(
        /zebr OR runs|(?:skill|architecture):\/\/[\w/.]*zebra?[\w/.]*/g,
        (uri) => asked.includes(uri) ? "" : uri,
      ).replaceAll("../adr/0001-zebra.md", "");
      assert.doesNotMatch(rest, /zebra/i, `${method} ${asked}`);
    }
    assert.ok(shown > questions.length / 2, `${shown} of ${questions.length}`);
    const { result } = await none.ask("tools/call", { name: "list_documents", arguments: {} });
    assert.equal((result as { structuredContent: { total: number } }).structuredContent.total, 1);
    const { result: found } = await none.ask("tools/call", {
      name: "search_documents",
      arguments: { query: "runs" },
    });
    const { hits, total } =
      (found as { structuredContent: { hits: { uri: string; score: number }[]; total: number } })
        .structuredContent;
    assert.deepEqual([hits.map(({ uri }) => uri), total], [["architecture://guidelines/open"], 1]);
  });

  test(`a request that names what needs a scope is a 403 that names all of it: ${version}`, async (t) => {
    const connect = await start(t);
    const clients = { none: await connect("none", version), adr: await connect("adr", version) };
    const rows: [who: keyof typeof clients, method: string, params: object, scope: string | undefined][] = [
      ["none", "tools/call", { name: "decisions_for", arguments: { paths: ["src/a.ts"] } }, "tools.decide"],
      ["adr", "tools/call", { name: "decisions_for", arguments: { paths: ["src/a.ts"] } }, "tools.decide"],
      ["adr", "resources/read", { uri: "architecture://adr/1" }, undefined],
      ["adr", "resources/read", { uri: "architecture://patterns/zebra" }, undefined],
      ["none", "resources/read", { uri: "architecture://patterns/zebra" }, "docs"],
      ["none", "prompts/get", { name: "named" }, "docs.adr docs"],
      ["adr", "prompts/get", { name: "named" }, undefined],
      ["none", "prompts/get", { name: "all" }, undefined],
      ...[
        "architecture://adr/1",
        "architecture://adr/0001-zebra#context",
        "architecture://adr/none",
        "architecture://adr",
        "ARCHITECTURE://adr/1",
        "architecture://%61dr/1",
        "file:///adr/0001-zebra.md",
      ].map((uri): (typeof rows)[number] => ["none", "resources/read", { uri }, "docs.adr docs"]),
      ...version === "2025-11-25"
        ? [
          [
            "none",
            "resources/subscribe",
            { uri: "architecture://adr/1" },
            "docs.adr docs",
          ] as (typeof rows)[number],
        ]
        : [],
    ];
    for (const [who, method, params, scope] of rows) {
      const answered = await clients[who].post(clients[who].request(method, params));
      const about = `${who} ${method} ${JSON.stringify(params)}`;
      assert.equal(answered.status, scope === undefined ? 200 : 403, about);
      const challenge = scope &&
        `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${URL}"`;
      assert.equal(answered.headers.get("www-authenticate"), challenge, about);
      if (scope === undefined) {
        assert.ok(answered.messages().at(-1)?.["result"] ?? answered.json["result"], about);
      } else assert.deepEqual((answered.json["error"] as { data: object }).data, { scope });
    }
    // Other spellings of a category name nothing that is served.
    for (
      const uri of [
        "architecture://ADR/1",
        "architecture://guidelines/../adr/1",
        "architecture:///adr/1",
        "architecture://%2561dr/1",
      ]
    ) {
      const text = JSON.stringify(await clients.none.ask("resources/read", { uri }));
      assert.match(text, /not found/i);
      assert.doesNotMatch(text, /zebra/);
    }
  });
}

test("only the tools that a client may call are listed; descriptions tell of what all may see", async (t) => {
  const connect = await start(t);
  const namesOf = async (who: keyof typeof TOKENS) => {
    const { result } = await (await connect(who)).ask("tools/list");
    const { tools } = result as { tools: { name: string }[] };
    assert.doesNotMatch(JSON.stringify(tools), /zebra|adr \(/);
    return tools.map(({ name }) => name);
  };
  assert.deepEqual(await namesOf("all"), [
    "decisions_for",
    "list_documents",
    "read_document",
    "search_documents",
  ]);
  assert.deepEqual(await namesOf("none"), ["list_documents", "read_document", "search_documents"]);
});

test("decisions for files are those that the client may read", async (t) => {
  const connect = await start(t);
  for (
    const [who, uris] of [["decide", ["guidelines/open"]], ["all", [
      "adr/0001-zebra",
      "guidelines/open",
    ]]] as const
  ) {
    const args = { name: "decisions_for", arguments: { paths: ["src/a.ts"] } };
    const { result } = await (await connect(who)).ask("tools/call", args);
    const { documents } =
      (result as { structuredContent: { documents: { uri: string }[] } }).structuredContent;
    assert.deepEqual(documents.map(({ uri }) => uri), uris.map((key) => `architecture://${key}`));
  }
});

test("a subscription is acknowledged for what the client may read", async (t) => {
  const connect = await start(t);
  const uris = ["architecture://adr/0001-zebra", "architecture://guidelines/open", "architecture://%61dr/1"];
  for (const [who, count] of [["none", 1], ["all", 3]] as const) {
    const stream = await (await connect(who)).listen({}, { resourceSubscriptions: uris });
    const [acknowledged] = await stream.take(1);
    const { notifications } = acknowledged!["params"] as {
      notifications: { resourceSubscriptions: string[] };
    };
    assert.equal(notifications.resourceSubscriptions.length, count, who);
    stream.socket.destroy();
  }
});

test("without a policy, scopes have no say; with one, a client without a credential has none", async (t) => {
  const connect = await start(t, {});
  const client = await connect("none");
  assert.equal(
    (await client.post(client.request("resources/read", { uri: "architecture://adr/1" }))).status,
    200,
  );
  const open = await serve(t, {}, { scopes: { tools: { echo: ["a"] } } });
  const [modern, legacy] = [new HttpClient(open), await open.client("2025-03-26")];
  assert.equal((await modern.post(modern.request("tools/call", { name: "echo" }))).status, 403);
  const batch = [legacy.request("tools/call", { name: "echo" }), legacy.request("ping")];
  const answered = await legacy.post(batch);
  assert.equal(answered.status, 200);
  const errors = (JSON.parse(answered.body) as { error?: { code: number } }[]).map(({ error }) =>
    error?.code
  );
  assert.deepEqual(errors.sort(), [-32600, undefined]);
});
