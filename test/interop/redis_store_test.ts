/** Is the interface of the session store enough for a real one? The contract, on Redis or Valkey, with two clients. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Daemon } from "./daemon.ts";
import type { RedisStore } from "./redis_store.ts";
import { sessionStoreContract } from "../harness/session_store_contract.ts";
import { NO_REDIS, startRedis } from "./redis.ts";
import { redisStore } from "./redis_store.ts";

let daemon: Daemon;
let stores: [RedisStore, RedisStore];

before(async () => {
  if (NO_REDIS) return;
  const { socket, daemon: started } = await startRedis();
  daemon = started;
  stores = [await redisStore(socket), await redisStore(socket)];
});
after(async () => {
  if (NO_REDIS) return;
  await Promise.all(stores.map((store) => store.close()));
  await daemon.stop();
});

sessionStoreContract("Redis", () => stores, { skip: NO_REDIS });

test(
  "Redis rejects when it is gone, so that nobody is served whose end cannot be read",
  { skip: NO_REDIS },
  async () => {
    const { socket, daemon } = await startRedis();
    const store = await redisStore(socket);
    await store.set("s", "ended", "1", Date.now() + 60_000);
    await daemon.stop("SIGKILL");
    await assert.rejects(async () => await store.get("s"));
    await store.close();
  },
);
