/**
 * Does the client do what the protocol asks of clients? Run by the official conformance suite, which starts a server for each
 * scenario and gives its address as the last argument.
 */

import process from "node:process";
import type { Client, ClientOptions, Tool } from "../../lib/client/mod.ts";
import { connect, httpTransport } from "../../lib/client/mod.ts";

type Scenario = (client: Client, context: Context) => Promise<unknown>;

interface Context {
  readonly toolCalls?: readonly {
    readonly name: string;
    readonly arguments: Record<string, unknown>;
  }[];
}

/** What is said to everything that a server asks. */
const HANDLERS: Omit<ClientOptions, "info"> = {
  onform: () => ({ action: "accept", content: {} }),
  onsample: () => ({
    role: "assistant",
    content: { type: "text", text: "Paris" },
    model: "none",
  }),
  roots: [{ uri: "file:///work", name: "work" }],
};

const listTools = async (client: Client) => {
  const tools: Tool[] = [];
  for await (const tool of client.tools()) tools.push(tool);
  return tools;
};

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  initialize: listTools,
  tools_call: (client) => client.callTool("add_numbers", { a: 5, b: 3 }),
  "elicitation-sep1034-client-defaults": (client) => client.callTool("test_client_elicitation_defaults"),
  "sse-retry": (client) => client.callTool("test_reconnection"),
  "request-metadata": listTools,
  "json-schema-ref-no-deref": listTools,
  "json-schema-2020-12-preservation": async (client) => {
    const tools = await listTools(client);
    const focal = tools.find(({ name }) => name === "json_schema_2020_12_tool");
    await client.callTool("json_schema_echo", { schema: focal?.inputSchema });
  },
  "sep-2322-client-request-state": async (client) => {
    await Promise.all([
      client.callTool("test_mrtr_echo_state"),
      client.callTool("test_mrtr_unrelated"),
    ]);
    await client.callTool("test_mrtr_no_state");
    await client.callTool("test_mrtr_no_result_type");
  },
  "http-standard-headers": async (client) => {
    for await (const { name } of client.tools()) await client.callTool(name);
    for await (const { uri } of client.resources()) {
      await client.readResource(uri);
    }
    for await (const { name } of client.prompts()) await client.getPrompt(name);
  },
  "http-custom-headers": async (client, { toolCalls = [] }) => {
    for (const call of toolCalls) {
      await client.callTool(call.name, call.arguments);
    }
  },
  "http-invalid-tool-headers": async (client) => {
    for await (const { name } of client.tools()) {
      await client.callTool(name, { region: "us-west1" });
    }
  },
};

const name = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "initialize";
const version = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"];
const scenario = SCENARIOS[name];
if (!scenario) throw new Error(`There is no scenario "${name}"`);
const context: Context = JSON.parse(
  process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}",
);
const client = await connect(httpTransport(process.argv.at(-1)!), {
  info: { name: "architrave-conformance", version: "1.0.0" },
  ...HANDLERS,
  onwarning: (message) => console.error(message),
});
if (version !== undefined && client.version !== version) {
  throw new Error(
    `The client agreed on ${client.version}, and ${version} is tested`,
  );
}
await scenario(client, context);
await client.close();
