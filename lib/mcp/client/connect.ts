/** Opening a client: the era of the server is remembered by its address, and found out otherwise. */

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

/** The eras of servers by their address, for the life of the process. */
const knownEras = new Map<string, Era>(), MAX_REMEMBERED = 1000;

/**
 * Connects to a server of any revision.
 *
 * @param to A transport that is not started; or a function that makes one, for old servers that exit at the first modern
 * request and have to be started again.
 * @throws {ConnectError} When the server cannot be reached, or there is no revision that both sides speak.
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
  // Throws before anything is started.
  const checked = checkOptions(options);
  const { era = "auto", eras = knownEras } = options;
  const make = typeof to === "function" ? to : () => to;
  const transport = await make();
  // An era that the caller has set is not remembered.
  const address = era === "auto" ? transport.address ?? "" : "";
  let session = new ClientSession(transport, checked);
  try {
    await open(session, era, eras.get(address));
  } catch (cause) {
    // Another server may have this address by now.
    eras.delete(address);
    // Some old servers exit when they get a method that they do not know.
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

async function open(session: ClientSession, era: Era | "auto", known?: Era): Promise<void> {
  const { connectTimeoutMs } = session.options;
  const opening = (async () => {
    await session.connection.start();
    session.negotiated = await negotiate(session, known ?? era).catch((cause) => {
      // The remembered era may be out of date: then a server that answers is asked again.
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
