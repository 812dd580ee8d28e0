/**
 * The contract of transports, and those that need no network.
 *
 * @module
 */

export type { StreamOptions } from "./stream.ts";
export type { MessageContext, Transport } from "./transport.ts";
export { protectOutput } from "./protect_output.ts";
export { memoryTransports, stdioTransport, StreamTransport, TransportError } from "./stream.ts";
