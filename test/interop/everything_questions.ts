/** The tools with questions that the official conformance suite wants of a server, in words of the public API. */

import type { Tool } from "../../lib/server/mod.ts";
import { defineTool } from "../../lib/server/mod.ts";

const NOTHING = { type: "object", properties: {} } as const;
const NAME = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const OK = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] } as const;
const COLOR = { type: "object", properties: { color: { type: "string" } }, required: ["color"] } as const;

/** What is said to a model. */
const saying = (words: string) => [{ role: "user", content: { type: "text", text: words } }] as const;

const told = (action: string, content: unknown) =>
  `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`;

/** Tools that ask as the revisions with handshakes have it; the others have it in their own way. */
export const askingTools: readonly Tool[] = [
  defineTool({
    name: "test_sampling",
    description: "Asks the client's model",
    inputSchema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    async handler({ prompt }, context) {
      const { text } = await context.sample({ messages: saying(prompt), maxTokens: 100 });
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
  defineTool({
    name: "test_elicitation_sep1034_defaults",
    description: "Asks the user, with fields that are filled in",
    inputSchema: NOTHING,
    async handler(_, context) {
      const { action, content } = await context.elicit({
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
      });
      return told(action, content);
    },
  }),
  defineTool({
    name: "test_elicitation_sep1330_enums",
    description: "Asks the user, with every kind of choice",
    inputSchema: NOTHING,
    async handler(_, context) {
      const options = ["option1", "option2", "option3"] as const;
      const { action, content } = await context.elicit({
        message: "Please select options from the enum fields",
        schema: {
          type: "object",
          properties: {
            untitledSingle: { type: "string", enum: options },
            titledSingle: {
              type: "string",
              oneOf: [
                { const: "value1", title: "First Option" },
                { const: "value2", title: "Second Option" },
                { const: "value3", title: "Third Option" },
              ],
            },
            legacyEnum: {
              type: "string",
              enum: ["opt1", "opt2", "opt3"],
              enumNames: ["Option One", "Option Two", "Option Three"],
            },
            untitledMulti: { type: "array", items: { type: "string", enum: options } },
            titledMulti: {
              type: "array",
              items: {
                anyOf: [
                  { const: "value1", title: "First Choice" },
                  { const: "value2", title: "Second Choice" },
                  { const: "value3", title: "Third Choice" },
                ],
              },
            },
          },
        },
      });
      return told(action, content);
    },
  }),
  defineTool({
    name: "test_missing_capability",
    description: "Needs the client's model",
    inputSchema: NOTHING,
    async handler(_, context) {
      return (await context.sample({ messages: saying("Hello"), maxTokens: 10 })).text;
    },
  }),
  defineTool({
    name: "test_streaming_elicitation",
    description: "Tells how far it is, and asks the user",
    inputSchema: NOTHING,
    async handler(_, context) {
      context.progress(1, 2);
      const { action } = await context.elicit({ message: "Please confirm", schema: OK });
      return action;
    },
  }),
  ...["test_input_required_result_request_state", "test_input_required_result_tampered_state"].map((name) =>
    defineTool({
      name,
      description: "Asks the user to confirm",
      inputSchema: NOTHING,
      async handler(_, context) {
        const { action } = await context.elicit({ key: "confirm", message: "Please confirm", schema: OK });
        return `state-ok: ${action}`;
      },
    })
  ),
  defineTool({
    name: "test_input_required_result_elicitation",
    description: "Asks for a name",
    inputSchema: NOTHING,
    async handler(_, context) {
      const { content } = await context.elicit({
        key: "user_name",
        message: "What is your name?",
        schema: NAME,
      });
      return `Hello, ${content?.name ?? "stranger"}!`;
    },
  }),
  defineTool({
    name: "test_input_required_result_sampling",
    description: "Asks the client's model for a capital",
    inputSchema: NOTHING,
    async handler(_, context) {
      const { text } = await context.sample({
        key: "capital_question",
        messages: saying("What is the capital of France?"),
        maxTokens: 100,
      });
      return text;
    },
  }),
  defineTool({
    name: "test_input_required_result_list_roots",
    description: "Asks for the folders",
    inputSchema: NOTHING,
    async handler(_, context) {
      const roots = await context.listRoots({ key: "client_roots" });
      return roots.map(({ uri, name }) => `${name ?? ""} ${uri}`).join("\n");
    },
  }),
  defineTool({
    name: "test_input_required_result_multiple_inputs",
    description: "Asks for everything at once",
    inputSchema: NOTHING,
    async handler(_, context) {
      const [user, greeting, roots] = await Promise.all([
        context.elicit({ key: "user_name", message: "What is your name?", schema: NAME }),
        context.sample({ key: "greeting", messages: saying("Generate a greeting"), maxTokens: 50 }),
        context.listRoots({ key: "client_roots" }),
      ]);
      return `${greeting.text} ${user.content?.name} (${roots.length} roots)`;
    },
  }),
  defineTool({
    name: "test_input_required_result_multi_round",
    description: "Asks one thing after the other",
    inputSchema: NOTHING,
    async handler(_, context) {
      const who = await context.elicit({ key: "step1", message: "Step 1: What is your name?", schema: NAME });
      const what = await context.elicit({
        key: "step2",
        message: "Step 2: What is your favorite color?",
        schema: COLOR,
      });
      return `${who.content?.name} likes ${what.content?.color}`;
    },
  }),
  defineTool({
    name: "test_input_required_result_capabilities",
    description: "Asks whatever the client can be asked",
    inputSchema: NOTHING,
    async handler(_, context) {
      const { capabilities } = context.client;
      await Promise.all([
        ..."sampling" in capabilities ? [context.sample({ messages: saying("Hello"), maxTokens: 10 })] : [],
        ..."elicitation" in capabilities ? [context.elicit({ message: "Please confirm", schema: OK })] : [],
      ]);
      return "asked";
    },
  }),
];
