/** Our client as the official conformance suite runs it: the address of a server is the last argument. */

import process from "node:process";
import type { Client, ClientOptions } from "../../lib/mcp/client/mod.ts";
import type { AuthorizationOptions } from "../../lib/mcp/client/authorization.ts";
import { authorizedFetch, identityAssertion } from "../../lib/mcp/client/authorization.ts";
import { connect, httpTransport } from "../../lib/mcp/client/mod.ts";
import type { Skill } from "../../lib/documents/skills/mod.ts";
import { SkillError, SkillsClient } from "../../lib/documents/skills/mod.ts";

interface Context extends Readonly<Record<string, unknown>> {
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

async function callTestTool(client: Client): Promise<void> {
  await listTools(client);
  await client.callTool("test-tool");
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

/** How the scenarios of authorization are passed: with a user who agrees to everything, unless their context has more. */
function authorizationOf(name: string, context: Context): AuthorizationOptions {
  const { client_id: id, client_secret: secret, issuer, private_key_pem: key, signing_algorithm: algorithm } =
    context as Record<string, string | undefined>;
  const client = { id: id!, secret, issuer, key, algorithm };
  const given = id === undefined ? {} : { client, confirmIssuer: () => true };
  if (name === "auth/wif-jwt-bearer") return { ...given, assertion: () => String(context["valid_jwt"]) };
  if (name === "auth/enterprise-managed-authorization") {
    const [tokenEndpoint, idpClient, idToken] = ["idp_token_endpoint", "idp_client_id", "idp_id_token"]
      .map((member) => String(context[member]));
    const client = { id: idpClient! };
    return {
      ...given,
      assertion: identityAssertion({ tokenEndpoint: tokenEndpoint!, client, idToken: () => idToken! }),
    };
  }
  if (name.startsWith("auth/client-credentials-")) return given;
  return {
    ...given,
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    login: () => ({
      redirectUri: "http://localhost:3000/callback",
      async open(url) {
        const { headers } = await fetch(url, { redirect: "manual" });
        return headers.get("location") ?? "";
      },
    }),
  };
}

const name = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "initialize";
const version = process.env["MCP_CONFORMANCE_PROTOCOL_VERSION"];
const isAuthorized = name.startsWith("auth/");
const scenario = isAuthorized ? callTestTool : SCENARIOS[name];
if (!scenario) throw new Error(`There is no scenario "${name}"`);
const context: Context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}");
const url = process.argv.at(-1)!;
const options = isAuthorized ? { fetch: authorizedFetch(url, authorizationOf(name, context)) } : {};
const client = await connect(httpTransport(url, options), {
  info: { name: "architrave-conformance", version: "1.0.0" },
  ...HANDLERS,
  // On a busy machine, an answer may take long.
  probeMs: 30_000,
  onwarning: (message) => console.error(message),
});
const isFree = /^(?:sep-2640-|auth\/2025-03-26-)/.test(name);
if (version !== undefined && client.version !== version && !isFree) {
  throw new Error(`The client agreed on ${client.version}, and ${version} is tested`);
}
await scenario(client, context);
await client.close();
// The suite keeps what a client printed, and not how it ended.
console.log("done");
