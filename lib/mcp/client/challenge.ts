/** The challenges of a server that needs an authorization. */

import { asString } from "../../base/json.ts";

/** How much of a challenge is read, in UTF-16 units. */
const MAX_LENGTH = 16 * 1024;

/** What a response says of the authorization that it needs: the scheme in lower case, and its parameters. */
export type AuthorizationChallenge = Readonly<Partial<Record<string, string>>>;

/** Reads `WWW-Authenticate`: its first DPoP challenge, or else its first Bearer challenge; {} when it has neither. */
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

export function scopesOf(text: unknown): readonly string[] {
  return (asString(text) ?? "").split(" ").filter((scope) => scope !== "");
}
