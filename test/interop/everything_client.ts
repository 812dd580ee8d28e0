/** Our client as the official conformance suite runs it: the address of a server is the last argument. */

import process from "node:process";
import type { Client, ClientOptions } from "../../lib/client/mod.ts";
import { connect, httpTransport } from "../../lib/client/mod.ts";
import type { Skill } from "../../lib/skills/mod.ts";
import { SkillError, SkillsClient } from "../../lib/skills/mod.ts";

interface Context {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[];
}

/** The answers to everything that a server asks. */
const HANDLERS: Omit<ClientOptions, "info"> = {
  onform: () => ({ action: "accept", content: {} }),
  onsample: () => ({ role: "assistant", content: { type: "text", text: "Paris" }, model: "none" }),
  roots: [{ uri: "file:///work", name: "work" }],
};

const listTools = (client: Client) => Array.fromAsync(client.tools());

const listSkills = (client: Client) => Array.fromAsync(new SkillsClient(client).list());

/** Loads every skill that is listed and then a file of it, unless its `SKILL.md` is not what the entry says. */
async function loadSkills(client: Client): Promise<void> {
  for (const skill of await listSkills(client)) {
    await load(client, skill).catch((cause) => {
      if (!(cause instanceof SkillError)) throw cause;
      console.error(cause.message);
    });
  }
}

async function load(client: Client, skill: Skill): Promise<void> {
  const skills = new SkillsClient(client);
  await skills.read(skill);
  await skills.read(skill, "references/FORMS.md");
}

const SCENARIOS: Readonly<Record<string, (client: Client, context: Context) => Promise<unknown>>> = {
  initialize: listTools,
  tools_call: (client) => client.callTool("add_numbers", { a: 5, b: 3 }),
  "elicitation-sep1034-client-defaults": (client) => client.callTool("test_client_elicitation_defaults"),
  "sse-retry": (client) => client.callTool("test_reconnection"),
  "request-metadata": listTools,
  "json-schema-ref-no-deref": listTools,
  "json-schema-2020-12-preservation": async (client) => {
    const tool = (await listTools(client)).find(({ name }) => name === "json_schema_2020_12_tool");
    await client.callTool("json_schema_echo", { schema: tool?.inputSchema });
  },
  "sep-2322-client-request-state": async (client) => {
    await Promise.all([client.callTool("test_mrtr_echo_state"), client.callTool("test_mrtr_unrelated")]);
    await client.callTool("test_mrtr_no_state");
    await client.callTool("test_mrtr_no_result_type");
  },
  "http-standard-headers": async (client) => {
    for await (const { name } of client.tools()) await client.callTool(name);
    for await (const { uri } of client.resources()) await client.readResource(uri);
    for await (const { name } of client.prompts()) await client.getPrompt(name);
  },
  "http-custom-headers": async (client, { toolCalls = [] }) => {
    for (const call of toolCalls) await client.callTool(call.name, call.arguments);
  },
  "http-invalid-tool-headers": async (client) => {
    for await (const { name } of client.tools()) await client.callTool(name, { region: "us-west1" });
  },
  "sep-2640-client-no-prefetch": listSkills,
  "sep-2640-client-verify-digest": loadSkills,
  "sep-2640-client-verify-size": loadSkills,
  "sep-2640-client-verify-frontmatter": loadSkills,
};

const name = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "initialize";
const version = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"];
const scenario = SCENARIOS[name];
if (!scenario) throw new Error(`There is no scenario "${name}"`);
const client = await connect(httpTransport(process.argv.at(-1)!), {
  info: { name: "architrave-conformance", version: "1.0.0" },
  ...HANDLERS,
  onwarning: (message) => console.error(message),
});
if (version !== undefined && client.version !== version && !name.startsWith("sep-2640-")) {
  throw new Error(`The client agreed on ${client.version}, and ${version} is tested`);
}
await scenario(client, JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}"));
await client.close();
