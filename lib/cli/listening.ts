/** What the commands that listen share: their address, and what they say once they listen. */

import type { Platform } from "../platform/platform.ts";
import { reasonOf } from "../base/text.ts";
import { bracketed } from "../platform/tcp.ts";
import { ConfigurationError, UsageError } from "./options.ts";
import { isDenied, toAllow } from "./path_problem.ts";
import { VERSION } from "./this_copy.ts";

/** Waits until a server listens, and says what it does and where. `flag` is the option of its address. @throws {ConfigurationError} When it cannot listen. */
export async function started<T extends { readonly url: string }>(
  platform: Platform,
  { hostname, port }: ReturnType<typeof readAddress>,
  does: string,
  starting: Promise<T>,
  flag = "--listen",
): Promise<{ server: T; interrupted: Promise<void> }> {
  const server = await starting.catch((cause) => {
    const where = `${bracketed(hostname)}:${port}`, way = `${flag} names another address`;
    const reason = isDenied(cause)
      ? `the sandbox does not allow it; ${toAllow(platform.name, "net", where)}`
      : `${reasonOf(cause)}; ${way}`;
    throw new ConfigurationError(`Cannot listen on ${where}: ${reason}`, { cause });
  });
  const interrupted = new Promise<void>((resolve) => platform.onInterrupt(resolve));
  const hint = platform.interactive ? " (Ctrl-C ends it)" : "";
  platform.print("error", `architrave ${VERSION} ${does} at ${server.url}${hint}\n`);
  return { server, interrupted };
}

/** Reads the value of --listen or another option. */
export function readAddress(text: string, flag = "--listen"): { hostname: string; port: number } {
  const [, host = "127.0.0.1", port] = /^(?:(\[[0-9A-Fa-f:.]+\]|[^\s:[\]]+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new UsageError(`${flag} takes HOST:PORT or a port from 0 to 65535, not "${text}"`);
  }
  return { hostname: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}
