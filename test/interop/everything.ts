/**
 * One server with everything that the official conformance suite wants of a server, written with the public API. Run directly
 * it listens on a port that is free, and prints its URL; with the argument "stdio" it serves standard input and output.
 */

import type { Awaitable, Change, Content, FormSchema, PromptProvider } from "../../lib/mcp/server/mod.ts";
import type { ResourceProvider, Server, Tool, ToolContext } from "../../lib/mcp/server/mod.ts";
import { loadPlatform, stdioTransport } from "../../mod.ts";
import { listenHttp } from "../../lib/mcp/http/mod.ts";
import { audio, createServer, defineTool, embeddedResource, image } from "../../lib/mcp/server/mod.ts";
import { resourceProvider, text, ToolValidationError } from "../../lib/mcp/server/mod.ts";

const bytes = (base64: string) => Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
/** A picture of one red point, and a sound of no length. */
const PNG_DATA =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const PNG = bytes(PNG_DATA);
const WAV = bytes("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAA");

/** A server that has everything. */
function createEverythingServer(): Server {
  const listeners = new Set<(change: Change) => void>();
  const prompts: PromptProvider = {
    ...everyPrompt,
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return createServer({
    info: { name: "architrave-everything", version: "1.0.0", title: "Everything" },
    instructions: "A server for tests.",
    logging: true,
    resources: [everyResource],
    prompts: [prompts],
    tools: [
      ...plainTools(),
      ...askingTools,
      plain("test_trigger_prompt_change", () => {
        for (const listener of listeners) listener({ listChanged: true });
        return "notified";
      }),
    ],
  });
}

const everyResource: ResourceProvider = {
  ...resourceProvider({
    resources: ([
      ["static-text", "text/plain", "This is the content of the static text resource."],
      ["static-binary", "image/png", PNG],
      ["watched-resource", "text/plain", "This is the content of the watched resource."],
    ] as const).map(([name, mimeType, content]) => {
      return {
        uri: `test://${name}`,
        name,
        description: "A resource for tests",
        mimeType,
        read: () => content,
      };
    }),
    templates: [{
      uriTemplate: "test://template/{id}/data",
      name: "template",
      description: "Data for an id",
      mimeType: "application/json",
      read: ({ id }) => JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      values: () => ["123", "456"],
    }],
  }),
  // It can be subscribed to, and never changes.
  watch: () => () => {},
};

const user = <C extends Readonly<Record<string, unknown>>>(content: C) =>
  ({ role: "user", content }) as const;
const saying = (words: string) => user({ type: "text", text: words } as const);
const argument = (name: string, description: string) => ({ name, description, required: true });

const everyPrompt: PromptProvider = {
  list: () => [
    { name: "test_input_required_result_prompt", description: "Asks the user before it answers" },
    {
      name: "test_prompt_with_arguments",
      description: "Repeats its arguments",
      arguments: [argument("arg1", "First test argument"), argument("arg2", "Second test argument")],
    },
    {
      name: "test_prompt_with_embedded_resource",
      description: "Embeds a resource",
      arguments: [argument("resourceUri", "URI of the resource to embed")],
    },
    { name: "test_prompt_with_image", description: "Shows a picture" },
    { name: "test_simple_prompt", description: "Is always the same" },
  ],
  values: (name, argument) =>
    name === "test_prompt_with_arguments" && argument.startsWith("arg")
      ? ["paris", "park", "party"]
      : undefined,
  async get(name, given, context) {
    const { arg1, arg2, resourceUri: uri = "" } = (given ?? {}) as Readonly<Record<string, string>>;
    switch (name) {
      case "test_simple_prompt":
        return { messages: [saying("This is a simple prompt for testing.")] };
      case "test_prompt_with_arguments":
        return { messages: [saying(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] };
      case "test_prompt_with_embedded_resource": {
        const resource = { uri, mimeType: "text/plain", text: "Embedded resource content for testing." };
        return {
          messages: [
            user({ type: "resource", resource }),
            saying("Please process the embedded resource above."),
          ],
        };
      }
      case "test_prompt_with_image": {
        const picture = { type: "image", data: PNG_DATA, mimeType: "image/png" };
        return { messages: [user(picture), saying("Please analyze the image above.")] };
      }
      case "test_input_required_result_prompt": {
        const { content } = await context.elicit({
          key: "user_context",
          message: "What context should the prompt use?",
          schema: { type: "object", properties: { context: { type: "string" } }, required: ["context"] },
        });
        return { messages: [saying(`Use this context: ${content?.context ?? "none"}`)] };
      }
      default:
        return undefined;
    }
  },
};

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A tool without arguments. */
function plain(
  name: string,
  handler: (args: object, context: ToolContext) => Awaitable<string | Content | Content[]>,
): Tool {
  return defineTool({
    name,
    description: "A tool for tests",
    inputSchema: { type: "object", properties: {} },
    handler,
  });
}

/** Tools that ask nothing. */
function plainTools(): Tool[] {
  let cancelled = 0;
  const logsThrice = (name: string, ms: number): Tool =>
    plain(name, async (_, { log }) => {
      log("info", "Tool execution started");
      await later(ms);
      log("info", "Tool processing data");
      await later(ms);
      log("info", "Tool execution completed");
      return "Tool with logging executed successfully";
    });
  const embedded = (uri: string, mimeType: string, text: string) => embeddedResource({ uri, mimeType, text });
  return [
    plain("wait_until_cancelled", async (_, { progress, signal }) => {
      progress(0);
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      cancelled++;
      return "cancelled";
    }),
    plain("count_cancelled", () => `${cancelled}`),
    plain("test_simple_text", () => "This is a simple text response for testing."),
    plain("test_image_content", () => image(PNG, "image/png")),
    plain("test_audio_content", () => audio(WAV, "audio/wav")),
    plain(
      "test_embedded_resource",
      () => embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ),
    plain("test_multiple_content_types", () => [
      text("Multiple content types test:"),
      image(PNG, "image/png"),
      embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ]),
    logsThrice("test_tool_with_logging", 50),
    // The suite waits only half a second for this one.
    logsThrice("test_logging_tool", 0),
    plain("test_tool_with_progress", async (_, { progress }) => {
      for (const done of [0, 50, 100]) {
        if (done > 0) await later(50);
        progress(done, 100, `Completed step ${done} of 100`);
      }
      return "Tool with progress executed successfully";
    }),
    plain("test_reconnection", async (_, context) => {
      context.log("info", "The stream closes now");
      context.closeStream?.();
      await later(100);
      return "Reconnection test completed successfully";
    }),
    plain("test_error_handling", () => {
      throw new ToolValidationError("This tool intentionally returns an error for testing");
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
  ];
}

const one = (name: string, type: "string" | "boolean" = "string"): FormSchema => {
  return { type: "object", properties: { [name]: { type } as { type: "string" } }, required: [name] };
};
const OK = one("ok", "boolean");
const OPTIONS = ["option1", "option2", "option3"] as const;
const titled = (kind: string) =>
  ["First", "Second", "Third"].map((place, index) => ({
    const: `value${index + 1}`,
    title: `${place} ${kind}`,
  }));

/** The fields of the forms that are about fields, by the tool that asks. */
const FORMS: Readonly<Record<string, FormSchema["properties"]>> = {
  test_elicitation_sep1034_defaults: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
  test_elicitation_sep1330_enums: {
    untitledSingle: { type: "string", enum: OPTIONS },
    titledSingle: { type: "string", oneOf: titled("Option") },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
    titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
  },
};

const sample = async (context: ToolContext, words: string, key?: string) =>
  (await context.sample({ messages: [saying(words)], maxTokens: 100, ...(key ? { key } : {}) })).text;
const ask = async (context: ToolContext, key: string, message: string, member: string) =>
  (await context.elicit({ key, message, schema: one(member) })).content?.[member];
const confirm = async (context: ToolContext, key?: string) =>
  (await context.elicit({ message: "Please confirm", schema: OK, ...(key ? { key } : {}) })).action;

/** Tools that ask the client. */
const askingTools: readonly Tool[] = [
  ...Object.entries(FORMS).map(([name, properties]) =>
    plain(name, async (_, context) => {
      const { action, content } = await context.elicit({
        message: "Please fill in the form",
        schema: { type: "object", properties },
      });
      return `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`;
    })
  ),
  defineTool({
    name: "test_elicitation",
    description: "A tool for tests",
    inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
    async handler({ message }, context) {
      const field = (description: string) => ({ type: "string", description }) as const;
      const properties = { username: field("User's response"), email: field("User's email address") };
      const schema = { type: "object", properties, required: ["username", "email"] } as const;
      const { action, content } = await context.elicit({ message, schema });
      return `User response: action: ${action}, content: ${JSON.stringify(content ?? {})}`;
    },
  }),
  defineTool({
    name: "test_sampling",
    description: "A tool for tests",
    inputSchema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    handler: async ({ prompt }, context) => `LLM response: ${await sample(context, prompt)}`,
  }),
  plain("test_missing_capability", (_, context) => sample(context, "Hello")),
  plain("test_streaming_elicitation", (_, context) => {
    context.progress(1, 2);
    return confirm(context);
  }),
  ...["test_input_required_result_request_state", "test_input_required_result_tampered_state"].map((name) =>
    plain(name, async (_, context) => `state-ok: ${await confirm(context, "confirm")}`)
  ),
  plain(
    "test_input_required_result_elicitation",
    async (_, context) =>
      `Hello, ${await ask(context, "user_name", "What is your name?", "name") ?? "stranger"}!`,
  ),
  plain(
    "test_input_required_result_sampling",
    (_, context) => sample(context, "What is the capital of France?", "capital_question"),
  ),
  plain("test_input_required_result_list_roots", async (_, context) => {
    const roots = await context.listRoots({ key: "client_roots" });
    return roots.map(({ uri, name }) => `${name ?? ""} ${uri}`).join("\n");
  }),
  plain("test_input_required_result_multiple_inputs", async (_, context) => {
    const [name, greeting, roots] = await Promise.all([
      ask(context, "user_name", "What is your name?", "name"),
      sample(context, "Generate a greeting", "greeting"),
      context.listRoots({ key: "client_roots" }),
    ]);
    return `${greeting} ${name} (${roots.length} roots)`;
  }),
  plain("test_input_required_result_multi_round", async (_, context) => {
    const name = await ask(context, "step1", "Step 1: What is your name?", "name");
    return `${name} likes ${await ask(context, "step2", "Step 2: What is your favorite color?", "color")}`;
  }),
  plain("test_input_required_result_capabilities", async (_, context) => {
    const { capabilities } = context.client;
    await Promise.all([
      ..."sampling" in capabilities ? [sample(context, "Hello")] : [],
      ..."elicitation" in capabilities ? [confirm(context)] : [],
    ]);
    return "asked";
  }),
];

if (import.meta.main) {
  const platform = await loadPlatform();
  const server = createEverythingServer();
  if (platform.arguments[0] === "stdio") await server.connect(stdioTransport(platform));
  else {
    const listening = await listenHttp(server, { port: 0 });
    platform.print("output", `${listening.url}\n`);
    platform.onInterrupt(() => void listening.close());
  }
}
