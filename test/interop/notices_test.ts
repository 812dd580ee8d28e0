/** The official clients are notified of changes: on the real program over stdio and HTTP, while files change under it. */

import assert from "node:assert/strict";
import { it } from "node:test";
import type { TestContext } from "node:test";
import type { Opening } from "./clients.ts";
import { errorOf, notFoundCode, V1, V2_AUTO, V2_LEGACY, V2_MODERN } from "./clients.ts";
import { changingRoot } from "./documents.ts";
import { makeFolder } from "../harness/folder.ts";
import type { HttpServer, Runtime } from "./programs.ts";
import { withoutShipped } from "../harness/program.ts";
import { onEachRuntime, serveProgram, WELL } from "./programs.ts";

const A = "architecture://guidelines/a";
const B = "architecture://guidelines/b";

/** A client of a root of its own, so that no change of another test is still on its way. */
async function open(
  t: TestContext,
  runtime: Runtime,
  opening: Opening,
  transport: string,
  withLists = false,
) {
  let server: HttpServer | undefined;
  t.after(async () => assert.deepEqual(await server?.stop() ?? WELL, WELL));
  const root = changingRoot(makeFolder(t));
  if (transport === "HTTP") server = await serveProgram(runtime, root.root);
  const client = await opening.connect(server?.url ?? runtime.launch(root.root), { withLists });
  return { client, raw: client.raw, v2: client.v2!, notified: client.notified, root };
}

/** Changes a list of each kind, of which the client must be notified. */
async function changeLists({ notified, root }: Awaited<ReturnType<typeof open>>): Promise<void> {
  root.document("new", "A new one", "It came.");
  assert.equal(await notified.next(), "resources guidelines/a guidelines/new");
  root.prompt("new");
  const prompts = (await notified.next())!.split(" ").map((name) => ({ name }));
  assert.deepEqual(withoutShipped(prompts).map(({ name }) => name), ["prompts", "new", "p"]);
}

onEachRuntime("notifications to the official clients", (runtime) => {
  for (const transport of ["stdio", "HTTP"] as const) {
    for (const opening of [V1, V2_LEGACY]) {
      it(`${opening.name} over ${transport} hears of lists and of what it subscribes to, until it unsubscribes`, async (t) => {
        const opened = await open(t, runtime, opening, transport, true);
        const { client, raw, notified, root } = opened;
        await client.resources();
        await client.prompts();
        await changeLists(opened);
        await raw.subscribeResource({ uri: A });
        root.document("a", "A", "As it is now.");
        assert.equal(await notified.next(), `updated ${A}`);
        for (const uri of [B, "https://example.org"]) {
          const { code } = await errorOf(raw.subscribeResource({ uri }));
          assert.equal(code, notFoundCode(client), uri);
        }
        root.document("b", "B", "It came.");
        assert.equal(await notified.next(), "resources guidelines/a guidelines/b guidelines/new");
        await raw.subscribeResource({ uri: B });
        await raw.unsubscribeResource({ uri: A });
        root.document("a", "A", "As it is then.");
        root.document("b", "B", "As it is then.");
        assert.equal(await notified.next(), `updated ${B}`);
        await client.close();
      });
    }

    for (const opening of [V2_AUTO, V2_MODERN]) {
      it(`${opening.name} over ${transport} hears of lists over the stream that it opens by itself, until it closes that`, async (t) => {
        const opened = await open(t, runtime, opening, transport, true);
        const { client, v2, notified, root } = opened;
        const own = v2.autoOpenedSubscription;
        assert.deepEqual(own?.honoredFilter, { resourcesListChanged: true, promptsListChanged: true });
        await changeLists(opened);
        await own.close();
        assert.equal(await own.closed, "local");
        const single = await v2.listen({ resourceSubscriptions: [A] });
        root.document("a", "Another title", "Text.");
        assert.equal(await notified.next(), `updated ${A}`);
        await single.close();
        await client.close();
      });
    }
  }

  for (const opening of [V2_AUTO, V2_MODERN]) {
    it(`${opening.name} hears over several streams what each asked for, and sees them end with the program`, async (t) => {
      const { client, v2, notified, root } = await open(t, runtime, opening, "stdio");
      assert.equal(v2.autoOpenedSubscription, undefined);
      const uris = [A, "https://example.org", B, "architecture://guidelines/none-yet"];
      const one = await v2.listen({ resourceSubscriptions: uris, toolsListChanged: true });
      assert.deepEqual(one.honoredFilter, { resourceSubscriptions: [A, uris[2], uris[3]] });
      const other = await v2.listen({ resourceSubscriptions: [B], promptsListChanged: true });
      const none = await v2.listen({ toolsListChanged: true });
      assert.deepEqual(none.honoredFilter, {});
      root.document("a", "A", "As it is at last.");
      assert.equal(await notified.next(), `updated ${A}`);
      assert.match((await client.read(A)).text, /at last/);
      root.document("none-yet", "New", "Text.");
      assert.equal(await notified.next(), `updated ${uris[3]}`);
      root.document("b", "B", "As it is at last.");
      assert.deepEqual([await notified.next(), await notified.next()], Array(2).fill(`updated ${B}`));
      await none.close();
      const wrong = v2.listen({ resourceSubscriptions: 7 as unknown as string[] });
      assert.equal((await errorOf(wrong)).code, -32602);
      assert.deepEqual(await client.endInput(), WELL);
      assert.deepEqual(await Promise.all([one.closed, other.closed]), ["graceful", "graceful"]);
      assert.deepEqual([notified.items, client.complaints], [[], []]);
    });
  }

  it("client v2, 2026-07-28, may give up a stream before it is acknowledged", async (t) => {
    const { client, v2 } = await open(t, runtime, V2_MODERN, "stdio");
    const controller = new AbortController();
    const early = v2.listen({ resourcesListChanged: true }, { signal: controller.signal });
    controller.abort(new Error("no longer needed"));
    await assert.rejects(early, /no longer needed/);
    const next = await v2.listen({ resourcesListChanged: true });
    assert.deepEqual(next.honoredFilter, { resourcesListChanged: true });
    // Closing the client ends the input of the program, which ends the stream before it ends itself.
    await client.close();
    assert.equal(await next.closed, "graceful");
  });
});
