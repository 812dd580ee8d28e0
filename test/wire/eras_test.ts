import assert from "node:assert/strict";
import { test } from "node:test";
import { handshake, modern, Program } from "../harness/program.ts";

const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const discover = (id: unknown) => ({ jsonrpc: "2.0", id, method: "server/discover", params: modern() });
const initialize = (id: unknown, version = "2025-11-25") => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: handshake(version),
});
const legacyList = (id: unknown) => ({ jsonrpc: "2.0", id, method: "tools/list" });

/** What a revision says of a tool, by the revision that it came with. */
const TOOL_MEMBERS: readonly (readonly [since: string, members: readonly string[]])[] = [
  ["2024-11-05", ["name", "description", "inputSchema"]],
  ["2025-03-26", ["annotations"]],
  ["2025-06-18", ["title", "outputSchema"]],
];

/** The four tools, with the members that a revision knows and no others. */
function checkTools(result: Record<string, unknown> | undefined, version: string): void {
  const tools = result?.["tools"] as Record<string, unknown>[];
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["decisions_for", "list_documents", "read_document", "search_documents"],
  );
  const members = TOOL_MEMBERS.filter(([since]) => since <= version).flatMap(([, names]) => names).sort();
  for (const tool of tools) assert.deepEqual(Object.keys(tool).sort(), members, String(tool["name"]));
  assert.equal(result!["nextCursor"], undefined);
}

/** Opens a conversation in some way, and then uses it in both eras. */
async function openWith(lines: object[], check: (program: Program) => Promise<void>): Promise<void> {
  const program = new Program();
  program.send(...lines);
  await check(program);
  const last = await program.askModern("tools/list");
  checkTools(last.result, "2026-07-28");
  assert.equal(await program.close(), 0);
  assert.equal(program.errors, "");
}

for (const version of LEGACY) {
  test(`initialize agrees on ${version} and says what is served in its terms`, async () => {
    const program = new Program();
    const { result } = await program.initialize(version);
    assert.equal(result?.["protocolVersion"], version);
    const capabilities = {
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      tools: {},
    };
    assert.deepEqual(
      result?.["capabilities"],
      version === "2024-11-05" ? capabilities : { ...capabilities, completions: {} },
    );
    const { title, ...info } = result?.["serverInfo"] as Record<string, unknown>;
    assert.equal(title, version >= "2025-06-18" ? "Architrave" : undefined);
    assert.equal(info["name"], "architrave");
    assert.deepEqual((await program.ask("ping")).result, {});
    assert.equal(await program.close(), 0);
  });

  test(`every list method answers in ${version}, with the members that it knows`, async () => {
    const program = new Program();
    await program.initialize(version);
    const resources = (await program.ask("resources/list")).result?.["resources"] as Record<
      string,
      unknown
    >[];
    const titled = version >= "2025-06-18";
    for (const resource of resources) {
      assert.equal("title" in resource, titled);
      assert.equal("annotations" in resource, titled);
      assert.equal(resource["mimeType"], "text/markdown");
    }
    const templates = (await program.ask("resources/templates/list")).result
      ?.["resourceTemplates"] as unknown[];
    assert.equal(templates.length, 3);
    const prompts = (await program.ask("prompts/list")).result?.["prompts"] as Record<string, unknown>[];
    assert.deepEqual(prompts.map(({ name }) => name), [
      "create-adr",
      "review-code-against-patterns",
      "suggest-patterns",
    ]);
    assert.equal(prompts.every((prompt) => "title" in prompt), titled);
    checkTools((await program.ask("tools/list")).result, version);
    await program.close();
  });

  test(`an unknown resource is -32002 in ${version}, and modern methods are unknown`, async () => {
    const program = new Program();
    await program.initialize(version);
    const uri = "architecture://adr/nothing";
    const missing = await program.ask("resources/read", { uri });
    assert.deepEqual(missing.error, { code: -32002, message: "Resource not found", data: { uri } });
    assert.equal((await program.ask("server/discover")).error?.code, -32601);
    await program.close();
  });
}

test("initialize with an unknown version agrees on the newest legacy one", async () => {
  for (const version of ["1900-01-01", "2026-07-28", "2099-01-01", ""]) {
    const program = new Program();
    assert.equal((await program.initialize(version)).result?.["protocolVersion"], "2025-11-25");
    await program.close();
  }
});

test("modern requests need no opening, and every result carries its envelope", async () => {
  const program = new Program();
  const serverInfo = { name: "architrave", version: "0.1.0", title: "Architrave" };
  const cached: [string, object, number][] = [
    ["server/discover", {}, 3_600_000],
    ["resources/list", {}, 0],
    ["resources/templates/list", {}, 0],
    ["resources/read", { uri: "architecture://adr/1" }, 0],
    ["prompts/list", {}, 0],
    ["tools/list", {}, 3_600_000],
  ];
  for (const [method, params, ttlMs] of cached) {
    const { result } = await program.askModern(method, params);
    assert.equal(result?.["resultType"], "complete", method);
    assert.equal(result?.["ttlMs"], ttlMs, method);
    assert.equal(result?.["cacheScope"], "private", method);
    assert.deepEqual(
      (result?.["_meta"] as Record<string, unknown>)["io.modelcontextprotocol/serverInfo"],
      serverInfo,
      method,
    );
  }
  for (
    const [method, params] of [
      ["prompts/get", { name: "suggest-patterns", arguments: { problem: "x" } }],
      ["completion/complete", {
        ref: { type: "ref/prompt", name: "suggest-patterns" },
        argument: { name: "problem", value: "" },
      }],
      ["tools/call", { name: "list_documents" }],
    ] as const
  ) {
    const { result } = await program.askModern(method, params);
    assert.equal(result?.["resultType"], "complete", method);
    assert.ok(!("ttlMs" in result!) && !("cacheScope" in result!), method);
    assert.deepEqual(
      (result?.["_meta"] as Record<string, unknown>)["io.modelcontextprotocol/serverInfo"],
      serverInfo,
      method,
    );
  }
  assert.equal(await program.close(), 0);
});

test("modern requests do not know what the revision has removed", async () => {
  const program = new Program();
  for (
    const method of [
      "initialize",
      "ping",
      "logging/setLevel",
      "resources/subscribe",
      "resources/unsubscribe",
      "nonsense",
    ]
  ) assert.equal((await program.askModern(method, { uri: "x" })).error?.code, -32601, method);
  await program.close();
});

test("modern requests that state too little or a version that is not served are refused one by one", async () => {
  const program = new Program();
  const prefix = "io.modelcontextprotocol/";
  const without = (meta: object) => program.ask("tools/list", { _meta: meta });
  assert.equal((await without({ [`${prefix}protocolVersion`]: "2026-07-28" })).error?.code, -32602);
  assert.equal((await without({ [`${prefix}clientCapabilities`]: {} })).error?.code, -32602);
  assert.equal((await without({ [`${prefix}clientInfo`]: {} })).error?.code, -32602);
  assert.equal(
    (await without({ [`${prefix}protocolVersion`]: 1, [`${prefix}clientCapabilities`]: {} })).error?.code,
    -32602,
  );
  for (const requested of ["2025-11-25", "1900-01-01"]) {
    const { error } = await program.ask("tools/list", modern({}, requested));
    assert.equal(error?.code, -32022);
    assert.deepEqual(error?.data, { supported: ["2026-07-28"], requested });
  }
  const missing = await program.askModern("resources/read", { uri: "architecture://adr/nothing" });
  assert.deepEqual(missing.error, {
    code: -32602,
    message: "Resource not found",
    data: { uri: "architecture://adr/nothing" },
  });
  checkTools((await program.askModern("tools/list")).result, "2026-07-28");
  await program.close();
});

test("a request that states nothing before a handshake is told both ways in, and ping is answered", async () => {
  const program = new Program();
  const { error } = await program.ask("tools/list");
  assert.equal(error?.code, -32602);
  assert.match(error!.message, /initialize/);
  assert.match(error!.message, /io\.modelcontextprotocol\/protocolVersion/);
  assert.deepEqual((await program.ask("ping")).result, {});
  await program.initialize();
  checkTools((await program.ask("tools/list")).result, "2025-11-25");
  await program.close();
});

test("a conversation may open in any way and go on in another", async () => {
  const ids = async (program: Program, expected: unknown[]) => {
    const answers = await program.take(expected.length);
    assert.deepEqual(answers.map(({ id }) => id).sort(), expected);
    for (const answer of answers) assert.equal(answer.error, undefined);
  };
  await openWith([initialize(1), legacyList(2)], (program) => ids(program, [1, 2]));
  await openWith([discover(1), initialize(2), legacyList(3)], (program) => ids(program, [1, 2, 3]));
  await openWith(
    [discover(1), discover(2), initialize(3), legacyList(4)],
    (program) => ids(program, [1, 2, 3, 4]),
  );
  await openWith([discover(1)], (program) => ids(program, [1]));
  await openWith([initialize(1), discover(2), legacyList(3)], (program) => ids(program, [1, 2, 3]));
  await openWith(
    [initialize(1, "2024-11-05"), initialize(2, "2025-06-18"), legacyList(3)],
    (program) => ids(program, [1, 2, 3]),
  );
});

test("the last handshake rules, and modern requests in between change nothing", async () => {
  const program = new Program();
  await program.initialize("2025-03-26");
  program.send(JSON.stringify([legacyList(50), legacyList(51)]));
  assert.equal((await program.next() as unknown as unknown[]).length, 2);
  await program.askModern("tools/list");
  program.send(JSON.stringify([legacyList(52)]));
  assert.equal((await program.next() as unknown as unknown[]).length, 1);
  await program.initialize("2025-06-18");
  program.send(JSON.stringify([legacyList(53)]));
  assert.equal((await program.next()).error?.code, -32600);
  await program.close();
});

test("batches are served in 2025-03-26, and nowhere else", async () => {
  for (const version of [undefined, ...LEGACY]) {
    const program = new Program();
    if (version) await program.initialize(version);
    program.send(
      JSON.stringify([{ jsonrpc: "2.0", id: "a", method: "ping" }, { jsonrpc: "2.0", method: "x" }]),
      "[]",
    );
    const answers = await program.take(2);
    if (version === "2025-03-26") assert.deepEqual(answers[0], [{ jsonrpc: "2.0", id: "a", result: {} }]);
    else assert.equal(answers[0]?.error?.code, -32600);
    assert.equal(answers[1]?.error?.code, -32600);
    await program.close();
  }
});

test("a handshake and modern requests are refused within a batch, and the rest of it is served", async () => {
  const program = new Program();
  await program.initialize("2025-03-26");
  const batch = [initialize("again", "2025-11-25"), discover("modern"), {
    jsonrpc: "2.0",
    id: "p",
    method: "ping",
  }];
  program.send(JSON.stringify(batch));
  const answers = await program.next() as unknown as { id: string; error?: { code: number } }[];
  assert.deepEqual(answers.map(({ id, error }) => [id, error?.code]), [
    ["again", -32600],
    ["modern", -32600],
    [
      "p",
      undefined,
    ],
  ]);
  program.send("[]");
  assert.equal((await program.next()).id, null);
  await program.close();
});

test("a batch of notifications only is answered with nothing", async () => {
  const program = new Program();
  await program.initialize("2025-03-26");
  program.send(JSON.stringify([{ jsonrpc: "2.0", method: "a" }, { jsonrpc: "2.0", method: "b" }]));
  assert.deepEqual((await program.ask("ping")).result, {});
  await program.close();
});

test("the id of an answer to an unreadable line is null or missing, as the revision has it", async () => {
  for (const version of [undefined, ...LEGACY]) {
    const program = new Program();
    if (version) await program.initialize(version);
    program.send("{");
    const answer = await program.next();
    assert.equal(answer.error?.code, -32700);
    if (version === "2025-11-25") assert.ok(!("id" in answer));
    else assert.equal(answer.id, null);
    await program.close();
  }
});

test("a request is answered in the revision that was agreed on when it came, however late it is answered", async () => {
  const program = new Program();
  program.send(
    initialize(1, "2024-11-05"),
    { jsonrpc: "2.0", id: 2, method: "prompts/list" },
    initialize(3, "2025-06-18"),
    { jsonrpc: "2.0", id: 4, method: "prompts/list" },
  );
  const answers = new Map((await program.take(4)).map((answer) => [answer.id, answer.result]));
  const titled = (id: number) =>
    (answers.get(id)?.["prompts"] as object[]).some((prompt) => "title" in prompt);
  assert.equal(titled(2), false);
  assert.equal(titled(4), true);
  await program.close();
});
