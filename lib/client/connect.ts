/**
 * Connecting: the server is asked in the modern way first, and any answer that is not modern leads to a handshake.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */

import type { JsonObject } from "../base/json.ts";
import type { Era } from "../protocol/revisions.ts";
import type { ClientOptions, Connectable, Limits } from "./options.ts";
import type { Negotiated, ServerInfo } from "./session.ts";
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
  const address = era === "auto" ? transport.address : undefined;
  const known = address === undefined ? undefined : eras.get(address);
  let session = new Session(transport, options, limits);
  try {
    await open(session, limits, era, known);
  } catch (cause) {
    // It may be another server by now.
    if (address !== undefined) eras.delete(address);
    // Some old servers end at a method that they do not know.
    if (era !== "auto" || typeof to !== "function" || session.state !== "ended") throw cause;
    session = new Session(await make(), options, limits);
    await open(session, limits, "legacy");
  }
  if (address !== undefined) {
    eras.delete(address);
    eras.set(address, session.negotiated.era);
    if (eras.size > MAX_REMEMBERED) eras.delete(eras.keys().next().value!);
  }
  return new Client(session, options, limits);
}

async function open(session: Session, limits: Limits, era: Era | "auto", known?: Era): Promise<void> {
  const opening = (async () => {
    await session.start();
    await session.open(await negotiate(session, limits.probeMs, era, known));
    return true;
  })();
  const { connectTimeoutMs } = limits;
  try {
    if (await withTimeout(opening, connectTimeoutMs, false)) return;
    throw new ConnectError(`Cannot connect: the server did not answer in ${connectTimeoutMs} ms`);
  } catch (cause) {
    await session.close();
    throw cause instanceof ConnectError
      ? cause
      : new ConnectError(`Cannot connect: ${reasonOf(cause)}`, { cause });
  }
}

/** Finds out what the server speaks; where an era is known, the other one is only tried when that one fails. */
async function negotiate(
  session: Session,
  probeMs: number,
  era: Era | "auto",
  known?: Era,
): Promise<Negotiated> {
  if (era === "auto" && known !== undefined) {
    try {
      return await negotiate(session, probeMs, known);
    } catch (cause) {
      if (isFinal(session, cause) && !(cause instanceof ConnectError)) throw cause;
    }
  }
  if (era === "legacy") return await handshake(session);
  if (era === "modern") {
    return await discover(session).catch((cause) => {
      if (isFinal(session, cause)) throw cause;
      const message = `The server does not speak ${MODERN.join(", ")}: ${reasonOf(cause)}`;
      throw new ConnectError(message, { cause });
    });
  }
  let answer: unknown;
  const modern = discover(session).catch((cause) => {
    if (isFinal(session, cause)) throw cause;
    answer = cause;
  });
  const found = await withTimeout(modern, probeMs, undefined);
  if (found) return found;
  const legacy = handshake(session);
  try {
    // A silent server may be slow, or not know the method: the first result decides.
    return await Promise.any([modern.then((late) => late ?? legacy), legacy]);
  } catch (failure) {
    const [cause] = (failure as AggregateError).errors;
    if (answer === undefined) throw cause;
    throw new ConnectError(
      `Cannot agree on a revision: ${reasonOf(cause)} (server/discover failed with: ${reasonOf(answer)})`,
      { cause },
    );
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
      return readDiscovery(await session.send("server/discover", session.withMeta({}, version), {}), version);
    } catch (cause) {
      if (!(cause instanceof RpcError) || !MODERN_ERRORS.includes(cause.code)) throw cause;
      if (cause.code !== unsupportedVersion) {
        throw new ConnectError(`The server refuses server/discover: ${cause.message}`, { cause });
      }
      const supported = asArray(asObject(cause.data)["supported"]);
      const mutual = MODERN.find((ours) => supported.includes(ours));
      if (mutual === undefined || attempt >= MAX_ATTEMPTS) throw noMutual(supported);
      version = mutual;
    }
  }
}

function readDiscovery(result: JsonObject, asked: string): Negotiated {
  const { supportedVersions } = result;
  if (!Array.isArray(supportedVersions)) {
    throw new ProtocolError("The result of server/discover names no versions");
  }
  const version = [asked, ...MODERN].find((ours) => supportedVersions.includes(ours));
  if (version === undefined) throw noMutual(supportedVersions);
  return { era: "modern", version, server: readServer(result) };
}

async function handshake(session: Session): Promise<Negotiated> {
  const result = await session.initialize(LEGACY[0]!, {});
  const version = asString(result["protocolVersion"]) ?? "no revision that it names";
  if (!LEGACY.includes(version)) throw new ConnectError(noMutual([version]).message);
  if (isObject(result["capabilities"])) return { era: "legacy", version, server: readServer(result) };
  throw new ConnectError("The result of initialize has no capabilities");
}

function readServer(result: JsonObject): ServerInfo {
  const { [Meta.serverInfo]: info = result["serverInfo"] } = asObject(result["_meta"]);
  return {
    info: asObject(info),
    capabilities: asObject(result["capabilities"]),
    instructions: asString(result["instructions"]),
  };
}

/** After a `ProtocolError` the handshake is tried: the server names a legacy revision of ours. */
function noMutual(theirs: readonly unknown[]): ConnectError | ProtocolError {
  const ours = [...MODERN, ...LEGACY].join(", ");
  const message = `There is no revision that both sides speak: the client speaks ${ours}; the server speaks ${
    theirs.join(", ")
  }`;
  const hasLegacy = LEGACY.some((one) => theirs.includes(one));
  return hasLegacy ? new ProtocolError(message) : new ConnectError(message);
}
