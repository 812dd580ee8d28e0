/** Credentials: reads them from secret files, and adds them to requests. */

import type { Secrets } from "./redact.ts";
import { toBase64 } from "../base/base64.ts";
import { FIELD_NAME } from "../mcp/protocol/headers.ts";
import { refuse } from "./errors.ts";
import { secretsOf } from "./redact.ts";
import { CONNECTION_HEADERS } from "./reserved_headers.ts";

/** How a credential is sent to the API. */
export type CredentialScheme =
  | { readonly type: "header" | "query" | "cookie"; readonly name: string }
  | { readonly type: "basic" | "bearer" };

/** A secret with its place in a request. */
export interface Credential extends Secrets {
  readonly in: "header" | "query" | "cookie";
  readonly name: string;
  readonly value: string;
}

/** Makes a credential from the content of a secret file; line breaks at the end are ignored. Errors never quote the content. */
export function credential(name: string, scheme: CredentialScheme, content: string): Credential {
  const fail = (reason: string): never => refuse(`The credential ${name} ${reason}`);
  if (typeof content !== "string") fail(content === undefined ? "is undefined" : "must be a string");
  const secret = content.replace(/^\uFEFF/, "").replace(/[\r\n]+$/, "");
  if (!/^[\x20-\x7e]+$/.test(secret)) fail("must be one line of printable ASCII characters");
  const isNamed = "name" in scheme;
  const place = isNamed ? scheme.type : "header";
  const key = isNamed ? scheme.name : "authorization";
  if (place !== "query" && !FIELD_NAME.test(key)) {
    fail(
      `cannot be sent as the ${place} ${JSON.stringify(key)}: the name has a character that is not allowed`,
    );
  }
  if (place === "header" && CONNECTION_HEADERS.has(key.toLowerCase())) {
    fail(`cannot be sent as the header ${JSON.stringify(key)}, which belongs to the connection`);
  }
  // An answer may show only the last word of a header such as "Bearer abc".
  let [value, others] = isNamed ? [secret, [secret.split(" ").at(-1)!]] : [`Bearer ${secret}`, [secret]];
  if (scheme.type === "basic") {
    const [user, ...password] = secret.split(":");
    if (password.length === 0) fail("must be a user and a password, separated by a colon");
    const encoded = toBase64(new TextEncoder().encode(secret));
    // Without a password, the user is the secret.
    [value, others] = [`Basic ${encoded}`, [secret, encoded, password.join(":") || user!]];
  }
  const found = secretsOf([value, ...others]);
  if (!found) return fail("is too long to be redacted from answers");
  const sentAs = place === "header" ? key.toLowerCase() : key;
  return Object.freeze({ in: place, name: sentAs, value, ...found });
}

/** Adds credentials to a request if `isCovered`: its URL is below the base. Removes those that a redirect put into the query. */
export function withCredentials(
  address: URL,
  fields: Readonly<Record<string, string>>,
  credentials: readonly Credential[],
  isCovered: boolean,
): { url: URL; headers: Record<string, string> } {
  const url = new URL(address);
  const headers: Record<string, string> = { ...fields };
  for (const { in: place, name, value } of credentials) {
    if (place === "query") {
      const pairs = url.search.slice(1).split("&")
        .filter((pair) => pair !== "" && !new URLSearchParams(pair).has(name));
      if (isCovered) pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
      url.search = pairs.join("&");
    } else if (isCovered && place === "header") headers[name] = value;
    else if (isCovered) {
      const before = headers["cookie"] === undefined ? "" : `${headers["cookie"]}; `;
      headers["cookie"] = `${before}${name}=${value}`;
    }
  }
  return { url, headers };
}
