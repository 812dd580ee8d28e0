/** The audit log: who asked for what, and with which outcome. It has no contents and no arguments. */

import type { BodyPiece, HttpExchange, HttpStream } from "../platform/http.ts";
import type { HttpRequest } from "./response.ts";
import { asObject, asString, compact, isObject } from "../base/json.ts";
import { shortened } from "../base/text.ts";

/** What is recorded of a request, when its response is complete. Each message of a batch has an entry. */
export interface AuditEntry {
  /** When it arrived (ISO 8601). */
  readonly time: string;
  /** The principal, or the address of a client without one. */
  readonly client: string;
  /** The id of its session, which is not what the client sends. */
  readonly session?: string;
  /** The method of the message, or of HTTP where none was read: "tools/call", "GET". */
  readonly method: string;
  /** The name or URI in the message, or the path. */
  readonly target?: string;
  /** The HTTP status. */
  readonly status: number;
  /** The code of the error, if the response is one. */
  readonly code?: number;
  /** How long the response took, in milliseconds. */
  readonly ms: number;
  /** The length of the body of the response. */
  readonly bytes: number;
}

const encoder = new TextEncoder();
const sizeOf = (pieces: readonly BodyPiece[]): number =>
  pieces.reduce((sum, piece) => sum + (typeof piece === "string" ? encoder.encode(piece) : piece).length, 0);

/** The longest text in an entry, in characters. */
const MAX_TEXT = 300;

/** Records an exchange from here on: the result takes its request, once that is admitted. */
export function audit(
  exchange: HttpExchange,
  onaudit: (entry: AuditEntry) => void,
): { request?: HttpRequest | undefined } {
  const audited: ReturnType<typeof audit> = {};
  const time = new Date().toISOString(), start = performance.now();
  const path = /^(?:[^/?#]*:\/\/[^/?#]*)?([^?#]*)/.exec(exchange.target)![1] || "/";
  let bytes = 0, isOver = path === "/healthz" || path === "/readyz";
  const cut = (value: unknown) => shortened(String(value), MAX_TEXT);
  const finish = (status: number): void => {
    if (isOver) return;
    isOver = true;
    const { authenticated, session, message, response } = audited.request ?? {};
    const client = cut(authenticated?.principal ?? exchange.remoteAddress ?? "unknown");
    const messages = [message].flat().filter(isObject), ms = Math.round(performance.now() - start);
    if (messages.length === 0) messages.push({ method: exchange.method, params: { uri: path } });
    for (const { id, method = "response", params } of messages) {
      const { name, uri, ref } = asObject(params), { name: prompt, uri: template } = asObject(ref);
      const target = asString(name ?? uri ?? prompt ?? template);
      const { error } = [response].flat().find((one) => id !== undefined && one?.id === id) ?? {};
      const asked = { method: cut(method), target: target === undefined ? target : cut(target) };
      onaudit(
        compact({ time, client, session: session?.id, ...asked, status, code: error?.code, ms, bytes }),
      );
    }
  };
  const { respond, stream } = exchange;
  exchange.respond = (status, fields, body) => {
    bytes = sizeOf(body ?? []);
    respond.call(exchange, status, fields, body);
    finish(status);
  };
  exchange.stream = (status, fields) => {
    const opened = stream.call(exchange, status, fields);
    exchange.onDisconnect(() => finish(status));
    const write: HttpStream["write"] = (pieces) => {
      bytes += sizeOf(pieces);
      return opened.write(pieces);
    };
    return { write, end: () => (opened.end(), finish(status)), cut: () => (opened.cut(), finish(status)) };
  };
  return audited;
}
