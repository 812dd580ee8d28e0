/** The audit log: which client requested what, with which outcome. It records neither contents nor arguments. */

import type { Response } from "../../jsonrpc/message.ts";
import type { BodyPiece, HttpExchange, HttpStream } from "../../platform/http.ts";
import { asObject, asString, compact, isObject } from "../../base/json.ts";
import { shortened } from "../../base/text.ts";
import { TARGET } from "./checks.ts";

/** The record of a request, made when its response is complete. Each message of a batch has its own entry. */
export interface AuditEntry {
  /** The time of its arrival (ISO 8601). */
  readonly time: string;
  /** The principal, or the address of a client that is not authenticated. */
  readonly client: string;
  /** The id of its session. Not the `Mcp-Session-Id`, with which readers of the log could use the session. */
  readonly session?: string;
  /** The method of the message, or the HTTP method if no message was read: "tools/call", "GET". */
  readonly method: string;
  /** The name or URI in the message, or the path. */
  readonly target?: string;
  /** The HTTP status. */
  readonly status: number;
  /** The JSON-RPC error code, if the response is an error. */
  readonly code?: number;
  /** How long the response took, in milliseconds. */
  readonly ms: number;
  /** The length of the body of the response, in bytes. */
  readonly bytes: number;
}

/** The maximum length of a text in an entry, in characters. */
const MAX_TEXT = 300;
/** The maximum number of entries for one body: the maximum number of messages in a batch. */
const MAX_MESSAGES = 100;
const encoder = new TextEncoder();
const cut = (text: string): string => shortened(text, MAX_TEXT);
const bytesOf = (pieces: readonly BodyPiece[]): number =>
  pieces.reduce((sum, piece) => sum + (typeof piece === "string" ? encoder.encode(piece) : piece).length, 0);

/** What the audit log keeps of a message. */
export interface AuditedMessage {
  readonly id?: unknown;
  readonly method: string;
  readonly target?: string | undefined;
}

/** Reads the messages of a body. */
export function auditedMessages(body: unknown): AuditedMessage[] {
  const messages = Array.isArray(body) ? body.slice(0, MAX_MESSAGES) : [body];
  return messages.filter(isObject).map(({ id, method, params }) => {
    const { name, uri, ref } = asObject(params), { name: prompt, uri: template } = asObject(ref);
    const target = asString(name ?? uri ?? prompt ?? template);
    return { id, method: cut(asString(method) ?? "response"), target: target && cut(target) };
  });
}

/** What is recorded of a request that was admitted. */
interface AuditedRequest {
  readonly authenticated: { readonly principal: string } | undefined;
  readonly session: { readonly id: string } | undefined;
  readonly audited: readonly AuditedMessage[] | undefined;
  readonly response: Response | readonly Response[] | undefined;
}

/** Records an exchange, unless it is a health check. @param requestOf Returns the request after it was admitted. */
export function audit(
  exchange: HttpExchange,
  onaudit: (entry: AuditEntry) => void,
  requestOf: () => AuditedRequest | undefined,
): void {
  const time = new Date().toISOString(), start = performance.now();
  const path = TARGET.exec(exchange.target)![2] || "/";
  if (path === "/healthz" || path === "/readyz") return;
  let bytes = 0, isOver = false;
  const finish = (status: number): void => {
    if (isOver) return;
    isOver = true;
    const { authenticated, session, audited = [], response } = requestOf() ?? {} as Partial<AuditedRequest>;
    const client = cut(authenticated?.principal ?? exchange.remoteAddress ?? "unknown");
    const ms = Math.round(performance.now() - start);
    const fallback: AuditedMessage = { method: cut(exchange.method), target: cut(path) };
    for (const { id, method, target } of audited.length > 0 ? audited : [fallback]) {
      const code = [response].flat().find((one) => id !== undefined && one?.id === id)?.error?.code;
      onaudit(compact({ time, client, session: session?.id, method, target, status, code, ms, bytes }));
    }
  };
  const { respond, stream } = exchange;
  Object.assign<HttpExchange, Pick<HttpExchange, "respond" | "stream">>(exchange, {
    respond(status, fields, body) {
      respond.call(exchange, status, fields, body);
      // A long body may have been sent with `stream`, which has already counted it.
      bytes ||= bytesOf(body ?? []);
      finish(status);
    },
    stream(status, fields) {
      const opened = stream.call(exchange, status, fields);
      exchange.onDisconnect(() => finish(status));
      const write: HttpStream["write"] = (pieces) => {
        bytes += bytesOf(pieces);
        return opened.write(pieces);
      };
      return { write, end: () => (opened.end(), finish(status)), cut: () => (opened.cut(), finish(status)) };
    },
  });
}
