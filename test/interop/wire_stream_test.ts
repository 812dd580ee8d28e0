/** Does it matter how the bytes come, and when they end? Whatever was read is answered in full, and then the process ends. */

import { Buffer } from "node:buffer";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { OWN_ROOT, RUNTIMES } from "./programs.ts";
import { expectedDocuments } from "./documents.ts";
import { initializeParams, MODERN_META, Wire } from "./wire.ts";

const documents = expectedDocuments(OWN_ROOT);
/** After the end of its input the process may take this long, in milliseconds: a second, and what a busy machine adds. */
const MAX_ENDING_MS = 5_000;

for (const runtime of RUNTIMES) {
  describe(`bytes on ${runtime.name}`, { skip: runtime.skip }, () => {
    it("may come one at a time, within characters too", async () => {
      const wire = new Wire(runtime.launch());
      wire.expect("ü🏛", "initialize");
      const text = JSON.stringify({
        jsonrpc: "2.0",
        id: "ü🏛",
        method: "initialize",
        params: initializeParams("2025-11-25"),
      });
      for (const byte of Buffer.from(`${text}\n`)) {
        wire.write(Uint8Array.of(byte));
        await pause(0);
      }
      assert.equal((await wire.answer("ü🏛")).id, "ü🏛");
      await wire.close();
    });

    it("may have carriage returns, blank lines, a byte order mark, and separators of Unicode within texts", async () => {
      const wire = new Wire(runtime.launch());
      wire.expect(1, "ping");
      wire.expect("\u2028", "ping");
      wire.write('\uFEFF{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n\r\n\n   \n');
      wire.write('  {"jsonrpc" : "2.0",\t"id":"\u2028", "method":"ping"}  \r\n');
      assert.deepEqual((await wire.answer(1)).result, {});
      assert.deepEqual((await wire.answer("\u2028")).result, {});
      await wire.close();
    });

    it("are all answered when the input ends right behind them", async () => {
      const wire = new Wire(runtime.launch());
      const open = wire.request("initialize", initializeParams("2025-11-25"));
      const reads = documents.map(({ uri }) => wire.request("resources/read", { uri }));
      const modern = documents.map(({ uri }) => wire.request("resources/read", { uri, _meta: MODERN_META }));
      wire.send(open, ...reads, ...modern);
      const started = performance.now();
      await wire.endInput();
      const took = performance.now() - started;
      for (const [index, { text }] of documents.entries()) {
        assert.equal((await wire.answer(reads[index]!.id)).result.contents[0].text, text.toString());
        assert.equal((await wire.answer(modern[index]!.id)).result.contents[0].text, text.toString());
      }
      assert.ok((await wire.answer(open.id)).result);
      await wire.close();
      assert.ok(took < MAX_ENDING_MS, `the process ended after ${took} ms`);
    });

    it("may end without a line end", async () => {
      const wire = new Wire(runtime.launch());
      const request = {
        jsonrpc: "2.0",
        id: "last",
        method: "resources/list",
        params: { _meta: MODERN_META },
      };
      wire.expect("last", "resources/list", true);
      wire.write(JSON.stringify(request));
      await wire.endInput();
      assert.equal((await wire.answer("last")).result.resources.length, documents.length);
      await wire.close();
    });

    it("may stop being read for good, with the input left open", async () => {
      for (const asked of [true, false]) {
        const wire = new Wire(runtime.launch());
        if (asked) await wire.initialize("2025-11-25");
        await wire.leave();
      }
    });

    it("may ask for much more than a pipe holds before anything is read", async () => {
      const wire = new Wire(runtime.launch());
      await wire.initialize("2025-11-25");
      const requests = Array.from(
        { length: 40 },
        () => documents.map(({ uri }) => wire.request("resources/read", { uri })),
      );
      wire.hold();
      wire.send(...requests.flat());
      await pause(500);
      wire.release();
      for (const round of requests) {
        for (const [index, { id }] of round.entries()) {
          assert.equal((await wire.answer(id)).result.contents[0].text, documents[index]!.text.toString());
        }
      }
      await wire.close();
    });
  });
}
