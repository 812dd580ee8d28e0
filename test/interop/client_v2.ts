/**
 * How does the official client of the second generation look at a server? It can open with `initialize`, ask
 * `server/discover` and stay with 2026-07-28, or find out by itself; and it finds out with a process of its own, or on
 * the pipe that it goes on with.
 */

import type { ClientOptions } from "@modelcontextprotocol/client";
import type { Launch } from "./runtimes.ts";
import type { OfficialClient, Opening } from "./official.ts";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { toCallResult, watch } from "./official.ts";
import { LEGACY_REVISIONS, MODERN_REVISION } from "./schemas.ts";

/** The client probes on the pipe itself when the transport is not exactly its own. */
class OtherTransport extends StdioClientTransport {}

export const V2_LEGACY: Opening = opening("client v2, legacy", "2025-11-25", {
  versionNegotiation: { mode: "legacy" },
});
export const V2_MODERN: Opening = opening("client v2, 2026-07-28", MODERN_REVISION, {
  versionNegotiation: { mode: { pin: MODERN_REVISION } },
});
export const V2_AUTO: Opening = opening("client v2, probing", MODERN_REVISION, {
  versionNegotiation: { mode: "auto" },
});
export const V2_AUTO_IN_PLACE: Opening = opening(
  "client v2, probing on the same pipe",
  MODERN_REVISION,
  { versionNegotiation: { mode: "auto" } },
  OtherTransport,
);

/** The client as it would be if a legacy revision were the only one it knew. */
export const V2_EACH_LEGACY: readonly Opening[] = LEGACY_REVISIONS.map((revision) =>
  opening(`client v2, ${revision}`, revision, { supportedProtocolVersions: [revision] })
);

/** A client that is told how to open. */
export function opening(
  name: string,
  revision: string,
  options: ClientOptions,
  Transport: typeof StdioClientTransport = StdioClientTransport,
): Opening {
  return { name, revision, connect: (launch) => connect(launch, options, Transport) };
}

async function connect(
  launch: Launch,
  options: ClientOptions,
  Transport: typeof StdioClientTransport,
): Promise<OfficialClient> {
  const transport = new Transport({ ...launch, stderr: "pipe" });
  const client = new Client({ name: "interop-v2", version: "1" }, {
    capabilities: { roots: {}, sampling: {} },
    // The default gives up after 64 pages, which says more about the client than about the server.
    listMaxPages: 0,
    ...options,
  });
  const complaints: Error[] = [];
  client.onerror = (error) => void complaints.push(error);
  await client.connect(transport);
  const ended = watch(transport);

  return {
    revision: client.getNegotiatedProtocolVersion() ?? "",
    serverName: client.getServerVersion()?.name,
    instructions: client.getInstructions(),
    complaints,
    resources: async (signal) => (await client.listResources({}, signal ? { signal } : {})).resources,
    page: (cursor) => client.listResources({ cursor }),
    templates: async () => (await client.listResourceTemplates()).resourceTemplates,
    prompts: async () => (await client.listPrompts()).prompts,
    tools: async () => (await client.listTools()).tools,
    call: async (name, args) => toCallResult(await client.callTool({ name, arguments: args })),
    async read(uri, signal) {
      const { contents } = await client.readResource({ uri }, signal ? { signal } : {});
      const [only] = contents as { uri: string; text: string }[];
      return only!;
    },
    async prompt(name, args) {
      const { messages } = await client.getPrompt({ name, ...(args ? { arguments: args } : {}) });
      return messages.map(({ role, content }) => [role, (content as { text: string }).text]);
    },
    complete: async (ref, argument, value) =>
      (await client.complete({ ref, argument: { name: argument, value } })).completion,
    ping: async () => void await client.ping(),
    request: (method, params = {}) => client.request({ method: method as "tools/list", params }),
    async close() {
      await client.close();
      return await ended;
    },
  };
}
