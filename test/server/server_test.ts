import assert from "node:assert/strict";
import { test } from "node:test";
import type { Response } from "../../lib/jsonrpc/message.ts";
import type { ServerCall } from "../../lib/server/handlers.ts";
import type { MessageContext } from "../../lib/transport/transport.ts";
import type { Resource, ResourceProvider } from "../../lib/server/provider.ts";
import type { ServerOptions } from "../../lib/server/server.ts";
import { RawJson, RpcError } from "../../lib/jsonrpc/message.ts";
import { Connection } from "../../lib/jsonrpc/connection.ts";
import { Session } from "../../lib/server/session.ts";
import { resourceProvider } from "../../lib/server/resource_provider.ts";
import { createServer } from "../../lib/server/server.ts";
import { defineTool } from "../../lib/server/tool.ts";
import { memoryTransports } from "../../lib/transport/memory.ts";
import { handshake, modern } from "../harness/program.ts";

function callFrom(context: Partial<MessageContext> = {}): ServerCall {
  return {
    signal: new AbortController().signal,
    notify: () => undefined,
    context: { receivedAt: 0, size: 0, ...context },
  };
}

/** A server, and a way to ask it in the modern way. */
function serve(options: Partial<ServerOptions>, context?: Partial<MessageContext>) {
  const server = createServer({ info: { name: "t", version: "1" }, ...options });
  return async (
    method: string,
    params: object = {},
  ): Promise<{ result: Record<string, unknown>; error: Response["error"] }> => {
    const request = {
      jsonrpc: "2.0",
      id: 1,
      method,
      params: modern(params) as Record<string, unknown>,
    } as const;
    const answer = await server.handle(request, new Session(), callFrom(context));
    return JSON.parse(JSON.stringify(answer));
  };
}

function listing(...uris: string[]): ResourceProvider {
  const resources: readonly Resource[] = uris.map((uri) => ({ uri, name: uri }));
  return {
    list: () => resources,
    read: (uri) => uris.includes(uri) ? [{ uri, text: `text of ${uri}` }] : undefined,
  };
}

const urisOf = (result: Record<string, unknown>) => (result["resources"] as Resource[]).map(({ uri }) => uri);

test("createServer() declares exactly what it was given", async () => {
  const declared = async (options: Partial<ServerOptions>) =>
    (await serve(options)("server/discover")).result["capabilities"];
  assert.deepEqual(await declared({}), {});
  assert.deepEqual(await declared({ resources: [listing("a:1")] }), { resources: {} });
  const watched = { ...listing("a:1"), watch: () => () => {} };
  assert.deepEqual(await declared({ resources: [listing("b:2"), watched] }), {
    resources: { listChanged: true, subscribe: true },
  });
  const prompts = { list: () => [], get: () => undefined, values: () => [] };
  assert.deepEqual(await declared({ prompts: [prompts] }), { prompts: {}, completions: {} });
  const changing = { ...prompts, watch: () => () => {} };
  assert.deepEqual(await declared({ resources: [listing("a:1")], prompts: [changing] }), {
    resources: {},
    prompts: { listChanged: true },
    completions: {},
  });
});

test("a server without providers answers every list with an empty one", async () => {
  const ask = serve({});
  for (
    const [method, member] of [
      ["resources/list", "resources"],
      ["resources/templates/list", "resourceTemplates"],
      ["prompts/list", "prompts"],
      ["tools/list", "tools"],
    ] as const
  ) assert.deepEqual((await ask(method)).result[member], []);
  assert.equal((await ask("resources/read", { uri: "a:1" })).error?.code, -32602);
});

test("several providers are one list, sorted, and are asked in order", async () => {
  const asked: string[] = [];
  const watch = (name: string, provider: ResourceProvider): ResourceProvider => ({
    ...provider,
    read(uri, context) {
      asked.push(name);
      return provider.read(uri, context);
    },
  });
  const slow: ResourceProvider = {
    list: () => Promise.resolve([{ uri: "b:2", name: "b" }]),
    read: (uri) => Promise.resolve(uri === "b:2" ? [{ uri, blob: "AA==" }] : undefined),
  };
  const ask = serve({
    resources: [watch("first", listing("c:3", "d:4")), watch("slow", slow), watch("last", listing("a:1"))],
  });
  assert.deepEqual(urisOf((await ask("resources/list")).result), ["a:1", "b:2", "c:3", "d:4"]);
  assert.deepEqual((await ask("resources/read", { uri: "b:2" })).result["contents"], [{
    uri: "b:2",
    blob: "AA==",
  }]);
  assert.deepEqual(asked, ["first", "slow"]);
});

test("a provider that has to get ready is waited for, once, and by every request", async () => {
  let loads = 0;
  let open = false;
  const provider: ResourceProvider = {
    ready() {
      if (open) return undefined;
      loads++;
      return new Promise((resolve) =>
        setTimeout(() => {
          open = true;
          resolve();
        }, 10)
      );
    },
    ...listing("a:1"),
  };
  const ask = serve({ resources: [provider] });
  assert.deepEqual(urisOf((await ask("resources/list")).result), ["a:1"]);
  await ask("resources/list");
  assert.equal(loads, 1);
});

test("a provider that cannot get ready fails its requests, and no others", async () => {
  const failures: unknown[] = [];
  const ask = serve({
    resources: [{ ready: () => Promise.reject(new Error("disk")), ...listing("a:1") }],
    onfailure: (cause) => void failures.push(cause),
  });
  assert.equal((await ask("resources/list")).error?.code, -32603);
  assert.equal(failures.length, 1);
  assert.deepEqual((await ask("tools/list")).result["tools"], []);
});

test("a provider sees the session where there is one, and does without it where there is none", async () => {
  const provider: ResourceProvider = {
    list: () => [],
    read: (uri, context) => [{ uri, text: context.sessionId ?? "nobody in particular" }],
  };
  const text = async (context?: Partial<MessageContext>) => {
    const { result } = await serve({ resources: [provider] }, context)("resources/read", { uri: "a:1" });
    return (result["contents"] as { text: string }[])[0]?.text;
  };
  assert.equal(await text({ sessionId: "s-1" }), "s-1");
  assert.equal(await text(), "nobody in particular");
});

test("a resource from code, one of a family, and a tool see the session where there is one", async () => {
  const who = ({ sessionId }: { sessionId: string | undefined }) => sessionId ?? "nobody in particular";
  const resources = [resourceProvider({
    resources: [{ uri: "x:one", name: "one", read: who }],
    templates: [{
      uriTemplate: "x:of/{name}",
      name: "family",
      read: (_, context) => who(context),
      values: (_, context) => [who(context)],
    }],
  })];
  const tools = [
    defineTool({ name: "who", inputSchema: { type: "object" }, handler: (_, context) => who(context) }),
  ];
  for (const context of [{ sessionId: "s-1" }, {}]) {
    const ask = serve({ resources, tools }, context);
    const expected = who({ sessionId: undefined, ...context });
    for (const uri of ["x:one", "x:of/it"]) {
      assert.deepEqual((await ask("resources/read", { uri })).result["contents"], [{ uri, text: expected }]);
    }
    const { completion } = (await ask("completion/complete", {
      ref: { type: "ref/resource", uri: "x:of/{name}" },
      argument: { name: "name", value: "" },
    })).result as { completion: { values: string[] } };
    assert.deepEqual(completion.values, [expected]);
    const { content } = (await ask("tools/call", { name: "who" })).result;
    assert.deepEqual(content, [{ type: "text", text: expected }]);
  }
});

test("cursors lead through a list, and are refused once the list has changed, and when they are of another", async () => {
  let provider = listing("a:1", "b:2", "c:3", "d:4", "e:5");
  const through: ResourceProvider = {
    list: (context) => provider.list(context),
    templates: () => [{ uriTemplate: "a:{x}", name: "a" }, { uriTemplate: "b:{x}", name: "b" }, {
      uriTemplate: "c:{x}",
      name: "c",
    }],
    read: () => undefined,
  };
  const ask = serve({ resources: [through], pageSize: 2 });
  const first = (await ask("resources/list")).result;
  assert.deepEqual(urisOf(first), ["a:1", "b:2"]);
  const second = (await ask("resources/list", { cursor: first["nextCursor"] })).result;
  assert.deepEqual(urisOf(second), ["c:3", "d:4"]);
  const third = (await ask("resources/list", { cursor: second["nextCursor"] })).result;
  assert.deepEqual(urisOf(third), ["e:5"]);
  assert.equal("nextCursor" in third, false);
  const ofTemplates = (await ask("resources/templates/list")).result["nextCursor"];
  for (
    const cursor of [
      ofTemplates,
      "",
      "xx",
      "é",
      `${first["nextCursor"]}=`,
      btoa("resources:x:2"),
      7,
      null,
      {},
    ]
  ) {
    assert.equal((await ask("resources/list", { cursor })).error?.code, -32602, String(cursor));
  }
  provider = listing("a:1", "b:2", "c:3", "x:9");
  assert.equal((await ask("resources/list", { cursor: first["nextCursor"] })).error?.code, -32602);
  const elsewhere = serve({ resources: [listing("a:1", "b:2", "c:3", "d:4", "e:5")], pageSize: 2 });
  assert.deepEqual(urisOf((await elsewhere("resources/list", { cursor: first["nextCursor"] })).result), [
    "c:3",
    "d:4",
  ]);
});

test("results that are written already get the same envelope as values", async () => {
  const asValue: ResourceProvider = { list: () => [], read: (uri) => [{ uri, text: "t" }] };
  const written: ResourceProvider = {
    list: () => [],
    read: (uri) =>
      new RawJson([
        `"contents":[{"uri":${JSON.stringify(uri)},`,
        new TextEncoder().encode('"text":"t"}]'),
      ]),
  };
  const [one, other] = await Promise.all(
    [asValue, written].map((provider) => serve({ resources: [provider] })("resources/read", { uri: "a:1" })),
  );
  assert.deepEqual(one, other);
  assert.equal(one!.result["resultType"], "complete");
});

test("completion ranks what begins with the text before words that do, and those before what holds it", async () => {
  const values = ["zoo-alpha", "gamma", "alphabet", "beta-Alpha", "metalpha", "Alpha"];
  const ask = serve({
    prompts: [{ list: () => [], get: () => undefined, values: (name) => name === "p" ? values : undefined }],
  });
  const complete = (value: string, name = "p") =>
    ask("completion/complete", { ref: { type: "ref/prompt", name }, argument: { name: "x", value } });
  assert.deepEqual((await complete("ALPHA")).result["completion"], {
    values: ["alphabet", "Alpha", "zoo-alpha", "beta-Alpha", "metalpha"],
    total: 5,
    hasMore: false,
  });
  assert.equal(((await complete("")).result["completion"] as { total: number }).total, 6);
  assert.deepEqual(((await complete("nothing")).result["completion"] as { values: string[] }).values, []);
  assert.equal((await complete("a", "other")).error?.code, -32602);
});

test("completion gives 100 values at most, and says how many there are", async () => {
  const values = Array.from({ length: 250 }, (_, index) => `v${index}`);
  const template = "a:{+x}";
  const ask = serve({
    resources: [{
      list: () => [],
      read: () => undefined,
      values: (uri) => uri === template ? values : undefined,
    }],
  });
  const { result } = await ask("completion/complete", {
    ref: { type: "ref/resource", uri: template },
    argument: { name: "x", value: "v" },
  });
  const completion = result["completion"] as { values: string[]; total: number; hasMore: boolean };
  assert.deepEqual([completion.values.length, completion.total, completion.hasMore], [100, 250, true]);
});

test("params that are not what a method wants are refused by name", async () => {
  const ask = serve({
    resources: [listing("a:1")],
    prompts: [{ list: () => [], get: () => undefined, values: () => [] }],
  });
  const refused: [string, object, RegExp][] = [
    ["resources/read", {}, /"uri" is missing/],
    ["resources/read", { uri: [] }, /"uri" must be a string/],
    ["prompts/get", {}, /"name" is missing/],
    ["completion/complete", {}, /"ref" is missing/],
    ["completion/complete", { ref: [] }, /"ref" must be an object/],
    ["completion/complete", { ref: {}, argument: {} }, /"argument.name" is missing/],
    ["completion/complete", { ref: { type: "x" }, argument: { name: "a", value: "" } }, /ref\.type/],
    [
      "completion/complete",
      { ref: { type: "ref/prompt" }, argument: { name: "a", value: "" } },
      /"ref.name" is missing/,
    ],
  ];
  for (const [method, params, expected] of refused) {
    const { error } = await ask(method, params);
    assert.equal(error?.code, -32602);
    assert.match(error!.message, expected);
  }
});

test("a handshake that fails agrees on nothing", async () => {
  const server = createServer({ info: { name: "t", version: "1" } });
  const connection = new Session();
  const request = (method: string, params: object) =>
    server.handle(
      { jsonrpc: "2.0", id: 1, method, params: params as Record<string, unknown> },
      connection,
      callFrom(),
    );
  assert.equal((await request("initialize", { protocolVersion: 7 })).error?.code, -32602);
  const agreed = () => connection.negotiated?.revision.id;
  assert.equal(agreed(), undefined);
  assert.ok((await request("initialize", handshake("2025-06-18"))).result);
  assert.equal(agreed(), "2025-06-18");
});

test("a server is not built with pages of nothing", () => {
  for (const pageSize of [0, -1, 1.5, NaN]) {
    assert.throws(() => createServer({ info: { name: "t", version: "1" }, pageSize }), RangeError);
  }
});

test("of two resources with one URI, the one that is served is the one that is listed", async () => {
  const named = (name: string): ResourceProvider => ({
    list: () => [{ uri: "a:1", name }],
    read: (uri) => [{ uri, text: name }],
  });
  const ask = serve({ resources: [named("first"), named("second")] });
  assert.deepEqual((await ask("resources/list")).result["resources"], [{ uri: "a:1", name: "first" }]);
  assert.deepEqual((await ask("resources/read", { uri: "a:1" })).result["contents"], [{
    uri: "a:1",
    text: "first",
  }]);
});

test("a result of a provider keeps its own _meta beside the server's, and may be empty", async () => {
  const results: Record<string, unknown> = { empty: {}, meta: { messages: [], _meta: { "x/y": 1 } } };
  const ask = serve({ prompts: [{ list: () => [], get: (name) => results[name] as never }] });
  const empty = (await ask("prompts/get", { name: "empty" })).result;
  assert.deepEqual(Object.keys(empty).sort(), ["_meta", "resultType"]);
  const { _meta } = (await ask("prompts/get", { name: "meta" })).result as { _meta: Record<string, unknown> };
  assert.deepEqual(Object.keys(_meta).sort(), ["io.modelcontextprotocol/serverInfo", "x/y"]);
});

test("a provider that throws while it gets ready is an internal error over a carrier too", async () => {
  const provider: ResourceProvider = {
    ready() {
      throw new Error("disk");
    },
    ...listing("a:1"),
  };
  const server = createServer({ info: { name: "t", version: "1" }, resources: [provider] });
  const [near, far] = memoryTransports();
  await server.connect(far);
  const client = new Connection<MessageContext>(near, {
    onrequest: () => assert.fail("nothing is asked of a client"),
  });
  await client.start();
  await assert.rejects(
    client.request("resources/list", modern() as Record<string, unknown>),
    /Internal error/,
  );
  await client.close();
});

test("a result that is no JSON is an internal error of its request", async () => {
  for (const text of [1n, undefined, () => 1]) {
    const results: Record<string, unknown> = {
      bad: { messages: [{ text }] },
      text: "text",
      list: [],
      nothing: null,
    };
    for (const [name, result] of Object.entries(results)) {
      if (name === "bad" && text !== 1n) continue;
      const ask = serve({ prompts: [{ list: () => [], get: () => result as never }] });
      assert.equal((await ask("prompts/get", { name })).error?.code, -32603, name);
    }
  }
  const ask = serve({
    prompts: [{
      list: () => [],
      get: () => {
        throw new RpcError(7, "typed", 1n);
      },
    }],
  });
  assert.equal((await ask("prompts/get", { name: "x" })).error?.code, -32603);
});

test("cursors to places where no page begins are refused", async () => {
  const ask = serve({ resources: [listing("a:1", "b:2", "c:3", "d:4", "e:5")], pageSize: 2 });
  const [, digest] = atob((await ask("resources/list")).result["nextCursor"] as string).split(":");
  for (const start of [0, 1, 3, 6, -2, "2.0", "02"]) {
    const cursor = btoa(`resources:${digest}:${start}`).replaceAll("=", "");
    assert.equal((await ask("resources/list", { cursor })).error?.code, -32602, String(start));
  }
});

test("servers that share providers list what is theirs", async () => {
  const [first, second, third] = [listing("a:1"), listing("b:2"), listing("c:3")];
  const list = async (...resources: ResourceProvider[]) =>
    urisOf((await serve({ resources })("resources/list")).result);
  assert.deepEqual(await list(first, second), ["a:1", "b:2"]);
  assert.deepEqual(await list(first, second, third), ["a:1", "b:2", "c:3"]);
  assert.deepEqual(await list(first, second), ["a:1", "b:2"]);
});
