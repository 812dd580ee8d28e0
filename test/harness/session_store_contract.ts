/** What every store of sessions must do: for those that are here and those that users write. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionStore } from "../../lib/mcp/http/mod.ts";
import { pause } from "./process.ts";

/** A day in milliseconds: no test takes that long. */
const LATER = 24 * 60 * 60_000;
/** How much too long an entry may be kept, in milliseconds: two processes have two clocks, and a machine may be busy. */
const TOLERANCE_MS = 10_000;

let sessions = 0;
/** A new session. */
const fresh = () => `contract-${Date.now()}-${++sessions}`;
const later = () => Date.now() + LATER;

type Body = (one: SessionStore, other: SessionStore) => Promise<void>;

/** Facts as a plain object; undefined when there are none. */
async function factsOf(store: SessionStore, session: string): Promise<Record<string, string> | undefined> {
  const facts = await store.get(session);
  return facts && Object.fromEntries(facts);
}

const CONTRACT: Readonly<Record<string, Body>> = {
  "knows nothing of a new session": async (one) => {
    assert.equal(await one.get(fresh()), undefined);
  },
  "gives what was set to every client from then on": async (one, other) => {
    const session = fresh();
    await one.set(session, "logLevel", "debug", later());
    assert.deepEqual(await factsOf(other, session), { logLevel: "debug" });
    await other.set(session, "uri:architecture://adr/1", "1", later());
    await one.set(session, "logLevel", "error", later());
    const facts = { logLevel: "error", "uri:architecture://adr/1": "1" };
    assert.deepEqual([await factsOf(one, session), await factsOf(other, session)], [facts, facts]);
  },
  "keeps the facts of sessions apart": async (one) => {
    const [left, right] = [fresh(), fresh()];
    await one.set(left, "ended", "1", later());
    assert.equal(await one.get(right), undefined);
    await one.set(right, "logLevel", "info", later());
    assert.deepEqual(await factsOf(one, left), { ended: "1" });
  },
  "removes one fact and keeps the others, and the session goes with the last": async (one, other) => {
    const session = fresh();
    await one.set(session, "uri:a", "1", later());
    await one.set(session, "uri:b", "1", later());
    await other.delete(session, "uri:a");
    assert.deepEqual(await factsOf(one, session), { "uri:b": "1" });
    await other.delete(session, "uri:b");
    assert.equal(await one.get(session), undefined);
  },
  "takes it when a fact is removed that is not there": async (one) => {
    const session = fresh();
    await one.delete(session, "uri:a");
    assert.equal(await one.get(session), undefined);
    await one.set(session, "logLevel", "info", later());
    await one.delete(session, "uri:a");
    assert.deepEqual(await factsOf(one, session), { logLevel: "info" });
  },
  "loses nothing when many facts of one session are set at the same time": async (one, other) => {
    const session = fresh();
    const names = Array.from({ length: 200 }, (_, index) => `uri:doc://${index}`);
    await Promise.all(
      names.map((fact, index) => (index % 2 === 0 ? one : other).set(session, fact, "1", later())),
    );
    await Promise.all(
      names.slice(0, 100).map((fact, index) => (index % 2 === 0 ? other : one).delete(session, fact)),
    );
    assert.deepEqual([...(await one.get(session))!.keys()].toSorted(), names.slice(100).toSorted());
  },
  "keeps names and values as they are": async (one, other) => {
    const session = fresh();
    const facts = {
      "uri:file:///a b?c=d&e#f": "",
      "uri:ä€😀\n\t\"'\\": "Ä€😀\n",
      "uri:__proto__": "constructor",
    };
    for (const [fact, value] of Object.entries(facts)) await one.set(session, fact, value, later());
    assert.deepEqual(await other.get(session), new Map(Object.entries(facts)));
  },
  "forgets a session when its time is over, all facts at once": async (one, other) => {
    const [over, lasting] = [fresh(), fresh()];
    const expires = Date.now() + 300;
    await one.set(over, "ended", "1", expires);
    await one.set(over, "logLevel", "info", expires);
    await one.set(lasting, "ended", "1", later());
    if (Date.now() < expires - 100) {
      assert.deepEqual(await factsOf(other, over), { ended: "1", logLevel: "info" });
    }
    while (await other.get(over) !== undefined) {
      assert.ok(Date.now() < expires + TOLERANCE_MS, "it is still there");
      await pause(20);
    }
    assert.ok(Date.now() >= expires, "it went too early");
    assert.deepEqual(await factsOf(other, lasting), { ended: "1" });
  },
  "gives out facts that do not change later": async (one) => {
    const session = fresh();
    await one.set(session, "logLevel", "info", later());
    const before = await factsOf(one, session);
    await one.set(session, "ended", "1", later());
    assert.deepEqual(before, { logLevel: "info" });
  },
};

/**
 * Makes tests of what a store must do.
 *
 * @param name What the store is called in their names.
 * @param stores Two ways to the same facts: two clients of one server. For a store of one process, twice the same.
 */
export function sessionStoreContract(
  name: string,
  stores: () => readonly [SessionStore, SessionStore],
  options: { readonly skip?: string | false } = {},
): void {
  for (const [does, body] of Object.entries(CONTRACT)) {
    test(`${name} ${does}`, { skip: options.skip ?? false }, () => body(...stores()));
  }
}
