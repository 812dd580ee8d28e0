/** The challenges of a server that requires authorization. */

import { asString } from "../../base/json.ts";

/** The maximum length of a header field that is read, in UTF-16 units. */
const MAX_LENGTH = 16 * 1024;

/** A challenge: the scheme in lower case, as the member `scheme`, and the parameters. */
export type AuthorizationChallenge = Readonly<Partial<Record<string, string>>>;

/** Reads `WWW-Authenticate`: returns the first DPoP challenge, or else the first Bearer challenge, or else {}. */
export function readChallenge(field: string | null): AuthorizationChallenge {
  const part = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/g;
  const challenges: Record<string, string>[] = [];
  for (const [, name, text, token] of (field ?? "").slice(0, MAX_LENGTH).matchAll(part)) {
    const value = text?.replace(/\\(.)/g, "$1") ?? token;
    const key = name!.toLowerCase();
    if (value === undefined) challenges.push(Object.assign(Object.create(null), { scheme: key }));
    else if (challenges.length > 0 && key !== "scheme") challenges.at(-1)![key] ??= value;
  }
  const of = (scheme: string) => challenges.find((challenge) => challenge["scheme"] === scheme);
  return of("dpop") ?? of("bearer") ?? {};
}

/** Splits scopes that are separated by spaces. */
export function scopesOf(text: unknown): readonly string[] {
  return (asString(text) ?? "").split(" ").filter((scope) => scope !== "");
}
