/** Dispatchers: three tools for APIs with too many operations to list. They search, describe and call operations. */

import type { JsonObject } from "../base/json.ts";
import type { Tool } from "../mcp/server/tool.ts";
import type { CallSettings, EndpointCall } from "./call.ts";
import type { Operation } from "./endpoint.ts";
import { compact, isTooDeep } from "../base/json.ts";
import { misfit } from "../base/text.ts";
import { ToolResult } from "../mcp/server/content.ts";
import { defineTool } from "../mcp/server/define_tool.ts";
import { endpointCall, serverTimeoutMs } from "./call.ts";
import { reject } from "./errors.ts";
import { excerpt } from "./excerpt.ts";
import { searchOperations } from "./operation_search.ts";
import { MAX_LEVELS } from "./result.ts";
import { usedBy } from "./schema_references.ts";
import { annotations, closedObject, inputSchemaOf, READ_ONLY } from "./tool_definition.ts";

/** The maximum size of a description, in bytes. The rest is read in parts. */
const MAX_DESCRIBED = 20 * 1024;

const NAME = { type: "string", description: "The name of an operation" } as const;
const TEXT = { type: "string" } as const;

export function dispatchers(endpoints: readonly Operation[], settings: CallSettings): Tool[] {
  return [searchOperations(endpoints), describeOperation(endpoints), callOperation(endpoints, settings)];
}

export function describeOperation(endpoints: readonly Operation[]): Tool {
  const find = finder(endpoints);
  return defineTool({
    name: "describe_operation",
    title: "Describe an operation of the API",
    description:
      "Describes the arguments and the answer of an operation as JSON Schema. Use part to read what was left out.",
    inputSchema: closedObject(["name"], {
      name: NAME,
      part: { ...TEXT, description: 'An item of leftOut, or "/inputSchema/$defs/NAME" for a missing $ref' },
    }),
    annotations: READ_ONLY,
    handler({ name, part }) {
      const endpoint = find(name);
      const { title, description, method, path, isSafe, response: good } = endpoint;
      const response = good && { schema: good.schema, $defs: usedBy([good.schema], good.definitions) };
      const hints = annotations(method, isSafe), inputSchema = inputSchemaOf(endpoint);
      const whole = { name, title, description, method, path, annotations: hints, inputSchema, response };
      const found = excerpt(compact(whole), MAX_DESCRIBED, part);
      if (!found) reject(`There is no part "${part}" of ${name}`);
      const { placed, left } = found;
      const value: JsonObject = { ...placed as JsonObject, ...left.length > 0 && { leftOut: left } };
      return new ToolResult([JSON.stringify(value)], {
        value: isTooDeep(value, MAX_LEVELS) ? undefined : value,
      });
    },
  });
}

function callOperation(endpoints: readonly Operation[], settings: CallSettings): Tool {
  const find = finder(endpoints);
  const isSafe = endpoints.every((endpoint) => endpoint.isSafe);
  const plan = " An operation that changes something answers with a plan first, which must be confirmed.";
  const prepared = new Map<string, EndpointCall>();
  return defineTool({
    name: "call_operation",
    title: "Call an operation of the API",
    description: `Calls an operation with the arguments that describe_operation lists.${isSafe ? "" : plan}`,
    inputSchema: closedObject(["name"], {
      name: NAME,
      arguments: { type: "object", description: "Must match its inputSchema", additionalProperties: true },
    }),
    annotations: annotations(isSafe ? "GET" : "POST", isSafe),
    timeoutMs: Math.max(...endpoints.map((endpoint) => serverTimeoutMs(endpoint, settings))),
    handler({ name, arguments: args = {} }, context) {
      let prepare = prepared.get(name);
      if (!prepare) prepared.set(name, prepare = endpointCall(find(name), settings));
      const run = prepare(args);
      return typeof run === "function" ? run(context) : reject(misfit(`The arguments of ${name}`, run));
    },
  });
}

/** Makes a function that finds an operation by its name. If it does not exist, throws a `ToolValidationError`. */
function finder(endpoints: readonly Operation[]): (name: string) => Operation {
  const byName = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]));
  return (name) =>
    byName.get(name) ?? reject(`There is no operation "${name}"; look for one with search_operations`);
}
