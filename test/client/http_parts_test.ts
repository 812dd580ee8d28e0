import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeField, fieldsOf } from "../../lib/client/http_fields.ts";
import { EventStream } from "../../lib/client/http_stream.ts";
import { mirror, readMarks } from "../../lib/client/parameter_headers.ts";
import { EventParser } from "../../lib/client/sse.ts";

/** Everything that a stream of events says, cut into pieces of a size. */
async function parse(text: string, size = text.length, maxSize = 1000): Promise<unknown[]> {
  const found: unknown[] = [];
  const parser = new EventParser({
    data: (data) => void found.push(data),
    id: (id) => void found.push({ id }),
    retry: (retry) => void found.push({ retry }),
  }, maxSize);
  for (let at = 0; at < text.length; at += size) await parser.push(text.slice(at, at + size));
  return found;
}

test("events are read as the standard says, however they are cut", async () => {
  const stream = '\ufeff: hello\r\nid: 7\rretry: 500\n\nevent: message\ndata: {"a":\ndata: 1}\r\n\r\n' +
    "data:x\n\nevent: ping\ndata: no\n\nid\nretry: soon\ndata\n\ndata: lost";
  const expected = [{ retry: 500 }, { id: "7" }, '{"a":\n1}', "x", { id: "" }, ""];
  for (const size of [1, 2, 3, 7, 1000]) {
    assert.deepEqual(await parse(stream, size), expected, `pieces of ${size}`);
  }
});

test("an event that is too large is refused before it is whole, in one line or in many", async () => {
  await assert.rejects(parse("data: " + "x".repeat(2000), 10), /more than 1000 characters/);
  await assert.rejects(parse("data: xxxxxxxxx\n".repeat(200), 10), /more than 1000 characters/);
  assert.equal((await parse("data: xxxxxxxxx\n\n".repeat(200), 10)).length, 200);
});

test("a value travels as it is, or in Base64 where it would be changed on the way", () => {
  const cases: [string, string][] = [
    ["us-west1", "us-west1"],
    ["", ""],
    ["us west 1", "us west 1"],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
  ];
  for (const [value, expected] of cases) assert.equal(encodeField(value), expected);
});

test("the header fields of a request say what its body says", () => {
  const fields = (method: string, params: object) =>
    fieldsOf({ method, params: { ...params } }, "2026-07-28", {});
  assert.deepEqual(fields("tools/list", { name: "x" }), {
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/list",
  });
  assert.equal(fields("tools/call", { name: "größe" })["Mcp-Name"], "=?base64?Z3LDtsOfZQ==?=");
  assert.equal(fields("resources/read", { uri: "file:///a" })["Mcp-Name"], "file:///a");
  assert.equal(fields("prompts/get", { name: "p" })["Mcp-Name"], "p");
});

const schema = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

test("marked arguments are mirrored by their path; what is null or missing is not", () => {
  const marks = readMarks(schema({
    region: { type: "string", "x-mcp-header": "Region" },
    inner: schema({ deep: { type: "integer", "x-mcp-header": "Deep" } }),
    flag: { type: "boolean", "x-mcp-header": "Flag" },
  }));
  assert.ok(typeof marks !== "string");
  assert.deepEqual(mirror(marks, { region: "eu", inner: { deep: -7 }, flag: false }), {
    "Mcp-Param-Region": "eu",
    "Mcp-Param-Deep": "-7",
    "Mcp-Param-Flag": "false",
  });
  assert.deepEqual(mirror(marks, { region: null, inner: [], flag: undefined }), {});
  assert.deepEqual(mirror(marks, { region: {}, inner: { deep: 2 ** 53 }, toString: 1 }), {});
});

test("a mark that is not as it must be is named", () => {
  const string = { type: "string", "x-mcp-header": "A" };
  const cases: [object, RegExp][] = [
    [schema({ a: { type: "string", "x-mcp-header": "" } }), /no name of a header field/],
    [schema({ a: { type: "string", "x-mcp-header": "a b" } }), /no name of a header field/],
    [schema({ a: { type: "string", "x-mcp-header": "a\r\nb" } }), /no name of a header field/],
    [schema({ a: { type: "string", "x-mcp-header": 7 } }), /no name of a header field/],
    [schema({ a: { type: "number", "x-mcp-header": "A" } }), /not on a string, an integer or a boolean/],
    [schema({ a: { type: ["string", "null"], "x-mcp-header": "A" } }), /not on a string/],
    [schema({ a: string, b: { type: "string", "x-mcp-header": "a" } }), /two parameters/],
    [schema({ a: { type: "array", items: string } }), /by its name alone/],
    [schema({}, { anyOf: [schema({ a: string })] }), /by its name alone/],
    [schema({}, { $defs: { a: string } }), /by its name alone/],
    [schema({}, { "x-mcp-header": "A" }), /by its name alone/],
  ];
  for (const [wrong, expected] of cases) assert.match(String(readMarks(wrong)), expected);
  // A parameter may be called as the mark is, and a default may hold anything.
  assert.ok(
    Array.isArray(readMarks(schema({ "x-mcp-header": { type: "string", default: { "x-mcp-header": "" } } }))),
  );
});

test("a stream that proxies cut now and then, because nothing is told in it for long, is not given up", async () => {
  for (const lastsMs of [9_000, 11_000]) {
    let now = 0;
    let asked = 0;
    const stream = new EventStream(() => {}, new AbortController().signal, () => now);
    const ask = () => {
      if (++asked === 8) stream.isDone = true;
      const body = new ReadableStream({
        pull: (controller) => {
          now += lastsMs;
          controller.close();
        },
      }, { highWaterMark: 0 });
      return Promise.resolve(new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
    };
    // The wait between two connections is the shortest that a server can ask for.
    await stream.read(new Response("retry: 0\n\n"));
    const followed = stream.follow(ask, true);
    if (lastsMs < 10_000) await assert.rejects(followed, /broke off again and again/);
    else await followed;
    assert.equal(asked, lastsMs < 10_000 ? 6 : 8);
  }
});
