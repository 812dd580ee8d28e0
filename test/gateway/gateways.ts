/** Builds gateways for tests, and calls their tools through a server. */

import type { Fetch, GatewayOptions } from "../../lib/gateway/mod.ts";
import type { ServerOptions } from "../../lib/mcp/server/options.ts";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import type { Answer } from "../harness/program.ts";
import type { ToolClient } from "../mcp/server/tool_client.ts";
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createServer } from "node:http";
import { createGateway, readEndpoints, readOpenApi } from "../../lib/gateway/mod.ts";
import { closeNow, listenLocally } from "../harness/http.ts";
import { connect, textOf } from "../mcp/server/tool_client.ts";

/** The base URL of APIs that a recorder replaces. */
export const BASE = "https://api.example.com/v1";

/** An endpoint as in a file. */
export type Written = Readonly<Record<string, unknown>>;

/** A complete endpoint; a test gives only the members that matter to it. */
export function written(endpoint: Written = {}): Written {
  return { name: "probe", description: "For a test.", method: "GET", path: "/probe", ...endpoint };
}

/** An OpenAPI document with these paths and members. */
export function openApi(paths: Written, rest: Written = {}): Written {
  const servers = [{ url: "https://api.example.com" }];
  return { openapi: "3.0.3", info: { title: "Test", version: "1" }, servers, paths, ...rest };
}

/** A request as passed to `fetch`; `target` is the part of the URL after the base. */
export interface Sent {
  readonly method: string;
  readonly target: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

type Answers = (sent: Sent) => Response | Promise<Response>;

/** A `fetch` that records its requests. */
export function recorder(answer: Answers = () => json({})): { readonly fetch: Fetch; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, { method = "", headers, body, signal }) => {
    const target = url.href.slice(BASE.length);
    const text = new TextDecoder().decode(body as Uint8Array | undefined);
    sent.push({ method, target, url, headers: headers as Sent["headers"], body: text, signal: signal! });
    return await answer(sent.at(-1)!);
  };
  return { sent, fetch };
}

/** Options of a gateway, and the answers to its requests. With a base, the requests are really sent. */
export type Options = Partial<GatewayOptions> & { readonly answer?: Answers };

/** A client of a gateway, with the sent requests. */
export type Client = ToolClient & { readonly sent: Sent[] };

/** A client of a gateway for an endpoint file or an OpenAPI document. */
export async function serve(
  document: Written,
  { answer, ...options }: Options = {},
  server: Partial<ServerOptions> = {},
): Promise<Client> {
  const { fetch, sent } = recorder(answer);
  const credentials = Object.keys(options.secrets ?? {});
  const description = "paths" in document
    ? readOpenApi(document, { base: BASE, credentials })
    : readEndpoints(document);
  const place = options.base === undefined ? { base: BASE, fetch } : {};
  const { tools } = createGateway({ description, ...place, ...options });
  const client = await connect({ tools, toolCalls: { burst: 1e6, perSecond: 1e6 }, ...server });
  return Object.assign(client, { sent });
}

/** A client of a gateway with one endpoint. */
export function serveOne(endpoint: Written = {}, options: Options = {}): Promise<Client> {
  return serve({ endpoints: [written(endpoint)] }, options);
}

/** Accepts every plan. */
export const confirm = (): Promise<"accept"> => Promise.resolve("accept");

/** Calls the only endpoint of a gateway, with consent. Returns the answer and the sent requests. */
export async function callOne(
  given: Response | Answers,
  endpoint: Written = {},
  options: Options = {},
  args: Written = {},
): Promise<{ readonly answer: Answer; readonly sent: Sent[] }> {
  const answer = given instanceof Response ? () => given : given;
  const client = await serveOne({ allow: true, ...endpoint }, { answer, confirm, ...options });
  return { answer: await client.call("probe", args), sent: client.sent };
}

/** The result of a call: the sent request, or the text of the error. */
type Probe = (args?: Written) => Promise<Sent | string>;

/** Calls the tool "probe" of a gateway, with consent. The answers do not matter. */
function probe(document: Written): Probe {
  const client = serve(document, { allowDestructive: true, confirm });
  return async (args = {}) => {
    const { sent, call } = await client;
    sent.length = 0;
    const answer = await call("probe", args);
    return answer.result?.["isError"] === true ? textOf(answer) : sent[0] ?? JSON.stringify(answer);
  };
}

/** Calls the only endpoint of a file. */
export const probeFile = (endpoint: Written): Probe => probe({ endpoints: [written(endpoint)] });

/** Calls the only operation of an OpenAPI document. */
export function probeOpenApi(
  operation: Written,
  rest: Written = {},
  method = "get",
  path = "/probe",
): Probe {
  const whole = { operationId: "probe", responses: {}, ...operation };
  return probe(openApi({ [path]: { [method]: whole } }, rest));
}

/** The arguments that the API describes: all properties except the one that selects a part of the answer. */
export function argumentsIn(properties: unknown): Written {
  const { answer_part, ...others } = properties as Written;
  assert.equal((answer_part as Written)["type"], "string");
  return others;
}

/** A response with JSON. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(value, { status, headers });
}

/** The text of a result that is an error. */
export function failureOf(answer: Answer): string {
  assert.equal(answer.result?.["isError"], true, `This is no failure: ${JSON.stringify(answer)}`);
  return textOf(answer);
}

/** The token in a plan. */
export function tokenOf({ result }: Answer): string {
  const { confirmation_token: token } = (result?.["structuredContent"] ?? {}) as Record<string, string>;
  assert.ok(token, `This is no plan: ${JSON.stringify(result)}`);
  return token;
}

/** Makes concurrent calls. The answers are in the order of the calls. */
export async function callTogether(
  client: ToolClient,
  calls: readonly object[],
): Promise<Answer[]> {
  for (const [id, params] of calls.entries()) client.send({ id, method: "tools/call", params });
  const answers = await client.take(calls.length);
  return answers.sort((left, right) => Number(left.id) - Number(right.id));
}

/** Reads a long answer in parts, one after another, by the pointers to what was left out. */
export async function readParts<T>(read: (part?: string) => Promise<[T, string[]]>): Promise<T[]> {
  const waiting: (string | undefined)[] = [undefined];
  const found: T[] = [];
  for (const part of waiting) {
    const [value, left] = await read(part);
    assert.ok(found.push(value) < 500, "it does not end");
    waiting.push(...left);
  }
  return found;
}

/** A request as received by an API; `url` is the path and the query. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts an API that records its requests, for the time of the test. It always answers with the same JSON, or as told. */
export async function startApi(
  test: Pick<TestContext, "after">,
  answer: object | ((response: ServerResponse, asked: Asked) => void) = {},
): Promise<{ readonly origin: string; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    const chunks: Uint8Array[] = [];
    request.on("data", (chunk: Uint8Array) => void chunks.push(chunk)).on("end", () => {
      asked.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      if (typeof answer === "function") return answer(response, asked.at(-1)!);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  test.after(() => closeNow(server));
  return { origin: await listenLocally(server), asked };
}
