/** What would keep the sessions of several servers? Redis or Valkey: a hash for each session, which ends when the session does. */

import type { SessionStore } from "../../lib/http/mod.ts";
import { createClient } from "redis";

/** A store, and how to let go of it. */
export interface RedisStore extends SessionStore {
  close(): Promise<void>;
}

/**
 * Connects to a server.
 *
 * @param socket The path of its socket.
 * @param prefix Begins each of its keys: others may keep something there too.
 */
export async function redisStore(
  socket: string,
  prefix = "mcp:session:",
): Promise<RedisStore> {
  const client = createClient({
    socket: { path: socket, tls: false },
    // Whoever asks while nobody is there is told so, and does not wait for better times.
    disableOfflineQueue: true,
  });
  // What goes wrong is said by the call that it goes wrong for.
  client.on("error", () => {});
  await client.connect();
  const keyOf = (session: string) => prefix + session;
  return {
    async get(session) {
      const facts = new Map(
        Object.entries(await client.hGetAll(keyOf(session))),
      );
      return facts.size > 0 ? facts : undefined;
    },
    async set(session, fact, value, expires) {
      await client.multi().hSet(keyOf(session), fact, value).pExpireAt(
        keyOf(session),
        expires,
      ).exec();
    },
    async delete(session, fact) {
      await client.hDel(keyOf(session), fact);
    },
    close: () => client.close(),
  };
}
