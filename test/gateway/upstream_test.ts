/** Good and bad answers of an API, over real connections where those matter. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { ServerResponse } from "node:http";
import type { Sent, Written } from "./gateways.ts";
import { textOf } from "../mcp/server/tool_client.ts";
import { callOne, callTogether, confirm, failureOf, json, readParts } from "./gateways.ts";
import { table } from "../harness/table.ts";
import { serve, serveOne, startApi, written } from "./gateways.ts";

const SHAPE = { type: "object", properties: { id: { type: "integer" } } };
const JSON_TYPE = { "content-type": "application/json" };

/** A response with a body of this type. */
function answer(body: BodyInit | null, type?: string, status = 200): Response {
  // A response made from a string would have a type.
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return new Response(bytes, { status, headers: type === undefined ? {} : { "content-type": type } });
}

const deep = (levels: number) => `${"[".repeat(levels)}1234567890123456789${"]".repeat(levels)}`;
const BODIES: Readonly<Record<string, string | Uint8Array<ArrayBuffer> | null>> = {
  NONE: null,
  BYTES: new Uint8Array([0, 255, 1]),
  LATIN: new Uint8Array([0xe9]),
  CONTROL: new Uint8Array([0x61, 0, 0x1b]),
  DEEP: deep(500),
  DEEPER: deep(200_000),
  LONG: `{"id":"${"x".repeat(5000)}"}`,
  LARGE: "x".repeat(3000),
};

/**
 * A method, or SHAPE for GET with an output schema; status, type and body of the answer; the shown texts, separated by arrows;
 * the data, or why it does not match the schema.
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
  GET 200 - LATIN | FILE application/octet-stream 6Q==
  GET 200 - CONTROL | FILE application/octet-stream YQAb
  GET 200 - {"id":7} | {"id":7}
  GET 200 - a,b | a,b
  GET 200 - {"id": | {"id":
  GET 200 - 7 | 7
  GET 404 - {"error":"none"} | ERROR The API answered 404.\nkind: status; status: 404; retry: no\n\n{"error":"none"} | -
  SHAPE 200 - {"id":7} | {"id":7} | {"id":7}
  SHAPE 200 - é | é | its type is text/plain, not JSON
  GET 200 text/plain BYTES | FILE text/plain
  GET 200 text/plain;charset=unknown BYTES | FILE text/plain
  SHAPE 200 application/json {"id":7,"name":"é"} | {"id":7,"name":"é"} | {"id":7,"name":"é"}
  SHAPE 200 application/json {"n":1e300,"all":[-9007199254740993,9007199254740991]} | {"n":1e300,"all":[-9007199254740993,9007199254740991]} | {"n":1e300,"all":["-9007199254740993",9007199254740991]}
  SHAPE 200 application/json {"id":"7"} | {"id":"7"} | /id: Expected an integer, but got a string.
  SHAPE 204 - NONE | The API answered 204, with no content. | it is empty
  SHAPE 200 text/html <p> | The API answered with text/html: -> <p> | its type is text/html, not JSON
  SHAPE 200 application/json {"id":12345678901234567890} | {"id":12345678901234567890} | /id: Expected an integer, but got a string.
  SHAPE 200 application/json DEEPER | DEEPER | it is nested too deeply
  SHAPE 200 application/json LONG | LONG | /id: Expected an integer, but got a string.
  GET 404 text/html <h1>nginx/1.2.3</h1> | ERROR The API answered 404. | status
  GET 200 text/event-stream data: | ERROR The API answered with an event stream, which is not supported. | stream
  GET 200 application/json { | ERROR The call was carried out, but the answer is not valid JSON, although its type is JSON. | unreadable
  POST 303 text/plain ... | ERROR The API answered with a redirect that is not followed; the call may have been carried out: check before you repeat it. | redirect
  POST 304 text/plain NONE | ERROR The API answered with a redirect that is not followed; the call may have been carried out: check before you repeat it. | redirect
  POST 201 application/json LARGE | ERROR The answer is too large; the call was carried out, so do not repeat it. | too_large
  POST 422 application/json LARGE | ERROR The answer is too large. | too_large
  POST 500 application/json LARGE | ERROR The answer is too large; the call may have been carried out: check before you repeat it. | too_large
  POST 200 text/event-stream data: | ERROR The API answered with an event stream, which is not supported; the call was carried out, so do not repeat it. | stream
  POST 201 application/json OK | ERROR The call was carried out, but the answer is not valid JSON, although its type is JSON. | unreadable
`;

/** The result that a row of the table expects. */
function resultOf(shown: string, status: string, data?: string): Written {
  const [, mark, rest = ""] = /^(?:(ERROR|BLOCK|FILE) )?(.*)$/s.exec(shown)!;
  const said = (...texts: string[]) => texts.map((text) => ({ type: "text", text: BODIES[text] ?? text }));
  if (mark === "BLOCK") return { content: [JSON.parse(rest)] };
  if (mark === "FILE") {
    const [mimeType, blob = "AP8B"] = rest.split(" ");
    return { content: [{ type: "resource", resource: { mimeType, blob } }] };
  }
  if (data === "-") return { content: said(rest.replaceAll("\\n", "\n")), isError: true };
  if (mark) return { content: said(`${rest}\nkind: ${data}; status: ${status}; retry: no`), isError: true };
  const content = said(...rest.split(" -> "));
  if (data === undefined) return { content };
  if (data.startsWith("{")) return { content, structuredContent: JSON.parse(data) };
  const note = "The call was carried out, but the answer does not match the description of the API: ";
  return { content: [...said(note + data), ...content], structuredContent: { unexpected_answer: data } };
}

test("an answer is shown with all its digits or bytes; a mismatch is reported, and the call counts as carried out", async () => {
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

test("a status of 400 or more is a result that states kind, status and whether to retry", async () => {
  const trace = '{"error":"because","trace":"at db.internal:5432"}';
  for (const status of [400, 401, 404, 408, 409, 422, 429, 500, 502, 503, 504]) {
    const logged: string[] = [];
    const onfailure = (tool: string, reason: string) => void logged.push(`${tool}: ${reason}`);
    const failing = () => json(JSON.parse(trace), status, { "retry-after": "30" });
    const retry = (statuses: number[]) => statuses.includes(status) ? "yes, after 30 seconds" : "no";
    const text = failureOf((await callOne(failing, {}, { onfailure })).answer);
    const wanted = retry([408, 429, 502, 503, 504]);
    assert.ok(text.includes(`\nkind: status; status: ${status}; retry: ${wanted}`), text);
    // What an API says about the caller's error is for the model; what it says about its own errors is for the log.
    assert.equal(text.includes(trace), status < 500, text);
    const line = `probe: The API answered ${status} and said: ${trace}`;
    assert.deepEqual(logged, status < 500 ? [] : [line]);
    const changed = failureOf((await callOne(failing, { method: "POST" })).answer);
    assert.ok(changed.includes(`retry: ${retry([429, 503])}`), changed);
    assert.equal(changed.includes("may have been carried out"), status >= 500, changed);
  }
});

const LARGE = new Uint8Array(2 ** 20).fill(32);
const TEXT_TYPE = { "content-type": "text/plain" };

/** The answers of an API, by path. */
const ROUTES: Readonly<Record<string, (response: ServerResponse, body: string) => void>> = {
  "/never": () => {},
  "/slow": (response) => void response.writeHead(200, JSON_TYPE).write("["),
  "/broken": (response) => {
    response.writeHead(200, { ...JSON_TYPE, "content-length": "100" }).write("[");
    response.destroy();
  },
  "/moved": (response) => void response.writeHead(302, { location: "/echo" }).end(),
  "/echo": (response, body) => void response.writeHead(200, JSON_TYPE).end(JSON.stringify({ body })),
  "/empty": (response) => void response.writeHead(204).end(),
  "/large": (response) => void response.writeHead(200, TEXT_TYPE).end(LARGE),
  "/packed": (response) =>
    void response.writeHead(200, { ...TEXT_TYPE, "content-encoding": "gzip" }).end(gzipSync(LARGE)),
  "/endless": (response) => {
    const more = () => {
      while (response.write(LARGE.subarray(0, 65536)));
    };
    response.writeHead(200, TEXT_TYPE).on("drain", more);
    more();
  },
};

/** Method, path and body of a call; its text; the kind of its failure. */
const CALLS = String.raw`
  GET /echo - | {"body":""}
  GET /moved - | {"body":""}
  GET /echo {"query":"é"} | {"body":"{\"query\":\"é\"}"}
  GET /moved {"query":"é"} | {"body":"{\"query\":\"é\"}"}
  GET /empty {"query":"é"} | The API answered 204, with no content.
  GET /stolen - | The API answered with a redirect that is not followed. | redirect; status: 302; retry: no
  GET /never - | The API did not answer within 100 ms. | timeout; status: none; retry: yes
  GET /slow - | The API did not answer within 100 ms. | timeout; status: none; retry: yes
  GET /slow {} | The API did not answer within 100 ms. | timeout; status: none; retry: yes
  DELETE /never - | The API did not answer within 100 ms; the call may have been carried out: check before you repeat it. | timeout; status: none; retry: no
  GET /broken - | The connection to the API failed. | connection; status: none; retry: yes
  GET /dead - | The connection to the API failed. | connection; status: none; retry: yes
  GET /dead {} | The connection to the API failed. | connection; status: none; retry: yes
  GET /large - | The answer is too large; ask for less, or for one page. | too_large; status: 200; retry: no
  GET /packed - | The answer is too large; ask for less, or for one page. | too_large; status: 200; retry: no
  GET /endless - | The answer is too large; ask for less, or for one page. | too_large; status: 200; retry: no
`;

test("over real connections, answers stay within origin, time and size, and failures reveal nothing about the network", async (t) => {
  const thief = await startApi(t);
  const api = await startApi(t, (response, { url, body }) => {
    if (url === "/stolen") response.writeHead(302, { location: `${thief.origin}/echo` }).end();
    else ROUTES[url]!(response, body);
  });
  const auth = { key: { type: "header", name: "X-Key" } };
  for (const [given, shown, kind] of table(CALLS)) {
    const [method, path = "", json = ""] = given.split(" ");
    const [body, args] = json === "-" ? [] : [{ schema: { type: "object" } }, { body: JSON.parse(json) }];
    const timeoutMs = /never|slow/.test(path) ? 100 : undefined;
    const endpoint = { ...written(), method, path, body, timeoutMs, allow: true };
    const failures: string[] = [];
    const client = await serve({ auth, endpoints: [endpoint] }, {
      base: path === "/dead" ? "http://127.0.0.1:1" : api.origin,
      secrets: { key: "the-secret" },
      maxBytes: 100_000,
      confirm,
      onfailure: (_, reason, cause) => void failures.push(`${cause?.kind}; ${reason}`),
    });
    assert.equal(textOf(await client.call("probe", args)), kind ? `${shown}\nkind: ${kind}` : shown, given);
    assert.equal(failures.join().split(";")[0], kind ? kind.split(";")[0] : "");
    if (kind?.startsWith("connection")) assert.match(failures[0]!, /The connection failed: ./);
  }
  assert.equal(thief.asked.length, 0);
  for (const { headers, body } of api.asked) {
    assert.equal(headers["x-key"], "the-secret");
    assert.equal(headers["content-type"], body === "" ? undefined : "application/json");
  }
});

test("the number of concurrent requests is limited, and waiting counts for the timeout", async () => {
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
  const never = ({ signal }: Sent) =>
    new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const waiting = await serve({ endpoints }, { concurrency: 1, answer: never });
  const answers = await callTogether(waiting, [{ name: "first" }, { name: "second" }]);
  for (const [index, ms] of [200, 20].entries()) {
    assert.ok(failureOf(answers[index]!).includes(`within ${ms} ms.\nkind: timeout`));
  }
  assert.equal(waiting.sent.length, 1);
});

const ITEMS = Array.from({ length: 500 }, (_, id) => ({ id, text: "é".repeat(200) }));
/** Answers that are too long for a model, and their types. */
const LONG: readonly (readonly [value: unknown, type: string])[] = [
  [{ items: ITEMS, total: 500 }, "application/json"],
  [ITEMS, "application/json"],
  [{ "big one": "😀".repeat(50_000), "a/b": { "~": ITEMS }, "?": 7 }, "application/json"],
  [Object.fromEntries(ITEMS.map((item) => [`k${item.id}`, item])), "application/json"],
  ["a line\n".repeat(20_000), "text/csv"],
];

test("a long answer is read in parts, and nothing of it is lost", async () => {
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
      const left = /^The answer has .* set to one of (.*)$/.exec(texts.at(-1)!);
      const shown = texts[type === "text/csv" ? 1 : 0]!;
      const isJson = type !== "text/csv" && /^["{[]/.test(shown);
      return [leaves(isJson ? JSON.parse(shown) : shown), JSON.parse(left?.[1] ?? "[]")];
    });
    assert.equal(read.join("").length, leaves(value).length);
    assert.equal(read.join("").isWellFormed(), true);
    for (const answer_part of ["/no/such", "no pointer"]) {
      const none = failureOf(await client.call("probe", { answer_part }));
      assert.ok(none.includes(`the answer has no part "${answer_part}"`));
    }
  }
});

test("a part of an answer matches the output schema, and all data is sent if the schema requires it", async () => {
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

test("maxShown limits how much of an answer one result shows", async () => {
  const all = JSON.stringify({ items: ITEMS }).length;
  for (const [maxShown, least] of [[2000, 0], [20_000, 5000], [1e6, all]] as const) {
    const { result } = (await callOne(json({ items: ITEMS }), {}, { maxShown })).answer;
    const { length } = (result!["content"] as { text: string }[])[0]!.text;
    assert.ok(length >= least && length < maxShown, `${maxShown}: ${length}`);
  }
});
