/** How does a message travel between a client and the program it started? Over standard input and output. */

import type { Platform } from "../../deps.ts";
import { StreamTransport } from "./stream.ts";

/**
 * The carrier over the standard streams of this process, which has them once. From here on standard output belongs to
 * the protocol: anything else that is printed there breaks it. `protectOutput` keeps the console from that.
 *
 * @example
 * ```ts
 * import { loadPlatform, protectOutput, stdioTransport } from "@architrave/architrave";
 *
 * protectOutput();
 * const transport = stdioTransport(await loadPlatform());
 * transport.onmessage = (message) => console.error(message);
 * await transport.start();
 * ```
 */
export function stdioTransport(platform: Pick<Platform, "standardStreams">): StreamTransport {
  return new StreamTransport(platform.standardStreams(), { type: "stdio" });
}
