/**
 * The transport over standard input and output.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */

import type { Platform } from "../../platform/platform.ts";
import { StreamTransport } from "./stream.ts";

/**
 * The transport over the standard streams of this process. Anything else that is printed to standard output breaks the
 * protocol; `protectOutput` keeps the console from doing that.
 */
export function stdioTransport(platform: Pick<Platform, "standardStreams">): StreamTransport {
  return new StreamTransport(platform.standardStreams());
}
