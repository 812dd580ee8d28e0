/**
 * Negotiates the revision of a session, with `server/discover` or a handshake.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */

import type { JsonObject } from "../../base/json.ts";
import type { Era } from "../protocol/revisions.ts";
import type { ClientSession, NegotiatedSession } from "./session.ts";
import { withTimeout } from "../../base/async.ts";
import { asArray, asObject, asString, isObject } from "../../base/json.ts";
import { reasonOf } from "../../base/text.ts";
import { RpcError } from "../../jsonrpc/message.ts";
import { TransportError } from "../../jsonrpc/transport/stream.ts";
import { McpErrorCode } from "../protocol/errors.ts";
import { Meta } from "../protocol/methods.ts";
import { LEGACY_REVISIONS, MODERN_REVISIONS } from "../protocol/revisions.ts";
import { ConnectError, HttpStatusError, ProtocolError } from "./errors.ts";

/** The modern revisions, newest first. */
const MODERN = [...MODERN_REVISIONS.keys()].reverse();
/** The legacy revisions, newest first. */
const LEGACY = [...LEGACY_REVISIONS.keys()].reverse();
const { headerMismatch, missingClientCapability, unsupportedVersion } = McpErrorCode;
/** The errors that only modern servers send. No handshake is tried after one of them. */
const MODERN_ERRORS: readonly number[] = [headerMismatch, missingClientCapability, unsupportedVersion];

/** Tries `server/discover` first. Any answer that is not from a modern server leads to a handshake. */
export async function negotiate(session: ClientSession, era: Era | "auto"): Promise<NegotiatedSession> {
  if (era === "legacy") return await handshake(session);
  let failure: unknown, late: NegotiatedSession | undefined;
  const modern = discover(session).then((found) => late = found, (cause) => {
    if (isFinal(session, cause)) throw cause;
    failure = cause;
    if (era === "auto") return undefined;
    throw new ConnectError(`The server does not support ${MODERN.join(", ")}: ${reasonOf(cause)}`, { cause });
  });
  const found = await (era === "modern" ? modern : withTimeout(modern, session.options.probeMs, undefined));
  if (found) return found;
  try {
    const legacy = await handshake(session);
    // A slow server may answer both requests. Some servers refuse modern requests after a handshake.
    return late ? await discover(session).catch(() => legacy) : legacy;
  } catch (cause) {
    const found = await modern;
    if (found) return found;
    const message = `${reasonOf(cause)} (server/discover failed with: ${reasonOf(failure)})`;
    throw new ConnectError(`Cannot agree on a revision: ${message}`, { cause });
  }
}

/** Whether the server is unreachable or refuses this client, so that another era would not help. */
export function isFinal({ state }: ClientSession, cause: unknown): boolean {
  if (cause instanceof HttpStatusError) return cause.status === 401 || cause.status === 403;
  return state !== "open" || cause instanceof ConnectError || cause instanceof TransportError;
}

/** The maximum number of `server/discover` requests. After the first, each uses a revision that the server has named. */
const MAX_ATTEMPTS = 3;

/** Negotiates with `server/discover`. */
async function discover(session: ClientSession): Promise<NegotiatedSession> {
  let version = MODERN[0]!;
  for (let attempt = 1;; attempt++) {
    try {
      const result = await session.send("server/discover", session.withMeta({}, version), {});
      const { supportedVersions: theirs } = result;
      if (Array.isArray(theirs)) return toNegotiated("modern", mutualRevision(MODERN, theirs), result);
      throw new ProtocolError("The result of server/discover has no supportedVersions");
    } catch (cause) {
      if (!(cause instanceof RpcError) || !MODERN_ERRORS.includes(cause.code)) throw cause;
      if (cause.code !== unsupportedVersion) {
        throw new ConnectError(`The server refuses server/discover: ${cause.message}`, { cause });
      }
      // After the last attempt, no revision is left.
      version = mutualRevision(
        attempt < MAX_ATTEMPTS ? MODERN : [],
        asArray(asObject(cause.data)["supported"]),
      );
    }
  }
}

/** Negotiates with a handshake. */
async function handshake(session: ClientSession): Promise<NegotiatedSession> {
  const result = await session.initialize(LEGACY[0]!, {});
  const version = mutualRevision(LEGACY, [result["protocolVersion"] ?? "an unnamed revision"]);
  if (isObject(result["capabilities"])) return toNegotiated("legacy", version, result);
  throw new ConnectError("The result of initialize has no capabilities");
}

function toNegotiated(era: Era, version: string, result: JsonObject): NegotiatedSession {
  const { _meta, serverInfo, capabilities, instructions } = result;
  const info = asObject(asObject(_meta)[Meta.serverInfo] ?? serverInfo);
  const server = { info, capabilities: asObject(capabilities), instructions: asString(instructions) };
  return { era, version, server };
}

/**
 * Returns the newest of our revisions that the server also supports. Throws a `ProtocolError` if a handshake may still succeed,
 * and a `ConnectError` otherwise.
 */
function mutualRevision(ours: readonly string[], theirs: readonly unknown[]): string {
  const found = ours.find((one) => theirs.includes(one));
  if (found !== undefined) return found;
  const both = `the client supports ${[...MODERN, ...LEGACY].join(", ")}; the server supports ${
    theirs.join(", ")
  }`;
  const isLegacy = LEGACY.some((one) => theirs.includes(one));
  throw new (isLegacy ? ProtocolError : ConnectError)(`No revision is supported by both sides: ${both}`);
}
