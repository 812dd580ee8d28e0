/** What the gateway sends is accepted by Prism, which validates requests by their OpenAPI document. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import process from "node:process";
import { after, test } from "node:test";
import { JSONSchemaFaker } from "json-schema-faker";
import { createGateway, parseOpenApi, readOpenApi } from "../../lib/gateway/mod.ts";
import type { SchemaObject } from "../../lib/formats/schema/mod.ts";
import { compileSchema } from "../../lib/formats/schema/mod.ts";
import { Random } from "../fuzz/random.ts";
import { connect, textOf } from "../mcp/server/tool_client.ts";
import { Daemon, freePort, HERE, PACKAGES } from "./programs.ts";

/** Documents to hold against the validator: ours, and another one where it is named. */
const DOCUMENTS = [`${HERE}gateway_api.json`, ...[process.env["OPENAPI_DOCUMENT"] ?? []].flat()];

/** Starts Prism with a document and waits until it answers; returns where it is. */
async function startPrism(document: string): Promise<string> {
  const port = await freePort();
  const script = `${PACKAGES}@stoplight/prism-cli/dist/index.js`;
  const args = [script, "mock", "--errors", "-h", "127.0.0.1", "-p", `${port}`, document];
  const daemon = new Daemon(process.execPath, args);
  after(() => daemon.stop("SIGKILL"));
  const origin = `http://127.0.0.1:${port}`;
  await daemon.until(async () => (await (await fetch(origin)).arrayBuffer(), true));
  return origin;
}

/** The arguments of a call, only the required ones or all of them; undefined when one that is required could not be made. */
function argumentsFor(input: SchemaObject, all: boolean): Record<string, unknown> | undefined {
  const { properties = {}, required = [], $defs = {} } = input;
  const random = new Random(1);
  const make = (schema: object, all: boolean): unknown => {
    const amount = { requiredOnly: !all, alwaysFakeOptionals: all, maxItems: 1, refDepthMax: 3 };
    JSONSchemaFaker.option({ ...amount, failOnInvalidFormat: false, random: () => random.next() });
    return JSONSchemaFaker.generate(structuredClone(schema));
  };
  const args: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(properties)) {
    if (name === "confirmation_token" || (!all && !required.includes(name))) continue;
    const schema = { allOf: [member], $defs };
    const check = compileSchema(schema);
    const value = [make(schema, all), make(schema, false)].find((value) => check(value).length === 0);
    if (value !== undefined) args[name] = value;
    else if (required.includes(name)) return undefined;
  }
  return args;
}

/** Values that fit next to nothing. */
const MISFITS = [null, [], {}, "", "\u0000", 1.5, -1, true, [[]], [null], { a: { b: null } }];

for (const document of DOCUMENTS) {
  test(`every call of ${document.split("/").at(-1)} that leaves the process is accepted by Prism`, {
    timeout: 600_000,
  }, async (t) => {
    const origin = await startPrism(document);
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
      const calls = [false, true].map((all) => argumentsFor(described.inputSchema, all))
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
    await client.close();
  });
}
