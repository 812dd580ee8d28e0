/** How much was asked? Counted for all clients of a server together. */

import type { Response } from "../jsonrpc/message.ts";

/** How many requests came, and what became of them. */
export interface RequestCounts {
  /** Those that were requests; what was malformed is not among them. */
  readonly received: number;
  /** Those with a handler at work. */
  readonly unfinished: number;
  /** Those that were answered with a result. */
  readonly succeeded: number;
  /** Those that were answered with an error. */
  readonly failed: number;
}

/** Counts. */
export class Tally implements RequestCounts {
  received = 0;
  unfinished = 0;
  succeeded = 0;
  failed = 0;
  notifications = 0;

  /** Counts an answer, and hands it on. */
  count(response: Response): Response {
    if (response.error === undefined) this.succeeded++;
    else this.failed++;
    return response;
  }
}
