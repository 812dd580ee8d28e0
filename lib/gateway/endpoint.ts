/** Endpoints: the operations of a REST API as frozen data, the same whatever they were read from. */

import type { Schema, Schemas } from "../schema/mod.ts";
import type { Scheme } from "./secrets.ts";
import { ToolValidationError } from "../server/tool.ts";

/** One operation of an API. */
export interface Endpoint {
  /** The name of the tool: unique, at most 48 characters. */
  readonly name: string;
  /** For people; undefined when it has none. */
  readonly title: string | undefined;
  /** For the model. */
  readonly description: string;
  /** In capitals. */
  readonly method: string;
  /** Below the base, with the names of path parameters in braces: `/users/{id}`. */
  readonly path: string;
  /** For filters and search. */
  readonly tags: readonly string[];
  /** Whether it changes nothing. */
  readonly isSafe: boolean;
  /** Whether it may be a tool although it can change something. */
  readonly isAllowed: boolean;
  /** Names of the credentials that it is called with. */
  readonly credentials: readonly string[];
  /** In milliseconds; undefined for the gateway's own. */
  readonly timeoutMs: number | undefined;
}

export interface Operation extends Endpoint {
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly definitions: Schemas;
  readonly response: ResponseShape | undefined;
  /** The header `Accept`. */
  readonly accept: string;
  readonly base?: string | undefined;
}

export interface Argument {
  /** Unique within the endpoint, and a name that every model may write. */
  readonly argument: string;
  readonly required: boolean;
  readonly schema: Schema;
}

export type Place = "path" | "query" | "header" | "cookie";
export type Style = "simple" | "label" | "matrix" | "form" | `${"space" | "pipe"}Delimited` | "deepObject";

export interface Serialization {
  readonly style: Style;
  readonly explode: boolean;
}

export interface Parameter extends Argument, Serialization {
  readonly name: string;
  readonly in: Place;
  readonly allowReserved: boolean;
  /** Whether the value is written as JSON, and then as one text. */
  readonly json: boolean;
  readonly refusesEmpty: boolean;
}

export interface Body extends Argument {
  readonly type: string;
  /** How the fields of a form are written, where it is described. */
  readonly fields: { readonly [name: string]: Field };
}

export interface Field {
  readonly serialization?: Serialization | undefined;
  readonly type?: string | undefined;
  /** Whether the value is Base64, and its bytes are sent. */
  readonly bytes?: boolean;
}

export interface ResponseShape {
  readonly schema: Schema;
  readonly definitions: Schemas;
  /** Whether every successful answer has this shape; if not, the tool publishes no output schema. */
  readonly isOnly: boolean;
}

/** An operation and what was found about it. */
export interface Skipped {
  /** `GET /users/{id}`. */
  readonly operation: string;
  /** One sentence without its full stop. */
  readonly reason: string;
}

/** What `readEndpoints` or `readOpenApi` found. */
export interface Description {
  /** The address of the API, if it names one. */
  readonly base: string | undefined;
  /** Whether the operator of the gateway wrote the address, and not the operator of the API. */
  readonly isOwnBase: boolean;
  /** Where credentials go, by their names. */
  readonly schemes: { readonly [name: string]: Scheme };
  /** What can be served. */
  readonly endpoints: readonly Endpoint[];
  /** What cannot be served, and why. */
  readonly skipped: readonly Skipped[];
  /** What is served, but not quite as it is described. */
  readonly remarks: readonly Skipped[];
}

/** An endpoint file, an OpenAPI document, one of its operations, or an option cannot be used. */
export class GatewayError extends Error {
  /** Names the class in logs. */
  override readonly name = "GatewayError";
  /** The message without the pointer: a sentence without its full stop. */
  readonly reason: string;
  /** JSON pointer to the mistake, from the root of the file; undefined when it is not in a file. */
  readonly pointer: string | undefined;

  /** Makes the message of the pointer and the reason. */
  constructor(reason: string, pointer?: string, options?: ErrorOptions) {
    super(pointer === undefined ? reason : `${pointer || "/"}: ${reason}`, options);
    this.reason = reason;
    this.pointer = pointer;
  }
}

export function refuse(reason: string, pointer?: string): never {
  throw new GatewayError(reason, pointer);
}

export function reject(reason: string): never {
  throw new ToolValidationError(reason);
}

export function attempt<T>(work: () => T, onerror: (error: GatewayError) => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof GatewayError) return onerror(cause);
    throw cause;
  }
}

/** Arguments of the gateway's own: one confirms a call, one chooses a part of a long answer. */
export const CONFIRMATION = "confirmation_token", PART = "answer_part";

export const ARGUMENT: RegExp = /^(?!(?:__proto__|constructor|prototype)$)[A-Za-z0-9_.-]{1,64}$/;

/** Methods that change nothing (RFC 9110, section 9.2.1). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export function operationOf({ method, path }: Pick<Endpoint, "method" | "path">): string {
  return `${method} ${path}`;
}

export function keyOf({ in: place, name }: { readonly in: Place; readonly name: string }): string {
  return `${place} ${place === "header" ? name.toLowerCase() : name}`;
}
