/**
 * How does a message travel between processes that did not start each other? Over TCP or a Unix domain socket: one JSON
 * text a line, in both directions. What it needs of the network is loaded at the first call.
 *
 * @module
 */

import type { Address, TcpAddress, UnixAddress } from "../platform/tcp.ts";
import type { ConnectionListener, ListenOptions } from "./listener.ts";
import type { Place } from "./place.ts";
import type { SocketOptions } from "./socket.ts";
import { loadTcp } from "../platform/tcp.ts";
import { Admission } from "./listener.ts";
import { nameOf, toAddress } from "./place.ts";
import { SocketTransport } from "./socket.ts";
import { TransportError } from "./transport.ts";

export type { Address, ConnectionListener, ListenOptions, Place, SocketOptions, TcpAddress, UnixAddress };
export { SocketTransport } from "./socket.ts";

/** How long connecting may take, in milliseconds: a host that does not answer would have it take minutes. */
const MAX_CONNECTING_MS = 10_000;

/**
 * Connects to a program that listens.
 *
 * Needs the permission to connect there; for a path under Deno, the permissions to read and to write it.
 *
 * @param place A port, with a host unless it is 127.0.0.1; or the path of a Unix domain socket.
 * @returns A carrier that is connected and not started.
 * @throws {TransportError} When nobody listens there, and when connecting takes longer than 10 seconds.
 *
 * @example
 * ```ts
 * import { ErrorCode, failure, Peer, RpcError, toErrorObject } from "@architrave/architrave/jsonrpc";
 * import { tcpTransport } from "@architrave/architrave/tcp";
 *
 * const nothing = toErrorObject(new RpcError(ErrorCode.methodNotFound, "A client serves nothing"));
 * const peer = new Peer(await tcpTransport({ port: 4711 }), { onrequest: ({ id }) => failure(id, nothing) });
 * await peer.start();
 * console.log(await peer.request("add", [1, 2]));
 * await peer.close();
 * ```
 */
export async function tcpTransport(place: Place, options: SocketOptions = {}): Promise<SocketTransport> {
  const address = toAddress(place);
  const tcp = await loadTcp();
  try {
    const channel = await tcp.connect(address, AbortSignal.timeout(MAX_CONNECTING_MS));
    return new SocketTransport(channel, address.path, options);
  } catch (cause) {
    throw new TransportError(`Cannot connect to ${nameOf(address)}: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * Listens for connections, and makes a carrier of each.
 *
 * Needs the permission to listen there; for a path under Deno, the permissions to read and to write it.
 *
 * @param place A port, with a host unless it is 127.0.0.1; or the path of a Unix domain socket. Port 0 lets the system pick.
 * @throws {TransportError} When it cannot listen there, as when somebody else does.
 *
 * @example An MCP server for several clients at once
 * ```ts
 * import { createServer } from "@architrave/architrave";
 * import { listenTcp } from "@architrave/architrave/tcp";
 *
 * const server = createServer({ info: { name: "our-decisions", version: "1.0.0" } });
 * const listener = await listenTcp({ port: 4711 }, {
 *   onconnection: (transport) => void server.connect(transport),
 * });
 * console.error(listener.address);
 * ```
 */
export async function listenTcp(place: Place, options: ListenOptions): Promise<ConnectionListener> {
  const address = toAddress(place);
  const tcp = await loadTcp();
  const listener = new Admission(address.path, options);
  try {
    listener.begin(
      await tcp.listen(address, {
        connection: (channel) => listener.admit(channel),
        error: (cause) =>
          options.onerror?.(new TransportError(`Cannot take a connection: ${reasonOf(cause)}`, { cause })),
      }),
    );
  } catch (cause) {
    throw new TransportError(`Cannot listen on ${nameOf(address)}: ${reasonOf(cause)}`, { cause });
  }
  return listener;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
