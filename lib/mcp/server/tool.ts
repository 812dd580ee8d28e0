/**
 * Tools as their authors see them: definitions, what handlers are given, and results.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */

import type { Access, ExecutionContext } from "./context.ts";
import type { JsonObject } from "../../base/json.ts";
import type { FromSchema, Schema } from "../../formats/schema/mod.ts";
import type { Awaitable } from "../../base/async.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { Named, Resource, ResourceContents } from "../protocol/types.ts";
import type { ClientRequests, UrlElicitation } from "./client_requests.ts";
import { toBase64 } from "../../base/base64.ts";
import { compact, freeze } from "../../base/json.ts";
import { ErrorCode, RpcError } from "../../jsonrpc/message.ts";
import { McpErrorCode } from "../protocol/errors.ts";
import { check } from "./shapes.ts";
import { definedTools } from "./tool_registry.ts";

/** A schema of ours or of a library: JSON Schema 2020-12 as plain data, or a Standard Schema object. */
export type AnySchema = Schema | StandardSchema;

/** The type of the values that fit a schema. */
export type ValueOf<S> = S extends StandardSchema<unknown, infer Output> ? Output : FromSchema<S>;

/** Hints for clients that decide whether to allow a call; not enforced. */
export interface ToolAnnotations {
  /** For people, in revisions without titles. */
  readonly title?: string;
  /** It has no side effects. @default {false} */
  readonly readOnlyHint?: boolean;
  /** Its effects may be destructive. @default {true} */
  readonly destructiveHint?: boolean;
  /** Repeating a call has no further effect. @default {false} */
  readonly idempotentHint?: boolean;
  /** It interacts with external systems. @default {true} */
  readonly openWorldHint?: boolean;
}

/** The view of a tool in clients that show apps. */
export interface ToolView {
  /** The resource that shows its results: "ui://team/decisions". @default {none} */
  readonly resourceUri?: string;
  /** What may call it: the model, the view, or both. @default {both} */
  readonly visibility?: readonly ("model" | "app")[];
}

/** The severity of a log message, from the least severe (RFC 5424). */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

export const LEVELS = "debug info notice warning error critical alert emergency"
  .split(" ") as readonly LogLevel[];

/** Whether a client that has asked for a level gets messages of another one. */
export function isLogged(level: LogLevel, threshold: LogLevel | undefined): boolean {
  return threshold !== undefined && LEVELS.indexOf(level) >= LEVELS.indexOf(threshold);
}

/** What a handler is given beside its arguments. */
export interface ToolContext
  extends ClientRequests, Pick<ExecutionContext, "access" | "client" | "sessionId" | "sessionState"> {
  /** Aborted when the call is cancelled, times out, or its connection closes. */
  readonly signal: AbortSignal;
  /** What the transport's authentication found out about the client. */
  readonly authentication: unknown;
  /**
   * The state that the client has sent back with its answers, as this server signed it; undefined before that and up to
   * 2025-11-25. It is the same however often it is sent, so it can identify what must happen only once.
   */
  readonly requestState: string | undefined;
  /** Reports progress, if the client has asked for it. It must increase, and is dropped while the client is not reading. */
  progress(progress: number, total?: number, message?: string): void;
  /** Closes the stream, for a long wait: the client reconnects for the response. Only over HTTP in 2025-11-25. */
  closeStream(): void;
  /** Sends a log message, if the client wants that level and the server has `logging`. */
  log(level: LogLevel, data: unknown, logger?: string): void;
}

/**
 * How a tool is defined. Its name has 1 to 128 letters, digits, `_`, `-` and `.`, and is unique within a server. Its
 * description tells the model what it does, when to use it, and what it returns.
 */
export interface ToolDefinition<In, Out> extends Named {
  /** The arguments: an object. Unknown members are refused unless the schema allows them. */
  readonly inputSchema: In;
  /** The result. The returned value is checked and sent as `structuredContent` beside the text. */
  readonly outputSchema?: Out;
  /** The member that wraps the value in `structuredContent`. @default {"result", for values that are not objects} */
  readonly outputField?: string;
  /** Hints for clients. */
  readonly annotations?: ToolAnnotations;
  /** Its view, in clients of MCP Apps; other clients do not have tools that are for views alone. @default {none} */
  readonly ui?: ToolView | undefined;
  /** How long a call may take, in milliseconds. @default {10000} */
  readonly timeoutMs?: number;
  /** Metadata under prefixed keys. Left out before 2025-06-18. */
  readonly _meta?: JsonObject;
  /** Runs a call. The message of a `ToolValidationError` is for the model; of any other error, the client gets a generic one. */
  handler(
    args: ValueOf<In>,
    context: ToolContext,
  ): Awaitable<
    (Out extends AnySchema ? ValueOf<Out> : string | Content | readonly (string | Content)[]) | ToolResult
  >;
}

/** A tool, checked and frozen; made by `defineTool` and by nothing else. */
export interface Tool {
  /** Unique within a server. */
  readonly name: string;
  /** What `defineTool` was given, without its types. */
  readonly definition: Readonly<ToolDefinition<AnySchema, AnySchema | undefined>>;
}

/** Tools that are loaded when tools are first listed or called. */
export interface ToolSet {
  /** The names of the tools that it loads, and no others; undefined when they are known once it is loaded. */
  readonly names: readonly string[] | undefined;
  /** Called once, and again if it failed. `access` is what all clients may use: descriptions must tell of nothing else. */
  load(access?: Access): Promise<readonly Tool[]>;
}

/** A tool is defined incorrectly. */
export class ToolDefinitionError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "ToolDefinitionError";
}

/** The call cannot be done; the message is for the model. */
export class ToolValidationError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "ToolValidationError";
}

/** A call timed out. */
export class ToolTimeoutError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "ToolTimeoutError";
}

/** The client gave no usable answer. A tool that does not catch it returns its message as an error. */
export class UnansweredError extends RpcError {
  /** The name of the class, for logs. */
  override readonly name: string = "UnansweredError";

  /** Builds an error; the message is for the client and for a model. */
  constructor(message: string, code?: number, data?: unknown, status?: number) {
    super(code ?? ErrorCode.internal, message, data, status === undefined ? {} : { status });
  }
}

/** The client has not declared the capability, or its revision does not have it. */
export class MissingCapabilityError extends UnansweredError {
  /** The name of the class, for logs. */
  override readonly name = "MissingCapabilityError";
  /** Builds an error for a capability, or for a part of one. */
  constructor(name: string, part: string | undefined, { era }: Revision) {
    const needed = part === undefined ? name : `${name}.${part}`;
    const requiredCapabilities = { [name]: part === undefined ? {} : { [part]: {} } };
    const isModern = era === "modern";
    super(
      `This needs a client with the capability ${needed}${isModern ? "" : ", and a revision that has it"}`,
      isModern ? McpErrorCode.missingClientCapability : undefined,
      isModern ? { requiredCapabilities } : undefined,
      isModern ? 400 : undefined,
    );
  }
}

/** Thrown by a handler when the user has to open URLs first. The client asks the user, and the handler runs again. */
export class UrlElicitationRequiredError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "UrlElicitationRequiredError";
  /** The URLs to open, each with the reason for the user. */
  readonly elicitations: readonly UrlElicitation[];

  /** Builds an error with at least one URL. */
  constructor(elicitations: readonly UrlElicitation[]) {
    if (elicitations.length === 0) throw new TypeError("Cannot require no URL: give at least one");
    super("The user has to do something first");
    this.elicitations = elicitations;
  }
}

/**
 * Defines a tool.
 *
 * @throws {ToolDefinitionError} When the definition is incorrect. Schemas are checked by the server.
 * @example
 * ```ts
 * import { createServer, defineTool } from "@architrave/architrave/server";
 *
 * const double = defineTool({
 *   name: "double",
 *   description: "Doubles a number.",
 *   inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
 *   outputSchema: { type: "number" },
 *   handler: ({ a }) => 2 * a,
 * });
 * const server = createServer({ info: { name: "calculator", version: "1.0.0" }, tools: [double] });
 * ```
 */
export function defineTool<const In extends AnySchema, const Out extends AnySchema | undefined = undefined>(
  definition: ToolDefinition<In, Out>,
): Tool {
  const { name, timeoutMs, outputField, outputSchema, annotations = {} } = definition;
  const fail = (reason: string): never => {
    throw new ToolDefinitionError(`Cannot define the tool "${name}": ${reason}`);
  };
  // A definition may be an instance of a class with members of its own.
  check(definition, "tool", "", fail, []);
  check(annotations, "hints", "annotations", fail);
  if (!/^[A-Za-z0-9_.-]{1,128}$/.test(name)) fail('a name has 1 to 128 letters, digits, "_", "-" and "."');
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)) {
    fail(`its timeoutMs must be between 1 and ${MAX_TIMEOUT_MS} ms, not ${timeoutMs}`);
  }
  if (outputField !== undefined && outputSchema === undefined) {
    fail(`its outputField "${outputField}" names what an outputSchema describes, and there is none`);
  }
  // Copied, so that later changes have no effect; member by member, because the getters of a class are in its prototype.
  const parts = PARTS.map((key) => {
    const part = definition[key];
    return [key, typeof part === "object" && !isStandardSchema(part) ? freeze(structuredClone(part)) : part];
  });
  const handler = definition.handler.bind(definition);
  const copy = Object.freeze(compact({ ...Object.fromEntries(parts), handler }) as Definition);
  const tool = Object.freeze({ name, definition: copy });
  definedTools.add(tool);
  return tool;
}

type Definition = ToolDefinition<AnySchema, AnySchema | undefined>;

/** The members of a definition, without the handler. */
const PARTS = "name title description inputSchema outputSchema outputField annotations ui timeoutMs _meta"
  .split(" ") as readonly (keyof Definition)[];
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * The part of Standard Schema, version 1, that is used. Libraries implement it; none of them is imported.
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The interface. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** Validates a value, and may transform it. */
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Types, for the compiler only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Converts the schema to JSON Schema, if the library can. */
    readonly jsonSchema?: {
      input(options: { readonly target: string }): Record<string, unknown>;
      output(options: { readonly target: string }): Record<string, unknown>;
    };
  };
}

/** The result of a validation: the value, or sentences and the places of the problems, member by member. */
export type StandardResult<Output> = { readonly value: Output; readonly issues?: undefined } | {
  readonly issues: readonly {
    readonly message: string;
    readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  }[];
};

/** Whether a schema is a Standard Schema, and not plain data. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  return (typeof schema === "object" || typeof schema === "function") && schema !== null &&
    "~standard" in schema;
}

/** Hints for clients, which may ignore them. */
export type Hints = NonNullable<Resource["annotations"]>;

/** What a link says of its resource. */
export type ResourceLink = Pick<Resource, "uri" | "name" | "title" | "description" | "mimeType" | "size">;

/** A content block. */
export type Content =
  & { readonly annotations?: Hints }
  & (
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
    | { readonly type: "resource"; readonly resource: ResourceContents }
    | { readonly type: "resource_link" } & ResourceLink
  );

/** A tool result with explicit parts. */
export class ToolResult {
  /** The content blocks; a string is a block of text. */
  readonly content: readonly (string | Content)[];
  /** The structured value, not wrapped; undefined without one. */
  readonly value: unknown;
  /** Whether it reports an error. */
  readonly isError: boolean;

  /** Builds a result. `value` must fit the `outputSchema`, if there is one and this is not an error. */
  constructor(
    content: readonly (string | Content)[],
    { value, isError = false }: { readonly value?: unknown; readonly isError?: boolean } = {},
  ) {
    this.content = content;
    this.value = value;
    this.isError = isError;
  }
}

/** A text block. */
export function text(text: string, annotations?: Hints): Content {
  return { type: "text", text, ...(annotations && { annotations }) };
}

/** An image block. */
export function image(bytes: Uint8Array, mimeType: string, annotations?: Hints): Content {
  return { type: "image", data: toBase64(bytes), mimeType, ...(annotations && { annotations }) };
}

/** An audio block. Revisions without audio get it as an embedded resource. */
export function audio(bytes: Uint8Array, mimeType: string, annotations?: Hints): Content {
  return { type: "audio", data: toBase64(bytes), mimeType, ...(annotations && { annotations }) };
}

/** An embedded resource. */
export function embeddedResource(resource: ResourceContents, annotations?: Hints): Content {
  return { type: "resource", resource, ...(annotations && { annotations }) };
}

/** A link to a resource. Revisions without links get it as text. */
export function resourceLink(link: ResourceLink, annotations?: Hints): Content {
  return { type: "resource_link", ...link, ...(annotations && { annotations }) };
}
