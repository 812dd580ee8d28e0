/** What must every store of sessions do? One list for those that are here and those that somebody writes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionStore } from "../../lib/http/mod.ts";
import { pause } from "./process.ts";

/** A day: no test takes that long. */
const LATER = 24 * 60 * 60_000;
/** How much longer than it should something may be kept: clocks of two processes, and a busy machine. In milliseconds. */
const TOLERANCE_MS = 10_000;

let sessions = 0;
/** A session that no test before has used. */
const fresh = () => `contract-${Date.now()}-${++sessions}`;

/** Facts as a plain object; undefined when there are none. */
async function factsOf(
  store: SessionStore,
  session: string,
): Promise<Record<string, string> | undefined> {
  const facts = await store.get(session);
  return facts && Object.fromEntries(facts);
}

/**
 * Says what a store must do, as tests.
 *
 * @param name What the store is called in their names.
 * @param stores Two ways to the same facts: two clients of one server. For a store of one process, twice the same.
 */
export function sessionStoreContract(
  name: string,
  stores: () => readonly [SessionStore, SessionStore],
  options: { readonly skip?: string | false } = {},
): void {
  const contract = (
    does: string,
    body: (one: SessionStore, other: SessionStore) => Promise<void>,
  ) =>
    test(
      `${name} ${does}`,
      { skip: options.skip ?? false },
      () => body(...stores()),
    );

  contract("knows nothing of a session that nobody told it of", async (one) => {
    assert.equal(await one.get(fresh()), undefined);
  });

  contract(
    "gives what was set, to everybody who asks from then on",
    async (one, other) => {
      const [session, expires] = [fresh(), Date.now() + LATER];
      await one.set(session, "logLevel", "debug", expires);
      assert.deepEqual(await factsOf(other, session), { logLevel: "debug" });
      await other.set(session, "uri:architecture://adr/1", "1", expires);
      await one.set(session, "logLevel", "error", expires);
      assert.deepEqual(await factsOf(other, session), {
        logLevel: "error",
        "uri:architecture://adr/1": "1",
      });
      assert.deepEqual(
        await factsOf(one, session),
        await factsOf(other, session),
      );
    },
  );

  contract("keeps the facts of sessions apart", async (one) => {
    const [left, right] = [fresh(), fresh()];
    await one.set(left, "ended", "1", Date.now() + LATER);
    assert.equal(await one.get(right), undefined);
    await one.set(right, "logLevel", "info", Date.now() + LATER);
    assert.deepEqual(await factsOf(one, left), { ended: "1" });
  });

  contract("removes one fact and lets the others be", async (one, other) => {
    const [session, expires] = [fresh(), Date.now() + LATER];
    await one.set(session, "uri:a", "1", expires);
    await one.set(session, "uri:b", "1", expires);
    await other.delete(session, "uri:a");
    assert.deepEqual(await factsOf(one, session), { "uri:b": "1" });
  });

  contract(
    "has no session left when its last fact is removed",
    async (one, other) => {
      const session = fresh();
      await one.set(session, "uri:a", "1", Date.now() + LATER);
      await other.delete(session, "uri:a");
      assert.equal(await one.get(session), undefined);
    },
  );

  contract("takes it when a fact is removed that is not there", async (one) => {
    const session = fresh();
    await one.delete(session, "uri:a");
    assert.equal(await one.get(session), undefined);
    await one.set(session, "logLevel", "info", Date.now() + LATER);
    await one.delete(session, "uri:a");
    assert.deepEqual(await factsOf(one, session), { logLevel: "info" });
  });

  contract(
    "loses nothing when many facts of one session are set at the same time",
    async (one, other) => {
      const [session, expires] = [fresh(), Date.now() + LATER];
      const names = Array.from(
        { length: 200 },
        (_, index) => `uri:doc://${index}`,
      );
      await Promise.all(
        names.map((fact, index) => (index % 2 === 0 ? one : other).set(session, fact, "1", expires)),
      );
      await Promise.all(
        names.slice(0, 100).map((fact, index) => (index % 2 === 0 ? other : one).delete(session, fact)),
      );
      assert.deepEqual(
        [...(await one.get(session))!.keys()].toSorted(),
        names.slice(100).toSorted(),
      );
    },
  );

  contract("keeps names and values as they are", async (one, other) => {
    const session = fresh();
    const facts = {
      "uri:file:///a b?c=d&e#f": "",
      "uri:ä€😀\n\t\"'\\": "Ä€😀\n",
      "uri:__proto__": "constructor",
    };
    for (const [fact, value] of Object.entries(facts)) {
      await one.set(session, fact, value, Date.now() + LATER);
    }
    assert.deepEqual(await other.get(session), new Map(Object.entries(facts)));
  });

  contract(
    "forgets a session when its time is over, all facts at once",
    async (one, other) => {
      const [over, lasting] = [fresh(), fresh()];
      const expires = Date.now() + 300;
      await one.set(over, "ended", "1", expires);
      await one.set(over, "logLevel", "info", expires);
      await one.set(lasting, "ended", "1", Date.now() + LATER);
      if (Date.now() < expires - 100) {
        assert.deepEqual(await factsOf(other, over), {
          ended: "1",
          logLevel: "info",
        });
      }
      while (await other.get(over) !== undefined) {
        assert.ok(Date.now() < expires + TOLERANCE_MS, "it is still there");
        await pause(20);
      }
      assert.ok(Date.now() >= expires, "it went too early");
      assert.deepEqual(await factsOf(other, lasting), { ended: "1" });
    },
  );

  contract("gives out facts that are nobody's to change", async (one) => {
    const session = fresh();
    await one.set(session, "logLevel", "info", Date.now() + LATER);
    const before = await factsOf(one, session);
    await one.set(session, "ended", "1", Date.now() + LATER);
    assert.deepEqual(before, { logLevel: "info" });
  });
}
