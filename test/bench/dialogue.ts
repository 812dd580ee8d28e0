/** What do the client and a server say to each other? The same requests for every server, in one protocol revision. */
import { PROMPT_NAME } from "./documents.ts";
import type { Call, ServerProcess } from "./process.ts";

/** The revision asked for: the newest with a handshake, and so the newest that all of the servers can be asked in. */
export const REVISION = "2025-11-25";

export const PING: Call = { method: "ping" };

export function readCall(uri: string): Call {
  return { method: "resources/read", params: { uri } };
}

export function promptCall(topic: string): Call {
  return { method: "prompts/get", params: { name: PROMPT_NAME, arguments: { topic } } };
}

/** Sends a call and gives its result as whatever the caller expects it to be. */
export async function ask<T>(server: ServerProcess, { method, params }: Call): Promise<T> {
  return await server.request(method, params) as T;
}

/** Sends `initialize` and gives the revision that the server agrees to; the connection is not open yet. */
export async function initialize(server: ServerProcess): Promise<string> {
  const params = {
    protocolVersion: REVISION,
    capabilities: {},
    clientInfo: { name: "bench", version: "1.0.0" },
  };
  const result = await ask<{ protocolVersion: string }>(server, { method: "initialize", params });
  return result.protocolVersion;
}

/** Opens a connection and gives the revision it is in. */
export async function open(server: ServerProcess): Promise<string> {
  const revision = await initialize(server);
  server.notify("notifications/initialized");
  return revision;
}

/** The URIs of all resources, however many pages they come in. */
export async function listAll(server: ServerProcess): Promise<string[]> {
  const uris: string[] = [];
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const page = await ask<{ resources: { uri: string }[]; nextCursor?: string }>(server, {
      method: "resources/list",
      params,
    });
    uris.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return uris;
}
