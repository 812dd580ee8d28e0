/**
 * Can a client open a conversation any way it likes? Real clients ask `server/discover` first and then `initialize` on
 * the same pipe, together or one after the other, once or twice: nothing of that may pin the era, dead-end, or end the
 * process.
 */

import type { Message } from "./rules.ts";
import type { Runtime } from "./programs.ts";
import type { Answer } from "./wire.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RUNTIMES } from "./programs.ts";
import { LEGACY_REVISIONS } from "./rules.ts";
import { initializeParams, MODERN_META, Wire } from "./wire.ts";

/** The ways to open that real clients use, and what each must get; every one goes on in both eras afterwards. */
type Step = "initialize" | "discover" | "modern list" | "tools/list" | "ping";

const STEPS: Readonly<Record<Step, (revision: string) => readonly [string, Message?]>> = {
  "initialize": (revision) => ["initialize", initializeParams(revision)],
  "discover": () => ["server/discover", { _meta: MODERN_META }],
  "modern list": () => ["resources/list", { _meta: MODERN_META }],
  "tools/list": () => ["tools/list"],
  "ping": () => ["ping"],
};

const OPENINGS: readonly (readonly Step[])[] = [
  ["initialize"],
  ["discover", "initialize"],
  ["initialize", "discover"],
  ["discover", "discover", "initialize"],
  ["discover", "initialize", "discover", "initialize"],
  ["modern list"],
  ["modern list", "initialize", "modern list", "tools/list"],
  ["tools/list"],
  ["tools/list", "modern list", "initialize", "tools/list", "discover"],
  ["tools/list", "discover", "tools/list", "modern list"],
  ["ping"],
  ["ping", "discover", "ping", "initialize", "ping"],
];
/** Every order of these, which only matters while none is answered. */
const ORDERS: readonly (readonly Step[])[] = permutations(["initialize", "discover", "modern list"]);

for (const runtime of RUNTIMES) {
  describe(`opening on ${runtime.name}`, { skip: runtime.skip }, () => {
    for (const steps of OPENINGS) {
      it(`${steps.join(", ")}: one after the other`, async () => {
        await follow(runtime, steps, async (wire, requests) => {
          const answers: Answer[] = [];
          for (const request of requests) {
            wire.send(request);
            answers.push(await wire.answer(request.id));
          }
          return answers;
        });
      });
    }

    for (const steps of [...OPENINGS, ...ORDERS]) {
      it(`${steps.join(", ")}: all before any answer`, async () => {
        await follow(runtime, steps, async (wire, requests) => {
          wire.send(...requests);
          return await Promise.all(requests.map(({ id }) => wire.answer(id)));
        });
      });
    }

    it("names both ways in to a client that takes neither", async () => {
      const wire = new Wire(runtime.launch());
      const { error } = await wire.ask("tools/list");
      assert.equal(error?.code, -32602);
      assert.match(error!.message, /initialize/);
      assert.match(error!.message, /io\.modelcontextprotocol\/protocolVersion/);
      assert.match(error!.message, /2026-07-28/);
      await wire.close();
    });

    it("follows the last handshake that went well", async () => {
      const wire = new Wire(runtime.launch());
      for (const revision of [...LEGACY_REVISIONS, "2024-11-05", "2025-06-18"]) {
        assert.equal((await wire.initialize(revision)).result.protocolVersion, revision);
        const [first] = (await wire.ask("resources/list")).result.resources;
        assert.equal("title" in first, revision >= "2025-06-18", revision);
        assert.equal((await wire.ask("initialize", { capabilities: {} })).error?.code, -32602);
        assert.equal((await wire.ask("initialize", { protocolVersion: 20250618 })).error?.code, -32602);
        const again = (await wire.ask("resources/list")).result.resources;
        assert.equal(
          "title" in again[0],
          revision >= "2025-06-18",
          `${revision} after handshakes that failed`,
        );
      }
      await wire.close();
    });

    it("reads every request by itself while both eras take turns", async () => {
      const wire = new Wire(runtime.launch());
      await wire.initialize("2024-11-05");
      for (let turn = 0; turn < 20; turn++) {
        const legacy = wire.request("resources/read", { uri: "architecture://none" });
        const modern = wire.request("resources/read", { uri: "architecture://none", _meta: MODERN_META });
        wire.send(legacy, modern);
        assert.equal((await wire.answer(legacy.id)).error?.code, -32002);
        assert.equal((await wire.answer(modern.id)).error?.code, -32602);
      }
      await wire.close();
    });

    it("takes a handshake that states the fields of 2026-07-28 for what it is", async () => {
      const wire = new Wire(runtime.launch());
      const answer = await wire.ask("initialize", { ...initializeParams("2025-11-25"), _meta: MODERN_META });
      assert.equal(answer.error?.code, -32601);
      assert.equal((await wire.ask("ping", { _meta: MODERN_META })).error?.code, -32601);
      assert.equal((await wire.ask("tools/list")).error?.code, -32602, "nothing was agreed");
      assert.ok((await wire.initialize("2025-11-25")).result);
      await wire.close();
    });

    it("ends with 0 when the client has nothing to say", async () => {
      await new Wire(runtime.launch()).close();
    });
  });
}

/** Follows an opening, checks each answer, and then goes on in every way there is. */
async function follow(
  runtime: Runtime,
  steps: readonly Step[],
  talk: (wire: Wire, requests: readonly (Message & { id: number })[]) => Promise<readonly Answer[]>,
): Promise<void> {
  const revision = LEGACY_REVISIONS[steps.length % LEGACY_REVISIONS.length]!;
  const wire = new Wire(runtime.launch());
  const answers = await talk(wire, steps.map((step) => wire.request(...STEPS[step](revision))));
  for (const [index, step] of steps.entries()) {
    const { result, error } = answers[index]!;
    if (step === "tools/list" && !steps.slice(0, index).includes("initialize")) {
      assert.equal(error?.code, -32602, "neither opened nor modern");
      continue;
    }
    assert.equal(error, undefined, step);
    if (step === "initialize") assert.equal(result.protocolVersion, revision);
    if (step === "discover") assert.ok(result.supportedVersions.includes("2026-07-28"));
    if (step === "modern list") assert.equal(result.resultType, "complete");
    if (step === "ping") assert.deepEqual(result, {});
  }
  assert.equal((await wire.askModern("tools/list")).result?.resultType, "complete");
  assert.equal((await wire.initialize("2025-06-18")).result?.protocolVersion, "2025-06-18");
  assert.deepEqual((await wire.ask("resources/list")).error, undefined);
  assert.deepEqual((await wire.askModern("server/discover")).error, undefined);
  await wire.close();
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, index) =>
    permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest])
  );
}
