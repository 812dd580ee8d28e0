/** The tools that the official conformance suite wants of a server, in words of the public API. */

import type { Tool } from "../../lib/server/mod.ts";
import type { Bell } from "./everything_prompts.ts";
import {
  audio,
  defineTool,
  embeddedResource,
  image,
  text,
  ToolValidationError,
} from "../../lib/server/mod.ts";
import { PNG } from "./everything_prompts.ts";

const NOTHING = { type: "object", properties: {} } as const;
const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A sound of no length. */
const WAV = Uint8Array.from(
  atob("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAA"),
  (unit) => unit.charCodeAt(0),
);

const logsThrice = (name: string): Tool =>
  defineTool({
    name,
    description: "Logs three times",
    inputSchema: NOTHING,
    async handler(_, { log }) {
      log("info", "Tool execution started");
      await later(50);
      log("info", "Tool processing data");
      await later(50);
      log("info", "Tool execution completed");
      return "Tool with logging executed successfully";
    },
  });

/** Tools without questions. */
export function plainTools(prompts: Bell): Tool[] {
  let cancelled = 0;
  return [
    defineTool({
      name: "wait_until_cancelled",
      description: "Says that it has begun, and then nothing until it is cancelled",
      inputSchema: NOTHING,
      async handler(_, { progress, signal }) {
        progress(0);
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        cancelled++;
        return "cancelled";
      },
    }),
    defineTool({
      name: "count_cancelled",
      description: "Tells how many calls were cancelled",
      inputSchema: NOTHING,
      handler: () => `${cancelled}`,
    }),
    defineTool({
      name: "test_simple_text",
      description: "Answers with text",
      inputSchema: NOTHING,
      handler: () => "This is a simple text response for testing.",
    }),
    defineTool({
      name: "test_image_content",
      description: "Answers with a picture",
      inputSchema: NOTHING,
      handler: () => image(PNG, "image/png"),
    }),
    defineTool({
      name: "test_audio_content",
      description: "Answers with a sound",
      inputSchema: NOTHING,
      handler: () => audio(WAV, "audio/wav"),
    }),
    defineTool({
      name: "test_embedded_resource",
      description: "Answers with a resource",
      inputSchema: NOTHING,
      handler: () =>
        embeddedResource({
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        }),
    }),
    defineTool({
      name: "test_multiple_content_types",
      description: "Answers with text, a picture and a resource",
      inputSchema: NOTHING,
      handler: () => [
        text("Multiple content types test:"),
        image(PNG, "image/png"),
        embeddedResource({
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        }),
      ],
    }),
    logsThrice("test_tool_with_logging"),
    logsThrice("test_logging_tool"),
    defineTool({
      name: "test_tool_with_progress",
      description: "Tells how far it is",
      inputSchema: NOTHING,
      async handler(_, { progress }) {
        progress(0, 100, "Completed step 0 of 100");
        await later(50);
        progress(50, 100, "Completed step 50 of 100");
        await later(50);
        progress(100, 100, "Completed step 100 of 100");
        return "Tool with progress executed successfully";
      },
    }),
    defineTool({
      name: "test_reconnection",
      description: "Closes the stream of its answer, so that the client comes back for it",
      inputSchema: NOTHING,
      async handler(_, context) {
        context.log("info", "The stream closes now");
        context.closeStream?.();
        await later(100);
        return "Reconnection test completed successfully";
      },
    }),
    defineTool({
      name: "test_error_handling",
      description: "Always fails",
      inputSchema: NOTHING,
      handler: () => {
        throw new ToolValidationError("This tool intentionally returns an error for testing");
      },
    }),
    defineTool({
      name: "json_schema_2020_12_tool",
      description: "Tool with JSON Schema 2020-12 features",
      inputSchema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        $defs: {
          address: {
            $anchor: "addressDef",
            type: "object",
            properties: { street: { type: "string" }, city: { type: "string" } },
          },
        },
        properties: {
          name: { type: "string" },
          address: { $ref: "#/$defs/address" },
          contactMethod: { type: "string", enum: ["phone", "email"] },
          phone: { type: "string" },
          email: { type: "string" },
        },
        allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
        if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
        then: { required: ["phone"] },
        else: { required: ["email"] },
        additionalProperties: false,
      },
      handler: (args) => JSON.stringify(args),
    }),
    defineTool({
      name: "test_custom_header",
      description: "Has an argument that travels in a header too",
      inputSchema: {
        type: "object",
        properties: { region: { type: "string", "x-mcp-header": "Region" } },
        required: ["region"],
      },
      handler: ({ region }) => region,
    }),
    defineTool({
      name: "test_trigger_prompt_change",
      description: "Tells that there are other prompts",
      inputSchema: NOTHING,
      handler: () => {
        prompts.ring({ isListedAnew: true });
        return "told";
      },
    }),
  ];
}
