/**
 * The transport over standard input and output.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */

import type { Platform } from "../../platform/platform.ts";
import { StreamTransport } from "./stream.ts";

/**
 * Makes the transport over the standard streams of this process. Any other output on standard output violates the protocol:
 * `protectOutput` redirects the output of the console.
 */
export function stdioTransport(platform: Pick<Platform, "standardStreams">): StreamTransport {
  return new StreamTransport(platform.standardStreams());
}
