/** Endpoints: the operations of a REST API as frozen data, whether an endpoint file or an OpenAPI document describes them. */

import type { Schema, Schemas } from "../formats/schema/mod.ts";
import type { CredentialScheme } from "./credential.ts";

/** One operation of an API. */
export interface Endpoint {
  /** The name of the tool: unique, at most 48 characters. */
  readonly name: string;
  /** A short name for people; undefined when it has none. */
  readonly title: string | undefined;
  /** For the model. */
  readonly description: string;
  /** In capitals. */
  readonly method: string;
  /** Below the base, with the names of path parameters in braces: `/users/{id}`. */
  readonly path: string;
  /** For filters and search. */
  readonly tags: readonly string[];
  /** Whether a call changes nothing. */
  readonly isSafe: boolean;
  /** Whether it is served although it can change something. */
  readonly isAllowed: boolean;
  /** The names of the credentials that are sent with a call. */
  readonly credentials: readonly string[];
  /** In milliseconds; undefined for the gateway's own. */
  readonly timeoutMs: number | undefined;
}

export interface Operation extends Endpoint {
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  readonly definitions: Schemas;
  readonly response: ResponseShape | undefined;
  /** The value of the header `Accept`. */
  readonly accept: string;
  /** The address of a server of its own; undefined for that of the API. */
  readonly base?: string | undefined;
}

export interface Argument {
  /** Its name for the model: unique within the endpoint, of characters that every model may write. */
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
  /** Whether the value is written as one text of JSON. */
  readonly json: boolean;
  readonly refusesEmpty: boolean;
}

export interface RequestBody extends Argument {
  readonly type: string;
  /** How those fields of a form are written that the API describes. */
  readonly fields: { readonly [name: string]: BodyField };
}

export interface BodyField {
  readonly serialization?: Serialization | undefined;
  readonly type?: string | undefined;
  /** Whether the argument is Base64, of which the bytes are sent. */
  readonly bytes?: boolean;
}

export interface ResponseShape {
  readonly schema: Schema;
  readonly definitions: Schemas;
  /** Whether every successful answer has this shape; if not, the tool publishes no output schema. */
  readonly isOnly: boolean;
}

/** An operation that is not served, or not as it is described. */
export interface Skipped {
  /** Its method and path: `GET /users/{id}`. */
  readonly operation: string;
  /** Why: a sentence without its full stop. */
  readonly reason: string;
}

/** What `readEndpoints` or `readOpenApi` found. */
export interface Description {
  /** The address of the API, if it names one. */
  readonly base: string | undefined;
  /** Whether the address comes from the operator of the gateway, not from that of the API. */
  readonly isOwnBase: boolean;
  /** How credentials are sent, by their names. */
  readonly schemes: { readonly [name: string]: CredentialScheme };
  /** What can be served. */
  readonly endpoints: readonly Endpoint[];
  /** What cannot be served, and why. */
  readonly skipped: readonly Skipped[];
  /** What is served, but not quite as it is described. */
  readonly remarks: readonly Skipped[];
}

/** Arguments for the gateway itself: one confirms a call, one chooses a part of a long answer. */
export const CONFIRMATION = "confirmation_token", PART = "answer_part";

/** What every model may write as the name of an argument. */
export const ARGUMENT: RegExp = /^(?!(?:__proto__|constructor|prototype)$)[A-Za-z0-9_.-]{1,64}$/;

/** Methods that change nothing (RFC 9110, section 9.2.1). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export function operationOf({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

export function keyOf({ in: place, name }: Pick<Parameter, "in" | "name">): string {
  return `${place} ${place === "header" ? name.toLowerCase() : name}`;
}

export function argumentsOf({ parameters, body }: Operation): Argument[] {
  return body ? [...parameters, body] : [...parameters];
}
