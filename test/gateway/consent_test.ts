/** Calls that change something need permission and consent, and each consent is valid once. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Confirm } from "../../lib/gateway/mod.ts";
import { createGateway, readEndpoints } from "../../lib/gateway/mod.ts";
import { bearerToken } from "../../lib/mcp/http/mod.ts";
import { HttpClient } from "../harness/http_client.ts";
import { serve as serveHttp } from "../harness/http_server.ts";
import { accept, connect, textOf, WITH_FORMS } from "../mcp/server/tool_client.ts";
import { BASE, callTogether, failureOf, recorder, serve, serveOne, tokenOf, written } from "./gateways.ts";

const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];
const ALL = [
  ...METHODS.map((method) => written({ name: method.toLowerCase(), method })),
  written({ name: "search", method: "POST", safe: true }),
];
const ID = { name: "id", in: "path", schema: { type: "integer" } };
const REMOVE = written({
  name: "remove",
  method: "DELETE",
  path: "/things/{id}",
  allow: true,
  parameters: [ID, { name: "force", in: "query", schema: { type: "boolean" } }],
});

const gatewayOf = (endpoints: readonly object[], options: object = {}) =>
  createGateway({ description: readEndpoints({ endpoints }), base: BASE, ...options });

test("an endpoint that can change something is a tool only if the flag or the file allows it", () => {
  const names = (options: object, endpoints = ALL) =>
    gatewayOf(endpoints, options).endpoints.map(({ name }) => name);
  assert.deepEqual(names({}), ["get", "head", "options", "search"]);
  assert.equal(names({ allowDestructive: true }).length, 8);
  assert.deepEqual(names({}, [written(), REMOVE]), ["probe", "remove"]);
  assert.deepEqual(names({ safe: ["post"] }), ["get", "head", "options", "post", "search"]);
  assert.throws(() => names({ safe: ["delete"] }), /There is no POST operation "delete"/);
  const withheld = ["POST", "PUT", "PATCH", "DELETE"].map((method) => `${method} /probe`);
  assert.deepEqual(gatewayOf(ALL).withheld.map(({ operation }) => operation), withheld);
});

test("annotations say whether a call reads, destroys and can be repeated", () => {
  const { tools } = gatewayOf(ALL, { allowDestructive: true });
  const found = Object.fromEntries(tools.map(({ name, definition }) => {
    const { readOnlyHint, destructiveHint, idempotentHint } = definition.annotations!;
    return [name, [readOnlyHint, destructiveHint, idempotentHint].map(Number).join("")];
  }));
  const reads = { get: "101", head: "101", options: "101", search: "101" };
  assert.deepEqual(found, { ...reads, delete: "011", patch: "010", post: "010", put: "011" });
});

test("a token is valid once, for five minutes, and for its arguments, tool and gateway", async (t) => {
  const client = await serve({ endpoints: [REMOVE, { ...REMOVE, name: "other" }] });
  const elsewhere = await serveOne(REMOVE);
  const { sent } = client;
  const { now } = Date;
  t.after(() => Date.now = now);
  const plan = async () => tokenOf(await client.call("remove", { id: 7 }));
  const token = await plan();
  const refused = async (reason: RegExp, args: object, name = "remove", of = client) => {
    const text = failureOf(await of.call(name, { confirmation_token: token, ...args }));
    assert.match(text, /^The confirmation token .*; nothing was sent\. Call /);
    assert.match(text, reason);
  };
  const wrong = /is not for this tool and these arguments/;
  for (const args of [{ id: 8 }, { id: 7, force: false }]) await refused(wrong, args);
  await refused(wrong, { id: 7 }, "other");
  await refused(wrong, { id: 7 }, "remove", elsewhere);
  for (const confirmation_token of [`${token}x`, ""]) await refused(wrong, { id: 7, confirmation_token });
  Date.now = () => now() + 5 * 60_000 + 1;
  await refused(/has expired/, { id: 7 });
  Date.now = now;
  assert.deepEqual([sent, elsewhere.sent], [[], []]);
  await client.call("remove", { id: 7, confirmation_token: token });
  assert.equal(sent.length, 1);
  await refused(/was already used/, { id: 7 });
  const call = { name: "remove", arguments: { id: 7, confirmation_token: await plan() } };
  const answers = await callTogether(client, [call, call]);
  assert.equal(answers.filter(({ result }) => result!["isError"] === true).length, 1);
  assert.equal(sent.length, 2);
});

test("a plan is shown whole, with invisible characters escaped, or nothing is sent", async () => {
  const note = { name: "note", in: "query", schema: { type: "string" } };
  const body = { schema: { type: "object", additionalProperties: true } };
  const send = written({ name: "send", method: "POST", allow: true, parameters: [note], body });
  const asked: string[] = [];
  const confirm: Confirm = ({ summary }) => Promise.resolve(asked.push(summary) > 0 ? "accept" : undefined);
  const client = await serveOne(send, { confirm });
  await client.call("send", { body: { note: "x".repeat(2160), to: "mallory", amount: 9000 } });
  assert.match(asked[0]!, /"to":"mallory","amount":9000}}$/);
  const hidden = "\u202e\u2066\u200b\u00ad\ufe0f\u3164\u2028\u009b\u{e0041}\ud800";
  await client.call("send", { body: { [hidden]: `a${hidden}b` } });
  const spelled = "\\u202e\\u2066\\u200b\\u00ad\\ufe0f\\u3164\\u2028\\u009b\\udb40\\udc41\\ud800";
  assert.ok(asked[1]!.endsWith(`{"body":{"${spelled}":"a${spelled}b"}}`), JSON.stringify(asked[1]));
  assert.match(asked[1]!, /^[\x20-\x7e]*$/);
  const escaped = { note: "é".repeat(2000), body: { a: "\u200b".repeat(2000) } };
  for (const args of [{ body: { note: "x".repeat(20_000) } }, escaped]) {
    const reason = /^The plan for send has \d+ characters; the maximum is 20000\. Nothing was sent/;
    assert.match(failureOf(await client.call("send", args)), reason);
  }
  assert.deepEqual([asked.length, client.sent.length], [2, 2]);
});

test("a confirmation token is valid only for the principal that received it", async (t) => {
  const { fetch, sent } = recorder();
  const tokens = { ada: "token-of-ada-0123", eve: "token-of-eve-0123" };
  const { tools } = gatewayOf([REMOVE], { fetch });
  const served = await serveHttp(t, { authenticate: bearerToken({ tokens }) }, { tools });
  const call = async (principal: keyof typeof tokens, args: object) => {
    const client = Object.assign(new HttpClient(served), {
      fields: { authorization: `Bearer ${tokens[principal]}` },
    });
    return await client.ask("tools/call", { name: "remove", arguments: { id: 7, ...args } }) as never;
  };
  const confirmed = { confirmation_token: tokenOf(await call("ada", {})) };
  assert.match(failureOf(await call("eve", confirmed)), /is not for this tool and these arguments/);
  assert.equal(sent.length, 0);
  assert.equal(textOf(await call("ada", confirmed)), "{}");
  assert.equal(sent.length, 1);
});

/** Clients of a gateway whose tool asks for consent. */
function removing() {
  const { fetch, sent } = recorder();
  const { tools } = gatewayOf([REMOVE], { fetch });
  return { sent, join: (version: string, capabilities: object) => connect({ tools }, version, capabilities) };
}

for (const version of WITH_FORMS) {
  test(`a client of ${version} asks its user before anything is sent, and sends nothing after a no`, async () => {
    const { sent, join } = removing();
    const client = await join(version, { elicitation: {} });
    for (const [action, said] of [["decline", "declined"], ["cancel", "did not decide"]]) {
      const no = failureOf(await client.call("remove", { id: 7 }, () => ({ result: { action } })));
      assert.ok(no.startsWith(`The user ${said}. Nothing was sent`), no);
    }
    assert.deepEqual(sent, []);
    assert.match(String(client.put[0]!.params!["message"]), /DELETE .*\/things\/7/);
    const yes = await client.call("remove", { id: 7 }, () => accept({}));
    assert.equal(yes.result!["isError"], undefined);
    assert.deepEqual(sent.map(({ target }) => target), ["/things/7"]);
    assert.equal(client.put.length, 3);
  });
}

test("a client that cannot ask gets a plan and repeats the call with its token, in every revision", async () => {
  const { sent, join } = removing();
  const request = "DELETE /things/7?force=true";
  for (const [index, version] of ["2025-03-26", "2025-11-25", "2026-07-28"].entries()) {
    const client = await join(version, {});
    const never = () => assert.fail("it cannot be asked");
    const plan = await client.call("remove", { id: 7, force: true }, never);
    assert.equal(sent.length, index);
    const text = textOf(plan);
    const wanted =
      `Nothing was sent yet. This call would be: ${request} with the arguments {"id":7,"force":true}\n`;
    assert.ok(text.startsWith(wanted) && !text.includes("example.com"), text);
    // Results of older revisions have only text.
    const [, token] = /"confirmation_token": "([^"]+)"/.exec(text)!;
    if (version !== "2025-03-26") assert.equal(tokenOf(plan), token);
    const done = await client.call("remove", { force: true, id: 7, confirmation_token: token }, never);
    assert.equal(done.result!["isError"], undefined, JSON.stringify(done.result));
    assert.equal(sent.length, index + 1);
  }
  assert.deepEqual(sent.map(({ method, target }) => `${method} ${target}`), Array(3).fill(request));
});

test("a decision of the user is valid for one call, after the question was asked", async () => {
  const { sent, join } = removing();
  const client = await join("2026-07-28", { elicitation: {} });
  const accepted = (key: string, requestState?: string) => {
    const inputResponses = { [key]: { action: "accept", content: {} } };
    return client.ask("tools/call", { name: "remove", arguments: { id: 7 }, inputResponses, requestState });
  };
  const questionOf = (result: unknown) => {
    const { inputRequests, requestState } = result as { inputRequests: object; requestState: string };
    return [Object.keys(inputRequests)[0]!, requestState] as const;
  };
  const early = await accepted("confirmation");
  assert.equal(early.result!["resultType"], "input_required");
  const [key, requestState] = questionOf(early.result);
  assert.equal((await accepted(key)).result!["resultType"], "input_required");
  assert.equal(sent.length, 0);
  assert.equal((await accepted(key, requestState)).result!["isError"], undefined);
  assert.match(failureOf(await accepted(key, requestState)), /already used; nothing was sent/);
  assert.equal(sent.length, 1);
  await client.call("remove", { id: 7 }, () => ({ result: { action: "decline" } }));
  const declined = await accepted(...questionOf(client.rounds.at(-1)));
  assert.match(failureOf(declined), /already used; nothing was sent/);
  assert.equal(sent.length, 1);
  assert.equal((await client.call("remove", { id: 7 }, () => accept({}))).result!["isError"], undefined);
  assert.equal(sent.length, 2);
});
