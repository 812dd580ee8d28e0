/** The result of `Server.accept`, which runs when a request arrives. */

import type { Accepted } from "../../jsonrpc/contract.ts";
import type { Call } from "../../jsonrpc/connection.ts";
import type { RpcError } from "../../jsonrpc/message.ts";
import type { ClientFacts, Revision } from "../protocol/revisions.ts";
import type { Access } from "./access.ts";
import type { InputRunner } from "./client_requests.ts";
import type { Session } from "./session.ts";

/** The session, revision, client and access of a request; and if it is refused, the error. */
export interface AcceptedRequest extends Accepted {
  /** Names the request in logs; unique within the process. */
  readonly id: string;
  /** The client. */
  readonly session: Session;
  /** The revision of the response. */
  readonly revision: Revision;
  /** What the client states about itself. */
  readonly client: ClientFacts;
  /** Why the request is refused; undefined when it is accepted. */
  readonly error?: RpcError | undefined;
  /** What the client may use; undefined when all may use everything. */
  readonly access?: Access | undefined;
  /** Runs the handler of a method that may ask the client; undefined for other methods. Set by `Server.handle`. */
  input?: InputRunner | undefined;
  /** After how many seconds the client should try again: a header field over HTTP. Set by the handler. */
  retryAfter?: number | undefined;
  /** Whether the result of the tool is an error for the model. Set by the handler. */
  isToolError?: boolean | undefined;
}

/** A request of a client that is being answered; `accepted` is the result of `Server.accept`. */
export type AcceptedCall = Call<AcceptedRequest>;
