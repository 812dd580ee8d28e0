/** Client and server find a revision that both speak, whichever the official client knows or remembers. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { errorOf, InPlace, V2_EACH_LEGACY, V2_MIXED } from "./clients.ts";
import { expectedDocuments } from "./documents.ts";
import { OWN_ROOT, RUNTIMES } from "./programs.ts";
import { MODERN_REVISION, NEWEST_LEGACY } from "./rules.ts";

const documents = expectedDocuments(OWN_ROOT);
const AUTO = { versionNegotiation: { mode: "auto" } } as const;
const newClient = (options: ConstructorParameters<typeof Client>[1] = AUTO) =>
  new Client({ name: "interop", version: "1" }, options);

for (const runtime of RUNTIMES) {
  describe(`negotiation on ${runtime.name}`, { skip: runtime.skip }, () => {
    const piped = () => ({ ...runtime.launch(), stderr: "pipe" } as const);

    for (const opening of [...V2_EACH_LEGACY, ...V2_MIXED]) {
      it(`${opening.name}: agrees on ${opening.revision}`, async () => {
        const client = await opening.connect(runtime.launch());
        assert.equal(client.revision, opening.revision);
        assert.equal(client.raw.getServerVersion()?.name, "architrave");
        assert.deepEqual((await client.resources()).map(({ uri }) => uri), documents.map(({ uri }) => uri));
        assert.equal((await client.read(documents[0]!.uri)).text, documents[0]!.text.toString());
        assert.notEqual((await client.prompts()).length, 0);
        assert.equal((await errorOf(client.read("architecture://none"))).code, -32602);
        await client.close();
      });
    }

    it("tells a client that only knows a revision to come which ones are served", async () => {
      const client = newClient({ versionNegotiation: { mode: { pin: "2027-01-01" } } });
      const { code, data } = await errorOf(client.connect(new InPlace(piped())));
      assert.equal(code, -32022);
      const { requested, supported } = data as { requested: string; supported: string[] };
      assert.equal(requested, "2027-01-01");
      assert.ok(supported.includes(MODERN_REVISION));
    });

    it("serves a client that remembers what server/discover said the last time", async () => {
      const first = newClient();
      await first.connect(new InPlace(piped()));
      const discover = first.getDiscoverResult()!;
      assert.equal(first.getProtocolEra(), "modern");
      assert.ok(discover.supportedVersions.includes(MODERN_REVISION));
      await first.close();

      const second = newClient({});
      await second.connect(new StdioClientTransport(piped()), { prior: { kind: "modern", discover } });
      assert.equal((await second.listResources()).resources.length, documents.length);
      assert.deepEqual((await second.discover()).supportedVersions, discover.supportedVersions);
      await second.close();

      const third = newClient();
      await third.connect(new StdioClientTransport(piped()), { prior: { kind: "legacy" } });
      assert.equal(third.getNegotiatedProtocolVersion(), NEWEST_LEGACY);
      assert.equal((await third.listResources()).resources.length, documents.length);
      await third.close();
    });

    it("is never answered from what a client kept: lists and reads are stale at once", async () => {
      const client = newClient();
      const transport = new InPlace(piped());
      let sent = 0;
      const send = transport.send.bind(transport);
      transport.send = (message) => (sent++, send(message));
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
