/** Is the user asked before anything is changed, in every revision that has words for it? */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readEndpoints } from "../../lib/gateway/endpoint_file.ts";
import { createGateway } from "../../lib/gateway/gateway.ts";
import { accept, AskingClient, WITH_FORMS } from "../server/asking_client.ts";
import { startApi } from "./api.ts";
import { failureOf, tokenOf, written } from "./gateways.ts";

const DELETE = {
  endpoints: [
    written({
      name: "remove",
      method: "DELETE",
      path: "/things/{id}",
      allow: true,
      parameters: [{ name: "id", in: "path", schema: { type: "integer" } }],
    }),
  ],
};

for (const version of WITH_FORMS) {
  test(`a client of ${version} asks its user before anything is sent, and a no is a no`, async (t) => {
    const api = await startApi(t);
    const { tools } = createGateway({ description: readEndpoints(DELETE), base: api.origin });
    const client = await AskingClient.connect({ tools }, version, { elicitation: {} });
    const sent = () => api.asked.map(({ method, url }) => `${method} ${url}`);

    const no = await client.call("remove", () => {
      assert.deepEqual(sent(), []);
      return { result: { action: "decline" } };
    }, { id: 7 });
    assert.match(failureOf(no), /said no\. Nothing was sent/);
    assert.match(String(client.put[0]!.params!["message"]), /DELETE .*\/things\/7/);

    const yes = await client.call("remove", () => accept({}), { id: 7 });
    assert.equal(yes.result!["isError"], undefined);
    assert.deepEqual(sent(), ["DELETE /things/7"]);
    assert.equal(client.put.length, 2);
  });
}

test("a client that cannot ask gets a plan and a token, and nothing is sent before it comes back", async (t) => {
  const api = await startApi(t);
  const { tools } = createGateway({ description: readEndpoints(DELETE), base: api.origin });
  for (const version of ["2025-03-26", "2025-11-25", "2026-07-28"]) {
    const client = await AskingClient.connect({ tools }, version, {});
    const never = () => assert.fail("it cannot be asked");
    const plan = await client.call("remove", never, { id: 8 });
    const before = api.asked.length;
    const token = version === "2025-03-26"
      ? /"confirmation_token":\s*"([^"]+)"|token[^\n]*?([\w-]+\.[\w-]{43})/.exec(JSON.stringify(plan.result))
        ?.at(-1)
      : tokenOf(plan);
    assert.ok(token, JSON.stringify(plan.result));
    const done = await client.call("remove", never, { id: 8, confirmation_token: token });
    assert.equal(done.result!["isError"], undefined, JSON.stringify(done.result));
    assert.equal(api.asked.length, before + 1);
  }
});

test("a yes is good for one call, and only after its question was put", async (t) => {
  const api = await startApi(t);
  const { tools } = createGateway({ description: readEndpoints(DELETE), base: api.origin });
  const client = await AskingClient.connect({ tools }, "2026-07-28", { elicitation: {} });
  const call = { name: "remove", arguments: { id: 7 } };
  const answered = (key: string) => ({ inputResponses: { [key]: { action: "accept", content: {} } } });

  const early = await client.send("tools/call", { ...call, ...answered("confirmation") });
  assert.equal(early.result!["resultType"], "input_required");
  const { inputRequests, requestState } = early.result as { inputRequests: object; requestState: string };
  const [key] = Object.keys(inputRequests) as [string];
  const other = await client.send("tools/call", { ...call, ...answered(key) });
  assert.equal(other.result!["resultType"], "input_required");
  assert.equal(api.asked.length, 0);

  const yes = { ...call, ...answered(key), requestState };
  assert.equal((await client.send("tools/call", yes)).result!["isError"], undefined);
  assert.match(failureOf(await client.send("tools/call", yes)), /used already; nothing was sent/);
  assert.equal(api.asked.length, 1);

  const again = await client.call("remove", () => accept({}), { id: 7 });
  assert.equal(again.result!["isError"], undefined);
  assert.equal(api.asked.length, 2);
});

test("a no does not become a yes when it is sent again", async (t) => {
  const api = await startApi(t);
  const { tools } = createGateway({ description: readEndpoints(DELETE), base: api.origin });
  const client = await AskingClient.connect({ tools }, "2026-07-28", { elicitation: {} });
  await client.call("remove", () => ({ result: { action: "decline" } }), { id: 7 });
  const { inputRequests, requestState } = client.rounds[0] as { inputRequests: object; requestState: string };
  const [key] = Object.keys(inputRequests) as [string];
  const turned = await client.send("tools/call", {
    name: "remove",
    arguments: { id: 7 },
    inputResponses: { [key]: { action: "accept", content: {} } },
    requestState,
  });
  assert.match(failureOf(turned), /used already; nothing was sent/);
  assert.equal(api.asked.length, 0);
});
