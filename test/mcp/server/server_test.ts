/** What a server is built from: providers, and what it makes of several, slow and failing ones. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { RpcError } from "../../../lib/jsonrpc/mod.ts";
import type { Extension, Resource, ResourceProvider, ServerOptions } from "../../../lib/mcp/server/mod.ts";
import { createServer, definePrompt, defineTool, resourceProvider } from "../../../lib/mcp/server/mod.ts";
import { connect } from "./tool_client.ts";

const MODERN = "2026-07-28";
const info = { name: "t", version: "1" };

function listing(...uris: string[]): ResourceProvider {
  return {
    list: () => uris.map((uri): Resource => ({ uri, name: uri })),
    read: (uri) => uris.includes(uri) ? [{ uri, text: `text of ${uri}` }] : undefined,
  };
}

/** A way to ask a server of its own in the newest revision. */
async function serve(options: Partial<ServerOptions>) {
  const { ask, failures } = await connect(options, MODERN);
  const result = async (method: string, params?: object) => (await ask(method, params)).result!;
  return {
    ask,
    failures,
    result,
    uris: async (params?: object) =>
      ((await result("resources/list", params))["resources"] as Resource[]).map(({ uri }) => uri),
  };
}

test("createServer() declares exactly what it was given", async () => {
  const watch = () => () => {};
  const prompts = { list: () => [], get: () => undefined, values: () => [] };
  const tool = defineTool({ name: "a", inputSchema: { type: "object" }, handler: () => "" });
  const watched = { listChanged: true, subscribe: true };
  const rows: [Partial<ServerOptions>, object][] = [
    [{}, {}],
    [{ tools: [tool] }, { tools: {} }],
    [{ logging: true }, { logging: {} }],
    [{ resources: [listing("a:1")] }, { resources: {} }],
    [{ resources: [listing("b:2"), { ...listing("a:1"), watch }] }, { resources: watched }],
    [{ prompts: [prompts] }, { prompts: {}, completions: {} }],
    [{ extensions: [{ id: "com.example/a" }, { id: "com.example/b", settings: { c: 1 } }] }, {
      extensions: { "com.example/a": {}, "com.example/b": { c: 1 } },
    }],
    [
      { resources: [listing("a:1")], prompts: [{ ...prompts, watch }] },
      { resources: {}, prompts: { listChanged: true }, completions: {} },
    ],
  ];
  for (const [options, capabilities] of rows) {
    const { result } = await serve(options);
    assert.deepEqual((await result("server/discover"))["capabilities"], capabilities);
  }
});

test("an extension adds methods and resources, which are loaded when the first is used", async () => {
  let loads = 0;
  const extension: Extension = {
    id: "com.example/echo",
    methods: ["echo/say", "echo/fail"],
    scheme: "echo",
    load: () => {
      // A failure is tried again by the next request.
      if (loads++ === 0) return Promise.reject(new Error("not now"));
      return Promise.resolve({
        "echo/say": ({ params, revision: { id } }, { pageSize }) => ({
          said: params["word"],
          pageSize,
          in: id,
        }),
        "echo/fail": () => {
          throw new RpcError(-32602, "Say something");
        },
        "resources/read": (_context, _server, uri) =>
          /^echo:a$/i.test(uri) ? [{ uri: "echo:a", text: "A" }] : undefined,
      });
    },
  };
  const { ask, result, uris, failures } = await serve({
    extensions: [extension],
    resources: [listing("a:1")],
    pageSize: 7,
  });
  assert.deepEqual(await uris(), ["a:1"]);
  assert.equal((await ask("resources/read", { uri: "b:1" })).error?.code, -32602);
  assert.equal(loads, 0);
  assert.equal((await ask("echo/say")).error?.code, -32603);
  assert.equal(failures.length, 1);
  const { said, pageSize, in: revision, ttlMs } = await result("echo/say", { word: "hi" });
  assert.deepEqual([said, pageSize, revision, ttlMs], ["hi", 7, MODERN, 0]);
  assert.deepEqual((await ask("echo/fail")).error, { code: -32602, message: "Say something" });
  for (const uri of ["echo:a", "ECHO:a"]) {
    assert.deepEqual((await result("resources/read", { uri }))["contents"], [{ uri: "echo:a", text: "A" }]);
  }
  assert.equal((await ask("resources/read", { uri: "echo:b" })).error?.code, -32602);
  assert.equal((await ask("echo/other")).error?.code, -32601);
  assert.equal(loads, 2);
  const legacy = await connect({ extensions: [extension] }, "2025-11-25");
  assert.equal((await legacy.ask("echo/say")).error?.code, -32601);
  assert.equal((await legacy.ask("resources/read", { uri: "echo:a" })).error?.code, -32002);
});

test("an extension must not take a method that exists, and must give what it names", async () => {
  const load = () => Promise.resolve({ "a/c": () => ({}) });
  const ROWS: readonly (readonly [extensions: readonly Extension[], message: RegExp])[] = [
    [[{ id: "x", methods: ["tools/call"], load }], /"tools\/call" of the extension "x".* has it/],
    [[{ id: "x", methods: ["initialize"], load }], /"initialize" of the extension "x".* has it/],
    [[{ id: "x", methods: ["resources/subscribe"], load }], /"resources\/subscribe" of .* has it/],
    [["x", "y"].map((id) => ({ id, methods: ["a/b"], load })), /"a\/b" of the extension "y".* has it/],
    [[{ id: "x", methods: ["a/b", "a/b"], load }], /"a\/b" of the extension "x".* has it/],
    [[{ id: "x", methods: ["a/b"] }], /"a\/b" of the extension "x".* no load/],
    [[{ id: "x", scheme: "echo" }], /"resources\/read" of the extension "x".* no load/],
  ];
  for (const [extensions, message] of ROWS) {
    assert.throws(() => createServer({ info, extensions }), { name: "TypeError", message });
  }
  const { ask, failures } = await serve({
    extensions: [{ id: "x", methods: ["a/b", "a/c"], scheme: "echo", load }],
  });
  for (const [method, name] of [["a/b", "a/b"], ["resources/read", "resources/read"]] as const) {
    assert.equal((await ask(method, { uri: "echo:a" })).error?.code, -32603);
    assert.match(String(failures.at(-1)), new RegExp(`"${name}" of the extension "x": its load`));
  }
  assert.equal((await ask("a/c")).error, undefined);
});

test("createServer() refuses what cannot work", async () => {
  for (const pageSize of [0, -1, 1.5, NaN]) assert.throws(() => createServer({ info, pageSize }), RangeError);
  await assert.rejects(connect({ keys: [new Uint8Array(31)] }), RangeError);
  const rates = [[0, 1], [0.5, 1], [NaN, 1], ["5", 1], [undefined, 1], [1, 0], [1, -1], [1, undefined]];
  for (const [burst, perSecond] of rates) {
    assert.throws(() => createServer({ info, toolCalls: { burst, perSecond } as never }), {
      name: "TypeError",
      message: `Cannot build a server whose toolCalls have a burst of ${burst} and ${perSecond} perSecond: ` +
        "the burst must be a number of at least 1, perSecond a number above 0",
    });
  }
  createServer({ info, toolCalls: { burst: Infinity, perSecond: Infinity } });
});

test("several providers are one list, sorted, are asked in order, and the first of one URI is served", async () => {
  const asked: string[] = [];
  const noting = (name: string, provider: ResourceProvider): ResourceProvider => ({
    ...provider,
    read: (uri, context) => (asked.push(name), provider.read(uri, context)),
  });
  const contents = [{ uri: "b:2", blob: "AA==" }];
  const slow: ResourceProvider = {
    list: () => Promise.resolve([{ uri: "b:2", name: "slow" }]),
    read: (uri) => Promise.resolve(uri === "b:2" ? contents : undefined),
  };
  const [first, last] = [listing("c:3", "d:4"), listing("a:1", "b:2")];
  const { uris, result } = await serve({
    resources: [noting("first", first), noting("slow", slow), noting("last", last)],
  });
  assert.deepEqual(await uris(), ["a:1", "b:2", "c:3", "d:4"]);
  const { resources } = await result("resources/list") as { resources: Resource[] };
  assert.deepEqual(resources.map(({ name }) => name), ["a:1", "slow", "c:3", "d:4"]);
  assert.deepEqual((await result("resources/read", { uri: "b:2" }))["contents"], contents);
  assert.deepEqual(asked, ["first", "slow"]);
  // Servers that share providers list what is theirs.
  assert.deepEqual(await (await serve({ resources: [first] })).uris(), ["c:3", "d:4"]);
  assert.deepEqual(await (await serve({ resources: [first, last] })).uris(), ["a:1", "b:2", "c:3", "d:4"]);
});

test("a provider that has to get ready is waited for, once, and one that cannot fails its own requests alone", async () => {
  const gate = Promise.withResolvers<void>();
  let isOpen = false;
  let loads = 0;
  const { uris } = await serve({
    resources: [{
      ready() {
        if (isOpen) return undefined;
        loads++;
        return gate.promise.then(() => void (isOpen = true));
      },
      ...listing("a:1"),
    }],
  });
  const listed = uris();
  gate.resolve();
  assert.deepEqual(await listed, ["a:1"]);
  await uris();
  assert.equal(loads, 1);
  const throwing = () => {
    throw new Error("disk");
  };
  for (const ready of [() => Promise.reject(new Error("disk")), throwing]) {
    const { ask, failures, result } = await serve({ resources: [{ ready, ...listing("a:1") }] });
    assert.equal((await ask("resources/list")).error?.code, -32603);
    assert.match(String(failures), /disk/);
    assert.deepEqual((await result("tools/list"))["tools"], []);
  }
});

test("a cursor is of a list as it was: its places, and no others", async () => {
  let provider = listing("a:1", "b:2", "c:3", "d:4", "e:5");
  const through: ResourceProvider = { list: (context) => provider.list(context), read: () => undefined };
  const { ask, result, uris } = await serve({ resources: [through], pageSize: 2 });
  const { nextCursor: cursor } = await result("resources/list") as { nextCursor: string };
  assert.deepEqual(await uris({ cursor }), ["c:3", "d:4"]);
  const digest = cursor.split("-")[0];
  for (const start of [0, 1, 3, 6, -2, "2.0", "02"]) {
    const forged = `${digest}-${start}`;
    assert.equal((await ask("resources/list", { cursor: forged })).error?.code, -32602, String(start));
  }
  // Another server with the same list takes it, and this one does not once the list has changed.
  const other = await serve({ resources: [provider], pageSize: 2 });
  assert.deepEqual(await other.uris({ cursor }), ["c:3", "d:4"]);
  provider = listing("a:1", "b:2", "c:3", "x:9");
  assert.equal((await ask("resources/list", { cursor })).error?.code, -32602);
});

test("a result that is no JSON object is an internal error of its request, and so is an error that is no JSON", async () => {
  const throwing = () => {
    throw new RpcError(7, "typed", 1n);
  };
  for (const handler of [() => 1n, () => "text", () => [], () => null, () => ({ large: 1n }), throwing]) {
    const load = () => Promise.resolve({ "a/b": handler });
    const { ask } = await serve({ extensions: [{ id: "x", methods: ["a/b"], load }] });
    assert.equal((await ask("a/b")).error?.code, -32603);
  }
});

test("only tools, prompts and resources that are read can ask the client", async () => {
  const { ask, failures } = await serve({
    resources: [{ list: async (context) => (await context.listRoots(), []), read: () => undefined }],
  });
  assert.equal((await ask("resources/list")).error?.code, -32603);
  assert.match(
    String(failures),
    /Cannot ask the client in resources\/list: only tools\/call, prompts\/get and/,
  );
});

test("resourceProvider() serves text, bytes or several contents; one resource comes before a template, and templates in order", async () => {
  const provider = resourceProvider({
    resources: [
      { uri: "x:b", name: "b", mimeType: "text/plain", read: ({ sessionId }) => `for ${sessionId ?? "all"}` },
      { uri: "x:a", name: "a", read: () => Promise.resolve(new Uint8Array([0, 255])) },
      { uri: "x:gone", name: "gone", read: () => undefined },
    ],
    templates: [{
      uriTemplate: "x:zone/{zone}{?q}",
      name: "zone",
      read: ({ zone, q }) => zone === "none" ? undefined : `${zone} ${q ?? "-"}`,
    }, {
      uriTemplate: "x:{+rest}",
      name: "rest",
      read: ({ rest }) => [{ uri: `x:${rest}`, text: "1" }, { uri: "x:2", text: "2" }],
    }],
  });
  const { ask, uris } = await serve({ resources: [provider] });
  assert.deepEqual(await uris(), ["x:a", "x:b", "x:gone"]);
  const rows: [uri: string, contents: object[] | undefined][] = [
    ["x:b", [{ uri: "x:b", mimeType: "text/plain", text: "for all" }]],
    ["x:a", [{ uri: "x:a", blob: "AP8=" }]],
    ["x:zone/a%20b?q=1", [{ uri: "x:zone/a%20b?q=1", text: "a b 1" }]],
    ["x:zone/o'brien%20(new)!", [{ uri: "x:zone/o'brien%20(new)!", text: "o'brien (new)! -" }]],
    ["x:p/q", [{ uri: "x:p/q", text: "1" }, { uri: "x:2", text: "2" }]],
    ["x:gone", undefined],
    ["x:zone/none", undefined],
    ["y:a", undefined],
  ];
  for (const [uri, contents] of rows) {
    const { result, error } = await ask("resources/read", { uri });
    assert.deepEqual([result?.["contents"], error?.code], [contents, contents ? undefined : -32602], uri);
  }
  const reference = {
    ref: { type: "ref/resource", uri: "x:{+rest}" },
    argument: { name: "rest", value: "" },
  };
  const { result } = await ask("completion/complete", reference);
  assert.deepEqual(result!["completion"], { values: [], total: 0, hasMore: false });
  const resource = { uri: "x:a", name: "a", read: () => "" };
  const unusable = { uriTemplate: "{a*}", name: "a", read: () => "" };
  assert.throws(() => resourceProvider({ templates: [unusable] }), TypeError);
  for (const given of [undefined, "x:a", { resources: resource }]) {
    const message = /^Cannot make a resource provider: (?:it|resources) must be /;
    assert.throws(() => resourceProvider(given as never), { name: "TypeError", message });
  }
});

test("two resources, templates or prompts of one name are refused when the server is built, like tools", async () => {
  const read = () => "", template = { uriTemplate: "x:{a}", name: "a", read };
  const a = { uri: "x:a", name: "a", read }, b = { ...a, uri: "x:b" };
  const same = "Cannot serve two resources under the URI ";
  assert.throws(() => resourceProvider({ resources: [a, b, a] }), { message: `${same}"x:a"` });
  assert.throws(() => resourceProvider({ templates: [template, template] }), { message: `${same}"x:{a}"` });
  const prompt = (name: string) => definePrompt({ name, handler: read });
  const refused: [ServerOptions["resources"] & object, ServerOptions["prompts"] & object, string][] = [
    [
      [resourceProvider({ resources: [a, b] }), resourceProvider({ resources: [b] })],
      [],
      'resources called "x:b"',
    ],
    [[a, b, a].map((one) => resourceProvider({ resources: [one] })), [], 'resources called "x:a"'],
    [[1, 2].map(() => resourceProvider({ templates: [template] })), [], 'resources called "x:{a}"'],
    [[], [prompt("p"), prompt("q"), prompt("p")], 'prompts called "p"'],
  ];
  for (const [resources, prompts, what] of refused) {
    const message = `Cannot build a server with two ${what}`;
    assert.throws(() => createServer({ info, resources, prompts }), { name: "TypeError", message });
  }
  // The resources and prompts of files may change: the first provider serves those that two have.
  const { uris } = await serve({
    resources: [listing("x:a"), resourceProvider({ resources: [a, b] }), listing("x:b")],
  });
  assert.deepEqual(await uris(), ["x:a", "x:b"]);
});

test("createServer() says what its options lack", () => {
  const rows: [options: unknown, fault: string][] = [
    [undefined, "options must be an object"],
    ["t", "options must be an object"],
    [{ name: "t" }, "options.info must be an object"],
    [{ info: "t" }, "options.info must be an object"],
    [{ info: { version: "1" } }, "options.info.name must be a string"],
    [{ info: { name: "t" } }, "options.info.version must be a string"],
    [{ info: { name: "t", version: 1 } }, "options.info.version must be a string"],
  ];
  for (const [options, fault] of rows) {
    const message = `Cannot build a server: ${fault}`;
    assert.throws(() => createServer(options as never), { name: "TypeError", message });
  }
});

/** What providers may give, by method, and what is wrong with what they may not. */
const GIVEN: Record<string, readonly (readonly [value: unknown, fault?: RegExp])[]> = {
  "resources/read": [
    [[{ uri: "x:y", text: "t", mimeType: "text/plain", _meta: { a: 1 } }]],
    [[{ uri: "x:y", blob: "AA==" }]],
    [5, /contents must be a list/],
    ["t", /The result of x:y cannot be sent: contents must be a list/],
    [[5], /contents\[0\] must be an object/],
    [[{ uri: "x:y" }], /contents\[0\]\.text must be a string/],
    [[{ uri: "x:y", text: "t", blob: "" }], /member "text", which MCP does not define/],
    [[{ uri: "x:y", text: "t", weird: 1 }], /member "weird", which MCP does not define/],
    [[{ uri: 1, text: "t" }], /contents\[0\]\.uri must be a string/],
    [[{ uri: "x:y", text: "t", mimeType: null }], /mimeType must be a string/],
  ],
  "resources/list": [
    [[{ uri: "x:y", name: "n", size: 3, annotations: { audience: ["user"], priority: 1 } }]],
    [[{ uri: "x:y", name: "n", icons: [{ src: "a:b" }], _meta: { a: 1 }, title: undefined }]],
    [5, /resources must be a list/],
    [[{ name: "n" }], /resources\[0\]\.uri must be a string/],
    [[{ uri: "x:y", name: "n", size: -1 }], /resources\[0\]\.size must be a whole number/],
    [[{ uri: "x:y", name: "n", annotations: { weird: 1 } }], /annotations has a member "weird"/],
    [[{ uri: "x:y", name: "n", annotations: { priority: 2 } }], /priority must be a number from 0/],
    [[{ uri: "x:y", name: "n", annotations: { audience: ["system"] } }], /audience\[0\] must be "user"/],
  ],
  "resources/templates/list": [
    [[{ name: "n", uriTemplate: "x:{y}" }]],
    [[{ name: "n", uriTemplate: "x:{y}", size: 1 }], /has a member "size"/],
  ],
  "prompts/list": [
    [[{ name: "n", arguments: [{ name: "a", title: "A", required: true }] }]],
    [[{ name: "n", arguments: [{ name: "a", required: "yes" }] }], /required must be true or false/],
    [[{ name: "n", arguments: { a: 1 } }], /prompts\[0\]\.arguments must be a list/],
  ],
  "prompts/get": [
    [{ description: "d", messages: [{ role: "user", content: { type: "text", text: "t" } }], _meta: {} }],
    [saying({ type: "text", text: "t", annotations: {} })],
    [{}, /result\.messages must be a list/],
    [{ messages: [], weird: 1 }, /result has a member "weird"/],
    [saying({ type: "text", text: "t" }, "system"), /messages\[0\]\.role must be "user" or/],
    [saying("t"), /messages\[0\]\.content must be an object/],
    [saying({ type: "video" }), /content\.type is not one that MCP/],
    [saying({ type: "image", data: "" }), /mimeType must be a string/],
    [saying({ type: "resource", resource: { uri: "x:y" } }), /content\.resource\.text must be a string/],
  ],
  "completion/complete": [[["a"]], [["a", 1], /values\[1\] must be a string/]],
};

function saying(content: unknown, role = "user"): object {
  return { messages: [{ role, content }] };
}

test("what code gives as resource or prompt is checked at each answer: a wrong one is -32603, and its cause is logged", async () => {
  const ref = { type: "ref/prompt", name: "n" }, argument = { name: "a", value: "" };
  const params = { uri: "x:y", name: "n", ref, argument };
  for (const [method, rows] of Object.entries(GIVEN)) {
    for (const [value, fault] of rows) {
      for (const answer of [() => value, () => Promise.resolve(value)] as (() => never)[]) {
        const { ask, failures } = await serve({
          resources: [{ list: answer, templates: answer, read: answer }],
          prompts: [{ list: answer, get: answer, values: answer }],
        });
        const { result, error } = await ask(method, params);
        const what = `${method} ${JSON.stringify(value)}`;
        if (!fault) assert.ok(result, what);
        else {
          assert.deepEqual([error?.code, error?.message], [-32603, "Internal error"], what);
          assert.match(String(failures), fault, what);
        }
      }
    }
  }
});

test("resourceProvider() refuses a definition that MCP does not allow, and copies what it lists", async () => {
  const read = () => "";
  const rows: [definition: object, fault: RegExp][] = [
    [{ name: "n", read }, /Cannot serve the resource "undefined": uri must be a string/],
    [{ uri: "x:y", read }, /Cannot serve the resource "x:y": name must be a string/],
    [{ uri: "x:y", name: "n" }, /Cannot serve the resource "x:y": read must be a function/],
    [{ uri: "x:y", name: "n", read, mimetype: "a/b" }, /has a member "mimetype", .*_meta/],
    [{ uri: "x:y", name: "n", read, annotations: { weird: 1 } }, /annotations has a member "weird"/],
    [
      { uriTemplate: "x:{y}", name: "n", read: "" },
      /Cannot serve the template "x:{y}": read must be a function/,
    ],
    [{ uriTemplate: "x:{y}", name: "n", read, values: [] }, /values must be a function/],
    [{ uriTemplate: "x:{y}", name: 1, read }, /": name must be a string/],
  ];
  for (const [definition, message] of rows) {
    const key = "uriTemplate" in definition ? "templates" : "resources";
    assert.throws(() => resourceProvider({ [key]: [definition] }), { name: "TypeError", message });
  }
  const annotations = { priority: 1 };
  const provider = resourceProvider({ resources: [{ uri: "x:y", name: "n", annotations, read }] });
  annotations.priority = 5;
  const { result } = await serve({ resources: [provider] });
  const listed = { uri: "x:y", name: "n", annotations: { priority: 1 } };
  assert.deepEqual((await result("resources/list"))["resources"], [listed]);
});
