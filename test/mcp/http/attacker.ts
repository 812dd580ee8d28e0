/**
 * A client that wants the server for itself, as a process of its own: `attacker.ts ATTACK PORT TOKEN`. It connects from 127.0.0.2,
 * so that it shares no address with others, and comes back a moment after each refusal. It writes a line when it has begun.
 */

import { connect } from "node:net";
import type { Socket } from "node:net";
import process from "node:process";
import { pause } from "../../harness/process.ts";
import { handshake, modern } from "../../harness/program.ts";
import { requestOf } from "./raw.ts";

const [attack = "", port = "", token = ""] = process.argv.slice(2);
const MIB = 1024 * 1024;
/** The pause after a refusal is half to three halves of this, in milliseconds: a mere flood of packets is for a firewall. */
const PAUSE_MS = 1000;
const BOTH = "application/json, text/event-stream";
const DOCUMENT = { uri: "architecture://guidelines/long" };

type Fields = Readonly<Record<string, string | undefined>>;

function post(body: string, fields: Fields = {}): Uint8Array {
  return requestOf("POST", "/mcp", {
    host: "localhost",
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: BOTH,
    ...fields,
  }, body);
}

/** A request of 2026-07-28. */
function call(method: string, params: Record<string, unknown>, fields?: Fields): Uint8Array {
  const message = { jsonrpc: "2.0", id: 1, method, params: modern(params) };
  const named = params["uri"] ?? params["name"];
  const name = named === undefined ? {} : { "mcp-name": `${named}` };
  const head = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...name, ...fields };
  return post(JSON.stringify(message), head);
}

/** Opens a connection, sends something, and gives what came back when it is closed. */
async function exchange(
  bytes: string | Uint8Array,
  use: (socket: Socket) => void = () => {},
): Promise<string> {
  const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress: "127.0.0.2" });
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    if (received.length < 10_000) received += text;
  });
  socket.on("error", () => {});
  socket.write(bytes);
  use(socket);
  await new Promise((resolve) => socket.on("close", resolve));
  return received;
}

/** Does the same again and again, so many at a time. They begin within a second. */
function many(count: number, once: () => Promise<unknown>): void {
  for (let index = 0; index < count; index++) {
    void (async () => {
      await pause(1000 * index / count);
      for (;; await pause(PAUSE_MS * (0.5 + Math.random()))) await once();
    })();
  }
}

/** Begins a session. */
async function begin(version: string): Promise<Fields> {
  const params = handshake(version);
  const message = { jsonrpc: "2.0", id: 0, method: "initialize", params };
  const answer = await exchange(post(JSON.stringify(message)));
  const [, session] = /mcp-session-id: (\S+)/i.exec(answer) ?? [];
  return { "mcp-session-id": session, "mcp-protocol-version": version };
}

const read = (id: number) => ({ jsonrpc: "2.0", id, method: "resources/read", params: DOCUMENT });
const readAll = JSON.stringify(Array.from({ length: 100 }, (_, id) => read(id)));

export const ATTACKS: Readonly<Record<string, () => Promise<void> | void>> = {
  "big bodies": () => {
    // A long string.
    const body = new Uint8Array(4 * MIB).fill(0x78);
    body[0] = body[body.length - 1] = 0x22;
    const head = post("", { "content-length": `${body.length}` });
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
    const fields = await begin("2025-03-26");
    many(10, () => exchange(post(readAll, fields)));
  },
  "unread batches": async () => {
    const fields = await begin("2025-03-26");
    many(50, () => exchange(post(readAll, fields), (socket) => void socket.pause()));
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
      const fields = await begin("2025-06-18");
      const message = { jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri } };
      await exchange(post(JSON.stringify(message), fields));
    });
  },
  "kept streams": async () => {
    const fields = { ...await begin("2025-11-25"), accept: "text/event-stream" };
    many(20, () => exchange(post(JSON.stringify(read(1)), fields)));
  },
};

// The test imports it for the names of the attacks.
if (Object.hasOwn(ATTACKS, attack)) {
  await ATTACKS[attack]!();
  process.stdout.write("begun\n");
}
