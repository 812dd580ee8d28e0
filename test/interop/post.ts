/** Single requests of MCP over HTTP, raw and to whatever URL is given. */

import { handshake, modern } from "../harness/program.ts";
import { dataOf } from "../harness/http.ts";
import type { Message } from "../harness/conformance.ts";
import { MODERN_REVISION, NEWEST_LEGACY } from "../harness/conformance.ts";

/** What came back. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The messages in the body, of a stream or not. */
  readonly messages: readonly Message[];
  /** The body; of a stream, its messages. */
  readonly text: string;
}

export type Fields = Readonly<Record<string, string>>;

let lastId = 0;

/** Sends one message, and gives the answer as it begins. */
export function send(url: string, headers: Fields, message: object, signal?: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    ...(signal ? { signal } : {}),
  });
}

/** Sends one message and waits for the whole answer. */
export async function post(url: string, headers: Fields, message: object): Promise<Reply> {
  const response = await send(url, headers, message);
  const all = await Array.fromAsync(dataOf(response));
  const messages = all.filter((data) => data.startsWith("{")).map((data) => JSON.parse(data) as Message);
  return { status: response.status, headers: response.headers, messages, text: all.join("\n") };
}

/** A request that states its revision, and the header fields that say the same. */
export function modernRequest(method: string, params: Record<string, unknown> = {}): [Fields, object] {
  const name = params["name"] ?? params["uri"];
  const fields = {
    "mcp-protocol-version": MODERN_REVISION,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
  };
  return [fields, { id: ++lastId, method, params: modern(params) }];
}

/** A client that has performed a handshake; each of its requests may go to another URL. */
export interface Session {
  readonly fields: Fields;
  ask(url: string, method: string, params?: object): Promise<Reply>;
}

/** Performs a handshake. */
export async function openSession(url: string): Promise<Session> {
  const initialize = { id: ++lastId, method: "initialize", params: handshake(NEWEST_LEGACY) };
  const { status, headers, text } = await post(url, {}, initialize);
  const id = headers.get("mcp-session-id");
  if (status !== 200 || id === null) throw new Error(`No session, but ${status}: ${text}`);
  const fields = { "mcp-session-id": id, "mcp-protocol-version": NEWEST_LEGACY };
  await post(url, fields, { method: "notifications/initialized" });
  return {
    fields,
    ask: (where, method, asked = {}) => post(where, fields, { id: ++lastId, method, params: asked }),
  };
}
