/**
 * The server that transcripts speak to: its tools do what their arguments say, so that a transcript decides what happens.
 * Run directly, it serves stdio; its argument is JSON with options of the server.
 */
// deno-lint-ignore-file no-console

import process from "node:process";
import type { Change, Server, ServerOptions } from "../../mod.ts";
import { createServer, loadPlatform, protectOutput, RpcError, stdioTransport } from "../../mod.ts";
import type { AnySchema, Tool, ToolContext } from "../../lib/mcp/server/mod.ts";
import {
  audio,
  defineTool,
  embeddedResource,
  image,
  resourceLink,
  resourceProvider,
  text,
  ToolResult,
  ToolTimeoutError,
  ToolValidationError,
  UrlElicitationRequiredError,
} from "../../lib/mcp/server/mod.ts";

/** Writes a line to the log, which is stderr over stdio. */
export type Log = (line: string) => void;
type Step = readonly [name: string, ...args: never[]];
type Asker = Pick<ToolContext, "elicit" | "elicitUrl" | "sample" | "listRoots">;

const NOTHING = { type: "object" } as const;
const OBJECT = { type: "object", properties: { a: { type: "number" } }, required: ["a"] } as const;
const HINTS = { audience: ["user"], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" } as const;
const NAME = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;

/** What a handler can throw, by name. */
const THROWN: Readonly<Record<string, (message: string, data?: unknown) => unknown>> = {
  error: (message) => new Error(message, { cause: new Error("secret cause") }),
  text: (message) => message,
  nothing: () => undefined,
  object: (message) => ({ code: -32000, message }),
  validation: (message) => new ToolValidationError(message),
  timeout: (message) => new ToolTimeoutError(message),
  rpc: (message, data) => new RpcError(7, message, data),
  pages: (_, pages) => new UrlElicitationRequiredError(pages as never),
};

/** What tools leave: lines of the log, and words. */
interface World {
  readonly log: Log;
  readonly remembered: Set<string>;
}

type Do = (context: ToolContext, world: World, ...args: never[]) => unknown;

/** Calls a method of the context. */
const use = (name: keyof ToolContext): Do => (context, _, ...args) =>
  (context as unknown as Record<string, (...args: never[]) => unknown>)[name]!(...args);

/** What the steps of a tool do, by name; the values of all steps are the result of the tool. */
const STEPS: Readonly<Record<string, Do>> = {
  progress: use("progress"),
  log: use("log"),
  elicit: use("elicit"),
  elicitUrl: use("elicitUrl"),
  completeElicitation: use("completeElicitation"),
  sample: use("sample"),
  roots: use("listRoots"),
  // Tells what JSON has no form for.
  unwritable({ log, progress }) {
    log("error", { large: 1n });
    progress(Infinity);
    progress(1, Infinity);
  },
  print: (_, { log }, line: string) => log(line),
  session: ({ sessionId }) => typeof sessionId,
  client: ({ client }) => client.info?.["name"],
  state: ({ requestState }) => typeof requestState,
  throw: (_, __, kind: string, message: string, data?: unknown) => {
    throw THROWN[kind]!(message, data);
  },
  later: (_, __, ms: number) => new Promise((resolve) => setTimeout(resolve, ms, "later")),
  // Never ends by itself, says how it was stopped, and tries to tell more after that.
  hang: (context, { log }) => {
    context.signal.addEventListener("abort", () => {
      context.progress(1000);
      log(`stopped by ${(context.signal.reason as Error).name}`);
    });
    return new Promise(() => {});
  },
  try: (context, world, step: Step) =>
    perform(context, world, step).catch((cause: Error) => `${cause.name}: ${cause.message}`),
  all: (context, world, ...steps: Step[]) => Promise.all(steps.map((step) => perform(context, world, step))),
  each: (context, world, ...steps: Step[]) => performAll(context, world, steps),
  // Leaves a rejected promise alone.
  forget: () => void Promise.reject(new Error("nothing awaits this")),
  timer: () => {
    setTimeout(() => {
      throw new Error("thrown in a timer");
    }, 0);
  },
  console: useConsole,
  memory: usedMemory,
  // Remembers a word for as long as the server runs.
  set: (_, { remembered }, word: string) => void remembered.add(word),
  // Only while the word is not remembered.
  unless: (context, world, word: string, step: Step) =>
    world.remembered.has(word) ? null : perform(context, world, step),
  // Waits until the word is remembered.
  until: async (_, { remembered }, word: string) => {
    while (!remembered.has(word)) await new Promise((resolve) => setTimeout(resolve, 5));
  },
  // Without waiting for it.
  start: (context, world, step: Step) => void perform(context, world, step),
};

async function perform(context: ToolContext, world: World, [name, ...args]: Step): Promise<unknown> {
  if (!Object.hasOwn(STEPS, name)) throw new TypeError(`There is no step ${name}`);
  return await STEPS[name]!(context, world, ...args);
}

/** Prints with every method that a console has. */
function useConsole(): void {
  for (const name of ["log", "info", "debug", "warn", "error"] as const) console[name]("printed");
  console.table([{ a: 1 }]);
  console.dir({ a: 1 }, { depth: 0 });
  console.dirxml({ a: 1 });
  console.group("group");
  console.groupCollapsed("another");
  const others = [
    "groupEnd",
    "groupEnd",
    "count",
    "countReset",
    "time",
    "timeLog",
    "timeEnd",
    "clear",
  ] as const;
  for (const name of others) console[name]();
  console.trace("trace");
  console.assert(false, "assertion");
}

/** The bytes that this process uses, after collecting garbage where it may. */
async function usedMemory(): Promise<number> {
  for (let round = 0; round < 5; round++) {
    (globalThis as { gc?: () => void }).gc?.();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function performAll(context: ToolContext, world: World, steps: readonly Step[]): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const step of steps) values.push(await perform(context, world, step) ?? null);
  return values;
}

/** A tool that gives a value, right or wrong. */
function giving(name: string, value: unknown, outputSchema?: AnySchema, outputField?: string): Tool {
  return defineTool({
    name,
    inputSchema: NOTHING,
    ...(outputSchema ? { outputSchema } : {}),
    ...(outputField ? { outputField } : {}),
    handler: () => value as never,
  });
}

const GIVING: readonly Tool[] = [
  giving("gives.number-as-text", "secret", { type: "number" }),
  giving("gives.undefined", undefined, {}),
  giving("gives.nan", NaN, { type: "number" }),
  giving("gives.nothing", undefined),
  giving("gives.data-without-schema", { secret: 1 }),
  giving("gives.half-a-block", [text("a"), { type: "image", data: "secret" }]),
  giving("gives.wrong-parts", new ToolResult([text("secret")], { value: "1" }), { type: "number" }),
  giving("gives.no-data", new ToolResult([text("secret")]), { type: "number" }),
  giving("list", [1, "zwei", null], { type: "array" }),
  giving("null", null, { type: "null" }),
  giving("zero", 0, { type: "number" }),
  giving("false", false, {}),
  giving("text-or-null", "x", { type: ["string", "null"] }),
  giving("words", "日本 😀", { type: "string" }),
  giving("object", { a: 1 }, OBJECT),
  giving("field", { a: 1 }, OBJECT, "data"),
  giving("parts", new ToolResult([text("one"), text("two")], { value: { a: 1 } }), OBJECT),
  giving("failed", new ToolResult([text("not today")], { isError: true }), OBJECT),
  giving("one-block", text("a", { priority: 1 })),
  giving("no-blocks", []),
  giving("late-hint", text("t", { lastModified: "2026-01-01T00:00:00Z" })),
  giving("blocks", [
    text("t", HINTS),
    image(new Uint8Array([0, 255]), "image/png", HINTS),
    audio(new Uint8Array([1]), "audio/wav", HINTS),
    embeddedResource({ uri: "x:text", mimeType: "text/plain", text: "t" }, HINTS),
    embeddedResource({ uri: "x:blob", blob: "AQ==" }),
    resourceLink({ uri: "x:y", name: "y", title: "Y", description: "About y.", size: 3 }, HINTS),
  ]),
];

function toolsOf(world: World, change: (change: Change, of: string) => void): Tool[] {
  const doing = (name: string, more: { timeoutMs?: number } = {}) =>
    defineTool({
      name,
      inputSchema: { type: "object", properties: { do: { type: "array" }, more: {} } },
      ...more,
      handler: async ({ do: steps = [] }, context) =>
        JSON.stringify(await performAll(context, world, steps as unknown as Step[])),
    });
  return [
    doing("do"),
    doing("do.briefly", { timeoutMs: 50 }),
    doing("do.soon", { timeoutMs: 400 }),
    defineTool({
      name: "throw.now",
      inputSchema: { type: "object", properties: { kind: { type: "string" }, message: { type: "string" } } },
      handler: ({ kind, message }) => {
        throw THROWN[kind!]!(message!, { a: 1 });
      },
    }),
    defineTool({
      name: "add",
      title: "Add",
      description: "Adds two numbers.",
      inputSchema: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number", minimum: 0 }, unit: { enum: ["m", "s"] } },
        required: ["a", "b"],
      },
      outputSchema: { type: "number" },
      annotations: { title: "Add", readOnlyHint: true },
      _meta: { "t/deep": { a: 1 } },
      handler: ({ a, b }) => a + b,
    }),
    defineTool({
      name: "frozen",
      inputSchema: { type: "object", additionalProperties: true },
      handler: (args) => String(Object.isFrozen(args) && Object.values(args).every(Object.isFrozen)),
    }),
    defineTool({
      name: "big",
      inputSchema: { type: "object", properties: { size: { type: "integer" } } },
      handler: ({ size = 0 }) => "x".repeat(size),
    }),
    defineTool({
      name: "region",
      inputSchema: {
        type: "object",
        properties: {
          region: { type: "string", "x-mcp-header": "Region" },
          size: { type: "integer", "x-mcp-header": "Size" },
          deep: { type: "object", properties: { flag: { type: "boolean", "x-mcp-header": "Flag" } } },
        },
      } as never,
      handler: (args) => JSON.stringify(args),
    }),
    // Makes a provider report a change.
    defineTool({
      name: "change",
      inputSchema: {
        type: "object",
        properties: {
          of: { enum: ["resources", "prompts"] },
          listed: { type: "boolean" },
          uris: { type: "array", items: { type: "string" } },
          // Further changes, at once.
          then: { type: "array" },
        },
        required: ["of"],
      },
      handler: ({ of, then = [], ...first }) => {
        for (const { listed = false, uris = [] } of [first, ...then as (typeof first)[]]) {
          change({ listChanged: listed, affects: (uri) => uris.includes(uri) }, of);
        }
        return "changed";
      },
    }),
    ...GIVING,
  ];
}

/** A resource or prompt that asks, after the order in which it asks. */
async function answersOf(context: Asker): Promise<string> {
  const { content } = await context.elicit({ key: "who", message: "Who?", schema: NAME });
  const roots = await context.listRoots({ key: "where" });
  return `${content?.name} in ${roots.map(({ uri }) => uri).join()}`;
}

/** A server for transcripts. */
export function fixtureServer({ keys, ...options }: Partial<ServerOptions>, log: Log): Server {
  const listeners = {
    resources: new Set<(change: Change) => void>(),
    prompts: new Set<(change: Change) => void>(),
  };
  const watch = (of: keyof typeof listeners) => (listener: (change: Change) => void) => {
    listeners[of].add(listener);
    return () => void listeners[of].delete(listener);
  };
  const who = ({ sessionId }: { sessionId: string | undefined }) => `session: ${typeof sessionId}`;
  return createServer({
    info: { name: "fixture", version: "1" },
    instructions: "Call tools.",
    logging: true,
    toolCalls: { burst: 1e6, perSecond: 1e6 },
    tools: toolsOf(
      { log, remembered: new Set() },
      (change, of) => listeners[of as keyof typeof listeners].forEach((tell) => tell(change)),
    ),
    resources: [
      {
        list: () => [{ uri: "doc:b", name: "b" }, { uri: "doc:a", name: "a", title: "A", size: 1 }],
        read: (uri) => {
          if (uri === "doc:b") return [{ uri, blob: "AA==" }];
          return /^doc:(?:[ac]|new|\d+a*)$/.test(uri) ? [{ uri, text: "Grüße" }] : undefined;
        },
        covers: (uri) => uri.startsWith("doc:"),
        watch: watch("resources"),
      },
      resourceProvider({
        resources: [
          { uri: "test:who", name: "who", read: who },
          { uri: "test:asks", name: "asks", read: (context) => answersOf(context) },
          {
            uri: "test:throws",
            name: "throws",
            read: () => Promise.reject(new Error("secret of a resource")),
          },
          {
            uri: "test:refuses",
            name: "refuses",
            read: () => {
              throw new RpcError(-32602, "Closed on Sundays");
            },
          },
        ],
        templates: [{
          uriTemplate: "test:of/{name}",
          name: "family",
          read: ({ name }) => `I am ${name}`,
          values: () => ["zoo-alpha", "gamma", "alphabet", "beta-Alpha", "metalpha", "Alpha"],
        }, {
          uriTemplate: "test:many/{name}",
          name: "many",
          read: ({ name }) => `${name} of many`,
          values: () => Array.from({ length: 250 }, (_, index) => `v${index}`),
        }],
      }),
    ],
    prompts: [{
      list: () => [{ name: "asks" }, {
        name: "plain",
        title: "Plain",
        arguments: [{ name: "x", required: true }],
      }],
      async get(name, given, context) {
        if (name === "throws") throw new Error("secret of a prompt");
        if (name === "no-json") return { messages: [{ text: 1n }] } as never;
        if (name === "no-object") return "text" as never;
        if (name === "meta") return { messages: [], _meta: { "x/y": 1 } } as never;
        if (name !== "asks" && name !== "plain") return undefined;
        const said = name === "asks" ? await answersOf(context as never) : JSON.stringify(given);
        return { messages: [{ role: "user", content: { type: "text", text: said } }] };
      },
      values: (name) => name === "plain" ? ["a", "b"] : undefined,
      watch: watch("prompts"),
    }],
    ...(keys ? { keys: (keys as unknown as string[]).map((key) => new TextEncoder().encode(key)) } : {}),
    ...options,
    onfailure: (cause, reference) => log(`failure ${reference}: ${String(cause).replaceAll("\n", " / ")}`),
  });
}

if (import.meta.main) {
  const platform = await loadPlatform();
  protectOutput();
  platform.onUncaught((cause) => console.error(`uncaught: ${(cause as Error).message}`));
  const server = fixtureServer(JSON.parse(process.argv[2] ?? "{}"), (line) => console.error(line));
  const connection = await server.connect(stdioTransport(platform));
  platform.onInterrupt(() => connection.end());
  await connection.closed;
}
