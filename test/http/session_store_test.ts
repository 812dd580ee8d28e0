/** Does the store in memory do what every store of sessions must? */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionStore } from "../../lib/http/mod.ts";
import { MemorySessionStore } from "../../lib/http/mod.ts";
import { sessionStoreContract } from "../harness/session_store_contract.ts";
import { HttpClient, serve } from "./client.ts";

const store = new MemorySessionStore();

sessionStoreContract("the store in memory", () => [store, store]);

test("while the store fails no session is served, and whoever runs the server hears why", async (t) => {
  const errors: unknown[] = [];
  let cause: Error | undefined;
  const facts = new MemorySessionStore();
  const sessionStore: SessionStore = {
    get: (session) => cause ? Promise.reject(cause) : facts.get(session),
    set: (...fact) => {
      if (cause) throw cause;
      facts.set(...fact);
    },
    delete: (...fact) => facts.delete(...fact),
  };
  const served = await serve(t, { sessionStore, onerror: (error) => void errors.push(error) });
  const client = await new HttpClient(served, "2025-11-25").start();
  assert.ok((await client.ask("ping"))["result"]);
  cause = new Error("no connection to 10.0.0.9");
  const refused = await client.post(client.request("ping"));
  assert.equal(refused.status, 503);
  assert.doesNotMatch(refused.body, /10\.0\.0\.9/);
  assert.deepEqual(errors, [cause]);
  cause = undefined;
  assert.ok((await client.ask("ping"))["result"]);
});
