/** Do client and server find a revision that both speak, whichever the official client knows or has heard of before? */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { opening, V2_EACH_LEGACY } from "./client_v2.ts";
import { refusal, WELL } from "./official.ts";
import { OWN_ROOT, RUNTIMES } from "./runtimes.ts";
import { LEGACY_REVISIONS, MODERN_REVISION } from "./schemas.ts";
import { expectedDocuments } from "./shelf.ts";

const documents = expectedDocuments(OWN_ROOT);
const AUTO = { versionNegotiation: { mode: "auto" } } as const;

class InPlace extends StdioClientTransport {}

for (const runtime of RUNTIMES) {
  describe(`negotiation on ${runtime.name}`, { skip: runtime.skip }, () => {
    for (
      const each of [
        ...V2_EACH_LEGACY,
        opening("client v2, knows 2026-07-28 and one old revision", MODERN_REVISION, {
          ...AUTO,
          supportedProtocolVersions: [MODERN_REVISION, "2024-11-05"],
        }),
        opening("client v2, knows a revision to come as well", MODERN_REVISION, {
          ...AUTO,
          supportedProtocolVersions: ["2027-01-01", MODERN_REVISION, "2025-11-25"],
        }),
        opening("client v2, the same on one pipe", MODERN_REVISION, {
          ...AUTO,
          supportedProtocolVersions: ["2027-01-01", MODERN_REVISION, "2025-11-25"],
        }, InPlace),
      ]
    ) {
      it(`${each.name}: agrees on ${each.revision}`, async () => {
        const client = await each.connect(runtime.launch());
        assert.equal(client.revision, each.revision);
        assert.equal(client.serverName, "architrave");
        assert.deepEqual((await client.resources()).map(({ uri }) => uri), documents.map(({ uri }) => uri));
        assert.equal((await client.read(documents[0]!.uri)).text, documents[0]!.text.toString());
        assert.equal((await client.prompts()).length > 0, true);
        assert.equal((await refusal(client.read("architecture://none"))).code, -32602);
        assert.deepEqual(await client.close(), WELL);
        assert.deepEqual(client.complaints, []);
      });
    }

    it("tells a client that only knows a revision to come which ones there are", async () => {
      const client = new Client({ name: "interop", version: "1" }, {
        versionNegotiation: { mode: { pin: "2027-01-01" } },
      });
      const { code, data } = await refusal(
        client.connect(new InPlace({ ...runtime.launch(), stderr: "pipe" })),
      );
      assert.equal(code, -32022);
      assert.equal((data as { requested: string }).requested, "2027-01-01");
      assert.ok((data as { supported: string[] }).supported.includes(MODERN_REVISION));
    });

    it("serves a client that remembers what server/discover said the last time", async () => {
      const first = new Client({ name: "interop", version: "1" }, AUTO);
      await first.connect(new InPlace({ ...runtime.launch(), stderr: "pipe" }));
      const discover = first.getDiscoverResult()!;
      assert.equal(first.getProtocolEra(), "modern");
      assert.ok(discover.supportedVersions.includes(MODERN_REVISION));
      await first.close();

      const second = new Client({ name: "interop", version: "1" });
      const transport = new StdioClientTransport({ ...runtime.launch(), stderr: "pipe" });
      await second.connect(transport, { prior: { kind: "modern", discover } });
      assert.equal((await second.listResources()).resources.length, documents.length);
      assert.deepEqual((await second.discover()).supportedVersions, discover.supportedVersions);
      await second.close();

      const third = new Client({ name: "interop", version: "1" }, AUTO);
      await third.connect(new StdioClientTransport({ ...runtime.launch(), stderr: "pipe" }), {
        prior: { kind: "legacy" },
      });
      assert.equal(third.getNegotiatedProtocolVersion(), LEGACY_REVISIONS.at(-1));
      assert.equal((await third.listResources()).resources.length, documents.length);
      await third.close();
    });

    it("is never answered from what a client kept: lists and reads are stale at once", async () => {
      const client = new Client({ name: "interop", version: "1" }, AUTO);
      const transport = new InPlace({ ...runtime.launch(), stderr: "pipe" });
      let sent = 0;
      const send = transport.send.bind(transport);
      transport.send = (message) => {
        sent++;
        return send(message);
      };
      await client.connect(transport);
      const before = sent;
      for (let turn = 0; turn < 3; turn++) {
        await client.listResources();
        await client.readResource({ uri: documents[0]!.uri });
        await client.listPrompts();
      }
      assert.equal(sent - before, 9);
      await client.close();
    });
  });
}
