/** Who may use a server over HTTP: tokens, JWTs, scopes and the keys of sessions, as the options name them. */

import type { Authenticate } from "../mcp/http/mod.ts";
import type { Platform } from "../platform/platform.ts";
import type { Log } from "./log.ts";
import type { OptionPair, Options } from "./options.ts";
import { fromBase64 } from "../base/base64.ts";
import { MIN_KEY_BYTES } from "../base/signer.ts";
import { reasonOf } from "../base/text.ts";
import { DOCUMENT_TOOLS } from "../documents/provider.ts";
import { bearerToken } from "../mcp/http/bearer_token.ts";
import { ConfigurationError, unknownName, UsageError } from "./options.ts";
import { followed, usable } from "./followed_file.ts";
import { readTextFile } from "./io.ts";

/** Authenticates clients by `--token-file` or `--jwks`; undefined when every client is accepted. */
export async function readAuthentication(
  platform: Platform,
  options: Options,
  log: Log,
): Promise<Authenticate | undefined> {
  const tokenFile = options.get("token-file"), jwks = options.get("jwks"), issuer = options.get("issuer");
  if (tokenFile !== undefined) {
    const tokens = followed(platform, "--token-file", tokenFile, log, readTokens);
    return ((credentials) => tokens()(credentials)) satisfies Authenticate;
  }
  if (jwks === undefined) return undefined;
  const { readKeySet } = await import("../mcp/http/jwks.ts");
  const { jwtBearer } = await import("../mcp/http/jwt.ts");
  const audience = options.get("audience") ?? options.get("resource")!;
  const onerror = (cause: unknown) => log.write("error", reasonOf(cause));
  const read = (text: string) => readKeySet(JSON.parse(text), true);
  return usable("--jwks", () => {
    const source = /^https?:/i.test(jwks) ? new URL(jwks) : followed(platform, "--jwks", jwks, log, read);
    // Checked at the start only: later, a set may be emptied to refuse all clients.
    if (typeof source === "function") readKeySet(source());
    return jwtBearer({ jwks: source, issuer: issuer!, audience, onerror });
  });
}

type Scopes = Record<string, readonly string[]>;

/** The scopes that clients need. */
interface RequiredScopes {
  /** For every request. */
  readonly all: readonly string[];
  readonly categories: Scopes;
  readonly tools: Scopes;
  /** All of them, for the metadata of the server. */
  readonly supported: readonly string[];
}

/** Reads `--require-scope`. */
export function readScopes(options: Options): RequiredScopes {
  const all: string[] = [], supported = new Set<string>();
  const tools: Scopes = Object.create(null), categories: Scopes = Object.create(null);
  for (const [what, text] of options.list<OptionPair>("require-scope")) {
    const scopes = text.trim().split(/\s+/);
    const [match, tool, category] = /^(?:all|tool:(.+)|category:(.+))$/.exec(what) ?? [];
    if (match === undefined || !scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
      const forms = "all=SCOPE, tool:NAME=SCOPE or category:NAME=SCOPE";
      throw new UsageError(`--require-scope takes ${forms}, not "${what}=${text}"`);
    }
    if (tool && !DOCUMENT_TOOLS.includes(tool)) throw unknownName("tool", tool, DOCUMENT_TOOLS);
    if (tool) tools[tool] = scopes;
    else if (category) categories[category] = scopes;
    else all.push(...scopes);
    for (const scope of scopes) supported.add(scope);
  }
  return { all, categories, tools, supported: [...supported] };
}

function readTokens(text: string): Authenticate {
  // Without a prototype, so that every name can be used.
  const tokens: Record<string, string> = Object.create(null);
  const scopes: Record<string, readonly string[]> = Object.create(null);
  const byLine: Record<string, string> = Object.create(null);
  const form = "a line is NAME TOKEN SCOPE..., NAME TOKEN or TOKEN";
  for (const [index, { line, number }] of linesOf(text).entries()) {
    const [first = "", second, ...allowed] = line.split(/\s+/), token = second ?? first;
    const name = second === undefined ? `token ${index + 1}` : first;
    if (Object.hasOwn(tokens, name)) {
      throw new Error(`line ${number} has the name of a line before: every name is used once, and ${form}`);
    }
    [tokens[name], scopes[name]] = [token, allowed];
    // Errors name the line, not the name: in a line with swapped parts, the name is the token.
    byLine[`line ${number}`] = token;
  }
  if (Object.keys(tokens).length === 0) throw new Error(`it has no token: ${form}`);
  bearerToken({ tokens: byLine });
  return bearerToken({ tokens, scopes });
}

export function readKeys(platform: Platform, path: string): Uint8Array[] {
  const keys = linesOf(readTextFile(platform, path, "--key-file")).flatMap(({ line }) =>
    // Padding may be missing.
    fromBase64(line.padEnd(Math.ceil(line.length / 4) * 4, "=")) ?? new Uint8Array()
  );
  if (keys.length > 0 && keys.every((key) => key.length >= MIN_KEY_BYTES)) return keys;
  throw new ConfigurationError(
    `--key-file needs a key in every line, of at least ${MIN_KEY_BYTES} random bytes in Base64, as "openssl rand -base64 32" prints`,
  );
}

/** The lines that are neither empty nor comments, with their numbers. */
function linesOf(text: string): { line: string; number: number }[] {
  return text.split("\n").map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== "" && !line.startsWith("#"));
}
