/** What does a client's carrier know beyond carrying? What HTTP says in header fields, and where the server is. */

import type { Request } from "../jsonrpc/message.ts";
import type { Transport } from "../transport/transport.ts";

/** A carrier; those of streams know nothing more. */
export interface ClientTransport extends Transport {
  /** Where the server is, where that outlives the conversation: its era is remembered under it. */
  readonly address?: string;
  /** Whether arguments of tools travel in header fields. @default {false} */
  readonly mirrorsArguments?: boolean;
  /** The header fields of a request beside those that all have. Set by the client. */
  headersOf?: ((request: Request) => Readonly<Record<string, string>>) | undefined;
}

/** Where a client finds its server: a carrier that is not started, or how to make one, as often as it takes. */
export type Connectable = ClientTransport | (() => ClientTransport | Promise<ClientTransport>);
