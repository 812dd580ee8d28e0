/** The contract of transports for clients. */

import type { JsonObject } from "../../base/json.ts";
import type { Transport } from "../../jsonrpc/transport/transport.ts";

/** A transport for a client. The members in addition to those of `Transport` are for HTTP. */
export interface ClientTransport extends Transport {
  /** The address of a server that outlives the session. The client remembers the era of the server by its address. */
  readonly address?: string;
  /** Whether tool arguments are repeated in header fields. @default {false} */
  readonly hasHeaders?: boolean;
  /** Returns the header fields for the arguments of a `tools/call` from its params. Set by the client. */
  argumentHeaders?: ((params: JsonObject) => Readonly<Record<string, string>>) | undefined;
  /**
   * Called when the stream of server-initiated messages was reopened and messages may have been missed. Called with the
   * cause when the stream has ended; a `SessionLostError` may also mean that the server has no such stream. Set by the client.
   */
  onstream?: ((cause: Error | undefined) => void) | undefined;
  /** Reopens that stream if it has ended. */
  openStream?(): void;
}

/** A transport that is not started, or a function that makes a new one at each call. */
export type Connectable = ClientTransport | (() => ClientTransport | Promise<ClientTransport>);
