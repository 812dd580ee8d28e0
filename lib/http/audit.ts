/** The audit log: who asked for what, and with which outcome. It has no contents and no arguments. */

import type { BodyPiece, HttpExchange } from "../platform/http.ts";
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
  const path = shortened(/^(?:[^/?#]*:\/\/[^/?#]*)?([^?#]*)/.exec(exchange.target)![1] || "/", MAX_TEXT);
  let bytes = 0, isOver = false;
  const finish = (status: number): void => {
    if (isOver || path === "/healthz" || path === "/readyz") return;
    isOver = true;
    const { request } = audited;
    const client = shortened(
      request?.authenticated?.principal ?? exchange.remoteAddress ?? "unknown",
      MAX_TEXT,
    );
    const common = { status, ms: Math.round(performance.now() - start), bytes };
    const messages = [request?.message].flat().filter(isObject);
    for (
      const message of messages.length > 0 ? messages : [{ method: exchange.method, params: { uri: path } }]
    ) {
      const { id, method = "response", params } = message as Record<string, unknown>;
      const { name, uri, ref } = asObject(params), { name: prompt, uri: template } = asObject(ref);
      const target = asString(name ?? uri ?? prompt ?? template);
      const code = [request?.response].flat().find((response) => response?.id === id)?.error?.code;
      onaudit(compact({
        time,
        client,
        session: request?.session?.id,
        method: shortened(String(method), MAX_TEXT),
        target: target && shortened(target, MAX_TEXT),
        ...common,
        code: id === undefined ? undefined : code,
      }));
    }
  };
  const { respond, stream } = exchange;
  exchange.respond = (status, fields, body) => {
    bytes = sizeOf(body ?? []);
    respond.call(exchange, status, fields, body);
    finish(status);
  };
  exchange.stream = (status, fields) => {
    const { write, end, cut } = stream.call(exchange, status, fields);
    const finishing = (close: () => void) => () => {
      close();
      finish(status);
    };
    exchange.onDisconnect(() => finish(status));
    return {
      write(pieces) {
        bytes += sizeOf(pieces);
        return write(pieces);
      },
      end: finishing(end),
      cut: finishing(cut),
    };
  };
  return audited;
}
