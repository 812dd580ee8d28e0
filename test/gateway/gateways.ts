/** How is a gateway asked in a test? Over the golden path, by a client on a carrier in memory. */

import type { Endpoint } from "../../lib/gateway/endpoint.ts";
import type { GatewayOptions } from "../../lib/gateway/gateway.ts";
import type { ServerOptions } from "../../lib/server/server_options.ts";
import type { ToolClient } from "../server/tool_client.ts";
import type { Answer } from "../harness/program.ts";
import { readEndpoints } from "../../lib/gateway/endpoint_file.ts";
import { createGateway } from "../../lib/gateway/gateway.ts";
import { readOpenApi } from "../../lib/gateway/openapi.ts";
import { connect, textOf } from "../server/tool_client.ts";

/** An endpoint as a file has it. */
export type Written = Readonly<Record<string, unknown>>;

/** A whole endpoint, of which a test says what matters to it. */
export function written(endpoint: Written = {}): Written {
  return { name: "probe", description: "For a test.", method: "GET", path: "/probe", ...endpoint };
}

/** A client of a gateway that is built from endpoints as a file has them. */
export async function serveFile(
  file: Readonly<Record<string, unknown>> & { readonly endpoints: readonly Written[] },
  options: Partial<GatewayOptions> = {},
  server: Partial<ServerOptions> = {},
): Promise<ToolClient> {
  return await connect({
    tools: createGateway({ description: readEndpoints(file), ...options }).tools,
    ...server,
  });
}

/** A client of a gateway that is built from an OpenAPI document. */
export async function serveOpenApi(
  document: unknown,
  options: Partial<GatewayOptions> & { readonly base: string },
): Promise<ToolClient> {
  const credentials = Object.keys(options.secrets ?? {});
  const description = readOpenApi(document, { base: options.base, credentials });
  return await connect({ tools: createGateway({ description, ...options }).tools });
}

/** An OpenAPI document with these paths, and whatever else is said. */
export function openApi(
  paths: Readonly<Record<string, unknown>>,
  rest: Readonly<Record<string, unknown>> = {},
): Written {
  return {
    openapi: "3.0.3",
    info: { title: "Test", version: "1" },
    servers: [{ url: "https://api.example.com" }],
    paths,
    ...rest,
  };
}

/** The only endpoint of a document with one operation. */
export function onlyEndpoint(
  operation: Written,
  rest: Written = {},
  path = "/probe",
  method = "get",
): Endpoint {
  const description = readOpenApi(openApi({ [path]: { [method]: operation } }, rest));
  const [endpoint] = description.endpoints;
  if (endpoint) return endpoint;
  throw new Error(`It was skipped: ${description.skipped[0]?.reason}`);
}

/** Why the only operation of a document is skipped. */
export function reasonFor(operation: Written, rest: Written = {}, path = "/probe", method = "get"): string {
  const { skipped, endpoints } = readOpenApi(openApi({ [path]: { [method]: operation } }, rest));
  if (endpoints.length > 0) throw new Error("It was not skipped");
  return skipped[0]!.reason;
}

/** The text of a result that says what went wrong. */
export function failureOf(answer: Answer): string {
  if (answer.result?.["isError"] !== true) throw new Error(`This is no failure: ${JSON.stringify(answer)}`);
  return textOf(answer);
}

/** The token in a plan. */
export function tokenOf({ result }: Answer): string {
  const { confirmation_token: token } = (result?.["structuredContent"] ?? {}) as {
    confirmation_token?: string;
  };
  if (token === undefined) throw new Error(`This is no plan: ${JSON.stringify(result)}`);
  return token;
}

/** Makes calls at the same time; the answers are in the order of the calls. */
export async function callTogether(
  { conversation }: ToolClient,
  calls: readonly object[],
): Promise<Answer[]> {
  for (const [id, params] of calls.entries()) conversation.send({ id, method: "tools/call", params });
  const answers = await conversation.take(calls.length);
  return answers.sort((left, right) => Number(left.id) - Number(right.id));
}
