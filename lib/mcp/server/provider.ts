/**
 * The interfaces of resource and prompt providers, and of extensions.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */

import type { JsonObject } from "../../base/json.ts";
import type { RawJson } from "../../jsonrpc/message.ts";
import type { Awaitable } from "../../base/async.ts";
import type { ClientFacts } from "../protocol/revisions.ts";
import type {
  Prompt,
  PromptResult,
  Resource,
  ResourceContents,
  ResourceTemplate,
} from "../protocol/types.ts";
import type { Change } from "./changes.ts";
import type { ExecutionContext } from "./context.ts";

/** The members that all providers have. */
export interface Provider {
  /**
   * The names of its prompts, or the URIs of its resources and templates, if they do not change. No other provider of the server
   * may have them. @default {not known at the start; the first provider that has one serves it}
   */
  readonly names?: readonly string[];
  /**
   * Gets ready: loads, connects or indexes. Returns undefined when the provider is ready. Called when a request needs the provider;
   * the request waits.
   */
  ready?(): Promise<void> | undefined;
  /** Reports changes until the returned function is called. @default {clients are not told that the provider changes} */
  watch?(onchange: (change: Change) => void): () => void;
  /**
   * The known values of an argument of a prompt, or of a variable of a template, for completion. `of` is the name of the prompt, or
   * the template. Undefined if this provider does not have it.
   */
  values?(of: string, argument: string, context: ExecutionContext): Awaitable<readonly string[] | undefined>;
}

/** Serves resources. The context of a request has a session only if the transport has sessions. */
export interface ResourceProvider extends Provider {
  /** All resources, sorted by URI. Return the same array while nothing has changed: its pages are cached. */
  list(context: ExecutionContext): Awaitable<readonly Resource[]>;
  /** All templates. Return the same array while nothing has changed. */
  templates?(context: ExecutionContext): Awaitable<readonly ResourceTemplate[]>;
  /** Reads one resource: its contents, or the serialised members of the result; undefined when it does not exist. */
  read(uri: string, context: ExecutionContext): Awaitable<readonly ResourceContents[] | RawJson | undefined>;
  /** The served URIs that are nearest to one that does not exist. The error names them. @default {none} */
  nearest?(uri: string, context: ExecutionContext): Awaitable<readonly string[]>;
  /** The category of a URI, even if there is no such resource. A `ScopePolicy` can require scopes for it. @default {none} */
  categoryOf?(uri: string): string | undefined;
  /** Whether a URI may belong to this provider, now or later. Only then can clients subscribe to it. @default {any} */
  covers?(uri: string): boolean;
}

/** Serves prompts. */
export interface PromptProvider extends Provider {
  /** All prompts, sorted by name. Return the same array while nothing has changed. */
  list(context: ExecutionContext): Awaitable<readonly Prompt[]>;
  /**
   * Fills in a prompt; undefined when it does not exist. The arguments are an object, in which the listed ones are strings and the
   * required ones not empty. @throws {RpcError} -32602 when an argument is invalid.
   */
  get(name: string, given: unknown, context: ExecutionContext): Awaitable<PromptResult | RawJson | undefined>;
  /** Whether `get` checks the arguments itself. @default {false} */
  readonly checksArguments?: boolean;
}

/** An extension of the protocol. Clients of revisions without extensions see nothing of it. */
export interface Extension {
  /** Its identifier: "io.modelcontextprotocol/skills". */
  readonly id: string;
  /** Its settings in the capabilities of the server. @default {{}} */
  readonly settings?: JsonObject;
  /** Whether a client supports it. Not allowed with `methods`. @default {all clients of revisions with extensions} */
  readonly accepts?: (client: ClientFacts) => boolean;
  /** The methods that it adds. The server must not have them already. Clients must not cache the results. @default {none} */
  readonly methods?: readonly string[];
  /** The scheme of its resources. They are not listed; its method `resources/read` reads them. @default {none} */
  readonly scheme?: string;
  /**
   * Loads the methods. They return results or throw an `RpcError`. The third argument of `resources/read` is the URI; it may return
   * undefined.
   */
  load?(): Promise<ExtensionMethods>;
}

/** The methods of an extension, by name. */
export type ExtensionMethods = Readonly<
  Record<string, (context: ExecutionContext, server: { readonly pageSize: number }, uri: string) => unknown>
>;
