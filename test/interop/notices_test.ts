/** Are the official clients told of changes? On the real program, while files change under it. */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ChangingShelf } from "./listening.ts";
import { changingShelf, listenWithV1, listenWithV2 } from "./listening.ts";
import { refusal, WELL } from "./official.ts";
import { RUNTIMES } from "./runtimes.ts";

const A = "architecture://guidelines/a";
const B = "architecture://guidelines/b";

for (const runtime of RUNTIMES) {
  describe(`notices to the official clients on ${runtime.name}`, { skip: runtime.skip }, () => {
    let shelf: ChangingShelf;

    before(() => void (shelf = changingShelf()));
    after(() => shelf.remove());

    const legacy = {
      "client v1": () => listenWithV1(runtime.launch(shelf.root)),
      "client v2, legacy": () => listenWithV2(runtime.launch(shelf.root), "legacy"),
    };
    for (const [name, connect] of Object.entries(legacy)) {
      it(`${name} hears of lists and of what it subscribes to, and no more once it unsubscribes`, async () => {
        const { client, told, complaints, close } = await connect();
        await client.listResources();
        await client.listPrompts();
        shelf.document(name, name, "It came.");
        assert.match(await told.next(), /^resources .*guidelines\/client%20v[12]/);
        shelf.prompt(`p-${name.slice(7, 9)}`);
        assert.match(await told.next(), /^prompts p .*p-v[12]/);
        await client.subscribeResource({ uri: A });
        await client.subscribeResource({ uri: B });
        shelf.document("a", "A", `As it is now, says ${name}.`);
        assert.equal(await told.next(), `updated ${A}`);
        await client.unsubscribeResource({ uri: A });
        shelf.document("a", "A", `As it is then, says ${name}.`);
        shelf.document("b", name, `It came, says ${name}.`);
        const last = [await told.next(), await told.next()];
        assert.deepEqual(last.filter((line) => line.startsWith("updated")), [`updated ${B}`]);
        const { code } = await refusal(client.subscribeResource({ uri: "https://example.org" }));
        // The second generation knows both codes, as the same error.
        assert.equal(code, name === "client v1" ? -32002 : -32602);
        assert.deepEqual(await close(), WELL);
        assert.deepEqual(complaints, []);
        assert.deepEqual(told.rest(), []);
      });
    }

    for (const mode of ["auto", { pin: "2026-07-28" }] as const) {
      const name = typeof mode === "string" ? "probing" : "2026-07-28";

      it(`client v2, ${name}, hears of lists over the stream that it opens by itself, until it closes that`, async () => {
        const { client, told, complaints, close } = await listenWithV2(runtime.launch(shelf.root), mode);
        const own = client.autoOpenedSubscription;
        assert.deepEqual(own?.honoredFilter, { resourcesListChanged: true, promptsListChanged: true });
        shelf.document("auto", `Title ${name}`, "It came.");
        assert.match(await told.next(), /^resources .*guidelines\/auto/);
        shelf.prompt(`p-${name}`);
        assert.match(await told.next(), new RegExp(`^prompts .*p-${name}`));
        await own.close();
        assert.equal(await own.closed, "local");
        const single = await client.listen({ resourceSubscriptions: [A] });
        shelf.document("a", `Another title, says ${name}`, "Text.");
        assert.equal(await told.next(), `updated ${A}`);
        await single.close();
        assert.deepEqual(await close(), WELL);
        assert.deepEqual(complaints, []);
        assert.deepEqual(told.rest(), []);
      });

      it(`client v2, ${name}, hears over several streams what each asked for, and sees them end when the program does`, async () => {
        const { client, told, complaints, endInput } = await listenWithV2(
          runtime.launch(shelf.root),
          mode,
          false,
        );
        assert.equal(client.autoOpenedSubscription, undefined);
        const uris = [A, "https://example.org", B, "architecture://guidelines/none-yet"];
        const one = await client.listen({ resourceSubscriptions: uris, toolsListChanged: true });
        assert.deepEqual(one.honoredFilter, { resourceSubscriptions: [A, uris[2], uris[3]] });
        const other = await client.listen({ resourceSubscriptions: [B], promptsListChanged: true });
        const none = await client.listen({ toolsListChanged: true });
        assert.deepEqual(none.honoredFilter, {});
        shelf.document("a", "A", `As it is at last, says ${name}.`);
        assert.equal(await told.next(), `updated ${A}`);
        const { contents } = await client.readResource({ uri: A });
        assert.ok(JSON.stringify(contents).includes(`at last, says ${name}`));
        shelf.document("none-yet", "There", `Text of ${name}.`);
        assert.equal(await told.next(), `updated ${uris[3]}`);
        shelf.document("b", "B", `As it is at last, says ${name}.`);
        assert.deepEqual([await told.next(), await told.next()], Array(2).fill(`updated ${B}`));
        await none.close();
        const refused = client.listen({ resourceSubscriptions: 7 as unknown as string[] });
        assert.equal((await refusal(refused)).code, -32602);
        assert.deepEqual(await endInput(), WELL);
        assert.deepEqual(await Promise.all([one.closed, other.closed]), ["graceful", "graceful"]);
        assert.deepEqual(told.rest(), []);
        assert.deepEqual(complaints, []);
      });
    }

    it("client v2, 2026-07-28, may give up a stream before it is acknowledged", async () => {
      const { client, complaints, close } = await listenWithV2(runtime.launch(shelf.root), {
        pin: "2026-07-28",
      }, false);
      const controller = new AbortController();
      const early = client.listen({ resourcesListChanged: true }, { signal: controller.signal });
      controller.abort(new Error("no longer needed"));
      await assert.rejects(early, /no longer needed/);
      const next = await client.listen({ resourcesListChanged: true });
      assert.deepEqual(next.honoredFilter, { resourcesListChanged: true });
      assert.deepEqual(await close(), WELL);
      // Closing the client ends the input of the program, which ends the stream before it ends itself.
      assert.equal(await next.closed, "graceful");
      assert.deepEqual(complaints, []);
    });
  });
}
