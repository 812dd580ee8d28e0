/** The command http: documents and prompts for many clients, until a signal ends the process. */

import type { Platform } from "../platform/platform.ts";
import type { Authenticate } from "../mcp/http/mod.ts";
import type { Log, Options, Pair } from "./main.ts";
import { fromBase64 } from "../base/base64.ts";
import { isLoopback } from "../base/hosts.ts";
import { compact, visibleJson } from "../base/json.ts";
import { attempt, reasonOf } from "../base/text.ts";
import { bearerToken } from "../mcp/http/bearer_token.ts";
import { canBeHost, canBeOrigin, LOOPBACK_HOSTS } from "../mcp/http/checks.ts";
import { listenHttp } from "../mcp/http/listen.ts";
import { DOCUMENT_TOOLS } from "../documents/provider.ts";
import { MIN_KEY_BYTES } from "../base/signer.ts";
import { bracketed } from "../platform/tcp.ts";
import { readTextFile } from "./io.ts";
import { ConfigurationError, createLog, foldersText, unknownName, UsageError, VERSION } from "./main.ts";
import { assemble } from "./serve.ts";

export async function http(platform: Platform, options: Options): Promise<number> {
  const log = createLog(platform, options);
  const address = readAddress(options.get("listen") ?? "127.0.0.1:8080"), { hostname } = address;
  const { supported, all: requiredScopes, ...policy } = readScopes(options);
  const wrong = findMisuse(options, hostname);
  if (wrong !== undefined) throw new UsageError(wrong);
  const authenticate = await readAuthentication(platform, options, log);
  const keyFile = options.get("key-file"), resource = options.get("resource");
  const keys = keyFile === undefined ? undefined : readKeys(platform, keyFile);
  const more = compact({ keys, scopes: supported.length > 0 ? policy : undefined });
  const { server, documents, folders, ready } = assemble(platform, options, log, more);
  platform.onUncaught(log.uncaught);
  const names = [...LOOPBACK_HOSTS, bracketed(hostname), ...options.list("allow-host")];
  const origins = options.list("allow-origin"), servers = options.list("authorization-server");
  const starting = listenHttp(server, {
    ...address,
    allowUnauthenticated: options.has("allow-unauthenticated"),
    allowedHosts: resource === undefined ? names : [...names, new URL(resource).host],
    allowedOrigins: origins,
    cors: origins.length > 0,
    requiredScopes,
    ...compact({ authenticate, maxFailures: options.get<number>("max-failures") }),
    ...resource !== undefined && {
      resourceMetadata: {
        resource,
        authorization_servers: servers.length > 0 ? servers : [options.get("issuer")!],
        scopes_supported: supported,
      },
    },
    ...options.has("audit-log") && {
      onaudit: (entry) => platform.print("error", `${visibleJson({ level: "audit", ...entry })}\n`),
    },
    onrefused: (message) => log.write("warning", message),
    ready: () => ready().then(() => true),
    onerror: (cause) => log.failure(cause),
  });
  const does = `serves ${foldersText(folders)}`;
  const { server: listening, interrupted } = await started(platform, address, does, starting);
  // Index now, so that the first client does not wait for it.
  void ready().then(() => {
    const { categories } = documents.store.catalogue;
    for (const name of Object.keys(policy.categories)) {
      if (!categories.includes(name)) log.write("warning", `--require-scope: there is no category ${name}`);
    }
  }, log.failure);
  await interrupted;
  await listening.close();
  log.end();
  return 0;
}

/** Why the options cannot be used, or not together; undefined when they can. */
function findMisuse(options: Options, hostname: string): string | undefined {
  const tokenFile = options.get("token-file"), jwks = options.get("jwks");
  const issuer = options.get("issuer"), resource = options.get("resource");
  const audience = options.get("audience"), auditLog = options.get("audit-log") ?? "stderr";
  const isOpen = tokenFile === undefined && jwks === undefined;
  // A name that no request can have would reject every client without a reason.
  const host = options.list("allow-host").find((name) => !canBeHost(name));
  const origin = options.list("allow-origin").find((name) => !canBeOrigin(name));
  const isMisuse: Record<string, boolean> = {
    [`Cannot listen on ${hostname} without --token-file or --jwks: others can connect; --allow-unauthenticated lets all of them in`]:
      isOpen && !isLoopback(hostname) && !options.has("allow-unauthenticated"),
    "--require-scope needs --token-file or --jwks": isOpen && options.has("require-scope"),
    "--issuer and --audience need --jwks": jwks === undefined && (issuer ?? audience) !== undefined,
    "--token-file and --jwks exclude each other": jwks !== undefined && tokenFile !== undefined,
    "--jwks needs --issuer, and --resource or --audience: tokens of others, or for others, are not accepted":
      jwks !== undefined && (issuer === undefined || (audience ?? resource) === undefined),
    [`--resource takes a URL without #: https://docs.example.com/mcp, not "${resource}"`]:
      resource !== undefined && !(/^https?:[^#]+$/i.test(resource) && URL.canParse(resource)),
    "--resource and --authorization-server need each other": jwks === undefined &&
      (resource !== undefined) !== options.has("authorization-server"),
    [`--allow-host takes a name, perhaps with a port: docs.example.com, not "${host}"`]: host !== undefined,
    [`--allow-origin takes an origin as browsers send it: https://app.example.com, not "${origin}"`]:
      origin !== undefined,
    [`--audit-log takes stderr, which can be redirected to a file, not "${auditLog}"`]: auditLog !== "stderr",
  };
  return Object.keys(isMisuse).find((sentence) => isMisuse[sentence]);
}

/** Waits until a server listens, and says what it does and where. @throws {ConfigurationError} When it cannot listen. */
export async function started<T extends { readonly url: string }>(
  platform: Platform,
  { hostname, port }: ReturnType<typeof readAddress>,
  does: string,
  starting: Promise<T>,
): Promise<{ server: T; interrupted: Promise<void> }> {
  const server = await starting.catch((cause) => {
    const where = `${bracketed(hostname)}:${port}`, way = "--listen names another address";
    throw new ConfigurationError(`Cannot listen on ${where}: ${reasonOf(cause)}; ${way}`, { cause });
  });
  const interrupted = new Promise<void>((resolve) => platform.onInterrupt(resolve));
  const hint = platform.interactive ? " (Ctrl-C ends it)" : "";
  platform.print("error", `architrave ${VERSION} ${does} at ${server.url}${hint}\n`);
  return { server, interrupted };
}

/** Reads the value of --listen. */
export function readAddress(text: string): { hostname: string; port: number } {
  const [, host = "127.0.0.1", port] = /^(?:(\[[0-9A-Fa-f:.]+\]|[^\s:[\]]+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new UsageError(`--listen takes HOST:PORT or a port from 0 to 65535, not "${text}"`);
  }
  return { hostname: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** What authenticates clients; undefined when all are let in. */
async function readAuthentication(platform: Platform, options: Options, log: Log) {
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
    // Only at the start: later, a set may be emptied to refuse all clients.
    if (typeof source === "function") readKeySet(source());
    return jwtBearer({ jwks: source, issuer: issuer!, audience, onerror });
  });
}

/** The scopes that are required of every request, and for tools and categories, and all of them. */
function readScopes(options: Options) {
  type Scopes = Record<string, readonly string[]>;
  const all: string[] = [], supported = new Set<string>();
  const tools: Scopes = Object.create(null), categories: Scopes = Object.create(null);
  for (const [what, text] of options.list<Pair>("require-scope")) {
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

/** What is made of the value of an option. Throws a `ConfigurationError` that does not quote the value: it may be a secret. */
function usable<T>(flag: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const isSyntax = cause instanceof SyntaxError;
    const reason = isSyntax
      ? "it is not JSON"
      : reasonOf(cause).replace(/^Cannot (?:check tokens: |\w+ )/, "");
    throw new ConfigurationError(`Cannot use ${flag}: ${reason}`, { cause });
  }
}

const FOLLOW_MS = 1000;

/**
 * What a file holds. It is read again when it has changed and then stayed the same for a second, by its time or between two
 * looks: half a token must not be taken for one. While it cannot be used, the version before stays in use.
 */
function followed<T>(
  platform: Platform,
  flag: string,
  path: string,
  log: Log,
  read: (text: string) => T,
): () => T {
  const current = () => {
    const status = attempt(() => platform.files.status(path));
    isStable = Date.now() - (status?.modified ?? Infinity) > FOLLOW_MS;
    return JSON.stringify(status);
  };
  const load = () => usable(flag, () => read(readTextFile(platform, path, flag)));
  let isStable = false, version = current(), seen = version, checkedAt = performance.now(), value = load();
  return () => {
    const now = performance.now(), before = seen;
    if (now - checkedAt < FOLLOW_MS) return value;
    checkedAt = now;
    seen = current();
    // It may have changed long ago: then the first request must not find what it held before.
    if (seen === version || (seen !== before && !isStable)) return value;
    version = seen;
    try {
      value = load();
      log.write("info", `${flag} has changed and was read again`);
    } catch (cause) {
      log.write("error", `${reasonOf(cause)}; what it held before stays in use`);
    }
    return value;
  };
}

function readTokens(text: string): Authenticate {
  // Without a prototype, every name is one like others.
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
    // Not by name: in a line with its parts swapped, the token stands where the name belongs.
    byLine[`line ${number}`] = token;
  }
  if (Object.keys(tokens).length === 0) throw new Error(`it has no token: ${form}`);
  bearerToken({ tokens: byLine });
  return bearerToken({ tokens, scopes });
}

function readKeys(platform: Platform, path: string): Uint8Array[] {
  const keys = linesOf(readTextFile(platform, path, "--key-file")).flatMap(({ line }) =>
    // Padding may be missing.
    fromBase64(line.padEnd(Math.ceil(line.length / 4) * 4, "=")) ?? new Uint8Array()
  );
  if (keys.length > 0 && keys.every((key) => key.length >= MIN_KEY_BYTES)) return keys;
  throw new ConfigurationError(
    `--key-file needs a key in every line, of at least ${MIN_KEY_BYTES} random bytes in Base64, as "openssl rand -base64 32" prints`,
  );
}

/** The lines that are no comments, by their number. */
function linesOf(text: string): { line: string; number: number }[] {
  return text.split("\n").map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== "" && !line.startsWith("#"));
}
