/** The errors of an authorization. They may quote a server. */

import type { JsonObject } from "../../base/json.ts";
import { asString } from "../../base/json.ts";
import { printable, shortened } from "../../base/text.ts";
import { HttpStatusError } from "./errors.ts";

/** The maximum length of a text of the server in an error, in UTF-16 units. */
const MAX_SHOWN = 200;

/** No token could be obtained. The status is that of the response that required the authorization: 401 or 403. */
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

/** Makes the error of a failed authorization. */
export function failed(problem: string, code?: string, status?: number): AuthorizationError {
  return new AuthorizationError(`Cannot authorize: ${problem}`, code, status);
}

/** Makes a text of a server fit for a message: without control characters, and shortened. */
export function forMessage(text: unknown): string {
  return shortened(printable(String(text)), MAX_SHOWN);
}

/** Makes the error of a refusal by an authorization server, with the server's error code and description, or the status. */
export function refused(what: string, body: JsonObject, status?: number): AuthorizationError {
  const { error, error_description: description } = body;
  const code = asString(error);
  const reason = code === undefined
    ? `status ${status}`
    : [code, asString(description)].filter(Boolean).map(forMessage).join(": ");
  return failed(`${what} (${reason})`, code);
}
