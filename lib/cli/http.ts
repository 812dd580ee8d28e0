/** The command http: documents and prompts for many clients, until a signal ends the process. */

import type { Platform } from "../../deps.ts";
import type { Authenticate, ResourceMetadata } from "../http/mod.ts";
import type { Log, Options, Pair } from "./main.ts";
import { fromBase64 } from "../base/bytes.ts";
import { isLoopback } from "../base/http.ts";
import { compact, visibleJson } from "../base/json.ts";
import { reasonOf } from "../base/text.ts";
import { attempt } from "../documents/files.ts";
import { bearerToken } from "../http/authentication.ts";
import { canBeHost, canBeOrigin, LOOPBACK_HOSTS } from "../http/checks.ts";
import { listenHttp } from "../http/listen.ts";
import { DOCUMENT_TOOLS } from "../documents/provider.ts";
import { MIN_KEY_BYTES } from "../server/signer.ts";
import {
  ConfigurationError,
  createLog,
  foldersText,
  readTextFile,
  unknownName,
  UsageError,
  VERSION,
} from "./main.ts";
import { assemble } from "./serve.ts";

/** What names must be: one that no request can match would reject every client without a reason. */
const NAMES = [
  ["allow-host", canBeHost, "a name, perhaps with a port: docs.example.com"],
  ["allow-origin", canBeOrigin, "an origin as browsers send it: https://app.example.com"],
] as const;

export async function serveHttp(platform: Platform, options: Options): Promise<number> {
  const log = createLog(platform, options);
  const { hostname, port } = readAddress(options.get("listen") ?? "127.0.0.1:8080");
  const keyFile = options.get("key-file");
  const allowUnauthenticated = options.has("allow-unauthenticated");
  const { supported, all: requiredScopes, ...policy } = readScopes(options);
  const authentication = await readAuthentication(platform, options, log, supported);
  const { authenticate, resourceMetadata } = authentication;
  if (!isLoopback(hostname) && !authenticate && !allowUnauthenticated) {
    throw new UsageError(
      `Cannot listen on ${hostname} without --token-file or --jwks: others can connect; --allow-unauthenticated lets all of them in`,
    );
  }
  for (const [name, fits, form] of NAMES) {
    const wrong = options.list(name).find((value) => !fits(value));
    if (wrong !== undefined) throw new UsageError(`--${name} takes ${form}, not "${wrong}"`);
  }
  const auditLog = options.get("audit-log");
  if (![undefined, "stderr"].includes(auditLog)) {
    throw new UsageError(`--audit-log takes stderr, which can be redirected to a file, not "${auditLog}"`);
  }
  const origins = options.list("allow-origin");
  const keys = keyFile === undefined ? undefined : readKeys(platform, keyFile);
  if (supported.length > 0 && !authenticate) {
    throw new UsageError("--require-scope needs --token-file or --jwks");
  }
  const more = compact({ keys, scopes: supported.length > 0 ? policy : undefined });
  const { server, documents, folders, ready } = assemble(platform, options, log, { watch: true, ...more });
  platform.onUncaught(log.uncaught);
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const listening = await listenHttp(server, {
    hostname,
    port,
    allowUnauthenticated,
    allowedHosts: [
      ...LOOPBACK_HOSTS,
      host,
      ...options.list("allow-host"),
      ...resourceMetadata ? [new URL(resourceMetadata.resource).host] : [],
    ],
    allowedOrigins: origins,
    cors: origins.length > 0,
    requiredScopes,
    ...authentication,
    ...compact({ maxFailures: options.get<number>("max-failures") }),
    ...auditLog === undefined ? {} : {
      onaudit: (entry) => platform.print("error", `${visibleJson({ level: "audit", ...entry })}\n`),
    },
    onrefused: (message) => log.write("warning", message),
    ready: () => ready().then(() => true),
    onerror: (cause) => log.failure(cause),
  }).catch((cause) => {
    throw new ConfigurationError(`Cannot listen on ${hostname}:${port}: ${reasonOf(cause)}`, { cause });
  });
  const interrupted = new Promise<void>((resolve) => platform.onInterrupt(resolve));
  const hint = platform.interactive ? " (Ctrl-C ends it)" : "";
  const text = `serves ${foldersText(folders)} at ${listening.url}${hint}`;
  platform.print("error", `architrave ${VERSION} ${text}\n`);
  // Index now, so that the first client does not wait for it.
  void ready().then(() => {
    const { categories } = documents.store.catalogue;
    const missing = Object.keys(policy.categories).filter((name) => !categories.includes(name));
    if (missing.length > 0) {
      log.write("warning", `--require-scope: there is no category ${missing.join(", ")}`);
    }
  }, log.failure);
  await interrupted;
  await listening.close();
  log.end();
  return 0;
}

/** Reads the value of --listen. */
export function readAddress(text: string): { hostname: string; port: number } {
  const [, host = "127.0.0.1", port] = /^(?:(\[[0-9A-Fa-f:.]+\]|[^\s:[\]]+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new UsageError(`--listen takes HOST:PORT or a port from 0 to 65535, not "${text}"`);
  }
  return { hostname: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** Who is let in, and where clients learn how. Throws a `UsageError` for options that do not fit together. */
async function readAuthentication(
  platform: Platform,
  options: Options,
  log: Log,
  scopes_supported: readonly string[],
): Promise<{ readonly authenticate?: Authenticate; readonly resourceMetadata?: ResourceMetadata }> {
  const [tokenFile, jwks] = [options.get("token-file"), options.get("jwks")];
  const [issuer, resource] = [options.get("issuer"), options.get("resource")];
  const audience = options.get("audience") ?? resource, servers = options.list("authorization-server");
  const authorization_servers = servers.length > 0 || issuer === undefined ? servers : [issuer];
  const needs = jwks === undefined
    ? (issuer ?? options.get("audience")) !== undefined && "--issuer and --audience need --jwks"
    : tokenFile !== undefined
    ? "--token-file and --jwks exclude each other"
    : issuer === undefined || audience === undefined
    ? "--jwks needs --issuer, and --resource or --audience: tokens of others, or for others, are not accepted"
    : false;
  if (needs) throw new UsageError(needs);
  if (resource !== undefined && !(/^https?:[^#]+$/i.test(resource) && URL.canParse(resource))) {
    throw new UsageError(`--resource takes a URL without #: https://docs.example.com/mcp, not "${resource}"`);
  }
  if ((resource === undefined) !== (authorization_servers.length === 0) && jwks === undefined) {
    throw new UsageError("--resource and --authorization-server need each other");
  }
  let authenticate: Authenticate | undefined;
  if (tokenFile !== undefined) {
    const tokens = followed(platform, "--token-file", tokenFile, log, readTokens);
    authenticate = (credentials) => tokens()(credentials);
  } else if (jwks !== undefined) {
    const { jwtBearer, readKeySet } = await import("../http/jwt.ts");
    const read = (text: string) => readKeySet(JSON.parse(text));
    const onerror = (cause: unknown) => log.write("error", reasonOf(cause));
    authenticate = usable("--jwks", () => {
      const source = /^https?:/i.test(jwks) ? new URL(jwks) : followed(platform, "--jwks", jwks, log, read);
      return jwtBearer({ jwks: source, issuer: issuer!, audience: audience!, onerror });
    });
  }
  const metadata = compact({ authorization_servers, scopes_supported });
  return compact({
    authenticate,
    resourceMetadata: resource === undefined ? undefined : { resource, ...metadata },
  });
}

/** The scopes that are required of every request, and for tools and categories, and all of them. */
function readScopes(options: Options) {
  const all: string[] = [], supported = new Set<string>();
  const record = (): Record<string, readonly string[]> => Object.create(null);
  const policy = { tool: record(), category: record() };
  for (const [what, text] of options.list<Pair>("require-scope")) {
    const scopes = text.trim().split(/\s+/);
    const [, kind, name = ""] = /^(?:all|(tool|category):(.+))$/.exec(what) ?? [undefined, "none"];
    if (kind === "none" || !scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
      throw new UsageError(
        `--require-scope takes all=SCOPE, tool:NAME=SCOPE or category:NAME=SCOPE, not "${what}=${text}"`,
      );
    }
    if (kind === "tool" && !DOCUMENT_TOOLS.includes(name)) throw unknownName("tool", name, DOCUMENT_TOOLS);
    if (kind === undefined) all.push(...scopes);
    else policy[kind as "tool"][name] = scopes;
    for (const scope of scopes) supported.add(scope);
  }
  return { all, categories: policy.category, tools: policy.tool, supported: [...supported] };
}

/** What is made of an option's value; no message quotes a secret. @throws {ConfigurationError} When that fails. */
function usable<T>(flag: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const reason = cause instanceof SyntaxError
      ? "it is not JSON"
      : reasonOf(cause).replace(/^Cannot \w+ /, "");
    throw new ConfigurationError(`Cannot use ${flag}: ${reason}`, { cause });
  }
}

/** How often a file is looked at, in milliseconds. */
const FOLLOW_MS = 1000;

/**
 * What a file holds, read again when it has changed and then stayed the same for a second, by its time or as seen: half a
 * token must not be taken for one. While it cannot be used, the version before stays.
 */
function followed<T>(
  platform: Platform,
  flag: string,
  path: string,
  log: Log,
  read: (text: string) => T,
): () => T {
  const look = () => {
    const status = attempt(() => platform.files.status(path));
    isOld = Date.now() - (status?.modified ?? Infinity) > FOLLOW_MS;
    return JSON.stringify(status);
  };
  const load = () => usable(flag, () => read(readTextFile(platform, path, flag)));
  let isOld = false, version = look(), seen = version, lookedAt = performance.now();
  let value = load();
  return () => {
    const now = performance.now(), before = seen;
    if (now - lookedAt < FOLLOW_MS) return value;
    lookedAt = now;
    seen = look();
    // It may have changed long ago: then the first request must not find what it held before.
    if (seen === version || (seen !== before && !isOld)) return value;
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
  for (const [index, line] of linesOf(text).entries()) {
    const [first = "", second, ...allowed] = line.split(/\s+/);
    const name = second === undefined ? `token ${index + 1}` : first;
    if (Object.hasOwn(tokens, name)) {
      throw new Error("a line is NAME TOKEN SCOPE..., NAME TOKEN or TOKEN, and every name is used once");
    }
    [tokens[name], scopes[name]] = [second ?? first, allowed];
  }
  // By number first: in a line with its parts swapped, the token stands where its name belongs.
  bearerToken({ tokens: Object.values(tokens) });
  return bearerToken({ tokens, scopes });
}

function readKeys(platform: Platform, path: string): Uint8Array[] {
  const keys = linesOf(readTextFile(platform, path, "--key-file")).flatMap((line) =>
    // Padding may be missing.
    fromBase64(line.padEnd(Math.ceil(line.length / 4) * 4, "=")) ?? new Uint8Array()
  );
  if (keys.length > 0 && keys.every((key) => key.length >= MIN_KEY_BYTES)) return keys;
  throw new ConfigurationError(
    `--key-file needs a key in every line, of at least ${MIN_KEY_BYTES} random bytes in Base64, as "openssl rand -base64 32" prints`,
  );
}

function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
}
