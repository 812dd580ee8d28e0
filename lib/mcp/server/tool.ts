/**
 * Tools as their authors see them: their definitions, and the context of handlers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { FromSchema, Schema } from "../../formats/schema/mod.ts";
import type { Trace } from "../protocol/trace.ts";
import type { Named } from "../protocol/types.ts";
import type { Access } from "./access.ts";
import type { ClientRequests } from "./client_requests.ts";
import type { Content, ToolResult } from "./content.ts";
import type { ExecutionContext } from "./context.ts";
import type { LogLevel } from "./log_level.ts";
import type { StandardSchema } from "./standard_schema.ts";

/** A schema: JSON Schema 2020-12 as plain data, or a Standard Schema object. */
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

/** The second argument of a tool handler. */
export interface ToolContext
  extends ClientRequests, Pick<ExecutionContext, "access" | "client" | "sessionId" | "sessionState"> {
  /** Aborted when the call is cancelled, times out, or its connection closes. */
  readonly signal: AbortSignal;
  /** How long the call may take, in milliseconds; `Infinity` without a limit. */
  readonly timeoutMs: number;
  /** The result of the transport's authentication. */
  readonly authentication: unknown;
  /** The trace that the request belongs to, as header fields for requests that the tool sends. */
  readonly trace: Trace;
  /**
   * The signed state that the client has sent back with its answers; undefined before that and up to 2025-11-25. It is the same
   * each time that the client sends it, so it can identify what must happen only once.
   */
  readonly requestState: string | undefined;
  /** Reports progress, if the client has asked for it. It must increase, and is dropped while the client is not reading. */
  progress(progress: number, total?: number, message?: string): void;
  /** Closes the stream before a long wait. The client reconnects for the response. Only over HTTP in 2025-11-25. */
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
  readonly inputSchema:
    // If the compiler knows its type, that must be "object".
    & In
    & (In extends StandardSchema ? unknown
      : In extends { readonly type: infer Type }
        ? "object" extends Type ? unknown : { readonly type: "object" }
      : unknown);
  /** The result. The returned value is checked, and sent as `structuredContent` in addition to the text. */
  readonly outputSchema?: Out;
  /**
   * Whether results are checked against the `outputSchema`. If false, the handler must guarantee that its value is plain JSON and
   * valid, and a Standard Schema does not transform it. That saves time for large results. @default {true}
   */
  readonly checkOutput?: boolean;
  /** The member that wraps the value in `structuredContent`. @default {"result", for values that are not objects} */
  readonly outputField?: string;
  /** Hints for clients. */
  readonly annotations?: ToolAnnotations;
  /** Its view, in clients of MCP Apps. Other clients do not get tools that only views may call. @default {none} */
  readonly ui?: ToolView | undefined;
  /** How long a call may take, in milliseconds. @default {10000} */
  readonly timeoutMs?: number;
  /** Metadata under prefixed keys. Left out before 2025-06-18. */
  readonly _meta?: JsonObject;
  /**
   * Runs a call. The model gets the message of a `ToolValidationError`, the client that of an `RpcError`. For any other error, the
   * client gets a generic message.
   */
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
  /** Exactly the names of the tools that it loads; undefined if they are not known before. */
  readonly names: readonly string[] | undefined;
  /** Called once, and again if it failed. Descriptions must mention only what `access` allows: all clients may use that. */
  load(access?: Access): Promise<readonly Tool[]>;
}
