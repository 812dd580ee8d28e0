/** What the handlers of a server share, and how a method is served. */

import type { Awaitable } from "../../base/async.ts";
import type { TokenSigner } from "../../base/signer.ts";
import type { MethodRow } from "../protocol/methods.ts";
import type { AcceptedCall } from "./accepted.ts";
import type { Changes } from "./changes.ts";
import type { ExecutionContext } from "./context.ts";
import type { ServerOptions } from "./options.ts";
import type { ToolRegistry } from "./tool_registry.ts";

/** The options that are copied when a server is built. */
type Fixed = "info" | "resources" | "prompts" | "extensions" | "pageSize" | "toolCalls" | "logging";

/** What all handlers of a server share. */
export interface Services extends Required<Pick<ServerOptions, Fixed>> {
  /** The options that are not copied: callbacks, and the instructions, which may change while the server runs. */
  readonly options: ServerOptions;
  readonly changes: Changes;
  readonly tools: ToolRegistry;
  /** Signs the state that clients keep while they are asked. Loaded at first use. */
  readonly signer: () => Promise<TokenSigner>;
}

/** Answers one method: returns a result, or a context that has one. Throws an `RpcError` to send an error to the client. */
export type MethodHandler = (
  context: ExecutionContext,
  services: Services,
  call: AcceptedCall,
) => Awaitable<unknown>;

/** A method of a server: what the protocol defines, and its handler. */
export interface ServedMethod extends MethodRow {
  /** Undefined until it is loaded. Methods that have the same `load` share it. */
  handler?: MethodHandler;
  readonly load?: () => Promise<MethodHandler>;
  /** The providers that must be ready first. @default {none} */
  readonly needs?: readonly ("resources" | "prompts" | "tools")[];
  /** The members that modern revisions add to each result, as JSON without braces. Set at first use. */
  envelope?: string;
}
