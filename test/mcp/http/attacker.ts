/**
 * A client that takes all it can get from a server, as a program: `attacker.ts ATTACK PORT TOKEN`. It connects from 127.0.0.2, so
 * that it shares no address with other clients, and tries again a moment after each refusal. It writes a line when it has begun.
 */

import { once } from "node:events";
import type { Socket } from "node:net";
import process from "node:process";
import type { Fields } from "../../harness/http_client.ts";
import { HttpClient, open, peerAt } from "../../harness/http_client.ts";
import { pause } from "../../harness/process.ts";

const [attack = "", port = "", token = ""] = process.argv.slice(2);
const MIB = 1024 * 1024;
/** The mean pause after a refusal, in milliseconds. A flood of packets is the concern of a firewall. */
const PAUSE_MS = 1000;
const FROM = "127.0.0.2";
const DOCUMENT = { uri: "architecture://guidelines/long" };

/** A client, of 2026-07-28 unless another revision is given. */
function client(version?: string): HttpClient {
  const fields = { authorization: `Bearer ${token}` };
  return Object.assign(new HttpClient(peerAt(Number(port), FROM), version), { fields });
}

/** The bytes of a request of 2026-07-28. */
function call(method: string, params: object, fields: Fields = {}): Uint8Array {
  const modern = client();
  return modern.bytesOf(modern.request(method, params), fields);
}

/** Opens a connection, sends something, and forgets what comes until it is closed. */
async function exchange(
  bytes: string | Uint8Array,
  use: (socket: Socket) => void = () => {},
): Promise<void> {
  const socket = await open(Number(port), bytes, FROM).then(({ socket }) => socket, () => undefined);
  if (socket === undefined || socket.closed) return;
  socket.removeAllListeners("data").resume();
  use(socket);
  await once(socket, "close").catch(() => {});
}

/** Does the same again and again, a number of times at once. They begin within a second. */
function many(count: number, once: () => Promise<unknown>): void {
  for (let index = 0; index < count; index++) {
    void (async () => {
      await pause(1000 * index / count);
      for (;; await pause(PAUSE_MS * (0.5 + Math.random()))) await once();
    })();
  }
}

/** A client that has begun a session, if it could. */
async function begin(version: string): Promise<HttpClient> {
  const one = client(version);
  await one.start().catch(() => {});
  return one;
}

const read = (id: number) => ({ jsonrpc: "2.0", id, method: "resources/read", params: DOCUMENT });
const readAll = Array.from({ length: 100 }, (_, id) => read(id));

export const ATTACKS: Readonly<Record<string, () => Promise<void> | void>> = {
  "big bodies": () => {
    // A long string.
    const body = new Uint8Array(4 * MIB).fill(0x78);
    body[0] = body[body.length - 1] = 0x22;
    const head = client("2025-11-25").bytesOf({}, { "content-length": `${body.length}` }, "");
    // Slowly, so that all are under way at the same time.
    const send = async (socket: Socket) => {
      for (let start = 0; start < body.length && !socket.destroyed; start += MIB / 4) {
        socket.write(body.subarray(start, start + MIB / 4));
        await pause(100);
      }
    };
    many(300, () => exchange(head, (socket) => void send(socket)));
  },
  "unread answers": () => {
    const bytes = call("resources/read", DOCUMENT);
    many(300, () => exchange(bytes, (socket) => void socket.pause()));
  },
  "batches": async () => {
    const bytes = (await begin("2025-03-26")).bytesOf(readAll);
    many(10, () => exchange(bytes));
  },
  "unread batches": async () => {
    const bytes = (await begin("2025-03-26")).bytesOf(readAll);
    many(50, () => exchange(bytes, (socket) => void socket.pause()));
  },
  "half-sent requests": () => {
    const half = call("ping", {}, { "content-length": "5000" });
    many(1000, () => exchange(half));
  },
  "half-open connections": () => many(2000, () => exchange("POST /mcp HTTP/1.1\r\nhost: localhost\r\n")),
  "many streams": () => {
    const listen = call("subscriptions/listen", { notifications: { resourcesListChanged: true } });
    many(200, () => exchange(listen));
  },
  "many sessions": () => {
    const uri = `architecture://guidelines/${"x".repeat(1000)}`;
    many(20, async () => {
      const one = await begin("2025-06-18");
      await exchange(one.bytesOf(one.request("resources/subscribe", { uri })));
    });
  },
  "kept streams": async () => {
    const bytes = (await begin("2025-11-25")).bytesOf(read(1), { accept: "text/event-stream" });
    many(20, () => exchange(bytes));
  },
};

// The test imports it for the names of the attacks.
if (Object.hasOwn(ATTACKS, attack)) {
  await ATTACKS[attack]!();
  process.stdout.write("begun\n");
}
