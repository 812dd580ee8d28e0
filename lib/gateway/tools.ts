/** The tools of a gateway: one per endpoint. */

import type { JsonObject } from "../base/json.ts";
import type { Schema, SchemaObject, Schemas } from "../formats/schema/mod.ts";
import type { StandardSchema } from "../mcp/server/standard_schema.ts";
import type { Tool } from "../mcp/server/tool.ts";
import type { CallSettings, EndpointCall, PreparedCall } from "./call.ts";
import type { Operation } from "./endpoint.ts";
import { asObject, compact, freeze } from "../base/json.ts";
import { defineTool } from "../mcp/server/define_tool.ts";
import { endpointCall, serverTimeoutMs } from "./call.ts";
import { describeOperation } from "./dispatchers.ts";
import { jsonSize } from "./excerpt.ts";
import { usedBy } from "./schema_references.ts";
import { annotations, inputSchemaOf, outputSchemaOf } from "./tool_definition.ts";

/** The maximum size of a schema in the list of tools, in bytes. */
const MAX_LISTED = 8 * 1024;

/** Whether a schema is too long for the list of tools. Stops measuring as soon as it is. */
function isLong(schema: Schema, definitions: Schemas): boolean {
  let left = MAX_LISTED;
  return [schema, ...Object.values(definitions)].some((one) => (left -= jsonSize(one)) < 0);
}

/** Makes a tool per endpoint. It lists only the descriptions of long argument schemas, but checks calls against the schemas. */
export function toolsOf(endpoints: readonly Operation[], settings: CallSettings): Tool[] {
  let isComplete = true;
  const tools = endpoints.map((endpoint) => {
    const { name, title, description, method, path, bodies, isSafe, definitions } = endpoint;
    const inputSchema = inputSchemaOf(endpoint, (schema) => {
      if (!isLong(schema, usedBy([schema], definitions))) return schema;
      isComplete = false;
      const { description = "" } = asObject(schema);
      return { description: `${description} For its schema, call describe_operation.`.trim() };
    });
    const output = outputSchemaOf(endpoint);
    const { $defs = {}, ...root } = output ?? {};
    const outputSchema = isLong(root, $defs) ? undefined : output;
    const types = bodies.map(({ type }) => type).join(" or ");
    const sentAs = bodies.length > 1
      ? ` The body is sent as ${types}: the first one that it fits, or body_type.`
      : "";
    const effect = `${method} ${path}.${sentAs}${isSafe ? "" : " Nothing is sent before it is confirmed."}`;
    return defineTool({
      name,
      description: `${description}\n\n${effect}`.trim(),
      inputSchema: checkedBy(endpointCall(endpoint, settings), inputSchema),
      ...compact({ title, outputSchema }),
      annotations: annotations(method, isSafe),
      timeoutMs: serverTimeoutMs(endpoint, settings),
      handler: (call, context) => call(context),
    });
  });
  return isComplete ? tools : [...tools, describeOperation(endpoints)];
}

/** A schema that is listed unchanged. The gateway checks the arguments itself: with formats, within limits, and once. */
function checkedBy(prepare: EndpointCall, schema: SchemaObject): StandardSchema<unknown, PreparedCall> {
  const validate = (value: unknown) => {
    const call = prepare(value as JsonObject);
    return typeof call === "function" ? { value: call } : { issues: call.map((message) => ({ message })) };
  };
  const jsonSchema = { input: () => schema, output: () => schema };
  const standard = { version: 1, vendor: "architrave", validate, jsonSchema } as const;
  return freeze(Object.defineProperty(schema, "~standard", { value: standard })) as never;
}
