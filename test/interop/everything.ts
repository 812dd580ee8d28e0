/**
 * One server with everything that the official conformance suite wants of a server, written with the public API. How it is
 * reached is for others to say.
 */

import type {
  Awaitable,
  Change,
  Content,
  FormSchema,
  PromptProvider,
  ResourceProvider,
  Server,
  Tool,
  ToolContext,
} from "../../lib/server/mod.ts";
import {
  audio,
  createServer,
  defineTool,
  embeddedResource,
  image,
  resourceProvider,
  text,
  ToolValidationError,
} from "../../lib/server/mod.ts";

const bytes = (base64: string) => Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
/** A picture of one red point, and a sound of no length. */
const PNG_DATA =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const PNG = bytes(PNG_DATA);
const WAV = bytes("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAA");

/** A server that has everything. */
export function createEverythingServer(): Server {
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
      plain("test_trigger_prompt_change", "Notifies that there are other prompts", () => {
        for (const listener of listeners) listener({ listChanged: true });
        return "notified";
      }),
    ],
  });
}

const everyResource: ResourceProvider = {
  ...resourceProvider({
    resources: [
      {
        uri: "test://static-text",
        name: "static-text",
        description: "A text that does not change",
        mimeType: "text/plain",
        read: () => "This is the content of the static text resource.",
      },
      {
        uri: "test://static-binary",
        name: "static-binary",
        description: "A picture that does not change",
        mimeType: "image/png",
        read: () => PNG,
      },
      {
        uri: "test://watched-resource",
        name: "watched-resource",
        description: "A text that can be watched",
        mimeType: "text/plain",
        read: () => "This is the content of the watched resource.",
      },
    ],
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
    const { arg1, arg2, resourceUri: uri } = (given ?? {}) as Readonly<Record<string, string>>;
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

const NOTHING = { type: "object", properties: {} } as const;
const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A tool without arguments. */
function plain(
  name: string,
  description: string,
  handler: (args: object, context: ToolContext) => Awaitable<string | Content | Content[]>,
): Tool {
  return defineTool({ name, description, inputSchema: NOTHING, handler });
}

/** Tools that ask nothing. */
function plainTools(): Tool[] {
  let cancelled = 0;
  const logsThrice = (name: string, ms: number): Tool =>
    plain(name, "Logs three times", async (_, { log }) => {
      log("info", "Tool execution started");
      await later(ms);
      log("info", "Tool processing data");
      await later(ms);
      log("info", "Tool execution completed");
      return "Tool with logging executed successfully";
    });
  return [
    plain(
      "wait_until_cancelled",
      "Reports that it has begun, and then waits",
      async (_, { progress, signal }) => {
        progress(0);
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        cancelled++;
        return "cancelled";
      },
    ),
    plain("count_cancelled", "Counts the calls that were cancelled", () => `${cancelled}`),
    plain("test_simple_text", "Answers with text", () => "This is a simple text response for testing."),
    plain("test_image_content", "Answers with a picture", () => image(PNG, "image/png")),
    plain("test_audio_content", "Answers with a sound", () => audio(WAV, "audio/wav")),
    plain("test_embedded_resource", "Answers with a resource", () =>
      embeddedResource({
        uri: "test://embedded-resource",
        mimeType: "text/plain",
        text: "This is an embedded resource content.",
      })),
    plain("test_multiple_content_types", "Answers with text, a picture and a resource", () => [
      text("Multiple content types test:"),
      image(PNG, "image/png"),
      embeddedResource({
        uri: "test://mixed-content-resource",
        mimeType: "application/json",
        text: JSON.stringify({ test: "data", value: 123 }),
      }),
    ]),
    logsThrice("test_tool_with_logging", 50),
    // The suite waits only half a second for this one.
    logsThrice("test_logging_tool", 0),
    plain("test_tool_with_progress", "Reports how far it is", async (_, { progress }) => {
      for (const done of [0, 50, 100]) {
        if (done > 0) await later(50);
        progress(done, 100, `Completed step ${done} of 100`);
      }
      return "Tool with progress executed successfully";
    }),
    plain(
      "test_reconnection",
      "Closes the stream of its answer, so that the client comes back for it",
      async (_, context) => {
        context.log("info", "The stream closes now");
        context.closeStream?.();
        await later(100);
        return "Reconnection test completed successfully";
      },
    ),
    plain("test_error_handling", "Always fails", () => {
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
const titled = (constant: string, title: string) => ({ const: constant, title });
const answered = ({ action, content }: { action: string; content?: unknown }) =>
  `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`;

/** Tools that ask the client. */
const askingTools: readonly Tool[] = [
  defineTool({
    name: "test_sampling",
    description: "Asks the client's model",
    inputSchema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    async handler({ prompt }, context) {
      const { text } = await context.sample({ messages: [saying(prompt)], maxTokens: 100 });
      return `LLM response: ${text}`;
    },
  }),
  defineTool({
    name: "test_elicitation",
    description: "Asks the user",
    inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
    async handler({ message }, context) {
      const { action, content } = await context.elicit({
        message,
        schema: {
          type: "object",
          properties: {
            username: { type: "string", description: "User's response" },
            email: { type: "string", description: "User's email address" },
          },
          required: ["username", "email"],
        },
      });
      return `User response: action: ${action}, content: ${JSON.stringify(content ?? {})}`;
    },
  }),
  plain(
    "test_elicitation_sep1034_defaults",
    "Asks the user, with fields that are filled in",
    async (_, context) =>
      answered(
        await context.elicit({
          message: "Please review and update the form fields with defaults",
          schema: {
            type: "object",
            properties: {
              name: { type: "string", default: "John Doe" },
              age: { type: "integer", default: 30 },
              score: { type: "number", default: 95.5 },
              status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
              verified: { type: "boolean", default: true },
            },
          },
        }),
      ),
  ),
  plain(
    "test_elicitation_sep1330_enums",
    "Asks the user, with every kind of choice",
    async (_, context) =>
      answered(
        await context.elicit({
          message: "Please select options from the enum fields",
          schema: {
            type: "object",
            properties: {
              untitledSingle: { type: "string", enum: OPTIONS },
              titledSingle: {
                type: "string",
                oneOf: [
                  titled("value1", "First Option"),
                  titled("value2", "Second Option"),
                  titled("value3", "Third Option"),
                ],
              },
              legacyEnum: {
                type: "string",
                enum: ["opt1", "opt2", "opt3"],
                enumNames: ["Option One", "Option Two", "Option Three"],
              },
              untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
              titledMulti: {
                type: "array",
                items: {
                  anyOf: [
                    titled("value1", "First Choice"),
                    titled("value2", "Second Choice"),
                    titled("value3", "Third Choice"),
                  ],
                },
              },
            },
          },
        }),
      ),
  ),
  plain(
    "test_missing_capability",
    "Needs the client's model",
    async (_, context) => (await context.sample({ messages: [saying("Hello")], maxTokens: 10 })).text,
  ),
  plain("test_streaming_elicitation", "Reports how far it is, and asks the user", async (_, context) => {
    context.progress(1, 2);
    return (await context.elicit({ message: "Please confirm", schema: OK })).action;
  }),
  ...["test_input_required_result_request_state", "test_input_required_result_tampered_state"].map((name) =>
    plain(
      name,
      "Asks the user to confirm",
      async (_, context) =>
        `state-ok: ${
          (await context.elicit({ key: "confirm", message: "Please confirm", schema: OK })).action
        }`,
    )
  ),
  plain("test_input_required_result_elicitation", "Asks for a name", async (_, context) => {
    const asked = { key: "user_name", message: "What is your name?", schema: one("name") };
    return `Hello, ${(await context.elicit(asked)).content?.["name"] ?? "stranger"}!`;
  }),
  plain(
    "test_input_required_result_sampling",
    "Asks the client's model for a capital",
    async (_, context) => {
      const messages = [saying("What is the capital of France?")];
      return (await context.sample({ key: "capital_question", messages, maxTokens: 100 })).text;
    },
  ),
  plain("test_input_required_result_list_roots", "Asks for the folders", async (_, context) => {
    const roots = await context.listRoots({ key: "client_roots" });
    return roots.map(({ uri, name }) => `${name ?? ""} ${uri}`).join("\n");
  }),
  plain("test_input_required_result_multiple_inputs", "Asks for everything at once", async (_, context) => {
    const [user, greeting, roots] = await Promise.all([
      context.elicit({ key: "user_name", message: "What is your name?", schema: one("name") }),
      context.sample({ key: "greeting", messages: [saying("Generate a greeting")], maxTokens: 50 }),
      context.listRoots({ key: "client_roots" }),
    ]);
    return `${greeting.text} ${user.content?.["name"]} (${roots.length} roots)`;
  }),
  plain("test_input_required_result_multi_round", "Asks one thing after the other", async (_, context) => {
    const who = await context.elicit({
      key: "step1",
      message: "Step 1: What is your name?",
      schema: one("name"),
    });
    const asked = { key: "step2", message: "Step 2: What is your favorite color?", schema: one("color") };
    return `${who.content?.["name"]} likes ${(await context.elicit(asked)).content?.["color"]}`;
  }),
  plain(
    "test_input_required_result_capabilities",
    "Asks whatever the client can be asked",
    async (_, context) => {
      const { capabilities } = context.client;
      await Promise.all([
        ..."sampling" in capabilities ? [context.sample({ messages: [saying("Hello")], maxTokens: 10 })] : [],
        ..."elicitation" in capabilities ? [context.elicit({ message: "Please confirm", schema: OK })] : [],
      ]);
      return "asked";
    },
  ),
];
