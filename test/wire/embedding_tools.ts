/**
 * What does somebody's own program look like that has tools, and some that misbehave? Each tool does one thing, right or
 * wrong; what it sees of its own end it prints. With the argument "seldom" it may be called twice, and then not for long.
 */
// deno-lint-ignore-file no-console

import process from "node:process";
import type { AnySchema, Tool, ToolContext } from "../../lib/server/mod.ts";
import { loadPlatform, protectOutput, stdioTransport } from "../../mod.ts";
import {
  audio,
  createServer,
  defineTool,
  embeddedResource,
  image,
  resourceLink,
  text,
  ToolResult,
  ToolTimeoutError,
  ToolValidationError,
} from "../../lib/server/mod.ts";

const NOTHING = { type: "object" } as const;
const hints = { audience: ["user"], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" } as const;

/** A tool that throws, at once or later. */
function throwing(name: string, cause: unknown): Tool[] {
  return [
    defineTool({ name, inputSchema: NOTHING, handler: () => Promise.reject(cause) }),
    defineTool({
      name: `${name}.now`,
      inputSchema: NOTHING,
      handler: () => {
        throw cause;
      },
    }),
  ];
}

/** A tool that gives a value. */
function giving(name: string, value: unknown, outputSchema?: AnySchema, outputField?: string): Tool {
  return defineTool({
    name,
    inputSchema: NOTHING,
    ...(outputSchema ? { outputSchema } : {}),
    ...(outputField ? { outputField } : {}),
    handler: () => value as never,
  });
}

/** A tool that never comes to an end by itself, says by its progress that it has begun, and how it was stopped. */
function endless(name: string, timeoutMs: number): Tool {
  return defineTool({
    name,
    inputSchema: NOTHING,
    timeoutMs,
    handler(_, { signal, progress }: ToolContext) {
      signal.addEventListener("abort", () => {
        progress(2);
        console.log(`${name} sees ${(signal.reason as Error).name}`);
      });
      progress(1, 2, "begun");
      return new Promise<string>(() => {});
    },
  });
}

const OBJECT = { type: "object", properties: { a: { type: "number" } }, required: ["a"] } as const;

const tools: Tool[] = [
  defineTool({
    name: "add",
    title: "Add",
    inputSchema: {
      type: "object",
      properties: { a: { type: "number" }, b: { type: "number", minimum: 0 }, unit: { enum: ["m", "s"] } },
      required: ["a", "b"],
    },
    outputSchema: { type: "number" },
    annotations: { readOnlyHint: true },
    handler: ({ a, b }) => a + b,
  }),
  ...throwing("refuses", new ToolValidationError("There is no such thing; ask for another.")),
  ...throwing("gives-up", new ToolTimeoutError("The archive did not answer in 3 s; try again later.")),
  ...throwing("breaks", new Error("secret of a throw", { cause: new Error("secret of a cause") })),
  ...throwing("breaks-oddly", "secret of a text"),
  ...throwing("breaks-like-an-answer", { code: -32000, message: "secret of an object" }),
  giving("lies", "secret of a lie", { type: "number" }),
  giving("promises", undefined, {}),
  giving("counts-badly", NaN, { type: "number" }),
  giving("says-nothing", undefined),
  giving("says-data", { secret: 1 }),
  giving("says-half", [text("a"), { type: "image", data: "secret" }]),
  giving("list", [1, "zwei", null], { type: "array" }),
  giving("nothing", null, { type: "null" }),
  giving("words", "日本 😀", { type: "string" }),
  giving("object", { a: 1 }, OBJECT),
  giving("field", { a: 1 }, OBJECT, "data"),
  giving("parts", new ToolResult([text("one"), text("two")], { value: { a: 1 } }), OBJECT),
  giving("failed", new ToolResult([text("not today")], { isError: true }), OBJECT),
  giving("blocks", [
    text("t", hints),
    image(new Uint8Array([0, 255]), "image/png", hints),
    audio(new Uint8Array([1]), "audio/wav", hints),
    embeddedResource({ uri: "x:text", mimeType: "text/plain", text: "t" }, hints),
    embeddedResource({ uri: "x:blob", blob: "AQ==" }),
    resourceLink({ uri: "x:y", name: "y", title: "Y", description: "About y.", size: 3 }, hints),
  ]),
  endless("short", 30),
  endless("long", 600_000),
  defineTool({
    name: "session",
    inputSchema: NOTHING,
    handler: (_, { sessionId, client }) => `${sessionId} of ${client.info?.["name"]}`,
  }),
];

const platform = await loadPlatform();
protectOutput();
platform.onUncaught((cause) => console.error("uncaught:", cause));
const server = createServer({
  info: { name: "embedding-tools", version: "1" },
  tools,
  ...(process.argv.includes("seldom") ? { toolCalls: { burst: 2, perSecond: 0.001 } } : {}),
  onfailure: (cause, reference) => console.log(`failure ${reference}:`, cause),
});
const conversation = await server.connect(stdioTransport(platform));
platform.onInterrupt(() => conversation.end());
await conversation.closed;
