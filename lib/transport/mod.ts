/**
 * How does a message travel? The contract of carriers, and those that need no network; knows no MCP.
 *
 * @module
 */

export type { StreamOptions } from "./stream.ts";
export type { MessageContext, Transport } from "./transport.ts";
export { memoryTransports } from "./memory.ts";
export { protectOutput, stdioTransport } from "./stdio.ts";
export { StreamTransport } from "./stream.ts";
export { TransportError } from "./transport.ts";
