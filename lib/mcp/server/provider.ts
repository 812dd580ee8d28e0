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

/** What all providers have. */
export interface Provider {
  /** Loads, connects or indexes; undefined when ready. Called when a request needs the provider; requests keep their order. */
  ready?(): Promise<void> | undefined;
  /** Reports changes until the returned function is called. Without it, no change notifications are declared. */
  watch?(onchange: (change: Change) => void): () => void;
  /** The known values of an argument of a prompt, or a variable of a template; undefined for those of others. */
  values?(of: string, argument: string, context: ExecutionContext): Awaitable<readonly string[] | undefined>;
}

/** Serves resources. The context of a request has a session only if the transport has sessions. */
export interface ResourceProvider extends Provider {
  /** All resources, sorted by URI. Return the same array while nothing has changed: its pages are cached. */
  list(context: ExecutionContext): Awaitable<readonly Resource[]>;
  /** All templates. The same array while nothing has changed. */
  templates?(context: ExecutionContext): Awaitable<readonly ResourceTemplate[]>;
  /** Reads one resource: its contents, or the serialised members of the result; undefined when it does not exist. */
  read(uri: string, context: ExecutionContext): Awaitable<readonly ResourceContents[] | RawJson | undefined>;
  /** The URIs of served resources that a URI was probably meant for, which an error then names. @default {none} */
  nearest?(uri: string, context: ExecutionContext): Awaitable<readonly string[]>;
  /** The category of a URI, for which a policy may require scopes, whether there is such a resource or not. @default {none} */
  categoryOf?(uri: string): string | undefined;
  /** Whether a URI may belong to this provider, now or later, so that changes of it can be reported. @default {any} */
  covers?(uri: string): boolean;
}

/** Serves prompts. */
export interface PromptProvider extends Provider {
  /** All prompts, sorted by name. The same array while nothing has changed. */
  list(context: ExecutionContext): Awaitable<readonly Prompt[]>;
  /**
   * Fills in a prompt with unchecked arguments; undefined when the prompt does not exist. @throws {RpcError} -32602 when an
   * argument is invalid.
   */
  get(name: string, given: unknown, context: ExecutionContext): Awaitable<PromptResult | RawJson | undefined>;
}

/** An extension of the protocol. Revisions without extensions have nothing of it. */
export interface Extension {
  /** Its identifier: "io.modelcontextprotocol/skills". */
  readonly id: string;
  /** Its settings, as they are declared. @default {{}} */
  readonly settings?: JsonObject;
  /** Whether a client has the extension; only without `methods`. @default {all clients of revisions with extensions} */
  readonly accepts?: (client: ClientFacts) => boolean;
  /** The methods that it adds, which the server must not have yet. Their results must not be cached. @default {none} */
  readonly methods?: readonly string[];
  /** The scheme of resources that are read by its method `resources/read`, and are not listed. @default {none} */
  readonly scheme?: string;
  /** Loads the methods, which return results or throw an `RpcError`; `resources/read` gets a URI, and may return undefined. */
  load?(): Promise<ExtensionMethods>;
}

/** The methods of an extension, by name. */
export type ExtensionMethods = Readonly<
  Record<string, (context: ExecutionContext, server: { readonly pageSize: number }, uri: string) => unknown>
>;
