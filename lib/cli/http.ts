/** The command http: documents and prompts for many clients, until a signal ends the process. */

import type { Platform } from "../../deps.ts";
import type { Authenticate, ResourceMetadata } from "../http/mod.ts";
import type { Log, Options, Pair } from "./main.ts";
import { fromBase64 } from "../base/bytes.ts";
import { compact, visibleJson } from "../base/json.ts";
import { reasonOf } from "../base/text.ts";
import { bearerToken } from "../http/authentication.ts";
import { canBeHost, canBeOrigin, isLoopback, LOOPBACK_HOSTS } from "../http/checks.ts";
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

/** Runs the command; 0 is the exit code. */
export async function serveHttp(platform: Platform, options: Options): Promise<number> {
  const log = createLog(platform, options);
  const { hostname, port } = readAddress(options.get("listen") ?? "127.0.0.1:8080");
  const keyFile = options.get("key-file");
  const allowUnauthenticated = options.has("allow-unauthenticated");
  const { authenticate, resourceMetadata } = await readAuthentication(platform, options, log);
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
  const scopes = readScopes(options);
  if (scopes.supported.length > 0 && !authenticate) {
    throw new UsageError("--require-scope needs --token-file or --jwks");
  }
  const more = compact({ keys, scopes: scopes.supported.length > 0 ? scopes.policy : undefined });
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
    requiredScopes: scopes.all,
    ...compact({
      authenticate,
      resourceMetadata: resourceMetadata &&
        { ...resourceMetadata, ...compact({ scopes_supported: scopes.supported }) },
    }),
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
    const missing = Object.keys(scopes.policy.categories).filter((name) => !categories.includes(name));
    if (missing.length > 0) {
      log.write("warning", `--require-scope: there is no category ${missing.join(", ")}`);
    }
  }, log.failure);
  await interrupted;
  await listening.close();
  log.end();
  return 0;
}

function readAddress(text: string): { hostname: string; port: number } {
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
): Promise<{ readonly authenticate?: Authenticate; readonly resourceMetadata?: ResourceMetadata }> {
  const [tokenFile, jwks, issuer] = ["token-file", "jwks", "issuer"].map((name) => options.get(name));
  const resource = readUrl(options, "resource"), audience = options.get("audience") ?? resource;
  const servers = options.list("authorization-server");
  const authorization_servers = servers.length > 0 || issuer === undefined ? servers : [issuer];
  const fail = (problem: string): never => {
    throw new UsageError(problem);
  };
  if (jwks !== undefined && (issuer === undefined || audience === undefined)) {
    fail(
      "--jwks needs --issuer, and --resource or --audience: tokens of others, or for others, are not accepted",
    );
  }
  if (jwks !== undefined && tokenFile !== undefined) fail("--token-file and --jwks exclude each other");
  if (jwks === undefined && (issuer ?? options.get("audience")) !== undefined) {
    fail("--issuer and --audience need --jwks");
  }
  if ((resource === undefined) !== (authorization_servers.length === 0) && jwks === undefined) {
    fail("--resource and --authorization-server need each other");
  }
  let authenticate: Authenticate | undefined;
  if (tokenFile !== undefined) {
    const tokens = followed(platform, "--token-file", tokenFile, log, (text) => readTokens(text));
    authenticate = (credentials) => tokens()(credentials);
  } else if (jwks !== undefined) {
    const { jwtBearer, readKeySet } = await import("../http/jwt.ts");
    const source = /^https?:/i.test(jwks) && URL.canParse(jwks) ? new URL(jwks) : followed(
      platform,
      "--jwks",
      jwks,
      log,
      (text) => usable("--jwks", () => readKeySet(JSON.parse(text))),
    );
    const onerror = (cause: unknown) => log.write("error", reasonOf(cause));
    authenticate = usable(
      "--jwks",
      () => jwtBearer({ jwks: source, issuer: issuer!, audience: audience!, onerror }),
    );
  }
  const resourceMetadata = resource === undefined ? undefined : { resource, authorization_servers };
  return compact({ authenticate, resourceMetadata });
}

/** The scopes that are required: of every request, for what, and all of them. */
function readScopes(options: Options) {
  const all: string[] = [], supported = new Set<string>();
  const policy = { tools: {} as Record<string, string[]>, categories: {} as Record<string, string[]> };
  for (const [what, text] of options.list<Pair>("require-scope")) {
    const scopes = text.trim().split(/\s+/);
    const [, kind = what, name = ""] = /^(tool|category):(.+)$/.exec(what) ?? [];
    if (!["all", "tool", "category"].includes(kind) || (kind === "all") !== (name === "")) {
      throw new UsageError(
        `--require-scope takes all=SCOPE, tool:NAME=SCOPE or category:NAME=SCOPE, not "${what}"`,
      );
    }
    if (kind === "tool" && !DOCUMENT_TOOLS.includes(name)) throw unknownName("tool", name, DOCUMENT_TOOLS);
    if (!scopes.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) {
      throw new UsageError(`--require-scope takes scopes with spaces between them, not "${text}"`);
    }
    if (kind === "all") all.push(...scopes);
    else (kind === "tool" ? policy.tools : policy.categories)[name] = scopes;
    for (const scope of scopes) supported.add(scope);
  }
  return { all, policy, supported: [...supported] };
}

/** The URL that an option gives. */
function readUrl(options: Options, name: string): string | undefined {
  const text = options.get(name);
  if (text === undefined || (/^https?:\/\//i.test(text) && URL.canParse(text) && !text.includes("#"))) {
    return text;
  }
  throw new UsageError(
    `--${name} takes a URL without #, such as https://docs.example.com/mcp, not "${text}"`,
  );
}

/** What is made of an option's value. The messages do not quote secrets. @throws {ConfigurationError} When that fails. */
function usable<T>(flag: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    const isSyntax = cause instanceof SyntaxError;
    const reason = isSyntax ? "it is not JSON" : reasonOf(cause).replace(/^Cannot \w+ /, "");
    throw new ConfigurationError(`Cannot use ${flag}: ${reason}`, { cause });
  }
}

/** How often a file is looked at, in milliseconds. */
const FOLLOW_MS = 1000;

/**
 * What a file holds, read again when it has changed and then stayed the same for a second: half a token must not be taken
 * for one. While it cannot be used, the version before stays.
 */
function followed<T>(
  platform: Platform,
  flag: string,
  path: string,
  log: Log,
  read: (text: string) => T,
): () => T {
  const look = () => {
    try {
      const { identity, size, modified } = platform.files.status(path);
      return `${identity} ${size} ${modified}`;
    } catch {
      return "";
    }
  };
  let version = look(), seen = version, lookedAt = performance.now();
  let value = read(readTextFile(platform, path, flag));
  return () => {
    const now = performance.now();
    if (now - lookedAt < FOLLOW_MS) return value;
    lookedAt = now;
    const before = seen;
    seen = look();
    if (seen === version || seen !== before) return value;
    version = seen;
    try {
      value = read(readTextFile(platform, path, flag));
      log.write("info", `${flag} has changed and was read again`);
    } catch (cause) {
      if (!(cause instanceof UsageError)) throw cause;
      log.write("error", `${cause.message}; what it held before stays in use`);
    }
    return value;
  };
}

function readTokens(text: string): Authenticate {
  const tokens = new Map<string, string>(), scopes = new Map<string, readonly string[]>();
  for (const [index, line] of linesOf(text).entries()) {
    const [first = "", second, ...allowed] = line.split(/\s+/);
    const name = second === undefined ? `token ${index + 1}` : first;
    if (tokens.has(name)) {
      throw new ConfigurationError(
        "A line of --token-file is NAME TOKEN SCOPE..., NAME TOKEN or TOKEN, and every name is used once",
      );
    }
    tokens.set(name, second ?? first);
    scopes.set(name, allowed);
  }
  return usable("--token-file", () => {
    // By number first: in a line with its parts swapped, the token stands where its name belongs.
    bearerToken({ tokens: [...tokens.values()] });
    return bearerToken({ tokens: Object.fromEntries(tokens), scopes: Object.fromEntries(scopes) });
  });
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

/** The lines of a file, without empty ones and comments. */
function linesOf(text: string): string[] {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
}
