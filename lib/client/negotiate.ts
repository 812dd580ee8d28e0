/**
 * Which revision do both sides speak? The server is asked in the modern way first; whoever answers that with anything that
 * is not modern is shaken hands with.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio#backward-compatibility
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */

import type { Era } from "./revisions.ts";
import type { Members } from "./value.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { ConnectError, reasonOf } from "./errors.ts";
import { META, MODERN_ERRORS, VERSIONS } from "./revisions.ts";
import { isObject } from "../base/json.ts";
import { objectIn, textIn, textsOf } from "./value.ts";

/** What both sides have agreed on, and what the server says of itself. */
export interface Agreement {
  readonly era: Era;
  /** The revision. */
  readonly version: string;
  readonly serverInfo: Members;
  readonly capabilities: Members;
  readonly instructions: string | undefined;
}

/** How a server is asked while nothing is agreed yet. */
export interface Opening {
  /** Asks `server/discover` in a modern revision. */
  discover(version: string): Promise<Members>;
  /** Asks `initialize` with a legacy revision. */
  initialize(version: string): Promise<Members>;
  /** Whether a failure says that the server cannot be asked at all, in whatever era: it is not there, or lets nobody in. */
  isFinal(cause: unknown): boolean;
}

/** How often a server may want another modern revision. */
const MAX_VERSIONS = 3;

/** What is found out by the modern question: an agreement, or that the server is legacy and why. */
type Finding = Agreement | { readonly legacy: unknown };

/**
 * Finds out what the server speaks.
 *
 * @param era What the server is to be.
 * @param probeMs How long the modern question may go unanswered before the handshake is tried as well.
 * @param remembered What a server at this address was, for `auto`: it may be another one by now.
 * @throws {ConnectError} When there is no revision that both sides speak, or nobody is there.
 */
export async function negotiate(
  opening: Opening,
  era: Era | "auto",
  probeMs: number,
  remembered?: Era,
): Promise<Agreement> {
  if (era === "auto" && remembered !== undefined) {
    try {
      return await negotiate(opening, remembered, probeMs);
    } catch (cause) {
      // That there is no revision is what is asked anew.
      if (!(cause instanceof ConnectError) && opening.isFinal(cause)) throw cause;
    }
  }
  if (era === "legacy") return await shakeHands(opening);
  const probing = probe(opening);
  if (era === "modern") return orRefuse(await probing);
  const patience = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => patience.resolve(undefined), probeMs);
  const found = await Promise.race([probing, patience.promise]).finally(() => clearTimeout(timer));
  if (found && "era" in found) return found;
  const handshake = shakeHands(opening);
  // It is slow, or silent because it does not know the question: whatever comes first decides.
  if (!found) return await firstAgreement(probing, handshake);
  try {
    return await handshake;
  } catch (cause) {
    throw new ConnectError(
      `Cannot agree on a revision: ${reasonOf(cause)} (to server/discover the server said: ${
        reasonOf(found.legacy)
      })`,
      { cause },
    );
  }
}

async function firstAgreement(probing: Promise<Finding>, handshake: Promise<Agreement>): Promise<Agreement> {
  const modern = probing.then((found) => "era" in found ? found : handshake);
  try {
    return await Promise.any([modern, handshake]);
  } catch (cause) {
    throw cause instanceof AggregateError ? cause.errors[0] : cause;
  }
}

function orRefuse(found: Finding): Agreement {
  if ("era" in found) return found;
  const message = `The server does not speak ${VERSIONS.modern.join(", ")}: ${reasonOf(found.legacy)}`;
  throw new ConnectError(message, { cause: found.legacy });
}

async function probe(opening: Opening): Promise<Finding> {
  let version = VERSIONS.modern[0]!;
  for (let attempt = 1;; attempt++) {
    try {
      return readDiscovery(await opening.discover(version), version);
    } catch (cause) {
      if (opening.isFinal(cause)) throw cause;
      if (!(cause instanceof RpcError) || !isModernError(cause)) return { legacy: cause };
      const supported = textsOf(objectIn({ data: cause.data }, "data")["supported"]);
      const mutual = VERSIONS.modern.find((ours) => supported.includes(ours));
      if (cause.code !== MODERN_ERRORS.unsupportedVersion) {
        throw new ConnectError(`The server refuses to be asked what it speaks: ${cause.message}`, { cause });
      }
      if (mutual === undefined && supported.some((theirs) => VERSIONS.legacy.includes(theirs))) {
        return { legacy: cause };
      }
      if (mutual === undefined || attempt >= MAX_VERSIONS) {
        throw new ConnectError(noMutual(supported), { cause });
      }
      version = mutual;
    }
  }
}

function isModernError({ code }: RpcError): boolean {
  return Object.values(MODERN_ERRORS).some((known) => known === code);
}

function readDiscovery(result: Members, asked: string): Finding {
  const { supportedVersions } = result;
  if (!Array.isArray(supportedVersions)) {
    return { legacy: new Error("an answer that names no versions") };
  }
  const supported = textsOf(supportedVersions);
  const version = supported.includes(asked)
    ? asked
    : VERSIONS.modern.find((ours) => supported.includes(ours));
  if (version === undefined) {
    if (supported.some((theirs) => VERSIONS.legacy.includes(theirs))) {
      return { legacy: new Error(noMutual(supported)) };
    }
    throw new ConnectError(noMutual(supported));
  }
  const meta = objectIn(objectIn(result, "_meta"), META.serverInfo);
  return {
    era: "modern",
    version,
    // Some servers say it where the handshake had it.
    serverInfo: Object.keys(meta).length > 0 ? meta : objectIn(result, "serverInfo"),
    capabilities: objectIn(result, "capabilities"),
    instructions: textIn(result, "instructions"),
  };
}

function noMutual(theirs: readonly string[]): string {
  const ours = [...VERSIONS.modern, ...VERSIONS.legacy].join(", ");
  return `There is no revision that both sides speak: the client speaks ${ours}; the server speaks ${
    theirs.join(", ")
  }`;
}

async function shakeHands(opening: Opening): Promise<Agreement> {
  const result = await opening.initialize(VERSIONS.legacy[0]!);
  const version = textIn(result, "protocolVersion");
  if (version === undefined || !VERSIONS.legacy.includes(version)) {
    throw new ConnectError(noMutual([version ?? "none that it names"]));
  }
  if (!isObject(result["capabilities"])) {
    throw new ConnectError(
      "The server does not say what it can do: its answer to initialize has no capabilities",
    );
  }
  return {
    era: "legacy",
    version,
    serverInfo: objectIn(result, "serverInfo"),
    capabilities: objectIn(result, "capabilities"),
    instructions: textIn(result, "instructions"),
  };
}
