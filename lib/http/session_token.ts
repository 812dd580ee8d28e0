/**
 * What does the id of a session say? What the handshake agreed, signed: so any server with the same key can serve any
 * session, and none has to remember it.
 */

import type { Negotiated } from "../protocol/revisions.ts";
import type { TokenSigner } from "../server/signer.ts";
import { toBase64Url } from "../base/bytes.ts";
import { isObject } from "../base/json.ts";

/** What is agreed for as long as a session lasts. */
export interface Agreement {
  /** Names the session; random. */
  readonly id: string;
  readonly protocolVersion: string;
  readonly clientInfo: Readonly<Record<string, unknown>> | undefined;
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Whose session it is: a mark of the principal; "" where nobody was asked for credentials. */
  readonly owner: string;
  /** When it ends, in milliseconds since 1970. */
  readonly expires: number;
}

const PURPOSE = "MCP session";
const ID_BYTES = 16;
/** What is kept of a client's words: a field of a request is not long, and this one comes with each. */
const MAX_TEXT = 100;
const MAX_CAPABILITIES = 1500;
/** Longer ones are not ours, and not worth a look. */
const MAX_TOKEN = 8192;
const encoder = new TextEncoder();

/** Makes an agreement of what a handshake agreed. */
export async function agreementOf(
  { revision, client }: Negotiated,
  principal: string | undefined,
  expires: number,
): Promise<Agreement> {
  return {
    id: toBase64Url(crypto.getRandomValues(new Uint8Array(ID_BYTES))),
    protocolVersion: revision.id,
    clientInfo: client.info && trimmed(client.info),
    capabilities: bounded(client.capabilities),
    owner: await ownerOf(principal),
    expires,
  };
}

/** A mark of a principal that does not show who it is: ids of sessions end up in logs. */
export async function ownerOf(principal: string | undefined): Promise<string> {
  if (principal === undefined) return "";
  const digest = await crypto.subtle.digest("SHA-256", encoder.encode(principal));
  return toBase64Url(new Uint8Array(digest, 0, ID_BYTES));
}

/** The id that the client gets. */
export function toToken(signer: TokenSigner, agreement: Agreement): Promise<string> {
  const { id, protocolVersion, clientInfo = 0, capabilities, owner, expires } = agreement;
  return signer.sign(
    PURPOSE,
    JSON.stringify([id, protocolVersion, clientInfo, capabilities, owner, expires]),
  );
}

/** What an id says; undefined when it is none that was given out, or its time is over. */
export async function fromToken(signer: TokenSigner, token: string): Promise<Agreement | undefined> {
  const content = token.length > MAX_TOKEN ? undefined : await signer.open(PURPOSE, token);
  if (content === undefined) return undefined;
  // It is signed, so it is what was written above.
  const [id, protocolVersion, clientInfo, capabilities, owner, expires] = JSON.parse(content);
  if (expires <= Date.now()) return undefined;
  return { id, protocolVersion, clientInfo: clientInfo || undefined, capabilities, owner, expires };
}

/** What a client says of itself for people and logs. */
function trimmed(info: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const texts = ["name", "title", "version"].flatMap((key) => {
    const text = info[key];
    return typeof text === "string" ? [[key, text.slice(0, MAX_TEXT).toWellFormed()]] : [];
  });
  return Object.fromEntries(texts);
}

/** What a client can do; of one that says too much, only which of the known things. */
function bounded(capabilities: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (JSON.stringify(capabilities).length <= MAX_CAPABILITIES) return capabilities;
  const known = ["roots", "sampling", "elicitation"].filter((name) => isObject(capabilities[name]));
  return Object.fromEntries(known.map((name) => [name, flat(capabilities[name] as Record<string, unknown>)]));
}

function flat(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(settings).filter(([key]) => key.length < MAX_TEXT).slice(0, 8);
  return Object.fromEntries(entries.map(([key, value]) => [key, isObject(value) ? {} : Boolean(value)]));
}
