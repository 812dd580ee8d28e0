/** The options of a server. */

import type { Request } from "../../jsonrpc/message.ts";
import type { ScopePolicy } from "./access.ts";
import type { ExecutionContext } from "./context.ts";
import type { Extension, PromptProvider, ResourceProvider } from "./provider.ts";
import type { Tool, ToolSet } from "./tool.ts";
import type { Rate } from "./tool_registry.ts";

/** What a server says of itself. */
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
  /** What the server says of itself. */
  readonly info: ServerInfo;
  /** How a model should use the server, read at each handshake; clients cut it at about 2,000 characters. @default {none} */
  readonly instructions?: string;
  /** Resource providers, asked in this order. @default {none} */
  readonly resources?: readonly ResourceProvider[];
  /** Prompt providers, asked in this order. @default {none} */
  readonly prompts?: readonly PromptProvider[];
  /** Extensions of the protocol. @default {none} */
  readonly extensions?: readonly Extension[];
  /** Tools; they cannot change later. @default {none} */
  readonly tools?: readonly (Tool | ToolSet)[];
  /** The rate of a client's tool calls. Others wait up to 5 s, or are refused over HTTP. @default {200 at once, 50 a second} */
  readonly toolCalls?: Rate;
  /** Which scopes are needed for tools and documents; a client without a credential has none. @default {none} */
  readonly scopes?: ScopePolicy;
  /** Whether tool calls have a time limit. A program that is its own only client may do without. @default {true} */
  readonly limitsTools?: boolean;
  /** Whether tools may log to the client. @default {false} */
  readonly logging?: boolean;
  /**
   * Keys of at least 32 random bytes that sign what clients keep for the server, the same in all processes that serve them.
   * The first signs; all verify, so keys can be rotated. @default {a random one}
   */
  readonly keys?: readonly Uint8Array[];
  /** The page size of lists, at least 1. @default {1000} */
  readonly pageSize?: number;
  /** Called when a client opens with `initialize` or `server/discover`, before that is answered. */
  readonly onhandshake?: () => void;
  /** Receives the sealed context of every request that was answered with a result. */
  readonly onanswer?: (context: ExecutionContext) => void;
  /** Receives every failure that was answered with a generic error, with the reference that the client got. */
  readonly onfailure?: (cause: unknown, reference: string) => void;
  /** Receives every request that was refused: answered with an error of its own, or a tool call with one for the model. */
  readonly onrefused?: (request: Pick<Request, "method" | "params">, reason: string) => void;
  /** Receives failures of transports. */
  readonly ontransporterror?: (error: Error) => void;
}
