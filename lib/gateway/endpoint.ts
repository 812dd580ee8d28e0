/** What is an endpoint? One operation of a REST API as data: read once, frozen, and the same whatever it was read from. */

import type { Schema, Schemas } from "../schema/mod.ts";

/** Where a parameter travels. */
export type Place = "path" | "query" | "header" | "cookie";

/** How a value of several parts is written down, by the names of OpenAPI. */
export type Style =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject";

/** How a value is written down. */
export interface Serialization {
  /** The style. */
  readonly style: Style;
  /** Whether each part is written as one of its own. */
  readonly explode: boolean;
  /** Whether characters stay as they are that mean nothing in a query: `/`, `:`, `,` and the like. @default {false} */
  readonly allowReserved?: boolean;
  /** The value is written as JSON, and then as one text. @default {false} */
  readonly json?: boolean;
}

/** Something that an operation takes beside its body. */
export interface Parameter extends Serialization {
  /** What the API calls it. */
  readonly name: string;
  /** What the tool calls it: unique within the endpoint, in letters that every model may write. */
  readonly argument: string;
  /** Where it travels. */
  readonly in: Place;
  /** Whether there is no request without it. */
  readonly required: boolean;
  /** For the model. */
  readonly description?: string;
  /** What its value fits. */
  readonly schema: Schema;
  /** Whether an empty text is none: OpenAPI says so of what is in a query, unless it says otherwise. @default {false} */
  readonly refusesEmpty?: boolean;
}

/** How a body is written down. */
export type BodyKind = "json" | "form" | "multipart" | "text" | "bytes";

/** How one field of a form travels, where it is not as usual. */
export interface Field {
  /** How a value of several parts is written. */
  readonly serialization?: Serialization;
  /** The type of a part of a multipart body. */
  readonly type?: string;
  /** The value is Base64, and its bytes are sent. @default {false} */
  readonly bytes?: boolean;
}

/** What an operation takes as its body. */
export interface Body {
  /** What the tool calls it. */
  readonly argument: string;
  /** The media type, as it is sent. */
  readonly type: string;
  /** How it is written down. */
  readonly kind: BodyKind;
  /** Whether there is no request without it. */
  readonly required: boolean;
  /** For the model. */
  readonly description?: string;
  /** What its value fits. */
  readonly schema: Schema;
  /** Fields of a form that do not travel as usual, by name. */
  readonly fields: { readonly [name: string]: Field };
}

/** What an operation answers when all goes well. */
export interface ResponseShape {
  /** What its JSON fits. */
  readonly schema: Schema;
  /** Schemas that it refers to. */
  readonly definitions: Schemas;
  /** Whether every good answer is said to be JSON of this shape; if not, nothing is promised. */
  readonly isOnly: boolean;
}

/** One operation. */
export interface Endpoint {
  /** What the tool is called: unique, 48 characters at most. */
  readonly name: string;
  /** For people. */
  readonly title?: string;
  /** For the model. */
  readonly description?: string;
  /** In capitals. */
  readonly method: string;
  /** Below the base, with the names of path parameters in braces: `/users/{id}`. */
  readonly path: string;
  /** What it is filed under. */
  readonly tags: readonly string[];
  /** Whether it changes nothing. */
  readonly isSafe: boolean;
  /** Whether it may be a tool although it can change something. */
  readonly isAllowed: boolean;
  /** All but the body. */
  readonly parameters: readonly Parameter[];
  /** Undefined when it takes none. */
  readonly body: Body | undefined;
  /** Schemas that parameters and body refer to. */
  readonly definitions: Schemas;
  /** Undefined when nothing is said of it. */
  readonly response: ResponseShape | undefined;
  /** What it accepts as an answer, as a header says it. */
  readonly accept: string;
  /** Names of the credentials that it is called with. */
  readonly credentials: readonly string[];
  /** In milliseconds; undefined for the gateway's own. */
  readonly timeoutMs: number | undefined;
}

/** The longest name of an endpoint: clients put the name of the server in front, and leave out what passes 60. */
export const MAX_NAME = 48;

/** What every model and every client takes as a name. */
export const NAME: RegExp = /^[A-Za-z0-9_-]{1,48}$/;

/** What every model may write as the name of an argument, and no message is refused for. */
export const ARGUMENT: RegExp = /^(?!(?:__proto__|constructor|prototype)$)[A-Za-z0-9_.-]{1,64}$/;

/** The argument that confirms a call which changes something. */
export const CONFIRMATION = "confirmation_token";

/** Methods that change nothing (RFC 9110, section 9.2.1). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** How a parameter is written unless it says so itself. */
export function usual(place: Place): Serialization {
  return place === "query" || place === "cookie"
    ? { style: "form", explode: true }
    : { style: "simple", explode: false };
}

/** The styles that a place has. */
export const STYLES: { readonly [place in Place]: readonly Style[] } = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};
