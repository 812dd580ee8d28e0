import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Transport } from "../../lib/transport/transport.ts";
import type { Place } from "../../lib/transport/tcp.ts";
import { listenTcp, tcpTransport } from "../../lib/transport/tcp.ts";
import { testContract } from "./contract.ts";

/** Both ends of one connection. The listener goes as soon as it is there. */
async function pair(place: Place): Promise<[Transport, Transport]> {
  const accepted = Promise.withResolvers<Transport>();
  const listener = await listenTcp(place, { onconnection: accepted.resolve });
  const near = await tcpTransport(listener.address);
  const far = await accepted.promise;
  listener.stop();
  return [near, far];
}

testContract("TCP", () => pair({ port: 0 }));
testContract("Unix domain socket", async () => {
  const folder = mkdtempSync(join(tmpdir(), "architrave-"));
  try {
    return await pair({ path: join(folder, "socket") });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
