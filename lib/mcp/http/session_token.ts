/** The `Mcp-Session-Id`: a signed token with the result of the handshake, so that no server has to store it. */

import type { JsonObject } from "../../base/json.ts";
import type { TokenSigner } from "../../base/signer.ts";
import type { Negotiated } from "../protocol/revisions.ts";
import { compact } from "../../base/json.ts";
import { quoted } from "../../base/text.ts";

/** The content of a token. */
export type Claims = [
  id: string,
  revision: string,
  info: JsonObject,
  capabilities: JsonObject,
  expires: number,
];

/** The maximum length of each text of the client in a token, which is in a header field of every request. */
const MAX_TEXT = 100;
/** The maximum length of the capabilities in a token, as JSON. */
const MAX_CAPABILITIES = 1500;
/** The maximum length of a token. */
const MAX_TOKEN = 8192;

/** The claims of a new session. */
export function newClaims({ revision, client }: Negotiated, lifetimeMs: number): Claims {
  return [
    crypto.randomUUID(),
    revision.id,
    trimmedInfo(client.info ?? {}),
    boundedCapabilities(client.capabilities),
    Date.now() + lifetimeMs,
  ];
}

/** Makes the token of a session. */
export async function signToken(
  signer: TokenSigner,
  claims: Claims,
  principal: string | undefined,
): Promise<string> {
  return await signer.sign(purposeOf(principal), JSON.stringify(claims));
}

/** The claims of a token; undefined when it was not signed for this principal, or has expired. */
export async function openToken(
  signer: TokenSigner,
  token: string,
  principal: string | undefined,
): Promise<Claims | undefined> {
  const content = token.length > MAX_TOKEN ? undefined : await signer.open(purposeOf(principal), token);
  if (content === undefined) return undefined;
  // It is signed, so its shape is known.
  const claims: Claims = JSON.parse(content);
  const [, , , , expires] = claims;
  return expires > Date.now() ? claims : undefined;
}

/** What a token is valid for. The principal is here and not in the token, because session ids end up in logs. */
function purposeOf(principal: string | undefined): string {
  return JSON.stringify(["MCP session", principal]);
}

/** The known members of the client info, cut to `MAX_TEXT`. */
function trimmedInfo({ name, title, version }: JsonObject): JsonObject {
  const texts = Object.entries({ name, title, version }).filter(([, text]) => typeof text === "string");
  return Object.fromEntries(texts.map(([key, text]) => [key, quoted(text as string, MAX_TEXT)]));
}

/** The capabilities; only the known ones if they are too long, and none if those are too long as well. */
function boundedCapabilities(capabilities: JsonObject): JsonObject {
  const { roots, sampling, elicitation } = capabilities;
  const choices = [capabilities, compact({ roots, sampling, elicitation })];
  return choices.find((choice) => JSON.stringify(choice).length <= MAX_CAPABILITIES) ?? {};
}
