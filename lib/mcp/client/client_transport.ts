/** What a client needs of a transport. */

import type { JsonObject } from "../../base/json.ts";
import type { Transport } from "../../jsonrpc/transport/transport.ts";

/** What a client needs of a transport. The members that `Transport` does not have are for HTTP. */
export interface ClientTransport extends Transport {
  /** The address of a server that outlives the session: its era is remembered under it. */
  readonly address?: string;
  /** Whether arguments of tools are repeated in header fields. @default {false} */
  readonly hasHeaders?: boolean;
  /** The fields for the arguments of a `tools/call`, from its params. Set by the client. */
  argumentHeaders?: ((params: JsonObject) => Readonly<Record<string, string>>) | undefined;
  /**
   * Called when the stream of server-initiated messages was opened again and messages may have been missed; and, with the
   * cause, when it has ended. A `SessionLostError` may also mean that there is no such stream. Set by the client.
   */
  onstream?: ((cause: Error | undefined) => void) | undefined;
  /** Opens that stream again where it has ended. */
  openStream?(): void;
}

/** A transport that is not started, or a function that makes one as often as it is needed. */
export type Connectable = ClientTransport | (() => ClientTransport | Promise<ClientTransport>);
