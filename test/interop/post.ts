/** How does a client of MCP over HTTP ask that is no more than its requests? One at a time, at whatever URL it is given. */

import type { Message } from "./checks.ts";
import { META_PREFIX } from "./checks.ts";
import { MODERN_REVISION } from "./schemas.ts";

/** What came back. */
export interface Reply {
  readonly status: number;
  readonly fields: Headers;
  /** The body as it came. */
  readonly text: string;
  /** The messages in it, of a stream or not; none where nobody can read it. */
  readonly messages: readonly Message[];
}

export type Fields = Readonly<Record<string, string>>;

const BOTH = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
let lastId = 0;

/** Sends one message and waits for the whole answer. */
export async function post(
  url: string,
  fields: Fields,
  message: object,
): Promise<Reply> {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  const response = await fetch(url, {
    method: "POST",
    headers: { ...BOTH, ...fields },
    body,
  });
  const text = await response.text();
  return {
    status: response.status,
    fields: response.headers,
    text,
    messages: messagesOf(response, text),
  };
}

/** A request that states its own terms, and a head that says the same. */
export function modernRequest(
  method: string,
  params: Record<string, unknown> = {},
): [Fields, object] {
  const name = params["name"] ?? params["uri"];
  const _meta = {
    [`${META_PREFIX}protocolVersion`]: MODERN_REVISION,
    [`${META_PREFIX}clientCapabilities`]: {},
    [`${META_PREFIX}clientInfo`]: { name: "interop", version: "1" },
  };
  const fields = {
    "mcp-protocol-version": MODERN_REVISION,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
  };
  return [fields, { id: ++lastId, method, params: { ...params, _meta } }];
}

/** A client that has shaken hands; each of its requests may go to another URL. */
export interface Session {
  readonly fields: Fields;
  ask(url: string, method: string, params?: object): Promise<Reply>;
}

/** Shakes hands. */
export async function shakeHands(
  url: string,
  protocolVersion = "2025-11-25",
): Promise<Session> {
  const params = {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: "interop", version: "1" },
  };
  const { status, fields, text } = await post(url, {}, {
    id: ++lastId,
    method: "initialize",
    params,
  });
  const id = fields.get("mcp-session-id");
  if (status !== 200 || id === null) {
    throw new Error(`No session, but ${status}: ${text}`);
  }
  const own = { "mcp-session-id": id, "mcp-protocol-version": protocolVersion };
  await post(url, own, { method: "notifications/initialized" });
  return {
    fields: own,
    ask: (where, method, asked = {}) => post(where, own, { id: ++lastId, method, params: asked }),
  };
}

function messagesOf({ headers }: Response, text: string): Message[] {
  if (!headers.get("content-type")?.startsWith("text/event-stream")) {
    try {
      return [JSON.parse(text)];
    } catch {
      return [];
    }
  }
  return eventsOf(text);
}

/** The messages of a stream of events. */
export function eventsOf(text: string): Message[] {
  return text.split("\n").filter((line) => line.startsWith("data: {")).map((
    line,
  ) => JSON.parse(line.slice(6)));
}
