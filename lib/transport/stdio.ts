/** How does a message travel between a client and the program it started? Over standard input and output. */

import type { Platform } from "../../deps.ts";
import { StreamTransport } from "./stream.ts";

/**
 * The carrier over the standard streams of this process. From here on standard output belongs to the protocol.
 *
 * @example
 * ```ts
 * import { loadPlatform } from "../../deps.ts";
 * import { stdioTransport } from "./stdio.ts";
 *
 * const transport = stdioTransport(await loadPlatform());
 * ```
 */
export function stdioTransport(platform: Pick<Platform, "standardStreams">): StreamTransport {
  return new StreamTransport(platform.standardStreams(), { type: "stdio" });
}
