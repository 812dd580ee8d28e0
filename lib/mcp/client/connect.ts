/** Opens a client. The era of a server is remembered by its address. */

import type { Era } from "../protocol/revisions.ts";
import type { Connectable } from "./client_transport.ts";
import type { ClientOptions } from "./options.ts";
import { withTimeout } from "../../base/async.ts";
import { reasonOf } from "../../base/text.ts";
import { Client } from "./client.ts";
import { ConnectError } from "./errors.ts";
import { isFinal, negotiate } from "./negotiation.ts";
import { checkOptions } from "./options.ts";
import { ClientSession } from "./session.ts";

/** The eras of servers by address, for the life of the process. */
const knownEras = new Map<string, Era>();
/** The maximum number of servers whose era is remembered. */
const MAX_REMEMBERED = 1000;

/**
 * Connects to a server of any revision.
 *
 * @param to A transport that is not started, or a function that makes one. With a function, an old server that exits at the
 * first modern request is started again.
 * @throws {ConnectError} When the server cannot be reached, or no revision is supported by both sides.
 * @throws {RangeError} For an invalid limit.
 *
 * @example
 * ```ts
 * import { connect, spawnTransport } from "@architrave/architrave/client";
 *
 * const command = { command: "deno", args: ["run", "--allow-read", "mod.ts"] };
 * const client = await connect(() => spawnTransport(command), { info: { name: "our-client", version: "1.0.0" } });
 * for await (const { uri, name } of client.resources()) console.log(uri, name);
 * await client.close();
 * ```
 */
export async function connect(to: Connectable, options: ClientOptions): Promise<Client> {
  // Throws before the transport is made.
  const checked = checkOptions(options);
  const { era = "auto", eras = knownEras } = options;
  const make = typeof to === "function" ? to : () => to;
  const transport = await make();
  // The era is not remembered if the caller has set it.
  const address = era === "auto" ? transport.address ?? "" : "";
  let session = new ClientSession(transport, checked);
  try {
    await open(session, era, eras.get(address));
  } catch (cause) {
    // By now, another server may have this address.
    eras.delete(address);
    // Some old servers exit when they receive an unknown method.
    if (era !== "auto" || typeof to !== "function" || session.state !== "ended") throw cause;
    session = new ClientSession(await make(), checked);
    await open(session, "legacy");
  }
  if (address !== "") {
    eras.delete(address);
    eras.set(address, session.negotiated.era);
    if (eras.size > MAX_REMEMBERED) eras.delete(eras.keys().next().value!);
  }
  return new Client(session);
}

/** Starts the connection and negotiates. Throws a `ConnectError` and closes the session when that fails. */
async function open(session: ClientSession, era: Era | "auto", known?: Era): Promise<void> {
  const { connectTimeoutMs } = session.options;
  const opening = (async () => {
    await session.connection.start();
    session.negotiated = await negotiate(session, known ?? era).catch((cause) => {
      // The remembered era may be out of date. If the server is reachable, the negotiation starts again.
      if (!known || (isFinal(session, cause) && !(cause instanceof ConnectError))) throw cause;
      return negotiate(session, "auto");
    });
    if (session.negotiated.era === "legacy") await session.begin();
    return true;
  })();
  try {
    if (await withTimeout(opening, connectTimeoutMs, false)) return;
    throw new ConnectError(`Cannot connect: the server did not answer in ${connectTimeoutMs} ms`);
  } catch (cause) {
    await session.close();
    if (cause instanceof ConnectError) throw cause;
    throw new ConnectError(`Cannot connect: ${reasonOf(cause)}`, { cause });
  }
}
