/** The errors of an authorization, and how they show what a server has said. */

import type { JsonObject } from "../../base/json.ts";
import { asString } from "../../base/json.ts";
import { printable, shortened } from "../../base/text.ts";
import { HttpStatusError } from "./errors.ts";

/** How much of a text of the server an error shows, in UTF-16 units. */
const MAX_SHOWN = 200;

/** No token could be had for a server. The status is that of the response which asked for it: 401 or 403. */
export class AuthorizationError extends HttpStatusError {
  /** The name of the class, for logs. */
  override readonly name: string = "AuthorizationError";
  /** The error code of the authorization server, such as "access_denied". */
  readonly code: string | undefined;

  /** Takes the message, the error code and the status. */
  constructor(message: string, code?: string, status: number = 401) {
    super(message, status);
    this.code = code;
  }
}

/** The error to throw when an authorization fails. */
export function failed(problem: string, code?: string, status?: number): AuthorizationError {
  return new AuthorizationError(`Cannot authorize: ${problem}`, code, status);
}

/** A text of a server, fit for a message. */
export function forMessage(text: unknown): string {
  return shortened(printable(String(text)), MAX_SHOWN);
}

/** The error to throw when an authorization server refuses something: with its own words, or else the status. */
export function refused(what: string, said: JsonObject, status?: number): AuthorizationError {
  const { error, error_description: description } = said;
  const code = asString(error);
  const reason = code === undefined
    ? `status ${status}`
    : [code, asString(description)].filter(Boolean).map(forMessage).join(": ");
  return failed(`${what} (${reason})`, code);
}
