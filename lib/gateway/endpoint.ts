/** Endpoints: the operations of a REST API as frozen data, read from an endpoint file or an OpenAPI document. */

import type { Schema, Schemas } from "../formats/schema/mod.ts";
import type { CredentialScheme } from "./credential.ts";
import type { MediaKind } from "./media_kind.ts";

/** One operation of an API. */
export interface Endpoint {
  /** The name of the tool: unique, at most 48 characters. */
  readonly name: string;
  /** A short name for people. */
  readonly title: string | undefined;
  /** For the model: what the operation does. */
  readonly description: string;
  /** In upper case: `GET`. */
  readonly method: string;
  /** Relative to the base URL, with path parameters in braces: `/users/{id}`. */
  readonly path: string;
  /** For filters and search. */
  readonly tags: readonly string[];
  /** Whether calls only read. */
  readonly isSafe: boolean;
  /** Whether it is served even though it can change something. */
  readonly isAllowed: boolean;
  /** The names of the credentials sent with each call. */
  readonly credentials: readonly string[];
  /** In milliseconds; undefined means the timeout of the gateway. */
  readonly timeoutMs: number | undefined;
  /** What the document calls the operation, if `name` had to differ. Filters know it too. */
  readonly operationId?: string | undefined;
}

/** An endpoint with everything that a call needs. */
export interface Operation extends Endpoint {
  readonly parameters: readonly Parameter[];
  /** The bodies that the API accepts, the preferred one first. */
  readonly bodies: readonly RequestBody[];
  /** The definitions that the schemas of arguments refer to. */
  readonly definitions: Schemas;
  readonly response: ResponseShape | undefined;
  /** The value of the `Accept` header. */
  readonly accept: string;
  /** The base URL of this operation; undefined means that of the API. */
  readonly base?: string | undefined;
}

/** An argument of a call. */
export interface Argument {
  /** The name for the model: unique within the endpoint, and matched by `ARGUMENT`. */
  readonly argument: string;
  readonly required: boolean;
  readonly schema: Schema;
}

export type Place = "path" | "query" | "header" | "cookie";
export type Style = "simple" | "label" | "matrix" | "form" | `${"space" | "pipe"}Delimited` | "deepObject";

/** How a value is written as text, in the terms of OpenAPI. */
export interface Serialization {
  readonly style: Style;
  readonly explode: boolean;
}

/** An argument that is sent outside of the body. */
export interface Parameter extends Argument, Serialization {
  readonly name: string;
  readonly in: Place;
  readonly allowReserved: boolean;
  /** Whether the value is sent as JSON text. */
  readonly json: boolean;
  /** Whether an empty string is an error. */
  readonly refusesEmpty: boolean;
}

/** An argument that is sent as the body. */
export interface RequestBody extends Argument {
  /** The media type. */
  readonly type: string;
  readonly kind: MediaKind;
  /** How the fields of a form are encoded. Fields without an entry are encoded by their values. */
  readonly fields: { readonly [name: string]: BodyField };
}

/** How a field of a form is sent. */
export interface BodyField {
  readonly required?: boolean;
  readonly serialization?: Serialization | undefined;
  readonly type?: string | undefined;
  /** Whether the argument is Base64, and its decoded bytes are sent. */
  readonly bytes?: boolean;
}

/** The schema of a successful answer. */
export interface ResponseShape {
  readonly schema: Schema;
  readonly definitions: Schemas;
  /** Whether every successful answer has this shape; if not, the tool publishes no output schema. */
  readonly isOnly: boolean;
}

/** An operation that is not served, or whose tool differs from its description. */
export interface Skipped {
  /** The method and the path: `GET /users/{id}`. */
  readonly operation: string;
  /** A sentence without the full stop. */
  readonly reason: string;
}

/** The result of `readEndpoints` and `readOpenApi`. */
export interface Description {
  /** The base URL of the API, if there is one. */
  readonly base: string | undefined;
  /** The names of the variables in the URLs of the servers. */
  readonly variables?: readonly string[];
  /** Whether the operator of the gateway chose the base URL, and not the author of the document. */
  readonly isOwnBase: boolean;
  /** How each credential is sent, by its name. */
  readonly schemes: { readonly [name: string]: CredentialScheme };
  /** The operations that can be served. */
  readonly endpoints: readonly Endpoint[];
  /** The operations that cannot be served. */
  readonly skipped: readonly Skipped[];
  /** The operations whose tools differ from their descriptions. */
  readonly remarks: readonly Skipped[];
}

/** The argument that confirms a call. It is for the gateway and is not sent. */
export const CONFIRMATION = "confirmation_token";
/** The argument that chooses a part of a long answer. It is for the gateway and is not sent. */
export const PART = "answer_part";
/** The argument that chooses the media type of the body. It is for the gateway and is not sent. */
export const BODY_TYPE = "body_type";

/** The argument names that every model accepts. */
export const ARGUMENT: RegExp = /^(?!(?:__proto__|constructor|prototype)$)[A-Za-z0-9_.-]{1,64}$/;

/** Methods that only read (RFC 9110, section 9.2.1, and the draft of QUERY). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "QUERY"]);

/** The name of an operation in messages: "GET /users/{id}". */
export function operationOf({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

/** Identifies a parameter or credential by its place and name. The names of headers ignore case. */
export function keyOf({ in: place, name }: Pick<Parameter, "in" | "name">): string {
  return `${place} ${place === "header" ? name.toLowerCase() : name}`;
}

/** The arguments of a call. Several bodies have the same name. */
export function argumentsOf({ parameters, bodies }: Operation): Argument[] {
  return [...parameters, ...bodies];
}
