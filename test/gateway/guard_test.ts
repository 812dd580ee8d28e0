/** Is anything changed that nobody agreed to? Not without a flag, not without a confirmation, and not with another one's. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Confirm } from "../../lib/gateway/guard.ts";
import { readEndpoints } from "../../lib/gateway/endpoint_file.ts";
import { createGateway } from "../../lib/gateway/gateway.ts";
import { Guard } from "../../lib/gateway/guard.ts";
import { TokenSigner } from "../../lib/server/signed_token.ts";
import { textOf } from "../server/tool_client.ts";
import { startApi } from "./api.ts";
import { callTogether, failureOf, serveFile, tokenOf, written } from "./gateways.ts";

const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];
const ALL = METHODS.map((method) => written({ name: method.toLowerCase(), method }));
const SAFE_POST = written({ name: "search", method: "POST", safe: true });
const BASE = { base: "https://api.example.com" };

test("what can change something is no tool unless it is allowed, by the flag or by the file", () => {
  const names = (options: object, endpoints = [...ALL, SAFE_POST]) =>
    createGateway({ description: readEndpoints({ endpoints }), ...BASE, ...options }).endpoints.map((
      { name },
    ) => name);
  assert.deepEqual(names({}), ["get", "head", "options", "search"]);
  assert.deepEqual(names({ allowDestructive: true }).length, 8);
  assert.deepEqual(names({}, [written(), written({ name: "del", method: "DELETE", allow: true })]), [
    "del",
    "probe",
  ]);
  assert.deepEqual(names({ safe: ["post"] }), ["get", "head", "options", "post", "search"]);
  assert.throws(() => names({ safe: ["delete"] }), /There is no POST operation "delete"/);
  const { withheld } = createGateway({ description: readEndpoints({ endpoints: ALL }), ...BASE });
  assert.deepEqual(withheld.map(({ operation }) => operation), [
    "POST /probe",
    "PUT /probe",
    "PATCH /probe",
    "DELETE /probe",
  ]);
});

test("annotations tell the truth", () => {
  const { tools } = createGateway({
    description: readEndpoints({ endpoints: [...ALL, SAFE_POST] }),
    ...BASE,
    allowDestructive: true,
  });
  const found = Object.fromEntries(tools.map(({ name, definition }) => {
    const { readOnlyHint, destructiveHint, idempotentHint } = definition.annotations!;
    return [name, [readOnlyHint, destructiveHint, idempotentHint].map(Number).join("")];
  }));
  assert.deepEqual(found, {
    delete: "011",
    get: "101",
    head: "101",
    options: "101",
    patch: "010",
    post: "010",
    put: "011",
    search: "101",
  });
});

const DELETE = {
  endpoints: [written({
    name: "remove",
    method: "DELETE",
    path: "/things/{id}",
    allow: true,
    parameters: [{ name: "id", in: "path", schema: { type: "integer" } }, {
      name: "force",
      in: "query",
      schema: { type: "boolean" },
    }],
  })],
};

test("a call is made twice: a plan, and the same call with its token", async (t) => {
  const api = await startApi(t);
  const client = await serveFile(DELETE, { base: `${api.origin}/v1` });
  const plan = await client.call("remove", { id: 7, force: true });
  assert.match(
    textOf(plan),
    /^Nothing was sent yet\. This call would be: DELETE \/things\/7\?force=true with the arguments/,
  );
  assert.equal(textOf(plan).includes("127.0.0.1"), false);
  assert.equal(api.asked.length, 0);
  const done = await client.call("remove", { force: true, id: 7, confirmation_token: tokenOf(plan) });
  assert.equal(done.result!["isError"], undefined);
  assert.deepEqual(api.asked.map(({ method, url }) => `${method} ${url}`), [
    "DELETE /v1/things/7?force=true",
  ]);
});

test("a token is good once, for these arguments, this tool and this gateway", async (t) => {
  const api = await startApi(t);
  const other = written({
    name: "other",
    method: "DELETE",
    path: "/things/{id}",
    allow: true,
    parameters: [{ name: "id", in: "path", schema: { type: "integer" } }],
  });
  const client = await serveFile({ endpoints: [...DELETE.endpoints, other] }, { base: api.origin });
  const elsewhere = await serveFile(DELETE, { base: api.origin });
  const token = tokenOf(await client.call("remove", { id: 7 }));
  const refused = async (reason: RegExp, args: object, name = "remove", of = client) =>
    assert.match(failureOf(await of.call(name, { confirmation_token: token, ...args })), reason);
  await refused(/is for other arguments; nothing was sent/, { id: 8 });
  await refused(/is for other arguments/, { id: 7, force: false });
  await refused(/is none of this tool/, { id: 7 }, "other");
  await refused(/is none of this tool/, { id: 7 }, "remove", elsewhere);
  await refused(/is none of this tool/, { id: 7, confirmation_token: `${token}x` });
  await refused(/is none of this tool/, { id: 7, confirmation_token: "" });
  assert.equal(api.asked.length, 0);
  await client.call("remove", { id: 7, confirmation_token: token });
  assert.equal(api.asked.length, 1);
  await refused(/was used already/, { id: 7 });
  assert.equal(api.asked.length, 1);
});

test("of two calls with one token at the same time, one is carried out", async (t) => {
  const api = await startApi(t);
  const client = await serveFile(DELETE, { base: api.origin });
  const call = {
    name: "remove",
    arguments: { id: 7, confirmation_token: tokenOf(await client.call("remove", { id: 7 })) },
  };
  const answers = await callTogether(client, [call, call]);
  assert.equal(answers.filter(({ result }) => result!["isError"] === true).length, 1);
  assert.equal(api.asked.length, 1);
});

test("a token expires", async () => {
  let now = 0;
  const guard = new Guard(() => Promise.resolve(undefined), new TokenSigner(), () => now);
  const plan = { tool: "remove", summary: "" };
  const verdict = await guard.decide(plan, { id: 1 }, undefined, {} as never);
  assert.ok(verdict.kind === "ask");
  now = 5 * 60_000 + 1;
  await assert.rejects(guard.decide(plan, { id: 1 }, verdict.token, {} as never), /has expired/);
});

test("a person who can be asked is asked, and a no is a no", async (t) => {
  const api = await startApi(t);
  const asked: string[] = [];
  const answers = ["accept", "decline", "cancel"] as const;
  const confirm: Confirm = ({ summary }) => Promise.resolve(answers[asked.push(summary) - 1]);
  const client = await serveFile(DELETE, { base: api.origin, confirm });
  assert.equal((await client.call("remove", { id: 1 })).result!["isError"], undefined);
  assert.match(failureOf(await client.call("remove", { id: 2 })), /said no\. Nothing was sent/);
  assert.match(failureOf(await client.call("remove", { id: 3 })), /did not decide\. Nothing was sent/);
  assert.equal(asked.length, 3);
  assert.deepEqual(api.asked.map(({ url }) => url), ["/things/1"]);
});

test("arguments are checked before anybody is asked", async () => {
  const confirm: Confirm = () => assert.fail("somebody was asked");
  const client = await serveFile(DELETE, {
    ...BASE,
    confirm,
    fetch: () => assert.fail("something was sent"),
  });
  // What a lenient parser of integers would let through.
  for (const id of ["1_0", " 7 ", 1.9, true, "7", null, [7], 2 ** 53]) {
    failureOf(await client.call("remove", { id }));
  }
  const { result } = await client.call("remove", { id: 1.9, extra: 1, force: "yes" });
  assert.equal((result!["content"] as [{ text: string }])[0].text.split("\n- ").length, 4);
});
