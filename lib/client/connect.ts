/** How does a conversation with a server begin? */

import type { ClientTransport, Connectable } from "./carrier.ts";
import type { ClientOptions, Limits } from "./options.ts";
import type { Era } from "./revisions.ts";
import { Client } from "./client.ts";
import { Conversation } from "./conversation.ts";
import { ConnectError, reasonOf } from "./errors.ts";
import { readLimits } from "./options.ts";

/** How many servers the process remembers. */
const MAX_REMEMBERED = 1000;
/** Which era the servers that outlive their conversations were of, by address. */
const remembered = new Map<string, Era>();

/**
 * Connects to a server, whatever revision it speaks.
 *
 * @param to A carrier that is not started; or how to make one, for servers that end when they are asked in the modern
 * way and have to be started again.
 * @throws {ConnectError} When nobody is there, or there is no revision that both sides speak.
 * @throws {RangeError} When a limit is not as it must be.
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
  const limits = readLimits(options);
  const { era = "auto", eras = remembered } = options;
  const make = typeof to === "function" ? to : () => to;
  const transport = await make();
  const known = transport.address === undefined ? undefined : eras.get(transport.address);
  const attempt = await open(transport, options, limits, era, known);
  let client = attempt.client;
  // The server has ended when it was asked what it does not know.
  if (!client && era === "auto" && typeof to === "function" && attempt.isOver) {
    client = (await open(await make(), options, limits, "legacy")).client;
  }
  if (!client) {
    // It may be another server by now: the next one who connects asks anew.
    if (transport.address !== undefined) eras.delete(transport.address);
    throw attempt.cause;
  }
  if (transport.address !== undefined) remember(eras, transport.address, client.era);
  return client;
}

interface Attempt {
  readonly client?: Client;
  readonly cause?: unknown;
  /** Whether the other side has ended the conversation. */
  readonly isOver: boolean;
}

async function open(
  transport: ClientTransport,
  options: ClientOptions,
  limits: Limits,
  era: Era | "auto",
  remembered?: Era,
): Promise<Attempt> {
  let client: Client | undefined;
  const conversation = new Conversation(transport, options, limits, {
    notification: (notification) => client?.take(notification),
    renewed: async () => await client?.renew(),
    warning: (message) => options.onwarning?.(message),
  });
  const { connectTimeoutMs } = limits;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new ConnectError(`Cannot connect: the server did not answer in ${connectTimeoutMs} ms`));
  }, connectTimeoutMs);
  try {
    await Promise.race([conversation.open(era, remembered), late.promise]);
    return { client: client = new Client(conversation, options, limits), isOver: false };
  } catch (cause) {
    const { isOver } = conversation;
    await conversation.close();
    const error = cause instanceof ConnectError
      ? cause
      : new ConnectError(`Cannot connect: ${reasonOf(cause)}`, { cause });
    return { cause: error, isOver };
  } finally {
    clearTimeout(timer);
  }
}

function remember(eras: Map<string, Era>, address: string, era: Era): void {
  eras.delete(address);
  eras.set(address, era);
  if (eras.size > MAX_REMEMBERED) eras.delete(eras.keys().next().value!);
}
