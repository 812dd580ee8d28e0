/**
 * The contract of transports, and those that need no network.
 *
 * @module
 */

export type { StreamOptions } from "./stream.ts";
export type { MessageContext, Transport } from "./transport.ts";
export { memoryTransports } from "./memory.ts";
export { protectOutput } from "./protect_output.ts";
export { stdioTransport } from "./stdio.ts";
export { StreamTransport } from "./stream.ts";
export { TransportError } from "./transport.ts";
