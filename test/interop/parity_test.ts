/** Does a client see the same documents through our program as through the official server? */

import type { Fixture } from "./fixture.ts";
import type { OfficialClient } from "./official.ts";
import type { Launch } from "./runtimes.ts";
import assert from "node:assert/strict";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { V1 } from "./client_v1.ts";
import { V2_AUTO, V2_LEGACY, V2_MODERN } from "./client_v2.ts";
import { buildFixture } from "./fixture.ts";
import { refusal, WELL } from "./official.ts";
import { environment, OWN_ROOT, RUNTIMES } from "./runtimes.ts";

const SERVER = fileURLToPath(new URL("official_server.ts", import.meta.url));
let fixture: Fixture;

before(() => {
  fixture = buildFixture();
});

after(() => fixture.remove());

/** Always on the Node that runs the tests: it is the yardstick, and not what is measured. */
function official(root: string): Launch {
  const args = ["--experimental-strip-types", SERVER, root];
  return { command: process.execPath, args, cwd: process.cwd(), env: environment() };
}

/** All that one client sees of one server: each document by its URI. */
async function seen(client: OfficialClient): Promise<ReadonlyMap<string, unknown>> {
  const listed = await client.resources();
  const read = await Promise.all(listed.map(({ uri }) => client.read(uri)));
  return new Map(
    listed
      .map(({ uri, mimeType }, index) =>
        [uri, { listed: mimeType, uri: read[index]!.uri, text: read[index]!.text }] as const
      )
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}

for (const runtime of RUNTIMES) {
  describe(`beside the official server, on ${runtime.name}`, { skip: runtime.skip }, () => {
    for (const opening of [V1, V2_LEGACY, V2_MODERN, V2_AUTO]) {
      for (const shelf of ["this repository", "an awkward shelf"]) {
        it(`${opening.name} reads the same texts of ${shelf}`, async () => {
          const root = shelf === "this repository" ? OWN_ROOT : fixture.root;
          const [ours, theirs] = await Promise.all([
            opening.connect(runtime.launch(root)),
            opening.connect(official(root)),
          ]);
          assert.equal(ours.revision, theirs.revision);
          const [one, other] = await Promise.all([seen(ours), seen(theirs)]);
          assert.deepEqual([...one.keys()], [...other.keys()]);
          for (const [uri, document] of one) assert.deepEqual(document, other.get(uri), uri);
          const missing = "architecture://adr/no-such-record";
          const [refused, asRefused] = await Promise.all([
            refusal(ours.read(missing)),
            refusal(theirs.read(missing)),
          ]);
          // Theirs says -32602 in every revision; up to 2025-11-25 the specification says -32002.
          assert.deepEqual([asRefused.code, asRefused.data], [-32602, refused.data]);
          assert.equal(refused.code, opening === V1 ? -32002 : -32602);
          assert.deepEqual(await ours.close(), WELL);
          await theirs.close();
        });
      }
    }
  });
}
