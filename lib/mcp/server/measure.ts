/**
 * Measures how long requests and sessions take, in the names of OpenTelemetry. Loaded only by a server with `onmeasure`.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */

import type { Awaitable } from "../../base/async.ts";
import type { ConnectionOptions } from "../../jsonrpc/connection.ts";
import type { Response } from "../../jsonrpc/message.ts";
import type { MessageContext } from "../../jsonrpc/transport/transport.ts";
import type { AcceptedCall, AcceptedRequest } from "./accepted.ts";
import type { Services } from "./services.ts";
import type { Session } from "./session.ts";
import { andThen } from "../../base/async.ts";
import { asObject, compact } from "../../base/json.ts";
import { METHODS } from "../protocol/methods.ts";

/** The methods of a server that are measured. */
interface Measured {
  handle(call: AcceptedCall): Awaitable<Response>;
  connectionOptions(session: Session): ConnectionOptions<AcceptedRequest>;
}

const HTTP = { "network.protocol.name": "http", "network.transport": "tcp" };

/** Makes a server measure each request, from `handle` to its response, and each session that has had a handshake. */
export function measure(server: Measured, { options, tools }: Services): void {
  const handle = server.handle.bind(server), connectionOptions = server.connectionOptions.bind(server);
  const secondsSince = (startedAt: number) => (performance.now() - startedAt) / 1000;
  server.handle = (call) => {
    const startedAt = performance.now();
    return andThen(handle(call), (response) => {
      const seconds = secondsSince(startedAt);
      // Errors of the observer must not affect the response.
      queueMicrotask(() =>
        options.onmeasure!("mcp.server.operation.duration", seconds, attributesOf(call, response, tools))
      );
      return response;
    });
  };
  server.connectionOptions = (session) => {
    const startedAt = performance.now(), own = connectionOptions(session);
    // A session over HTTP can end before its first request.
    let network: Readonly<Record<string, string>> = HTTP;
    session.onend = (error) => {
      const { negotiated } = session, seconds = secondsSince(startedAt);
      const version = { "mcp.protocol.version": negotiated?.revision.id, "error.type": error };
      const report = () =>
        options.onmeasure!("mcp.server.session.duration", seconds, { ...compact(version), ...network });
      if (negotiated) queueMicrotask(report);
    };
    const accept = (call: AcceptedCall) => {
      network = networkOf(call.context);
      return own.accept!(call);
    };
    return { ...own, accept };
  };
}

function networkOf({ header, remoteAddress }: MessageContext) {
  return header ? HTTP : { "network.transport": remoteAddress === undefined ? "pipe" : "tcp" };
}

/** The attributes of a request. No value is free text of the client, so there are only a few combinations. */
function attributesOf(call: AcceptedCall, { error }: Response, tools: Services["tools"]) {
  const { request: { method, params }, accepted, cancelled, context } = call;
  const { error: refusal, session: { negotiated }, isToolError } = accepted;
  const { revision } = method === "initialize" ? negotiated ?? accepted : accepted;
  const { name } = asObject(params), code = error && `${error.code}`;
  const named = (isKnown: boolean) => typeof name === "string" && isKnown ? name : "other";
  return compact({
    // A method of an extension is not in the table, but is only accepted if the server has it.
    "mcp.method.name": METHODS.has(method as never) || !refusal ? method : "other",
    "mcp.protocol.version": refusal ? undefined : revision.id,
    "error.type": cancelled ? "cancelled" : code ?? (isToolError ? "tool_error" : undefined),
    "rpc.response.status_code": code,
    ...method === "prompts/get" && { "gen_ai.prompt.name": named(!error) },
    ...method === "tools/call" && {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": named(tools.get(name as string) !== undefined),
    },
    ...networkOf(context),
  });
}
