/**
 * What does somebody's own program look like whose tools, prompts and resources ask the client? Its arguments are the key
 * that it signs with, in hexadecimal, or nothing.
 */
// deno-lint-ignore-file no-console

import process from "node:process";
import { createServer, loadPlatform, protectOutput, stdioTransport } from "../../mod.ts";
import { defineTool, resourceProvider, UrlElicitationRequiredError } from "../../lib/server/mod.ts";

const NAME = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const ANYTHING = { type: "object" } as const;
/** Whoever has been to the page where one signs in. */
let isSignedIn = false;

const tools = [
  defineTool({
    name: "greet",
    inputSchema: ANYTHING,
    async handler(_, context) {
      const { action, content } = await context.elicit({ message: "What is your name?", schema: NAME });
      return action === "accept" ? `Hello, ${content.name}!` : `They said ${action}.`;
    },
  }),
  defineTool({
    name: "spend",
    inputSchema: ANYTHING,
    async handler(_, context) {
      const held = new Uint8Array(10_000);
      const who = await context.elicit({ key: "who", message: "Who pays?", schema: NAME });
      const sure = await context.elicit({
        key: "sure",
        message: `Does ${who.content?.name} really pay?`,
        schema: { type: "object", properties: { sure: { type: "boolean", default: false } } },
      });
      if (sure.content?.sure !== true) return "not spent";
      console.error("spent");
      return `spent ${held.length} of ${who.content?.name}`;
    },
  }),
  defineTool({
    name: "survey",
    inputSchema: ANYTHING,
    async handler(_, context) {
      const [answers, sample, roots] = await Promise.all([
        context.elicit({
          message: "Some questions",
          schema: {
            type: "object",
            properties: {
              mail: { type: "string", format: "email", title: "Mail", default: "a@b.example" },
              age: { type: "integer", minimum: 0, maximum: 150, default: 7 },
              color: { type: "string", enum: ["r", "g"], enumNames: ["red", "green"] },
              size: {
                type: "string",
                oneOf: [{ const: "s", title: "small" }, { const: "l", title: "large" }],
              },
              days: { type: "array", items: { type: "string", enum: ["mo", "tu"] }, minItems: 1 },
              fruits: {
                type: "array",
                items: { anyOf: [{ const: "a", title: "Apple" }, { const: "b", title: "Pear" }] },
                default: ["a"],
              },
              sure: { type: "boolean", default: true },
            },
            required: ["mail", "days"],
          },
        }),
        context.sample({
          messages: [{ role: "user", content: [{ type: "text", text: "Well?" }] }],
          maxTokens: 10,
          includeContext: "thisServer",
          modelPreferences: { hints: [{ name: "small" }], speedPriority: 1 },
        }),
        context.listRoots(),
      ]);
      return JSON.stringify({ answers: answers.content, sample: sample.text, roots });
    },
  }),
  defineTool({
    name: "page",
    inputSchema: ANYTHING,
    async handler(_, context) {
      const { action } = await context.elicitUrl({
        message: "Pay",
        url: "https://pay.example/1",
        id: "pay-1",
      });
      context.completeElicitation("pay-1");
      return action;
    },
  }),
  defineTool({
    name: "files",
    inputSchema: ANYTHING,
    handler() {
      if (isSignedIn) return "your files";
      throw new UrlElicitationRequiredError([{
        message: "Sign in",
        url: "https://files.example/in",
        id: "in-1",
      }]);
    },
  }),
  defineTool({
    name: "sign-in",
    inputSchema: ANYTHING,
    handler: (_, context) => {
      isSignedIn = true;
      context.completeElicitation("in-1");
      return "signed in";
    },
  }),
  defineTool({
    name: "hurry",
    inputSchema: ANYTHING,
    timeoutMs: 50,
    async handler(_, context) {
      await context.listRoots();
      return "in time";
    },
  }),
  defineTool({
    name: "memory",
    inputSchema: ANYTHING,
    async handler() {
      for (let round = 0; round < 5; round++) {
        (globalThis as { gc?: () => void }).gc?.();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const { heapUsed, external } = process.memoryUsage();
      return String(heapUsed + external);
    },
  }),
];

const resources = resourceProvider({
  resources: [{
    uri: "test://asks",
    name: "asks",
    read: async (context) => {
      const { content } = await context.elicit({ message: "Which one?", schema: NAME });
      return `This is ${content?.name}.`;
    },
  }],
});

const key = process.argv[2];
const server = createServer({
  info: { name: "asking", version: "1" },
  tools,
  toolCalls: { burst: 1e6, perSecond: 1e6 },
  resources: [resources],
  prompts: [{
    list: () => [{ name: "asks" }],
    async get(_name, _given, context) {
      const { content } = await context.elicit({ key: "context", message: "What about?", schema: NAME });
      return { messages: [{ role: "user", content: { type: "text", text: `About ${content?.name}` } }] };
    },
  }],
  ...(key ? { keys: [Uint8Array.from(key.match(/../g)!, (pair) => parseInt(pair, 16))] } : {}),
  onfailure: (cause) => console.error("failure:", (cause as Error).message),
});
protectOutput();
const conversation = await server.connect(stdioTransport(await loadPlatform()));
await conversation.closed;
