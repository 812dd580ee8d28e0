/**
 * What is a tool? A name, what goes in, what comes out, and the function between them.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */

import type { FromSchema, Schema } from "../schema/mod.ts";
import type { Awaitable } from "../base/async.ts";
import type { ToolContext } from "./tool_context.ts";
import type { StandardSchema } from "./standard_schema.ts";
import type { Content, ToolResult } from "./tool_result.ts";
import { defined } from "./freeze.ts";
import { freeze } from "../base/json.ts";
import { isStandardSchema } from "./standard_schema.ts";

/** A schema of ours or of a library: JSON Schema 2020-12 as plain data, or a Standard Schema object. */
export type AnySchema = Schema | StandardSchema;

/** What a value looks like that fits a schema. */
export type ValueOf<S> = S extends StandardSchema<unknown, infer Output> ? Output : FromSchema<S>;

/** Hints for whoever decides whether to allow a call; nothing here enforces them. */
export interface ToolAnnotations {
  /** For people, in revisions without titles. */
  readonly title?: string;
  /** It changes nothing. @default {false} */
  readonly readOnlyHint?: boolean;
  /** What it changes cannot be had back. @default {true} */
  readonly destructiveHint?: boolean;
  /** A second call with the same arguments changes nothing more. @default {false} */
  readonly idempotentHint?: boolean;
  /** It deals with a world outside. @default {true} */
  readonly openWorldHint?: boolean;
}

/** How a tool is defined. */
export interface ToolDefinition<In, Out> {
  /** 1 to 128 letters, digits, `_`, `-` and `.`; unique within a server. */
  readonly name: string;
  /** For people. */
  readonly title?: string;
  /** For the model: what it is good for, when to use it, what it answers. */
  readonly description?: string;
  /** The arguments: an object. One that says nothing of other members refuses them. */
  readonly inputSchema: In;
  /** The result. Its value is then checked, and sent as data beside the text. */
  readonly outputSchema?: Out;
  /** The name that the value of the result is always wrapped under. @default {"result", for values that are no object} */
  readonly outputField?: string;
  /** Hints for whoever allows calls. */
  readonly annotations?: ToolAnnotations;
  /** How long a call may take, in milliseconds. @default {10000} */
  readonly timeoutMs?: number;
  /** More facts, under prefixed keys. Revisions before 2025-06-18 do not get them. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /**
   * Carries out one call. What it throws as `ToolValidationError` the model gets to read; anything else is logged, and the
   * client is told in general.
   */
  handler(
    args: ValueOf<In>,
    context: ToolContext,
  ): Awaitable<(Out extends AnySchema ? ValueOf<Out> : string | Content | readonly Content[]) | ToolResult>;
}

/** A tool, checked and frozen; made by `defineTool` and by nothing else. */
export interface Tool {
  /** Unique within a server. */
  readonly name: string;
  /** What `defineTool` was given, with nothing known of its types. */
  readonly definition: Readonly<ToolDefinition<AnySchema, AnySchema | undefined>>;
}

/** Tools that are loaded when they are first listed or called. Their names are known before, so that no two are alike. */
export interface ToolSet {
  /** All of them. */
  readonly names: readonly string[];
  /** Called once, and again when it failed; must give a tool for each name, and no other. */
  load(): Promise<readonly Tool[]>;
}

/** A name or a schema of a tool cannot be used; thrown while the server is built. */
export class ToolDefinitionError extends Error {
  /** Names the class in logs. */
  override readonly name = "ToolDefinitionError";
}

/** What the model asked for cannot be done, and it should read why. */
export class ToolValidationError extends Error {
  /** Names the class in logs. */
  override readonly name = "ToolValidationError";
}

/** A call took longer than its tool allows. */
export class ToolTimeoutError extends Error {
  /** Names the class in logs. */
  override readonly name = "ToolTimeoutError";
}

/** The specification's rules, as one pattern. */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** The standard annotations, and what each is. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ["title", "string"],
  ["readOnlyHint", "boolean"],
  ["destructiveHint", "boolean"],
  ["idempotentHint", "boolean"],
  ["openWorldHint", "boolean"],
]);

/** A definition that nobody checked. */
type Loose = Partial<ToolDefinition<AnySchema, AnySchema | undefined>>;

/** All of a definition but its handler. */
const PARTS = [
  "name",
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "outputField",
  "annotations",
  "timeoutMs",
  "_meta",
] as const;

/**
 * Defines a tool.
 *
 * @throws {ToolDefinitionError} When something in the definition cannot be. Schemas are checked when the server is built.
 * @example
 * ```ts
 * import { createServer, defineTool } from "@architrave/architrave/server";
 *
 * const add = defineTool({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   inputSchema: {
 *     type: "object",
 *     properties: { a: { type: "number" }, b: { type: "number" } },
 *     required: ["a", "b"],
 *   },
 *   outputSchema: { type: "number" },
 *   annotations: { readOnlyHint: true },
 *   handler: ({ a, b }) => a + b,
 * });
 * const server = createServer({ info: { name: "calculator", version: "1.0.0" }, tools: [add] });
 * ```
 */
export function defineTool<const In extends AnySchema, const Out extends AnySchema | undefined = undefined>(
  definition: ToolDefinition<In, Out>,
): Tool {
  const { name } = definition;
  const reason = mistake(definition as Loose);
  if (reason !== undefined) throw new ToolDefinitionError(`Cannot define the tool "${name}": ${reason}`);
  // Data is copied: whoever gave it could still change it. Read member by member, because a class has its own elsewhere.
  const parts = PARTS.map((key) => [key, fixed(definition[key])]).filter(([, part]) => part !== undefined);
  const handler = definition.handler.bind(definition);
  const tool: Tool = Object.freeze({
    name,
    definition: Object.freeze({ ...Object.fromEntries(parts), handler }) as Tool["definition"],
  });
  return defined(tool);
}

/** What is wrong with a definition, as far as that can be said without its schemas. */
function mistake(
  { name, timeoutMs, handler, outputField, outputSchema, annotations }: Loose,
): string | undefined {
  if (typeof name !== "string" || !NAME.test(name)) {
    return 'a name has 1 to 128 letters, digits, "_", "-" and "."';
  }
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= 2 ** 31 - 1)) {
    return `its time must be between 1 and ${2 ** 31 - 1} ms, not ${timeoutMs}`;
  }
  if (typeof handler !== "function") return "its handler must be a function";
  if (outputField !== undefined && typeof outputField !== "string") return "its outputField must be a string";
  if (outputField !== undefined && outputSchema === undefined) {
    return `its outputField "${outputField}" names what an outputSchema describes, and there is none`;
  }
  for (const [hint, value] of Object.entries(annotations ?? {})) {
    const type = HINTS.get(hint);
    if (type === undefined) {
      return `its annotations have "${hint}", which is none of ${
        [...HINTS.keys()].join(", ")
      }; put it into _meta`;
    }
    if (value !== undefined && typeof value !== type) return `its annotation "${hint}" must be a ${type}`;
  }
  return undefined;
}

function fixed(part: unknown): unknown {
  return typeof part === "object" && !isStandardSchema(part) ? freeze(structuredClone(part)) : part;
}
