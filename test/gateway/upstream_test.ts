/** What becomes of the answers of an API, good and bad, over real connections where those matter. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { GatewayOptions } from "../../lib/gateway/mod.ts";
import type { Written } from "./gateways.ts";
import { UpstreamError } from "../../lib/gateway/mod.ts";
import { textOf } from "../server/tool_client.ts";
import { callOne, callTogether, confirm, failureOf, json, never, readParts } from "./gateways.ts";
import { table } from "../harness/table.ts";
import { serve, serveOne, startApi, written } from "./gateways.ts";

const SHAPE = { type: "object", properties: { id: { type: "integer" } } };
const JSON_TYPE = { "content-type": "application/json" };

/** A response with a body of some type. */
function answer(body: BodyInit | null, type?: string, status = 200): Response {
  return new Response(body, { status, headers: type === undefined ? {} : { "content-type": type } });
}

const deep = (levels: number) => `${"[".repeat(levels)}1234567890123456789${"]".repeat(levels)}`;
const BODIES: Readonly<Record<string, string | Uint8Array<ArrayBuffer> | null>> = {
  NONE: null,
  BYTES: new Uint8Array([0, 255, 1]),
  LATIN: new Uint8Array([0xe9]),
  DEEP: deep(500),
  DEEPER: deep(200_000),
  LONG: `{"id":"${"x".repeat(5000)}"}`,
  LARGE: "x".repeat(3000),
};

/**
 * A method, or SHAPE for GET with an answer that is promised to have one; status, type and body of the answer; what is shown, with
 * arrows between texts; the data, or why it does not fit the promise.
 */
const ANSWERS = String.raw`
  GET 200 application/json [1,2] | [1,2]
  GET 200 application/json {"id":12345678901234567890} | {"id":12345678901234567890}
  GET 200 application/json DEEP | DEEP
  GET 200 application/json DEEPER | DEEPER
  GET 204 - NONE | The API answered 204, with no content.
  GET 200 text/plain;charset=iso-8859-1 LATIN | é
  GET 200 text/csv a,b | The API answered with text/csv: -> a,b
  GET 200 image/png BYTES | BLOCK {"type":"image","data":"AP8B","mimeType":"image/png"}
  GET 200 audio/wav BYTES | BLOCK {"type":"audio","data":"AP8B","mimeType":"audio/wav"}
  GET 200 application/zip BYTES | FILE application/zip
  GET 200 - BYTES | FILE application/octet-stream
  GET 200 text/plain BYTES | FILE text/plain
  GET 200 text/plain;charset=unknown BYTES | FILE text/plain
  SHAPE 200 application/json {"id":7,"name":"é"} | {"id":7,"name":"é"} | {"id":7,"name":"é"}
  SHAPE 200 application/json {"n":1e300,"all":[-9007199254740993,9007199254740991]} | {"n":1e300,"all":[-9007199254740993,9007199254740991]} | {"n":1e300,"all":["-9007199254740993",9007199254740991]}
  SHAPE 200 application/json {"id":"7"} | {"id":"7"} | /id: Expected an integer, but got a string.
  SHAPE 204 - NONE | The API answered 204, with no content. | it is empty
  SHAPE 200 text/html <p> | The API answered with text/html: -> <p> | it is text/html and not JSON
  SHAPE 200 application/json {"id":12345678901234567890} | {"id":12345678901234567890} | /id: Expected an integer, but got a string.
  SHAPE 200 application/json DEEPER | DEEPER | it nests too deep
  SHAPE 200 application/json LONG | LONG | /id: Expected an integer, but got a string.
  GET 404 text/html <h1>nginx/1.2.3</h1> | ERROR The API answered 404. | status
  POST 303 text/plain ... | ERROR The API redirected the call to where it is not followed, and it is not known whether it was carried out: look before you call again. | redirect
  POST 304 text/plain NONE | ERROR The API redirected the call to where it is not followed, and it is not known whether it was carried out: look before you call again. | redirect
  POST 201 application/json LARGE | ERROR The answer is larger than is read here; the call was carried out, so do not repeat it for that. | too_large
  POST 422 application/json LARGE | ERROR The answer is larger than is read here. | too_large
  POST 500 application/json LARGE | ERROR The answer is larger than is read here, and it is not known whether it was carried out: look before you call again. | too_large
  POST 200 text/event-stream data: | ERROR The API answered with a stream of events, which is not read here; the call was carried out, so do not repeat it for that. | stream
  POST 201 application/json OK | ERROR The call was carried out, but the API said that its answer is JSON, and it is not. | unreadable
`;

/** The result that a row of the table says. */
function resultOf(shown: string, status: string, data?: string): Written {
  const [, mark, rest = ""] = /^(?:(ERROR|BLOCK|FILE) )?(.*)$/s.exec(shown)!;
  const said = (...texts: string[]) => texts.map((text) => ({ type: "text", text: BODIES[text] ?? text }));
  if (mark === "BLOCK") return { content: [JSON.parse(rest)] };
  if (mark === "FILE") return { content: [{ type: "resource", resource: { mimeType: rest, blob: "AP8B" } }] };
  if (mark) return { content: said(`${rest}\nkind: ${data}; status: ${status}; retry: no`), isError: true };
  const content = said(...rest.split(" -> "));
  if (data === undefined) return { content };
  if (data.startsWith("{")) return { content, structuredContent: JSON.parse(data) };
  const note = "The call was carried out, but the answer is not what the API says of itself: ";
  return { content: [...said(note + data), ...content], structuredContent: { unexpected_answer: data } };
}

test("an answer is shown with all of its digits or bytes, and what it is not is said; a change is not told as undone", async () => {
  for (const [given, shown, data] of table(ANSWERS)) {
    const [method, status, type, body] = given.split(" ") as [string, string, string, string];
    const endpoint = method === "SHAPE" ? { response: SHAPE } : { method };
    const content = Object.hasOwn(BODIES, body) ? BODIES[body]! : body;
    const response = answer(content, type === "-" ? undefined : type, Number(status));
    const options = { maxShown: 1e6, ...(body === "LARGE" && { maxBytes: 2000 }) };
    const { result } = (await callOne(response, endpoint, options)).answer;
    const found = JSON.parse(JSON.stringify(result).replace(/"uri":"urn:uuid:[0-9a-f-]{36}",/, ""));
    assert.deepEqual(found, resultOf(shown, status, data), given);
  }
});

test("a status of 400 and up is a result that states kind, status and whether a retry makes sense", async () => {
  const trace = '{"error":"because","trace":"at db.internal:5432"}';
  for (const status of [400, 401, 404, 408, 409, 422, 429, 500, 502, 503, 504]) {
    const logged: string[] = [];
    const onfailure = (tool: string, reason: string) => void logged.push(`${tool}: ${reason}`);
    const failing = () => json(JSON.parse(trace), status, { "retry-after": "30" });
    const retry = (statuses: number[]) => statuses.includes(status) ? "yes, after 30 seconds" : "no";
    const text = failureOf((await callOne(failing, {}, { onfailure })).answer);
    const wanted = retry([408, 429, 502, 503, 504]);
    assert.ok(text.includes(`\nkind: status; status: ${status}; retry: ${wanted}`), text);
    // What an API says of a mistake is for the model; what it says of itself is for the log.
    assert.equal(text.includes(trace), status < 500, text);
    const line = `probe: The API answered ${status} and said: ${trace}`;
    assert.deepEqual(logged, status < 500 ? [] : [line]);
    const changed = failureOf((await callOne(failing, { method: "POST" })).answer);
    assert.ok(changed.includes(`retry: ${retry([429, 503])}`), changed);
    assert.equal(changed.includes("not known whether"), status >= 500, changed);
  }
});

test("an API that does not answer in time is a timeout, while it waits and while it sends", async (t) => {
  const api = await startApi(t, (response, { url }) => {
    if (url === "/slow") response.writeHead(200, JSON_TYPE).write("[");
  });
  const causes: unknown[] = [];
  const options: Partial<GatewayOptions> = {
    base: api.origin,
    confirm,
    onfailure: (_tool, _reason, cause) => void causes.push(cause instanceof UpstreamError && cause.kind),
  };
  const change = { name: "change", path: "/never", method: "DELETE", allow: true };
  const endpoints = [{ name: "never", path: "/never" }, { name: "slow", path: "/slow" }, change]
    .map((one) => written({ ...one, timeoutMs: 100 }));
  const client = await serve({ endpoints }, options);
  const answers = await callTogether(client, endpoints.map(({ name }) => ({ name })));
  const [never, slow, changed] = answers.map(failureOf);
  const wanted = "The API did not answer within 100 ms.\nkind: timeout; status: none; retry: yes";
  assert.deepEqual([never, slow], [wanted, wanted]);
  assert.match(changed!, /not known whether .*retry: no$/s);
  assert.deepEqual(causes, ["timeout", "timeout", "timeout"]);
});

test("a connection that breaks, and one that is never made, say nothing of the network", async (t) => {
  const api = await startApi(t, (response) => {
    response.writeHead(200, { ...JSON_TYPE, "content-length": "100" }).write("[");
    response.destroy();
  });
  for (const base of [api.origin, "http://127.0.0.1:1"]) {
    const logged: string[] = [];
    const onfailure = (tool: string, reason: string) => void logged.push(`${tool}: ${reason}`);
    const text = failureOf(await (await serveOne({}, { base, onfailure })).call("probe"));
    const sentence = "The API could not be reached, or the connection broke.";
    assert.equal(text, `${sentence}\nkind: connection; status: none; retry: yes`);
    assert.match(logged.join(), /^probe: The connection broke or could not be made: ./);
  }
});

test("over a real connection, a redirect is followed within the origin and not to another one", async (t) => {
  const thief = await startApi(t);
  const api = await startApi(t, (response, { url }) => {
    if (url === "/moved") return void response.writeHead(200, JSON_TYPE).end("[]");
    response.writeHead(302, { location: url === "/probe" ? "/moved" : `${thief.origin}/probe` }).end();
  });
  const endpoints = [written(), written({ name: "elsewhere", path: "/elsewhere" })];
  const file = { auth: { key: { type: "header", name: "X-Key" } }, endpoints };
  const client = await serve(file, { base: api.origin, secrets: { key: "the-secret" } });
  assert.equal(textOf(await client.call("probe")), "[]");
  const text = failureOf(await client.call("elsewhere"));
  assert.match(text, /redirected the call.*\nkind: redirect; status: 302; retry: no/);
  const asked = ["/probe", "/moved", "/elsewhere"].map((url) => [url, "the-secret"]);
  assert.deepEqual(api.asked.map(({ url, headers }) => [url, headers["x-key"]]), asked);
  assert.equal(thief.asked.length, 0);
});

test("GET with a body is sent, and answered as any other call", async (t) => {
  const api = await startApi(t, (response, { url, body }) => {
    if (url === "/moved") return void response.writeHead(302, { location: "/probe" }).end();
    if (url === "/slow") return void response.writeHead(200, JSON_TYPE).write("[");
    if (body === '{"none":1}') return void response.writeHead(204).end();
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ body }));
  });
  const body = { schema: { type: "object" } };
  const more = [{ name: "moved", path: "/moved" }, { name: "slow", path: "/slow", timeoutMs: 100 }];
  const endpoints = [{}, ...more].map((one) => written({ ...one, body }));
  const client = await serve({ endpoints }, { base: api.origin });
  const wanted = '{"body":"{\\"query\\":\\"é\\"}"}';
  assert.equal(textOf(await client.call("probe", { body: { query: "é" } })), wanted);
  assert.equal(textOf(await client.call("moved", { body: { query: "é" } })), wanted);
  assert.match(textOf(await client.call("probe", { body: { none: 1 } })), /answered 204, with no content/);
  assert.match(failureOf(await client.call("slow", { body: {} })), /kind: timeout/);
  const gone = await serveOne({ body }, { base: "http://127.0.0.1:1" });
  assert.match(failureOf(await gone.call("probe", { body: {} })), /kind: connection/);
  const asked = api.asked.map(({ method, url, headers }) => `${method} ${url} ${headers["content-type"]}`);
  const paths = ["/probe", "/moved", "/probe", "/probe", "/slow"];
  assert.deepEqual(asked, paths.map((path) => `GET ${path} application/json`));
});

test("an answer that is too large is a failure, however it is packed and whatever it says of its length", async (t) => {
  const large = new Uint8Array(2 ** 20).fill(32);
  const api = await startApi(t, (response, { url }) => {
    const packing = url === "/packed" ? { "content-encoding": "gzip" } : {};
    response.writeHead(200, { "content-type": "text/plain", ...packing });
    if (url !== "/endless") return void response.end(url === "/packed" ? gzipSync(large) : large);
    const more = () => {
      while (response.write(large.subarray(0, 65536)));
    };
    response.on("drain", more);
    more();
  });
  for (const path of ["/large", "/packed", "/endless"]) {
    const client = await serveOne({ path }, { base: api.origin, maxBytes: 100_000 });
    const text = failureOf(await client.call("probe"));
    assert.match(text, /larger than is read here.*\nkind: too_large; status: 200; retry: no/);
  }
});

test("no more requests are sent at once than may be, and those that wait have their time too", async () => {
  const open: ((response: Response) => void)[] = [];
  let most = 0;
  const twoByTwo = () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    most = Math.max(most, open.push(resolve));
    if (open.length === 2) open.splice(0).forEach((finish) => finish(json({})));
    return promise;
  };
  const client = await serveOne({}, { answer: twoByTwo, concurrency: 2 });
  await callTogether(client, Array.from({ length: 6 }, () => ({ name: "probe" })));
  assert.deepEqual([client.sent.length, most], [6, 2]);
  const endpoints = [["first", 200], ["second", 20]].map(([name, timeoutMs]) => written({ name, timeoutMs }));
  const waiting = await serve({ endpoints }, { concurrency: 1, answer: ({ signal }) => never(signal) });
  const answers = await callTogether(waiting, [{ name: "first" }, { name: "second" }]);
  for (const [index, ms] of [200, 20].entries()) {
    assert.ok(failureOf(answers[index]!).includes(`within ${ms} ms.\nkind: timeout`));
  }
  assert.equal(waiting.sent.length, 1);
});

/** Answers that are too long for a model, how they are called, and what the first part holds. */
const ITEMS = Array.from({ length: 500 }, (_, id) => ({ id, text: "é".repeat(200) }));
const LONG: readonly (readonly [value: unknown, type: string])[] = [
  [{ items: ITEMS, total: 500 }, "application/json"],
  [ITEMS, "application/json"],
  [{ "big one": "😀".repeat(50_000), "a/b": { "~": ITEMS }, id: 7 }, "application/json"],
  [Object.fromEntries(ITEMS.map((item) => [`k${item.id}`, item])), "application/json"],
  ["a line\n".repeat(20_000), "text/csv"],
];

test("a long answer comes in parts that fit a model, and nothing of it is lost", async () => {
  for (const [value, type] of LONG) {
    const whole = typeof value === "string" ? value : JSON.stringify(value);
    const client = await serveOne({}, { answer: () => answer(whole, type) });
    const leaves = (part: unknown): string =>
      typeof part === "object" && part !== null ? Object.values(part).map(leaves).join("") : String(part);
    const read = await readParts(async (answer_part) => {
      const { result } = await client.call("probe", answer_part === undefined ? {} : { answer_part });
      const texts = (result!["content"] as { text: string }[]).map(({ text }) => text);
      assert.ok(new TextEncoder().encode(texts.join("")).length < 40 * 1024);
      assert.equal(result!["structuredContent"], undefined);
      const left = /^The answer has .* as one of (.*)$/.exec(texts.at(-1)!);
      const shown = texts[type === "text/csv" ? 1 : 0]!;
      const isJson = type !== "text/csv" && /^["{[]/.test(shown);
      return [leaves(isJson ? JSON.parse(shown) : shown), JSON.parse(left?.[1] ?? "[]")];
    });
    assert.equal(read.join("").length, leaves(value).length);
    assert.equal(read.join("").isWellFormed(), true);
    const none = failureOf(await client.call("probe", { answer_part: "/no/such" }));
    assert.match(none, /it has no part "\/no\/such"/);
  }
});

test("a part of an answer that is promised is data of that shape, and whole where the promise demands all of it", async () => {
  const items = { type: "array", items: { type: "object", properties: { id: { type: "integer" } } } };
  const whole = { items: ITEMS, total: 500 };
  const data = { items: ITEMS.slice(490) };
  for (const required of [[], ["total", "items"]]) {
    const response = { type: "object", properties: { items, total: { type: "integer" } }, required };
    const { answer } = await callOne(json(whole), { response }, {}, { answer_part: "/items/490-" });
    assert.deepEqual(answer.result!["structuredContent"], required.length > 0 ? whole : data);
    assert.deepEqual(JSON.parse(textOf(answer)), data.items);
  }
});

test("maxShown says how much of an answer is shown at once", async () => {
  const all = JSON.stringify({ items: ITEMS }).length;
  for (const [maxShown, least] of [[2000, 0], [20_000, 5000], [1e6, all]] as const) {
    const { result } = (await callOne(json({ items: ITEMS }), {}, { maxShown })).answer;
    const { length } = (result!["content"] as { text: string }[])[0]!.text;
    assert.ok(length >= least && length < maxShown, `${maxShown}: ${length}`);
  }
});
