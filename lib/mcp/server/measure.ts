/**
 * Measures how long requests take, in the names of OpenTelemetry. Loaded only by a server with `onmeasure`.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 */

import type { Awaitable } from "../../base/async.ts";
import type { Response } from "../../jsonrpc/message.ts";
import type { AcceptedCall } from "./accepted.ts";
import type { Services } from "./services.ts";
import { andThen } from "../../base/async.ts";
import { asObject, compact } from "../../base/json.ts";
import { METHODS } from "../protocol/methods.ts";

/** Makes a server measure each request, from `handle` to its response. */
export function measure(
  server: { handle(call: AcceptedCall): Awaitable<Response> },
  { options, tools }: Services,
): void {
  const handle = server.handle.bind(server);
  server.handle = (call) => {
    const startedAt = performance.now();
    return andThen(handle(call), (response) => {
      const seconds = (performance.now() - startedAt) / 1000;
      // Errors of the observer must not affect the response.
      queueMicrotask(() => options.onmeasure!(seconds, attributesOf(call, response, tools)));
      return response;
    });
  };
}

/** The attributes of a request. No value is free text of the client, so there are only a few combinations. */
function attributesOf(call: AcceptedCall, { error }: Response, tools: Services["tools"]) {
  const { request: { method, params }, accepted, cancelled, context } = call;
  const { error: refusal, session: { negotiated }, isToolError } = accepted;
  const { revision } = method === "initialize" ? negotiated ?? accepted : accepted;
  const { name } = asObject(params), isCall = method === "tools/call", code = error && `${error.code}`;
  return compact({
    // A method of an extension is not in the table, but is only accepted if the server has it.
    "mcp.method.name": METHODS.has(method as never) || !refusal ? method : "other",
    "mcp.protocol.version": refusal ? undefined : revision.id,
    "error.type": cancelled ? "cancelled" : code ?? (isToolError ? "tool_error" : undefined),
    "rpc.response.status_code": code,
    ...isCall && {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": typeof name === "string" && tools.get(name) ? name : "other",
    },
    ...context.header && { "network.protocol.name": "http", "network.transport": "tcp" },
  });
}
