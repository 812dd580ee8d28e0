/** What is a server made of? */

import type { ExecutionContext } from "./context.ts";
import type { ServerInfo } from "./methods.ts";
import type { PromptProvider, ResourceProvider } from "./provider.ts";
import type { Rate } from "./token_bucket.ts";
import type { Tool, ToolSet } from "./tool.ts";

/** What a server is made of. */
export interface ServerOptions {
  /** What the server says of itself. */
  readonly info: ServerInfo;
  /** What a model should know to use the server well; clients cut it at about 2,000 characters. @default {none} */
  readonly instructions?: string;
  /** Where resources come from, asked in this order. @default {none} */
  readonly resources?: readonly ResourceProvider[];
  /** Where prompts come from, asked in this order. @default {none} */
  readonly prompts?: readonly PromptProvider[];
  /** What can be called; fixed from here on. @default {none} */
  readonly tools?: readonly (Tool | ToolSet)[];
  /** How often one connection may call tools. @default {200 at once, 50 a second in the long run} */
  readonly toolCalls?: Rate;
  /** Whether tools may log to the client, which is said to it then. @default {false} */
  readonly logging?: boolean;
  /**
   * What signs what clients keep for the server between questions: at least 32 bytes of random data each. All processes that
   * serve the same clients need the same ones. The first signs; the others are known too, so that keys can be replaced.
   * @default {a random one for this server}
   */
  readonly keys?: readonly Uint8Array[];
  /** How many things are on a page of a list: at least 1. @default {1000} */
  readonly pageSize?: number;
  /** Sees the sealed context of every request that was answered with a result. @default {nobody} */
  readonly onanswer?: (context: ExecutionContext) => void;
  /** Sees every failure that the client is only told of in general, with the reference it got. @default {nobody} */
  readonly onfailure?: (cause: unknown, reference: string) => void;
  /** Sees what goes wrong with a carrier. @default {nobody} */
  readonly ontransporterror?: (error: Error) => void;
}
