/** What is known of how a message came over HTTP? All of it is looked at only when somebody asks. */

import type { HttpExchange } from "../platform/http.ts";
import type { MessageContext } from "../transport/transport.ts";
import type { Authenticated } from "./authentication.ts";

/** How one message came. */
export class HttpContext implements MessageContext {
  readonly receivedAt: number = Date.now();
  readonly authentication: Authenticated | undefined;
  readonly sessionId?: string;
  readonly #exchange: HttpExchange;

  constructor(exchange: HttpExchange, authentication: Authenticated | undefined, sessionId?: string) {
    this.#exchange = exchange;
    this.authentication = authentication;
    if (sessionId !== undefined) this.sessionId = sessionId;
  }

  get size(): number {
    return Number(this.#exchange.header("content-length") ?? 0);
  }

  get remoteAddress(): string {
    return this.#exchange.remoteAddress ?? "";
  }

  /** Reads a header field of the request by its name in lower case. */
  header(name: string): string | undefined {
    return this.#exchange.header(name);
  }

  /** The same within a session. */
  within(sessionId: string): HttpContext {
    return new HttpContext(this.#exchange, this.authentication, sessionId);
  }
}
