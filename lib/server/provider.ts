/**
 * Where do resources and prompts come from? The two interfaces that a server is built from. The document folder is one
 * implementation; embedding code writes its own.
 */

import type { WrittenObject } from "../jsonrpc/encode.ts";
import type { Awaitable } from "./awaitable.ts";
import type { ExecutionContext } from "./context.ts";

/** Something that serves requests, and may have to get ready for that. */
export interface Provider {
  /**
   * Gets ready to serve: loads, connects, indexes. Called before every request that asks this provider; undefined when
   * it is ready already. Requests that waited for it are served in order, as fast as their answers can leave.
   */
  ready?(): Promise<void> | undefined;
}

/** A resource as it is listed. @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources */
export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** In bytes. */
  readonly size?: number;
  readonly annotations?: {
    readonly audience?: readonly ("user" | "assistant")[];
    readonly priority?: number;
    /** ISO 8601. */
    readonly lastModified?: string;
  };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A family of resources as it is listed. */
export interface ResourceTemplate {
  /** RFC 6570. */
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** What a resource holds: text, or bytes in Base64. */
export type ResourceContents =
  & { readonly uri: string; readonly mimeType?: string }
  & ({ readonly text: string } | { readonly blob: string });

/**
 * Serves resources.
 *
 * Every method gets the context of the request; a session is there only where the carrier has one, and a provider does
 * without it gracefully.
 */
export interface ResourceProvider extends Provider {
  /** All resources, sorted by URI. Return the same array for as long as nothing changed: its pages are kept. */
  list(context: ExecutionContext): Awaitable<readonly Resource[]>;
  /** All templates. The same array while nothing changed. */
  templates?(context: ExecutionContext): Awaitable<readonly ResourceTemplate[]>;
  /**
   * Reads one resource.
   *
   * @returns Its contents, the members of the result when they are written already, or undefined when there is no such
   * resource here.
   */
  read(
    uri: string,
    context: ExecutionContext,
  ): Awaitable<readonly ResourceContents[] | WrittenObject | undefined>;
  /** All values that a variable of a template can take, or undefined when the template is not of this provider. */
  values?(
    template: string,
    variable: string,
    context: ExecutionContext,
  ): Awaitable<readonly string[] | undefined>;
}

/** A prompt as it is listed. @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts */
export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
}

/** What a prompt says. */
export interface PromptResult {
  readonly description?: string;
  readonly messages: readonly {
    readonly role: "user" | "assistant";
    readonly content: Readonly<Record<string, unknown>>;
  }[];
}

/** Serves prompts. */
export interface PromptProvider extends Provider {
  /** All prompts, sorted by name. The same array while nothing changed. */
  list(context: ExecutionContext): Awaitable<readonly Prompt[]>;
  /**
   * Fills in one prompt.
   *
   * @param given The arguments as they came, unchecked.
   * @returns Undefined when there is no such prompt here.
   * @throws {RpcError} -32602 when an argument is not as the prompt wants it.
   */
  get(
    name: string,
    given: unknown,
    context: ExecutionContext,
  ): Awaitable<PromptResult | WrittenObject | undefined>;
  /** The known values of an argument, or undefined when there is no such prompt or argument here. */
  values?(
    name: string,
    argument: string,
    context: ExecutionContext,
  ): Awaitable<readonly string[] | undefined>;
}
