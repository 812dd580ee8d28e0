/** What happens to what is no message at all? It is refused as the revision in force says, and the next one is served. */

import type { Answer } from "./wire.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RUNTIMES } from "./programs.ts";
import { LEGACY_REVISIONS } from "./rules.ts";
import { initializeParams, MODERN_META, Wire } from "./wire.ts";

const MEGABYTE = 1024 * 1024;

/** Lines that no id can be read from, with the code of their refusal. */
const UNREADABLE: readonly (readonly [number, string, string | Uint8Array])[] = [
  [-32700, "no JSON", "{"],
  [-32700, "half a message", '{"jsonrpc":"2.0","id":1,"method":"ping"'],
  [
    -32700,
    "two messages on a line",
    '{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}',
  ],
  [-32700, "a header of another protocol", "Content-Length: 52"],
  [-32700, "bytes that are not UTF-8", Uint8Array.of(0x22, 0xff, 0xfe, 0x22)],
  [-32700, "UTF-16", Uint8Array.of(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00)],
  [-32600, "a text", '"ping"'],
  [-32600, "a number", "7"],
  [-32600, "null", "null"],
  [-32600, "an empty object", "{}"],
  [-32600, "an empty list", "[]"],
  [-32600, "a request with the id null", '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
  [-32600, "a request with half an id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}'],
  [
    -32600,
    "a request with an id that a double cannot hold",
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
  ],
  [-32600, "a request with an object as id", '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
  [-32600, "a request with true as id", '{"jsonrpc":"2.0","id":true,"method":"ping"}'],
  [
    -32600,
    "a line that is too long",
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${"x".repeat(5 * MEGABYTE)}"}}`,
  ],
];

/** Lines that an id can be read from ("$"), which are refused under it. */
const READABLE: readonly (readonly [string, string])[] = [
  ["no version of JSON-RPC", '{"id":"$","method":"ping"}'],
  ["another version of JSON-RPC", '{"jsonrpc":"1.0","id":"$","method":"ping"}'],
  ["no method", '{"jsonrpc":"2.0","id":"$"}'],
  ["a method that is a number", '{"jsonrpc":"2.0","id":"$","method":7}'],
  ["params that are a text", '{"jsonrpc":"2.0","id":"$","method":"ping","params":"x"}'],
  ["params that are null", '{"jsonrpc":"2.0","id":"$","method":"ping","params":null}'],
  ["a method and a result", '{"jsonrpc":"2.0","id":"$","method":"ping","result":{}}'],
  ["a hostile member", '{"jsonrpc":"2.0","id":"$","method":"ping","params":{"__proto__":{"x":1}}}'],
  [
    "bottomless params",
    `{"jsonrpc":"2.0","id":"$","method":"ping","params":{"x":${"[".repeat(1000)}${"]".repeat(1000)}}}`,
  ],
];

const SITUATIONS: readonly { name: string; agreed: string | undefined; id: null | undefined }[] = [
  { name: "before anything is agreed", agreed: undefined, id: null },
  ...LEGACY_REVISIONS.map((agreed) => ({
    name: `in ${agreed}`,
    agreed,
    id: agreed < "2025-11-25" ? null : undefined,
  })),
];

for (const runtime of RUNTIMES) {
  describe(`malformed lines on ${runtime.name}`, { skip: runtime.skip }, () => {
    for (const { name, agreed, id } of SITUATIONS) {
      it(`are refused ${name}`, async () => {
        const wire = new Wire(runtime.launch());
        if (agreed !== undefined) await wire.initialize(agreed);
        for (const [code, what, line] of UNREADABLE) {
          wire.write(line);
          wire.write("\n");
          const answer = await wire.answer();
          assert.equal(answer.error?.code, code, what);
          assert.equal(answer.id, id, `${what}: the id`);
          assert.equal("id" in answer, id === null, `${what}: the member id`);
        }
        for (const [index, [what, line]] of READABLE.entries()) {
          const own = `readable-${index}`;
          // Noted as a request, so that the answer is measured as one.
          const asked = wire.answer(own);
          wire.expect(own, "ping");
          wire.write(`${line.replace("$", own)}\n`);
          assert.equal((await asked).error?.code, -32600, what);
        }
        assert.deepEqual((await wire.ask("ping")).result, {}, "the conversation goes on");
        await wire.close();
      });
    }

    it("are refused in a conversation without a handshake, and the next request is served", async () => {
      const wire = new Wire(runtime.launch());
      assert.ok((await wire.askModern("resources/list")).result);
      wire.write("{\n");
      const answer = await wire.answer();
      assert.equal(answer.error?.code, -32700);
      // Nothing was agreed, so null as JSON-RPC says, or none as 2026-07-28 says.
      assert.equal(answer.id ?? null, null);
      assert.ok((await wire.askModern("resources/list")).result);
      await wire.close();
    });

    it("may be answers to nothing, which are ignored", async () => {
      const wire = new Wire(runtime.launch());
      await wire.initialize("2025-06-18");
      wire.write(
        '{"jsonrpc":"2.0","id":77,"result":{}}\n{"jsonrpc":"2.0","id":78,"error":{"code":1,"message":"x"}}\n',
      );
      wire.write('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}\n');
      assert.deepEqual((await wire.ask("ping")).result, {});
      await wire.close();
    });

    it("do not include ids that are merely odd", async () => {
      const wire = new Wire(runtime.launch());
      await wire.initialize("2025-11-25");
      for (
        const id of ["", "0", 0, -1, Number.MAX_SAFE_INTEGER, 'ü\u2028"\\', "__proto__", "x".repeat(10_000)]
      ) {
        wire.send({ jsonrpc: "2.0", id, method: "ping" });
        const answer: Answer = await wire.answer(id);
        assert.deepEqual([answer.id, answer.result], [id, {}]);
      }
      await wire.close();
    });

    it("include a second request under an id that is not answered yet", async () => {
      const wire = new Wire(runtime.launch());
      await wire.initialize("2025-11-25");
      wire.send(
        { jsonrpc: "2.0", id: "twice", method: "resources/list" },
        { jsonrpc: "2.0", id: "twice", method: "resources/list" },
      );
      assert.ok((await wire.answer("twice")).result, "the first is answered");
      assert.equal((await wire.answer()).error?.code, -32600, "the second is refused without the id");
      await wire.close();
    });
  });

  describe(`batches on ${runtime.name}`, { skip: runtime.skip }, () => {
    const request = (id: number, method: string, params = {}) => ({ jsonrpc: "2.0", id, method, params });
    const note = { jsonrpc: "2.0", method: "notifications/progress" };

    it("are served in 2025-03-26", async () => {
      const wire = new Wire(runtime.launch());
      await wire.initialize("2025-03-26");
      wire.send([request(101, "resources/list"), note, request(102, "nope"), request(103, "ping"), 7]);
      assert.ok((await wire.answer(101)).result);
      assert.equal((await wire.answer(102)).error?.code, -32601);
      assert.deepEqual((await wire.answer(103)).result, {});
      assert.equal((await wire.answer()).error?.code, -32600);
      assert.deepEqual(wire.batches, [4], "all answers in one batch");
      wire.send([note, note]);
      wire.send([]);
      const empty = await wire.answer();
      assert.deepEqual(
        [empty.error?.code, empty.id],
        [-32600, null],
        "nothing to answer is not answered, nothing is",
      );
      assert.deepEqual(wire.batches, [4]);
      await wire.close();
    });

    it("are refused as a whole everywhere else", async () => {
      for (const revision of [undefined, "2024-11-05", "2025-06-18", "2025-11-25"]) {
        const wire = new Wire(runtime.launch());
        if (revision !== undefined) await wire.initialize(revision);
        const before = revision ?? "nothing agreed";
        wire.write(
          `${
            JSON.stringify([request(1, "ping"), request(2, "initialize", initializeParams("2025-03-26"))])
          }\n`,
        );
        const answer = await wire.answer();
        assert.equal(answer.error?.code, -32600, before);
        assert.equal("id" in answer, revision !== "2025-11-25", before);
        assert.ok((await wire.askModern("resources/list")).result);
        wire.write(`${JSON.stringify([{ ...request(3, "tools/list"), params: { _meta: MODERN_META } }])}\n`);
        assert.equal((await wire.answer()).error?.code, -32600, `${before}, a batch of a modern request`);
        await wire.close();
      }
    });
  });
}
