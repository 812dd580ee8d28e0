/** What does a status mean that is no success? A sentence with the way out. */

import { HttpError, SessionLostError } from "./errors.ts";

/**
 * Says what the server has answered in place of a message.
 *
 * @param what What it was asked.
 * @param text The body.
 * @param hasSession Whether the request named a session, which the server may not know any more.
 */
export function refusal(status: number, what: string, text: string, hasSession: boolean): HttpError {
  if (status === 404 && hasSession) {
    return new SessionLostError("The server does not know the session any more", status);
  }
  const said = text.trim() === "" ? "" : ` and said: ${text.trim().slice(0, 200)}`;
  return new HttpError(
    `The server answered ${what} with the status ${status}${said}${hintFor(status)}`,
    status,
  );
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return "; it wants other credentials";
  if (status !== 404 && status !== 405) return "";
  return "; is the address that of an MCP endpoint? The transport of 2024-11-05 (HTTP+SSE) is not spoken";
}
