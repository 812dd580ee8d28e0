import assert from "node:assert/strict";
import { test } from "node:test";
import { LineDecoder, MAX_LINE_BYTES } from "../../lib/jsonrpc/framing.ts";

const encoder = new TextEncoder();

function decode(chunks: readonly Uint8Array[], maxLineBytes = MAX_LINE_BYTES): (string | number)[] {
  const decoder = new LineDecoder(maxLineBytes);
  const lines = [...chunks.flatMap((chunk) => decoder.push(chunk)), ...decoder.end()];
  return lines.map((line) => typeof line === "string" ? line : line.code);
}

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.slice(start, start + size));
  return chunks;
}

test("LineDecoder gives the same lines however the bytes are cut", () => {
  const text = '{"a":"ä€𝄞"}\n\r\n\n   \n{"b":1}\r\n\uFEFF{"c":2}\n"last without an end"';
  const expected = ['{"a":"ä€𝄞"}', '{"b":1}\r', '{"c":2}', '"last without an end"'];
  const bytes = encoder.encode(text);
  for (let size = 1; size <= bytes.length; size++) assert.deepEqual(decode(cut(bytes, size)), expected);
});

test("LineDecoder does not keep the chunk it was given", () => {
  const decoder = new LineDecoder(MAX_LINE_BYTES);
  const chunk = encoder.encode('"ab');
  decoder.push(chunk);
  chunk.fill(0x78);
  assert.deepEqual(decoder.push(encoder.encode('c"\n')), ['"abc"']);
});

test("LineDecoder reports bytes that are not UTF-8 and reads on", () => {
  const bytes = Uint8Array.from([...encoder.encode('"a"\n"'), 0xff, ...encoder.encode('"\n"b"\n')]);
  assert.deepEqual(decode([bytes]), ['"a"', -32700, '"b"']);
});

test("LineDecoder reports a line over the limit once, skips it to its end, and reads on", () => {
  const bytes = encoder.encode(`"ok"\n${"x".repeat(50)}\n"after"\n`);
  for (const size of [1, 7, 20, 1000]) {
    assert.deepEqual(decode(cut(bytes, size), 16), ['"ok"', -32600, '"after"']);
  }
  assert.deepEqual(decode([encoder.encode(`${"x".repeat(16)}\n`)], 16), ["x".repeat(16)]);
  assert.deepEqual(decode([encoder.encode(`${"x".repeat(17)}\n`)], 16), [-32600]);
});

test("LineDecoder costs no more in small chunks than its input is long", () => {
  const line = encoder.encode(`"${"x".repeat(1024 * 1024)}"\n`);
  assert.deepEqual(decode(cut(line, 1)).map(String).map((text) => text.length), [1024 * 1024 + 2]);
});
