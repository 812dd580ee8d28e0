/** What does a client's carrier know beyond carrying? What HTTP says in header fields, and where the server is. */

import type { Request } from "../jsonrpc/message.ts";
import type { Transport } from "../transport/transport.ts";

/**
 * What becomes of the stream in which a server with a handshake tells unasked: it was taken up again and something may be
 * missing, its session seems to be lost, or it has ended for good.
 */
export type UnaskedEvent =
  | {
    /** What was told meanwhile is not known. */
    readonly type: "again";
  }
  | {
    /** Whether the server has lost the session or offers no stream, it says in the same way. */
    readonly type: "lost" | "over";
    /** What it ended with. */
    readonly cause: Error;
  };

/** A carrier; those of streams know nothing more. */
export interface ClientTransport extends Transport {
  /** Where the server is, where that outlives the conversation: its era is remembered under it. */
  readonly address?: string;
  /** Whether arguments of tools travel in header fields. @default {false} */
  readonly mirrorsArguments?: boolean;
  /** The header fields of a request beside those that all have. Set by the client. */
  headersOf?: ((request: Request) => Readonly<Record<string, string>>) | undefined;
  /** Told what becomes of the stream of what is told unasked, where that is one of its own. Set by the client. */
  onunasked?: ((event: UnaskedEvent) => void) | undefined;
  /** Asks for that stream again, where it has ended. */
  listen?(): void;
}

/** Where a client finds its server: a carrier that is not started, or how to make one, as often as it takes. */
export type Connectable = ClientTransport | (() => ClientTransport | Promise<ClientTransport>);
