/** Which revision is a client answered in? Whatever it asks for, and whatever it states in a request. */

import type { Message } from "./rules.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LEGACY_REVISIONS, META_PREFIX, MODERN_REVISION } from "./rules.ts";
import { RUNTIMES } from "./programs.ts";
import { MODERN_META, Wire } from "./wire.ts";

const NEWEST_LEGACY = "2025-11-25";
const [VERSION, CAPABILITIES, CLIENT] = ["protocolVersion", "clientCapabilities", "clientInfo"]
  .map((name) => META_PREFIX + name) as [string, string, string];

/** `_meta` that a request of 2026-07-28 must not have, and what is wrong with it. */
const INCOMPLETE: readonly (readonly [string, Message])[] = [
  ["no capabilities", { [VERSION]: MODERN_REVISION }],
  ["no version", { [CAPABILITIES]: {} }],
  ["only a client", { [CLIENT]: { name: "x", version: "1" } }],
  ["a version that is a number", { [VERSION]: 20260728, [CAPABILITIES]: {} }],
  ["a version that is null", { [VERSION]: null, [CAPABILITIES]: {} }],
  ["capabilities that are a list", { [VERSION]: MODERN_REVISION, [CAPABILITIES]: [] }],
  ["capabilities that are null", { [VERSION]: MODERN_REVISION, [CAPABILITIES]: null }],
  ["a client that is a text", { [VERSION]: MODERN_REVISION, [CAPABILITIES]: {}, [CLIENT]: "x" }],
];

for (const runtime of RUNTIMES) {
  describe(`versions on ${runtime.name}`, { skip: runtime.skip }, () => {
    it("agrees on every legacy revision that is asked for", async () => {
      for (const revision of LEGACY_REVISIONS) {
        const wire = new Wire(runtime.launch());
        const { result } = await wire.initialize(revision);
        assert.equal(result.protocolVersion, revision);
        assert.equal(result.serverInfo.name, "architrave");
        assert.equal("title" in result.serverInfo, revision >= "2025-06-18");
        assert.equal("completions" in result.capabilities, revision >= "2025-03-26");
        assert.ok(result.instructions.length <= 2048, "clients cut longer instructions");
        await wire.close();
      }
    });

    it("offers the newest legacy revision to whoever asks for one it does not know", async () => {
      const wire = new Wire(runtime.launch());
      for (const asked of [MODERN_REVISION, "2024-10-07", "2099-01-01", "1.0", "latest", "", "__proto__"]) {
        await wire.initialize("2024-11-05");
        assert.equal((await wire.initialize(asked)).result.protocolVersion, NEWEST_LEGACY, asked);
        assert.ok((await wire.ask("resources/list")).result);
      }
      await wire.close();
    });

    it("says which revisions there are to a request that states one that is not served that way", async () => {
      const wire = new Wire(runtime.launch());
      for (
        const requested of [...LEGACY_REVISIONS, "2099-01-01", "2026-07-29", "", " 2026-07-28", "__proto__"]
      ) {
        for (const method of ["server/discover", "resources/list", "initialize", "no/such/method"]) {
          const { error } = await wire.ask(method, { _meta: { ...MODERN_META, [VERSION]: requested } });
          assert.equal(error?.code, -32022, `${method} in ${requested}`);
          assert.equal(error!.data.requested, requested);
          assert.ok(error!.data.supported.includes(MODERN_REVISION));
          assert.ok(!error!.data.supported.includes(requested), "what is refused is not offered");
        }
      }
      assert.ok((await wire.askModern("server/discover")).result);
      assert.ok((await wire.initialize(NEWEST_LEGACY)).result);
      await wire.close();
    });

    it("offers in server/discover only what a request may state", async () => {
      const wire = new Wire(runtime.launch());
      const { supportedVersions } = (await wire.askModern("server/discover")).result;
      for (const revision of supportedVersions as string[]) {
        const meta = { ...MODERN_META, [VERSION]: revision };
        assert.ok((await wire.ask("resources/list", { _meta: meta })).result, revision);
      }
      await wire.close();
    });

    it("refuses requests that leave out what 2026-07-28 asks for, before and after a handshake", async () => {
      const wire = new Wire(runtime.launch());
      for (const opened of [false, true]) {
        if (opened) await wire.initialize(NEWEST_LEGACY);
        for (const [what, meta] of INCOMPLETE) {
          for (const method of ["server/discover", "resources/list"]) {
            const { error } = await wire.ask(method, { _meta: meta });
            assert.equal(error?.code, -32602, `${method} with ${what}`);
            assert.match(error!.message, /io\.modelcontextprotocol\//);
          }
        }
      }
      await wire.close();
    });

    it("needs no name of the client, and takes capabilities it does not know", async () => {
      const wire = new Wire(runtime.launch());
      const meta = {
        [VERSION]: MODERN_REVISION,
        [CAPABILITIES]: { extensions: { "com.example/x": {} }, sampling: {}, made: { up: true } },
        "com.example/mine": 1,
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
        progressToken: "p",
      };
      assert.ok((await wire.ask("resources/list", { _meta: meta })).result);
      await wire.close();
    });

    it("takes a legacy request for one whatever else its _meta says", async () => {
      const wire = new Wire(runtime.launch());
      await wire.initialize("2025-11-25");
      for (
        const meta of [
          { progressToken: 1, "com.example/x": {} },
          { [`${META_PREFIX}related-task`]: { taskId: "t" } },
          { [`${META_PREFIX}logLevel`]: "debug" },
          { [`${META_PREFIX}subscriptionId`]: 1, traceparent: "00" },
          {},
        ]
      ) {
        const { result } = await wire.ask("resources/list", { _meta: meta });
        assert.ok(!("resultType" in result), JSON.stringify(meta));
      }
      await wire.close();
    });
  });
}
