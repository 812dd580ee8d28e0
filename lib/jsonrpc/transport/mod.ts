/**
 * The contract of transports, and those that need no network.
 *
 * @module
 */

export type { StreamOptions } from "./stream.ts";
export type { MessageContext, Transport } from "./transport.ts";
export {
  memoryTransports,
  protectOutput,
  stdioTransport,
  StreamTransport,
  TransportError,
} from "./stream.ts";
