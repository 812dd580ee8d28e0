/** The command http: documents and prompts for many clients, until a signal ends the process. */

import type { Platform } from "../../deps.ts";
import type { Authenticate } from "../http/mod.ts";
import type { Options } from "./main.ts";
import { fromBase64 } from "../base/bytes.ts";
import { compact } from "../base/json.ts";
import { reasonOf } from "../base/text.ts";
import { bearerToken } from "../http/authentication.ts";
import { canBeHost, canBeOrigin, isLoopback, LOOPBACK_HOSTS } from "../http/checks.ts";
import { listenHttp } from "../http/listen.ts";
import { MIN_KEY_BYTES } from "../server/signer.ts";
import { ConfigurationError, createLog, foldersText, readTextFile, UsageError, VERSION } from "./main.ts";
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
  const [tokenFile, keyFile] = [options.get("token-file"), options.get("key-file")];
  const allowUnauthenticated = options.has("allow-unauthenticated");
  if (!isLoopback(hostname) && tokenFile === undefined && !allowUnauthenticated) {
    throw new UsageError(
      `Cannot listen on ${hostname} without --token-file: others can connect; --allow-unauthenticated lets all of them in`,
    );
  }
  for (const [name, fits, form] of NAMES) {
    const wrong = options.list(name).find((value) => !fits(value));
    if (wrong !== undefined) throw new UsageError(`--${name} takes ${form}, not "${wrong}"`);
  }
  const origins = options.list("allow-origin");
  const authenticate = tokenFile === undefined ? undefined : readTokens(platform, tokenFile);
  const keys = keyFile === undefined ? {} : { keys: readKeys(platform, keyFile) };
  const { server, folders, ready } = assemble(platform, options, log, { watch: true, ...keys });
  platform.onUncaught(log.uncaught);
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const listening = await listenHttp(server, {
    hostname,
    port,
    allowUnauthenticated,
    allowedHosts: [...LOOPBACK_HOSTS, host, ...options.list("allow-host")],
    allowedOrigins: origins,
    cors: origins.length > 0,
    ...compact({ authenticate }),
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
  void ready().catch(log.failure);
  await interrupted;
  await listening.close();
  log.flush();
  return 0;
}

function readAddress(text: string): { hostname: string; port: number } {
  const [, host = "127.0.0.1", port] = /^(?:(\[[0-9A-Fa-f:.]+\]|[^\s:[\]]+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new UsageError(`--listen takes HOST:PORT or a port from 0 to 65535, not "${text}"`);
  }
  return { hostname: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

function readTokens(platform: Platform, path: string): Authenticate {
  const tokens = new Map<string, string>();
  for (const [index, line] of readLines(platform, "--token-file", path).entries()) {
    const [first = "", second, ...more] = line.split(/\s+/);
    const name = second === undefined ? `token ${index + 1}` : first;
    if (more.length > 0 || tokens.has(name)) {
      throw new ConfigurationError(
        "A line of --token-file is NAME TOKEN or TOKEN, and every name is used once",
      );
    }
    tokens.set(name, second ?? first);
  }
  try {
    // By number first: in a line with its parts swapped, the token stands where its name belongs.
    bearerToken({ tokens: [...tokens.values()] });
    return bearerToken({ tokens: Object.fromEntries(tokens) });
  } catch (cause) {
    const reason = reasonOf(cause).replace(/^Cannot \w+ /, "");
    throw new ConfigurationError(`Cannot use --token-file: ${reason}`, { cause });
  }
}

function readKeys(platform: Platform, path: string): Uint8Array[] {
  const keys = readLines(platform, "--key-file", path).flatMap((line) =>
    // Padding may be missing.
    fromBase64(line.padEnd(Math.ceil(line.length / 4) * 4, "=")) ?? new Uint8Array()
  );
  if (keys.length > 0 && keys.every((key) => key.length >= MIN_KEY_BYTES)) return keys;
  throw new ConfigurationError(
    `--key-file needs a key in every line, of at least ${MIN_KEY_BYTES} random bytes in Base64, as "openssl rand -base64 32" prints`,
  );
}

/** The lines of a file, without empty ones and comments. */
function readLines(platform: Platform, flag: string, path: string): string[] {
  const lines = readTextFile(platform, path, flag).split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}
