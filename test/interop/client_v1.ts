/** How does the official client of the first generation look at a server? It opens with `initialize`, and only so. */

import type { OfficialClient, Opening } from "./official.ts";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { toCallResult, watch } from "./official.ts";

export const V1: Opening = {
  name: "client v1",
  revision: "2025-11-25",
  async connect(launch): Promise<OfficialClient> {
    const transport = new StdioClientTransport({ ...launch, stderr: "pipe" });
    const client = new Client({ name: "interop-v1", version: "1" }, {
      capabilities: { roots: {}, sampling: {} },
    });
    const complaints: Error[] = [];
    client.onerror = (error) => void complaints.push(error);
    let revision = "";
    // The client keeps the agreed revision to itself and tells only its transport.
    Object.assign(transport, { setProtocolVersion: (agreed: string) => void (revision = agreed) });
    await client.connect(transport);
    const ended = watch(transport);
    const request = (method: string, params: Record<string, unknown> = {}) =>
      client.request({ method, params }, ResultSchema);

    return {
      revision,
      serverName: client.getServerVersion()?.name,
      instructions: client.getInstructions(),
      complaints,
      request,
      async resources(signal) {
        const all = [];
        let cursor: string | undefined;
        do {
          const page = await client.listResources(
            cursor === undefined ? {} : { cursor },
            signal ? { signal } : {},
          );
          all.push(...page.resources);
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        return all;
      },
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
      async close() {
        await client.close();
        return await ended;
      },
    };
  },
};
