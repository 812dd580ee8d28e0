/**
 * Where do resources and prompts come from? The two interfaces that a server is built from. The document folder is one
 * implementation; embedding code writes its own.
 */

import type { RawJson } from "../jsonrpc/message.ts";
import type { Awaitable } from "../base/async.ts";
import type { ExecutionContext } from "./context.ts";

/** What changed at a provider. */
export interface Change {
  /** Whether the list of what it serves shows something else: other things, or other words about one. */
  readonly isListedAnew: boolean;
  /** Whether what a URI leads to has another content now, came or went. Must not throw. Only of resources. @default {of none} */
  affects?(uri: string): boolean;
}

/** Something that serves requests, and may have to get ready for that. */
export interface Provider {
  /**
   * Gets ready to serve: loads, connects, indexes. Called before every request that asks this provider; undefined when
   * it is ready already. Requests that waited for it are served in order, as fast as their answers can leave.
   */
  ready?(): Promise<void> | undefined;
  /**
   * Tells of changes from now on, and looks for them for as long as anybody listens. Only a provider that has this is
   * said to tell of changes.
   *
   * @returns How to listen no more.
   */
  watch?(onchange: (change: Change) => void): () => void;
}

/** A resource as it is listed. @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources */
export interface Resource {
  /** What it is read by. One provider has each URI once; of several with the same one, the first is read. */
  readonly uri: string;
  /** For programs, and for people where there is no title. */
  readonly name: string;
  /** For people. Revisions without titles get it as the name. */
  readonly title?: string;
  /** What it is about, for whoever decides whether to read it. */
  readonly description?: string;
  /** The type of its contents: "text/markdown". */
  readonly mimeType?: string;
  /** In bytes. */
  readonly size?: number;
  /** Hints for clients, which may ignore them. */
  readonly annotations?: {
    /** Whom it is meant for. */
    readonly audience?: readonly ("user" | "assistant")[];
    /** From 0, which can be left out, to 1, which must not be. */
    readonly priority?: number;
    /** ISO 8601. Revisions without titles do not get it. */
    readonly lastModified?: string;
  };
  /** More facts, under prefixed keys: "architrave/record". Revisions without titles do not get it. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** A family of resources as it is listed. */
export interface ResourceTemplate {
  /** RFC 6570. */
  readonly uriTemplate: string;
  /** For programs, and for people where there is no title. */
  readonly name: string;
  /** For people. Revisions without titles get it as the name. */
  readonly title?: string;
  /** What its resources are about, and how to fill it in. */
  readonly description?: string;
  /** The type of their contents, where all have the same. */
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
  ): Awaitable<readonly ResourceContents[] | RawJson | undefined>;
  /** Whether a URI could ever be one of this provider's, so that one can wait for its changes. @default {any} */
  covers?(uri: string): boolean;
  /** All values that a variable of a template can take, or undefined when the template is not of this provider. */
  values?(
    template: string,
    variable: string,
    context: ExecutionContext,
  ): Awaitable<readonly string[] | undefined>;
}

/** A prompt as it is listed. @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts */
export interface Prompt {
  /** What it is asked for by. One provider has each name once; of several with the same one, the first is asked. */
  readonly name: string;
  /** For people. Revisions without titles do not get it. */
  readonly title?: string;
  /** What it is good for. */
  readonly description?: string;
  /** What can be filled in, in the order to ask for it. @default {nothing} */
  readonly arguments?: readonly {
    /** What its value is given under. */
    readonly name: string;
    /** What to fill in. */
    readonly description?: string;
    /** Whether the prompt cannot do without it. @default {false} */
    readonly required?: boolean;
  }[];
}

/** What a prompt says. */
export interface PromptResult {
  /** What the prompt is good for. */
  readonly description?: string;
  /** What to say to the model, in order. */
  readonly messages: readonly {
    /** Who says it. */
    readonly role: "user" | "assistant";
    /** One block: `{ type: "text", text: "…" }`. */
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
  ): Awaitable<PromptResult | RawJson | undefined>;
  /** The known values of an argument, or undefined when there is no such prompt or argument here. */
  values?(
    name: string,
    argument: string,
    context: ExecutionContext,
  ): Awaitable<readonly string[] | undefined>;
}
