/** The options of a server. */

import type { Call } from "../../jsonrpc/connection.ts";
import type { Request } from "../../jsonrpc/message.ts";
import type { MessageContext } from "../../jsonrpc/transport/transport.ts";
import type { ScopePolicy } from "./access.ts";
import type { ExecutionContext } from "./context.ts";
import type { Extension, PromptProvider, ResourceProvider } from "./provider.ts";
import type { Tool, ToolSet } from "./tool.ts";
import type { Rate } from "./tool_registry.ts";

/** The name and version of a server, for clients. */
export interface ServerInfo {
  /** For programs: "architrave". */
  readonly name: string;
  /** The version of the software: "1.0.0". */
  readonly version: string;
  /** For people. Left out in revisions without titles. */
  readonly title?: string;
}

/** Options of a server. */
export interface ServerOptions {
  /** The name and version of the server. */
  readonly info: ServerInfo;
  /** Tells a model how to use the server. Read at each handshake; clients cut it at about 2,000 characters. @default {none} */
  readonly instructions?: string;
  /** Resource providers, asked in this order. @default {none} */
  readonly resources?: readonly ResourceProvider[];
  /** Prompt providers, asked in this order. @default {none} */
  readonly prompts?: readonly PromptProvider[];
  /** Extensions of the protocol. @default {none} */
  readonly extensions?: readonly Extension[];
  /** Tools; they cannot change later. @default {none} */
  readonly tools?: readonly (Tool | ToolSet)[];
  /**
   * The rate limit of the tool calls of a client. More calls wait up to 5 seconds, or are refused over HTTP.
   * @default {a burst of 200, refilled by 50 a second}
   */
  readonly toolCalls?: Rate;
  /** The scopes that tools and documents need. A client without a credential has no scopes. @default {none are needed} */
  readonly scopes?: ScopePolicy;
  /** Whether tool calls have a time limit. Set it to false only in a program that is itself the only client. @default {true} */
  readonly limitsTools?: boolean;
  /** Whether tools may log to the client. @default {false} */
  readonly logging?: boolean;
  /**
   * Keys of at least 32 random bytes, which sign the state that clients keep for the server. All processes that serve the same
   * clients need the same keys. The first key signs; all keys verify, so keys can be rotated. @default {a random one}
   */
  readonly keys?: readonly Uint8Array[];
  /** The page size of lists, at least 1. @default {1000} */
  readonly pageSize?: number;
  /** Called when a client sends `initialize` or `server/discover`, before the response. */
  readonly onhandshake?: () => void;
  /** Receives the sealed context of every request that was answered with a result. */
  readonly onanswer?: (context: ExecutionContext) => void;
  /**
   * Receives every unexpected error, for which the client gets a generic one, the reference that the client gets, and the call.
   * @default {writes the error and the reference to standard error}
   */
  readonly onfailure?: (cause: unknown, reference: string, call?: Pick<Call, "request" | "context">) => void;
  /** Receives every request whose response is a specific error, and every tool call that has an error for the model. */
  readonly onrefused?: (
    request: Pick<Request, "method" | "params">,
    reason: string,
    context: MessageContext,
  ) => void;
  /**
   * Receives the duration of every answered request, and of every session when it ends, with attributes in the names of
   * OpenTelemetry. A session is one that begins with `initialize`. No attribute is free text of a client.
   * @default {nothing is measured}
   */
  readonly onmeasure?: (
    metric: "mcp.server.operation.duration" | "mcp.server.session.duration",
    seconds: number,
    attributes: Readonly<Record<string, string>>,
  ) => void;
  /** Receives failures of transports. */
  readonly ontransporterror?: (error: Error) => void;
}
