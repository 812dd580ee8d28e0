/** The audit log: who asked for what, and with which outcome. It records neither contents nor arguments. */

import type { Response } from "../../jsonrpc/message.ts";
import type { BodyPiece, HttpExchange, HttpStream } from "../../platform/http.ts";
import { asObject, asString, compact, isObject } from "../../base/json.ts";
import { shortened } from "../../base/text.ts";
import { TARGET } from "./checks.ts";

/** What is recorded of a request when its response is complete. Each message of a batch has an entry. */
export interface AuditEntry {
  /** When it arrived (ISO 8601). */
  readonly time: string;
  /** The principal, or the address of a client without one. */
  readonly client: string;
  /** The id of its session; not the `Mcp-Session-Id`, which would let others use it. */
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

/** The longest text in an entry, in characters, and the most entries for one body: as many as a batch may have messages. */
const MAX_TEXT = 300, MAX_MESSAGES = 100;
const encoder = new TextEncoder();
const cut = (text: string): string => shortened(text, MAX_TEXT);
const bytesOf = (pieces: readonly BodyPiece[]): number =>
  pieces.reduce((sum, piece) => sum + (typeof piece === "string" ? encoder.encode(piece) : piece).length, 0);

/** What a message asks for; the message itself is not kept. */
export interface Asked {
  readonly id?: unknown;
  readonly method: string;
  readonly target?: string | undefined;
}

/** What the messages of a body ask for. */
export function askedBy(body: unknown): Asked[] {
  const messages = Array.isArray(body) ? body.slice(0, MAX_MESSAGES) : [body];
  return messages.filter(isObject).map(({ id, method, params }) => {
    const { name, uri, ref } = asObject(params), { name: prompt, uri: template } = asObject(ref);
    const target = asString(name ?? uri ?? prompt ?? template);
    return { id, method: cut(asString(method) ?? "response"), target: target && cut(target) };
  });
}

/** What is recorded of an admitted request. */
interface AuditedRequest {
  readonly authenticated: { readonly principal: string } | undefined;
  readonly session: { readonly id: string } | undefined;
  readonly asked: readonly Asked[] | undefined;
  readonly response: Response | readonly Response[] | undefined;
}

/** Records an exchange, unless it is a health check. @param requestOf Returns its request, once that is admitted. */
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
    const { authenticated, session, asked = [], response } = requestOf() ?? {} as Partial<AuditedRequest>;
    const client = cut(authenticated?.principal ?? exchange.remoteAddress ?? "unknown");
    const ms = Math.round(performance.now() - start);
    const fallback: Asked = { method: cut(exchange.method), target: cut(path) };
    for (const { id, method, target } of asked.length > 0 ? asked : [fallback]) {
      const code = [response].flat().find((one) => id !== undefined && one?.id === id)?.error?.code;
      onaudit(compact({ time, client, session: session?.id, method, target, status, code, ms, bytes }));
    }
  };
  const { respond, stream } = exchange;
  Object.assign<HttpExchange, Pick<HttpExchange, "respond" | "stream">>(exchange, {
    respond(status, fields, body) {
      respond.call(exchange, status, fields, body);
      // A long body may have been sent with `stream`, which has counted it.
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
