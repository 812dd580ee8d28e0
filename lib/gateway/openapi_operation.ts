/** What does one operation say? Everything about it, in the form of an endpoint; or why it cannot be one. */

import type { Schema, Schemas } from "../schema/mod.ts";
import type { Body, Endpoint, Parameter, ResponseShape } from "./endpoint.ts";
import type { OpenApiDocument, Part } from "./openapi_document.ts";
import type { OpenApiOptions } from "./openapi.ts";
import type { Schemes } from "./openapi_security.ts";
import { isObject } from "../base/json.ts";
import { SAFE_METHODS } from "./endpoint.ts";
import { UnservableError } from "./gateway_error.ts";
import { readBody } from "./openapi_body.ts";
import { readParameters } from "./openapi_parameters.ts";
import { credentialsOf } from "./openapi_security.ts";
import { SchemaReader } from "./openapi_schema.ts";
import { requireSameServer } from "./openapi_servers.ts";
import { parsePath } from "./path_template.ts";

/** The longest description, in characters: some clients refuse more than 1,024. */
const MAX_DESCRIPTION = 900;

/** Takes note of what is left out of an operation. */
export type Remark = (operation: string, reason: string) => void;

/** Reads the operations of one document. */
export class OperationReader {
  readonly #document: OpenApiDocument;
  readonly #schemes: Schemes;
  readonly #options: OpenApiOptions;
  readonly #base: string | undefined;
  readonly #sent: SchemaReader;
  readonly #answered: SchemaReader;
  readonly #onremark: Remark;
  /** What is read at the moment, for remarks. */
  #current = "";

  /** Takes what operations share. */
  constructor(
    document: OpenApiDocument,
    schemes: Schemes,
    options: OpenApiOptions,
    base: string | undefined,
    onremark: Remark,
  ) {
    this.#document = document;
    this.#schemes = schemes;
    this.#options = options;
    this.#base = base;
    this.#onremark = onremark;
    const remark = (reason: string) => this.#onremark(this.#current, reason);
    this.#sent = new SchemaReader(document, "sent", remark);
    this.#answered = new SchemaReader(document, "answered", () => {});
  }

  /**
   * Reads one operation.
   *
   * @throws {UnservableError} Saying why it cannot be served.
   */
  read(name: string, method: string, path: string, item: Part): Endpoint {
    this.#current = `${method.toUpperCase()} ${path}`;
    const operation = this.#document.object(item[method], "the operation");
    if (method === "trace") throw new UnservableError("TRACE cannot be sent");
    requirePath(path);
    requireSameServer([operation, item], this.#document, this.#options, this.#base);
    const remark = (reason: string) => this.#onremark(this.#current, reason);
    const body = this.#body(operation, method, remark);
    const parameters = readParameters(
      this.#document,
      this.#sent,
      path,
      [item, operation],
      body !== undefined,
      remark,
    );
    const definitions = this.#definitions(parameters, body);
    const { shape, accept } = this.#response(operation, method);
    const { summary, description, tags, deprecated } = operation;
    const words = [deprecated === true ? "Deprecated." : "", textOf(description) ?? textOf(summary) ?? ""];
    const title = textOf(summary);
    return {
      name,
      ...(title === undefined ? {} : { title: cut(title, 100) }),
      description: cut(words.filter((word) => word !== "").join(" "), MAX_DESCRIPTION),
      method: method.toUpperCase(),
      path,
      tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
      isSafe: SAFE_METHODS.has(method.toUpperCase()),
      isAllowed: false,
      parameters,
      body,
      definitions,
      response: shape,
      accept,
      credentials: credentialsOf(operation, this.#document, this.#schemes, this.#options.credentials ?? []),
      timeoutMs: undefined,
    };
  }

  #body(operation: Part, method: string, remark: (reason: string) => void): Body | undefined {
    const { requestBody } = operation;
    if (requestBody === undefined) return undefined;
    const part = this.#document.object(requestBody, "the body");
    if (method !== "get" && method !== "head") return readBody(part, this.#document, this.#sent);
    if (part["required"] === true) {
      throw new UnservableError(`${method.toUpperCase()} with a body cannot be sent`);
    }
    remark(`${method.toUpperCase()} is sent without its body`);
    return undefined;
  }

  /** The definitions that the arguments need. */
  #definitions(parameters: readonly Parameter[], body: Body | undefined): Schemas {
    const schemas = [...parameters.map(({ schema }) => schema), ...(body ? [body.schema] : [])];
    return this.#sent.definitionsOf(schemas);
  }

  /** What is answered when all goes well, as far as it is JSON. */
  #response(operation: Part, method: string): { shape: ResponseShape | undefined; accept: string } {
    const { responses } = operation;
    const good = Object.entries(isObject(responses) ? responses : {}).filter(([status]) =>
      /^2(?:\d\d|XX)$/.test(status)
    );
    const contents = good.map(([status, response]) => {
      const { content } = this.#document.object(response, `the response ${status}`);
      return isObject(content) ? content : {};
    });
    const types = [...new Set(contents.flatMap(Object.keys))];
    const json = types.filter(isJson);
    const accept = [...(json.length > 0 ? json : types)].join(", ") || "*/*";
    const media = contents.flatMap((content) => json.map((type) => content[type])).find((one) =>
      one !== undefined
    );
    if (method === "head" || !isObject(media) || media["schema"] === undefined) {
      return { shape: undefined, accept };
    }
    const shape = this.#shape(media["schema"], good.length === 1 && json.length === 1 && types.length === 1);
    return { shape, accept };
  }

  /** What cannot be read of an answer is not promised; the operation is served all the same. */
  #shape(written: unknown, isOnly: boolean): ResponseShape | undefined {
    try {
      const schema = objectAtRoot(this.#answered.read(written), this.#answered);
      return { schema, definitions: this.#answered.definitionsOf([schema]), isOnly };
    } catch (cause) {
      if (!(cause instanceof UnservableError)) throw cause;
      this.#onremark(this.#current, `Nothing is promised of its answer: ${cause.message}`);
      return undefined;
    }
  }
}

/** An answer as a whole is never null, and an object is said to be one in plain sight: that is what results are made of. */
function objectAtRoot(schema: Schema, reader: SchemaReader): Schema {
  let root = schema;
  for (let hops = 0; typeof root === "object" && root.$ref !== undefined && hops < 20; hops++) {
    const name = root.$ref.slice("#/$defs/".length);
    root = reader.definitionsOf([root])[name] ?? true;
  }
  if (typeof root !== "object") return schema;
  const isObject = Array.isArray(root.type) &&
    root.type.every((type) => type === "object" || type === "null");
  return isObject ? { ...root, type: "object" } : schema;
}

function requirePath(path: string): void {
  try {
    parsePath(path);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new UnservableError(`The path ${cause.message}`, { cause });
  }
}

function isJson(type: string): boolean {
  return /^(?:application\/(?:json|[\w.+-]+\+json)|text\/json)(?:;|$)/i.test(type);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}
