/** An endpoint: one operation of a REST API as frozen data, the same whatever it was read from. */

import type { Schema, Schemas } from "../schema/mod.ts";
import type { Scheme } from "./secrets.ts";

/** Where a parameter travels. */
export type Place = "path" | "query" | "header" | "cookie";

/** How a value of several parts is serialized, by the names of OpenAPI. */
export type Style =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject";

/** How a value is serialized. */
export interface Serialization {
  /** The style. */
  readonly style: Style;
  /** Whether each part is written as one of its own. */
  readonly explode: boolean;
  /** Whether characters without a meaning in a query stay as they are: `/`, `:`, `,` and the like. @default {false} */
  readonly allowReserved?: boolean;
  /** The value is written as JSON, and then as one text. @default {false} */
  readonly json?: boolean;
}

/** A parameter of an endpoint. */
export interface Parameter extends Serialization {
  /** Its name in the API. */
  readonly name: string;
  /** The name of the tool's argument: unique within the endpoint, and one that every model may write. */
  readonly argument: string;
  /** Where it travels. */
  readonly in: Place;
  /** Whether a call must have it. */
  readonly required: boolean;
  /** JSON Schema of its value, with the description for the model. */
  readonly schema: Schema;
  /** Whether an empty text is an error, as OpenAPI says of a query unless it has `allowEmptyValue`. @default {false} */
  readonly refusesEmpty?: boolean;
}

/** How a body is written. */
export type BodyKind = "json" | "form" | "multipart" | "text" | "bytes";

/** A field of a form that is not written in the default way. */
export interface Field {
  /** How a value of several parts is written. */
  readonly serialization?: Serialization;
  /** The media type of a part of a multipart body. */
  readonly type?: string;
  /** The value is Base64, and its bytes are sent. @default {false} */
  readonly bytes?: boolean;
}

/** The body of an endpoint. */
export interface Body {
  /** The name of the tool's argument. */
  readonly argument: string;
  /** The media type, as it is sent. */
  readonly type: string;
  /** How it is written. */
  readonly kind: BodyKind;
  /** Whether a call must have it. */
  readonly required: boolean;
  /** JSON Schema of its value, with the description for the model. */
  readonly schema: Schema;
  /** Fields of a form that are not written in the default way, by name. */
  readonly fields: { readonly [name: string]: Field };
}

/** The JSON of a successful answer. */
export interface ResponseShape {
  /** JSON Schema of it. */
  readonly schema: Schema;
  /** Schemas that it refers to, as `#/$defs/name`. */
  readonly definitions: Schemas;
  /** Whether every successful answer has this shape; if not, the tool publishes no output schema. */
  readonly isOnly: boolean;
}

/** One operation. */
export interface Endpoint {
  /** The name of the tool: unique, at most 48 characters. */
  readonly name: string;
  /** For people. */
  readonly title?: string;
  /** For the model. */
  readonly description?: string;
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
  /** Its parameters. */
  readonly parameters: readonly Parameter[];
  /** Undefined when it takes none. */
  readonly body: Body | undefined;
  /** Schemas that parameters and body refer to, as `#/$defs/name`. */
  readonly definitions: Schemas;
  /** Undefined when it is not described. */
  readonly response: ResponseShape | undefined;
  /** The header `Accept`. */
  readonly accept: string;
  /** Names of the credentials that it is called with. */
  readonly credentials: readonly string[];
  /** In milliseconds; undefined for the gateway's own. */
  readonly timeoutMs: number | undefined;
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

/** An endpoint file, an OpenAPI document or an option cannot be used. */
export class GatewayError extends Error {
  /** Names the class in logs. */
  override readonly name = "GatewayError";
  /** JSON pointer to the mistake, from the root of the file; undefined when it is not in a file. */
  readonly pointer: string | undefined;

  /**
   * Says what cannot be used.
   *
   * @param message A sentence without its full stop.
   * @param pointer Where, as a JSON pointer.
   */
  constructor(message: string, pointer?: string, options?: ErrorOptions) {
    super(pointer === undefined ? message : `${pointer === "" ? "/" : pointer}: ${message}`, options);
    this.pointer = pointer;
  }
}

/** One operation cannot be served; the others can. */
export class UnservableError extends Error {
  override readonly name = "UnservableError";
  /** JSON pointer to the mistake, from the operation. */
  readonly pointer: string;

  constructor(message: string, pointer = "") {
    super(message);
    this.pointer = pointer;
  }
}

/** Does some work; where it is about something that cannot be served, the result is that of `onerror`. */
export function attempt<T>(work: () => T, onerror: (error: UnservableError) => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof UnservableError) return onerror(cause);
    throw cause;
  }
}

/** The argument that confirms a call which changes something. */
export const CONFIRMATION = "confirmation_token";

/** What every model may write as the name of an argument, and no message is rejected for. */
export const ARGUMENT: RegExp = /^(?!(?:__proto__|constructor|prototype)$)[A-Za-z0-9_.-]{1,64}$/;

/** Methods that change nothing (RFC 9110, section 9.2.1). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** The styles of each place; the first is the default. */
export const STYLES: { readonly [place in Place]: readonly Style[] } = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};
