/**
 * Connecting: the server is asked in the modern way first, and any answer that is not modern leads to a handshake.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */

import type { JsonObject } from "../base/json.ts";
import type { Era } from "../protocol/revisions.ts";
import type { ClientOptions, Connectable, Limits } from "./options.ts";
import type { Negotiated } from "./session.ts";
import { withTimeout } from "../base/async.ts";
import { asArray, asObject, asString, isObject } from "../base/json.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { McpErrorCode } from "../protocol/errors.ts";
import { Meta } from "../protocol/methods.ts";
import { LEGACY_IDS, MODERN_IDS } from "../protocol/revisions.ts";
import { TransportError } from "../transport/transport.ts";
import { Client } from "./client.ts";
import { ConnectError, HttpError, ProtocolError, readLimits, reasonOf } from "./options.ts";
import { Session } from "./session.ts";

/** The newest first. */
const MODERN = MODERN_IDS.toReversed();
const LEGACY = LEGACY_IDS.toReversed();
/** Errors that only modern servers answer with: no handshake is tried after one. */
const { headerMismatch, missingClientCapability, unsupportedVersion } = McpErrorCode;
const MODERN_ERRORS: readonly number[] = [headerMismatch, missingClientCapability, unsupportedVersion];
/** How many servers the process remembers. */
const MAX_REMEMBERED = 1000;
/** The eras of servers that were connected to, by address. */
const knownEras = new Map<string, Era>();

/**
 * Connects to a server of any revision.
 *
 * @param to A transport that is not started; or a function that makes one, for servers that end when they are asked in the
 * modern way and have to be started again.
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
  const limits = readLimits(options);
  const { era = "auto", eras = knownEras } = options;
  const make = typeof to === "function" ? to : () => to;
  const transport = await make();
  // Only an era that was found out is remembered.
  const address = era === "auto" ? transport.address ?? "" : "";
  let session = new Session(transport, options, limits);
  try {
    await open(session, limits, era, eras.get(address));
  } catch (cause) {
    // It may be another server by now.
    eras.delete(address);
    // Some old servers end at a method that they do not know.
    if (era !== "auto" || typeof to !== "function" || session.state !== "ended") throw cause;
    session = new Session(await make(), options, limits);
    await open(session, limits, "legacy");
  }
  if (address !== "") {
    eras.delete(address);
    eras.set(address, session.negotiated.era);
    if (eras.size > MAX_REMEMBERED) eras.delete(eras.keys().next().value!);
  }
  return new Client(session, options, limits);
}

async function open(session: Session, limits: Limits, era: Era | "auto", known?: Era): Promise<void> {
  const { connectTimeoutMs, probeMs } = limits;
  const opening = (async () => {
    await session.start();
    session.negotiated = await negotiate(session, probeMs, known ?? era).catch((cause) => {
      // The other era is only tried when the known one has failed.
      if (!known || (isFinal(session, cause) && !(cause instanceof ConnectError))) throw cause;
      return negotiate(session, probeMs, "auto");
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

/** Finds out what the server speaks. */
async function negotiate(session: Session, probeMs: number, era: Era | "auto"): Promise<Negotiated> {
  if (era === "legacy") return await handshake(session);
  let failure: unknown;
  const modern = discover(session).catch((cause) => {
    if (isFinal(session, cause)) throw cause;
    failure = cause;
  });
  const found = await (era === "modern" ? modern : withTimeout(modern, probeMs, undefined));
  if (found) return found;
  if (era === "modern") {
    const message = `The server does not speak ${MODERN.join(", ")}: ${reasonOf(failure)}`;
    throw new ConnectError(message, { cause: failure });
  }
  const legacy = handshake(session);
  try {
    // A silent server may be slow, or not know the method: the first result decides.
    return await Promise.any([modern.then((late) => late ?? legacy), legacy]);
  } catch (failures) {
    const [cause] = (failures as AggregateError).errors;
    if (failure === undefined) throw cause;
    const message = `${reasonOf(cause)} (server/discover failed with: ${reasonOf(failure)})`;
    throw new ConnectError(`Cannot agree on a revision: ${message}`, { cause });
  }
}

/** Whether a failure is about the way to the server, so that no other era is tried. */
function isFinal({ state }: Session, cause: unknown): boolean {
  if (cause instanceof HttpError) return cause.status === 401 || cause.status === 403;
  return state !== "open" || cause instanceof ConnectError || cause instanceof TransportError;
}

/** How often the server may ask for another modern revision. */
const MAX_ATTEMPTS = 3;

async function discover(session: Session): Promise<Negotiated> {
  let version = MODERN[0]!;
  for (let attempt = 1;; attempt++) {
    try {
      const result = await session.send("server/discover", session.withMeta({}, version), {});
      const { supportedVersions } = result;
      if (Array.isArray(supportedVersions)) {
        return toNegotiated("modern", mutual([version, ...MODERN], supportedVersions), result);
      }
      throw new ProtocolError("The result of server/discover names no versions");
    } catch (cause) {
      if (!(cause instanceof RpcError) || !MODERN_ERRORS.includes(cause.code)) throw cause;
      if (cause.code !== unsupportedVersion) {
        throw new ConnectError(`The server refuses server/discover: ${cause.message}`, { cause });
      }
      version = mutual(attempt < MAX_ATTEMPTS ? MODERN : [], asArray(asObject(cause.data)["supported"]));
    }
  }
}

async function handshake(session: Session): Promise<Negotiated> {
  const result = await session.initialize(LEGACY[0]!, {});
  const version = mutual(LEGACY, [result["protocolVersion"] ?? "no revision that it names"]);
  if (isObject(result["capabilities"])) return toNegotiated("legacy", version, result);
  throw new ConnectError("The result of initialize has no capabilities");
}

function toNegotiated(era: Era, version: string, result: JsonObject): Negotiated {
  const { _meta, serverInfo, capabilities, instructions } = result;
  const server = {
    info: asObject(asObject(_meta)[Meta.serverInfo] ?? serverInfo),
    capabilities: asObject(capabilities),
    instructions: asString(instructions),
  };
  return { era, version, server };
}

/**
 * The first of our revisions that the server speaks.
 *
 * @throws {ProtocolError} When there is none of them but a legacy one: a handshake may succeed.
 * @throws {ConnectError} When there is none at all.
 */
function mutual(ours: readonly string[], theirs: readonly unknown[]): string {
  const found = ours.find((one) => theirs.includes(one));
  if (found !== undefined) return found;
  const spoken = `the client speaks ${[...MODERN, ...LEGACY].join(", ")}; the server speaks ${
    theirs.join(", ")
  }`;
  const hasLegacy = LEGACY.some((one) => theirs.includes(one));
  throw new (hasLegacy ? ProtocolError : ConnectError)(
    `There is no revision that both sides speak: ${spoken}`,
  );
}
