/** How are many clients served over HTTP? Until somebody asks the process to end. */

import type { Platform } from "../../deps.ts";
import type { Authenticate } from "../http/authentication.ts";
import type { HttpListenOptions } from "../http/listen.ts";
import type { Assembly } from "./assemble.ts";
import type { Network, Options } from "./options.ts";
import { bearerToken } from "../http/authentication.ts";
import { canBeHost, canBeOrigin, isLoopback, LOOPBACK_HOSTS } from "../http/guard.ts";
import { listenHttp } from "../http/listen.ts";
import { MIN_KEY_BYTES } from "../server/signed_token.ts";
import { assemble, describe } from "./assemble.ts";
import { createLog } from "./log.ts";
import { withOpened } from "./opened.ts";
import { UsageError } from "./options.ts";
import { VERSION } from "./version.ts";

/** Serves until it is asked to end; 0 is the exit code. */
export async function serveHttp(platform: Platform, options: Options, root: string): Promise<number> {
  const network = options.network!;
  const log = createLog(platform, options.logLevel ?? "warning", options.logFormat);
  const { keyFile } = network;
  const keys = keyFile === undefined ? {} : { keys: readKeys(platform, keyFile) };
  const assembly = assemble(platform, options, root, log, keys);
  platform.onUncaught((cause) => log.write("error", `Nothing caught: ${describe(cause)}`));
  const listening = await listen(assembly, {
    ...readNetwork(platform, network),
    ready: () => isReady(assembly),
    onerror: (cause) => log.write("error", `A request failed: ${describe(cause)}`),
  }, network);
  const asked = Promise.withResolvers<void>();
  platform.onInterrupt(asked.resolve);
  platform.print("error", `architrave ${VERSION} serves ${root} at ${listening.url}\n`);
  // The first client need not wait for it.
  void isReady(assembly).catch((cause) => log.write("error", `Cannot get ready: ${describe(cause)}`));
  await asked.promise;
  await listening.close();
  return 0;
}

async function isReady({ documents, prompts }: Assembly): Promise<boolean> {
  await documents.ready();
  await prompts.ready?.();
  return true;
}

function listen(
  { server }: Assembly,
  options: HttpListenOptions,
  { hostname, port }: Network,
): ReturnType<typeof listenHttp> {
  return listenHttp(server, options).catch((cause) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`Cannot listen on ${hostname}:${port}: ${reason}`, { cause });
  });
}

/** What the flags say, with the files that they name. */
function readNetwork(platform: Platform, network: Network): HttpListenOptions {
  const { hostname, port, tokenFile, allowedHosts, allowedOrigins, anybody } = network;
  if (!isLoopback(hostname) && tokenFile === undefined && !anybody) {
    throw new UsageError(
      `Cannot listen on ${hostname} without --token-file: others can reach it; --allow-anybody lets all of them in`,
    );
  }
  expectEach("--allow-host", allowedHosts, canBeHost, "a name, perhaps with a port: docs.example.com");
  expectEach(
    "--allow-origin",
    allowedOrigins,
    canBeOrigin,
    "an origin as browsers send it: https://app.example.com",
  );
  const own = hostname.includes(":") ? `[${hostname}]` : hostname;
  return {
    hostname,
    port,
    allowAnybody: anybody,
    allowedHosts: [...LOOPBACK_HOSTS, own, ...allowedHosts],
    allowedOrigins,
    cors: allowedOrigins.length > 0,
    ...(tokenFile === undefined ? {} : { authenticate: readTokens(platform, tokenFile) }),
  };
}

/** What no request can match would let nobody in, and nobody would be told why. */
function expectEach(
  flag: string,
  values: readonly string[],
  fits: (value: string) => boolean,
  form: string,
): void {
  const wrong = values.find((value) => !fits(value));
  if (wrong !== undefined) throw new UsageError(`${flag} takes ${form}, and "${wrong}" is not that`);
}

function readTokens(platform: Platform, file: string): Authenticate {
  const tokens: Record<string, string> = {};
  const given: string[] = [];
  for (const [index, line] of readLines(platform, "--token-file", file).entries()) {
    const [first = "", second, ...more] = line.split(/\s+/);
    const name = second === undefined ? `token ${index + 1}` : first;
    if (more.length > 0 || Object.hasOwn(tokens, name)) {
      throw new UsageError(`A line of --token-file is NAME TOKEN or only TOKEN, and no name comes twice`);
    }
    given.push(tokens[name] = second ?? first);
  }
  try {
    // By their places first: who has written a line the wrong way round has the token where its name should be.
    bearerToken({ tokens: given });
    return bearerToken({ tokens });
  } catch (cause) {
    throw new UsageError(`Cannot use --token-file: ${(cause as Error).message}`, { cause });
  }
}

function readKeys(platform: Platform, file: string): Uint8Array[] {
  const keys = readLines(platform, "--key-file", file).map((line) => {
    try {
      return Uint8Array.from(atob(line), (unit) => unit.charCodeAt(0));
    } catch {
      throw new UsageError("A line of --key-file is a key in Base64, and one of them is not");
    }
  });
  if (keys.length > 0 && keys.every(({ length }) => length >= MIN_KEY_BYTES)) return keys;
  throw new UsageError(
    `--key-file needs a key in every line, of at least ${MIN_KEY_BYTES} random bytes in Base64`,
  );
}

/** The most bytes of such a file: it holds a few lines. */
const MAX_FILE_BYTES = 64 * 1024;

/** The lines of a file, without those that are blank or a comment. What is in it is never repeated in a message. */
function readLines({ files }: Platform, flag: string, path: string): string[] {
  let text: string;
  try {
    text = withOpened(files, path, (file) => new TextDecoder().decode(file.read(MAX_FILE_BYTES)));
  } catch {
    throw new UsageError(`Cannot read ${flag}: "${path}" is not there, or must not be read`);
  }
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
}
