/**
 * The types of what a client receives. Results keep members that are not declared here. Members that the negotiated revision
 * does not have are missing.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema
 */

import type { JsonObject } from "../../base/json.ts";
import type { ContentBlock, Named, Prompt, PromptResult, Resource } from "../protocol/types.ts";
import type { ResourceContents, ResourceTemplate, Result } from "../protocol/types.ts";

/** A server's description of itself. */
export interface ServerDescription {
  /** Its name and version. They are not verified. */
  readonly info: JsonObject;
  /** Its capabilities. */
  readonly capabilities: JsonObject;
  /** Instructions for models that use the server. */
  readonly instructions: string | undefined;
}

/** An item of a list, as the server sent it. */
export type ListedItem = Named & Result;

/** A resource, as it is listed. */
export type ListedResource = Resource & Result;

/** A resource template, as it is listed. */
export type ListedResourceTemplate = ResourceTemplate & Result;

/** A prompt, as it is listed. */
export type ListedPrompt = Prompt & Result;

/** A tool, as it is listed. */
export interface ListedTool extends Named, Result {
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
  /** JSON Schema of `structuredContent`. */
  readonly outputSchema?: JsonObject;
  /** Hints about its effects. They are not verified. */
  readonly annotations?: JsonObject;
}

/** A page of a list. The last page has no `nextCursor`. */
export type Page<Member extends string, Item> =
  & Result
  & { readonly nextCursor?: string }
  & { readonly [member in Member]: readonly Item[] };

/** The result of a tool call. */
export interface ToolCallResult extends Result {
  /** The result for a model. */
  readonly content: readonly ContentBlock[];
  /** The result as data that fits the tool's `outputSchema`. */
  readonly structuredContent?: unknown;
  /** Whether the tool has failed. The content says why. */
  readonly isError?: boolean;
}

/** Contents of a resource, as the server sent them. */
export type ReceivedContents = ResourceContents & Result;

/** The result of reading a resource. */
export interface ReadResult extends Result {
  /** The contents, usually one. */
  readonly contents: readonly ReceivedContents[];
}

/** A prompt with its arguments filled in, as the server sent it. */
export type FilledPrompt = PromptResult & Result;

/** Values for an argument. */
export interface Completion {
  /** The values, best first, at most 100. */
  readonly values: readonly string[];
  /** The number of values in all. */
  readonly total?: number;
  /** Whether there are more values. */
  readonly hasMore?: boolean;
}

/** What is completed: an argument of a prompt, or a variable of a resource template. */
export type CompletionReference =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };
