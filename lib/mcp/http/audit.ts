/** The audit log: which client requested what, with which outcome. It records neither contents nor arguments. */

import type { Response } from "../../jsonrpc/message.ts";
import type { BodyPiece, HttpExchange, HttpStream } from "../../platform/http.ts";
import type { Negotiated } from "../protocol/revisions.ts";
import type { Trace } from "../protocol/trace.ts";
import type { AcceptedCall } from "../server/accepted.ts";
import { asObject, asString, compact, isObject } from "../../base/json.ts";
import { shortened } from "../../base/text.ts";
import { traceOf } from "../protocol/trace.ts";
import { TARGET } from "./checks.ts";

/** The record of a request, made when its response is complete. Each message of a batch has its own entry. */
export interface AuditEntry extends Trace {
  /** The time of its arrival (ISO 8601). */
  readonly time: string;
  /** The principal, or the address of a client that is not authenticated. */
  readonly client: string;
  /** The address of the peer, without its port. */
  readonly address?: string;
  /** The name that the client gives itself. */
  readonly clientName?: string;
  /** The id of its session. Not the `Mcp-Session-Id`, with which readers of the log could use the session. */
  readonly session?: string;
  /** The revision of the response: "2025-11-25". */
  readonly revision?: string;
  /** The id of the request. */
  readonly id?: unknown;
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
const cut = (text: string): string => shortened(text, MAX_TEXT);
const encoder = new TextEncoder();
const bytesOf = (pieces: readonly BodyPiece[]): number =>
  pieces.reduce((sum, piece) => sum + (typeof piece === "string" ? encoder.encode(piece) : piece).length, 0);

/** What the audit log keeps of a message. */
export interface AuditedMessage extends Trace {
  readonly id?: unknown;
  readonly method: string;
  readonly target?: string | undefined;
}

/** Reads the messages of a body. */
export function auditedMessages(body: unknown, header: HttpExchange["header"]): AuditedMessage[] {
  const messages = Array.isArray(body) ? body.slice(0, MAX_MESSAGES) : [body];
  return messages.filter(isObject).map(({ id, method, params }) => {
    const { name, uri, ref } = asObject(params), { name: prompt, uri: template } = asObject(ref);
    const target = asString(name ?? uri ?? prompt ?? template);
    const trace = Object.entries(traceOf(params, header)).map(([key, text]) => [key, cut(text)]);
    const given = { id, method: cut(asString(method) ?? "response"), target: target && cut(target) };
    return { ...given, ...Object.fromEntries(trace) };
  });
}

/** What is recorded of a request that was admitted. */
interface AuditedRequest {
  readonly authenticated: { readonly principal: string } | undefined;
  readonly session: { readonly id: string; readonly negotiated: Negotiated } | undefined;
  readonly call: AcceptedCall | undefined;
  readonly audited: readonly AuditedMessage[] | undefined;
  readonly response: Response | readonly Response[] | undefined;
}

const NOT_ADMITTED: Partial<AuditedRequest> = {};

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
    const { authenticated, session, call, audited = [], response } = requestOf() ?? NOT_ADMITTED;
    const address = exchange.remoteAddress?.replace(/:\d+$/, ""), accepted = call?.accepted;
    const client = cut(authenticated?.principal ?? address ?? "unknown");
    const negotiated = (session ?? accepted?.session)?.negotiated ?? (accepted?.error ? undefined : accepted);
    const name = asString(negotiated?.client.info?.["name"]), clientName = name && cut(name);
    const who = {
      time,
      client,
      address,
      clientName,
      session: session?.id,
      revision: negotiated?.revision.id,
    };
    const ms = Math.round(performance.now() - start);
    const fallback: AuditedMessage = { method: cut(exchange.method), target: cut(path) };
    for (const { id, method, target, ...trace } of audited.length > 0 ? audited : [fallback]) {
      const code = [response].flat().find((one) => id !== undefined && one?.id === id)?.error?.code;
      const shown = typeof id === "string" ? cut(id) : id;
      onaudit(compact({ ...who, id: shown, method, target, status, code, ms, bytes, ...trace }));
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
