/** What the gateway sends is accepted by a validator of OpenAPI documents, and by a REST server that is not ours. */

import type { ChildProcess } from "node:child_process";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import process from "node:process";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createGateway, parseOpenApi, readOpenApi } from "../../lib/gateway/mod.ts";
import { argumentsFor } from "./example_values.ts";
import { Program } from "../harness/program.ts";
import { connect, textOf } from "../server/tool_client.ts";

const HERE = fileURLToPath(new URL("./", import.meta.url));
/** Documents to hold against the validator: ours, and another one where it is named. */
const DOCUMENTS = [
  `${HERE}gateway_api.json`,
  ...(process.env["OPENAPI_DOCUMENT"] ? [process.env["OPENAPI_DOCUMENT"]] : []),
];
const TIMEOUT_MS = 60_000;

const folder = mkdtempSync(`${tmpdir()}/architrave-gateway-`);
const started: ChildProcess[] = [];
after(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a server of a package and waits until it answers; returns where it is. */
async function start(script: string, args: (port: number) => readonly string[]): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [`${HERE}node_modules/${script}`, ...args(port)], {
    stdio: "ignore",
    cwd: folder,
  });
  started.push(child);
  const origin = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    try {
      await (await fetch(origin)).arrayBuffer();
      return origin;
    } catch (cause) {
      if (Date.now() > deadline || child.exitCode !== null) throw cause;
      await new Promise((wait) => setTimeout(wait, 100));
    }
  }
}

function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as { port: number };
    server.close(() => resolve(port));
  });
  return promise;
}

/** Values that fit next to nothing. */
const MISFITS = [null, [], {}, "", "\u0000", 1.5, -1, true, [[]], [null], { a: { b: null } }];

for (const document of DOCUMENTS) {
  test(`every call of ${document.split("/").at(-1)} that leaves the process is accepted by Prism`, {
    timeout: 600_000,
  }, async (t) => {
    const origin = await start(
      "@stoplight/prism-cli/dist/index.js",
      (port) => ["mock", "--errors", "-h", "127.0.0.1", "-p", String(port), document],
    );
    const parsed = parseOpenApi(readFileSync(document, "utf8"));
    const credentials = Object.keys(readOpenApi(parsed, { base: origin }).schemes);
    const description = readOpenApi(parsed, { base: origin, credentials });
    const said: string[] = [];
    const gateway = createGateway({
      description,
      base: origin,
      allowDestructive: true,
      secrets: Object.fromEntries(credentials.map((name) => [name, "user:a-secret-for-prism"])),
      maxTools: 0,
      confirm: () => Promise.resolve("accept"),
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        // A request that does not fit is 422, or names its violations in a header.
        const violations = response.headers.get("sl-violations");
        const isRequest = /"location":\["request"[^}]*"severity":"Error"/.test(violations ?? "");
        if (response.status === 422 || isRequest) {
          const body = init.body ? new TextDecoder().decode(init.body as Uint8Array) : "";
          const reason = violations ?? (await response.clone().text()).slice(-500);
          said.push(`${init.method} ${url.pathname}${url.search} ${body.slice(0, 200)}: ${reason}`);
        }
        return response;
      },
    });
    const client = await connect({ tools: gateway.tools, toolCalls: { burst: 1e6, perSecond: 1e6 } });
    let called = 0;
    let refused = 0;
    for (const { name } of gateway.endpoints) {
      const described = JSON.parse(textOf(await client.call("describe_operation", { name })));
      const calls = (["least", "most"] as const).map((amount) => argumentsFor(described.inputSchema, amount))
        .filter((args) => args !== undefined);
      const call = (args: object) => client.call("call_operation", { name, arguments: args });
      for (const args of calls) if (!textOf(await call(args)).startsWith("The arguments of")) called++;
      // What fits nowhere must be kept back, or be accepted by the validator too.
      const names = Object.keys(described.inputSchema.properties).filter((one) =>
        one !== "confirmation_token"
      );
      for (const [index, misfit] of names.length === 0 ? [] : MISFITS.entries()) {
        const answer = await call({ ...calls[0], [names[index % names.length]!]: misfit });
        if (answer.result!["isError"] === true) refused++;
      }
    }
    t.diagnostic(
      `${gateway.endpoints.length} operations, ${called} calls, ${refused} refused, ${said.length} not accepted`,
    );
    assert.ok(called >= gateway.endpoints.length);
    assert.deepEqual(said.slice(0, 10), []);
    await client.conversation.close();
  });
}

test(
  "a REST server is read, written and deleted from through the program",
  { timeout: 120_000 },
  async () => {
    writeFileSync(
      `${folder}/db.json`,
      JSON.stringify({ posts: [{ id: "1", title: "First", views: 100 }], comments: [] }),
    );
    const origin = await start(
      "json-server/lib/cli/bin.js",
      (port) => ["--quiet", "--port", String(port), "--host", "127.0.0.1", `${folder}/db.json`],
    );
    const id = { name: "id", in: "path" };
    const post = {
      type: "object",
      properties: { title: { type: "string" }, views: { type: "integer" } },
      required: ["title"],
      additionalProperties: false,
    };
    writeFileSync(
      `${folder}/api.json`,
      JSON.stringify({
        base: origin,
        endpoints: [
          {
            name: "list_posts",
            description: "Lists.",
            method: "GET",
            path: "/posts",
            response: { type: "array" },
            parameters: [{ name: "_sort", in: "query" }],
          },
          {
            name: "get_post",
            description: "Reads.",
            method: "GET",
            path: "/posts/{id}",
            parameters: [id],
            response: { type: "object" },
          },
          {
            name: "create_post",
            description: "Writes.",
            method: "POST",
            path: "/posts",
            allow: true,
            body: { schema: post },
            response: { type: "object" },
          },
          {
            name: "delete_post",
            description: "Deletes.",
            method: "DELETE",
            path: "/posts/{id}",
            allow: true,
            parameters: [id],
          },
        ],
      }),
    );
    const program = new Program(["gateway", "--endpoints", `${folder}/api.json`]);
    await program.initialize();
    const call = async (name: string, args: object = {}) =>
      (await program.ask("tools/call", { name, arguments: args })).result!;
    const confirmed = async (name: string, args: object) => {
      const plan = await call(name, args);
      const { confirmation_token } = plan["structuredContent"] as { confirmation_token: string };
      return await call(name, { ...args, confirmation_token });
    };
    assert.deepEqual((await call("list_posts"))["structuredContent"], {
      result: [{ id: "1", title: "First", views: 100 }],
    });
    const made =
      (await confirmed("create_post", { body: { title: "Second", views: 1 } }))["structuredContent"] as {
        id: string;
      };
    assert.equal(typeof made.id, "string");
    assert.equal((await call("create_post", { body: { views: "1" } }))["isError"], true);
    assert.deepEqual((await call("get_post", { id: made.id }))["structuredContent"], {
      id: made.id,
      title: "Second",
      views: 1,
    });
    await confirmed("delete_post", { id: made.id });
    const gone = await call("get_post", { id: made.id });
    assert.equal(gone["isError"], true);
    assert.match(JSON.stringify(gone), /status: 404; retry: no/);
    assert.equal(
      ((await call("list_posts", { _sort: "views" }))["structuredContent"] as { result: unknown[] }).result
        .length,
      1,
    );
    assert.equal(await program.close(), 0);
  },
);
