/** Which arguments are repeated in the head of a request, and which annotations would make clients leave out the tool? */

import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool, ToolDefinitionError } from "../../lib/server/mod.ts";
import { headerParameters } from "../../lib/protocol/headers.ts";
import { inputSide } from "../../lib/server/tool_schema.ts";

test("arguments are found through properties, and refused anywhere else", () => {
  const at = (header: unknown, type = "string") => ({ type, "x-mcp-header": header });
  const good = {
    type: "object",
    properties: { a: at("A"), b: { type: "object", properties: { c: at("C", "integer") } } },
  };
  assert.deepEqual(headerParameters(good), [{ name: "A", path: ["a"] }, { name: "C", path: ["b", "c"] }]);
  const bad: object[] = [
    { properties: { a: at("") } },
    { properties: { a: at("a b") } },
    { properties: { a: at("a\r\nb") } },
    { properties: { a: at(7) } },
    { properties: { a: at("A"), b: at("a") } },
    { properties: { a: at("A", "number") } },
    { properties: { a: at("A", "object") } },
    { properties: { a: { type: "array", items: at("A") } } },
    { anyOf: [{ properties: { a: at("A") } }] },
    { $defs: { a: at("A") } },
    at("A"),
  ];
  for (const schema of bad) {
    assert.throws(
      () => headerParameters(schema as Record<string, unknown>),
      TypeError,
      JSON.stringify(schema),
    );
  }
  const tool = defineTool({
    name: "t",
    inputSchema: { type: "object", ...bad[0] } as never,
    handler: () => "",
  });
  assert.throws(() => inputSide(tool), ToolDefinitionError);
});
