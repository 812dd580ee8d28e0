/** Translates Swagger 2.0 to OpenAPI 3.0. What has no equivalent stays as it is, so that the reader of OpenAPI lists it. */

import type { JsonObject } from "../base/json.ts";
import { asArray, asObject, isObject } from "../base/json.ts";
import { recover } from "./errors.ts";
import { mediaKind } from "./media_kind.ts";

/** Follows the references of an object. @throws {GatewayError} */
type Resolve = (value: unknown, what: string) => JsonObject;

const STYLES: JsonObject = { multi: "form", ssv: "spaceDelimited", pipes: "pipeDelimited" };

/** The document as OpenAPI 3.0. References into the rest of the document stay valid. */
export function fromSwagger(root: JsonObject, resolve: Resolve): JsonObject {
  const { paths, securityDefinitions } = root;
  const schemes = mapped(securityDefinitions, (one) => {
    const { type } = asObject(one);
    return type === "basic" ? { type: "http", scheme: "basic" } : one;
  });
  return {
    ...root,
    openapi: "3.0.3",
    servers: serversOf(root, root["schemes"]),
    paths: isObject(paths) ? mapped(paths, (item) => pathItem(item, root, resolve)) : paths,
    components: { securitySchemes: schemes },
  };
}

function mapped(object: unknown, change: (value: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(asObject(object)).map(([key, value]) => [key, change(value, key)]),
  );
}

/** The server, with the first of these schemes: https, http, another. */
function serversOf({ host, basePath }: JsonObject, schemes: unknown): JsonObject[] | undefined {
  const path = `/${basePath ?? ""}`.replace(/^\/+|\/+$/g, "");
  if (typeof host !== "string") return path === "" ? undefined : [{ url: `/${path}` }];
  const [first = "https"] = asArray(schemes);
  const scheme = ["https", "http"].find((one) => asArray(schemes).includes(one)) ?? first;
  return [{ url: `${scheme}://${host.replace(/^\w+:\/\/|\/+$/g, "")}${path && `/${path}`}` }];
}

/** A path item. Its parameters become those of its operations. */
function pathItem(written: unknown, root: JsonObject, resolve: Resolve): unknown {
  const { $ref: _, ...siblings } = asObject(written);
  const found = recover(() => resolve(written, "the path"), () => asObject(written));
  const { parameters: _shared, ...item } = { ...found, ...siblings };
  const shared = [...new Set([found, siblings].flatMap(({ parameters }) => asArray(parameters)))];
  return mapped(item, (one, key) => {
    if (!isObject(one) || key.startsWith("x-")) return one;
    return recover(() => operation(resolve(one, "the operation"), shared, root, resolve), () => one);
  });
}

function operation(
  written: JsonObject,
  shared: readonly unknown[],
  root: JsonObject,
  resolve: Resolve,
): JsonObject {
  const { consumes = root["consumes"], produces = root["produces"], responses, schemes } = written;
  // A broken reference is left for the reader.
  const all = [...shared, ...asArray(written["parameters"])]
    .map((one) => recover(() => resolve(one, "a parameter"), () => asObject(one)));
  const body = all.findLast((one) => one["in"] === "body");
  const fields = body ? [] : all.filter((one) => one["in"] === "formData");
  const isOther = Array.isArray(schemes) && Array.isArray(root["schemes"]) &&
    !root["schemes"].some((one) => schemes.includes(one));
  return {
    ...written,
    parameters: all.filter((one) => one !== body && one["in"] !== "body" && !fields.includes(one)).map(
      parameter,
    ),
    requestBody: body ? { ...body, content: contentOf(consumes, body["schema"]) } : formOf(fields, consumes),
    responses: mapped(
      responses,
      (one) => recover(() => response(resolve(one, "a response"), produces), () => one),
    ),
    servers: isOther ? serversOf(root, schemes) : undefined,
  };
}

/** The media types of a body or an answer, each with its schema. */
function contentOf(types: unknown, schema: unknown, usual = "application/json"): JsonObject {
  const [...all] = asArray(types);
  return Object.fromEntries((all.length > 0 ? all : [usual]).map((type) => [String(type), { schema }]));
}

/** A parameter that is not sent in the body. The keywords of its schema are next to its other members. */
function parameter(written: JsonObject): JsonObject {
  const { in: place, required: _, collectionFormat, ...schema } = written;
  const style = schema["type"] === "array" ? serialization(place, collectionFormat) : {};
  return { ...written, ...style, schema: schema["schema"] ?? schema };
}

/** How a list is written. */
function serialization(place: unknown, format: unknown = "csv"): JsonObject {
  const isInPath = place === "path" || place === "header";
  return {
    style: format === "csv" ? (isInPath ? "simple" : "form") : STYLES[String(format)] ?? format,
    explode: format === "multi",
  };
}

/** The body of a form. */
function formOf(fields: readonly JsonObject[], consumes: unknown): JsonObject | undefined {
  if (fields.length === 0) return undefined;
  const isFile = ({ type }: JsonObject) => type === "file";
  const form = fields.some(isFile) ? "multipart/form-data" : "application/x-www-form-urlencoded";
  const known = asArray(consumes).filter((one) =>
    fields.some(isFile) ? one === form : ["form", "multipart"].includes(mediaKind(`${one}`))
  );
  const member = ({ name, in: _place, required: _required, ...schema }: JsonObject) =>
    [String(name), isFile(schema) ? { ...schema, type: "string", format: "binary" } : schema] as const;
  const schema = {
    type: "object",
    properties: Object.fromEntries(fields.map(member)),
    required: fields.filter(({ required }) => required === true).map(({ name }) => name),
  };
  const encoding = Object.fromEntries(
    fields.filter(({ type }) => type === "array")
      .map(({ name, collectionFormat }) => [name, serialization("formData", collectionFormat)]),
  );
  const required = schema.required.length > 0;
  return {
    required,
    content: mapped(contentOf(known, schema, form), (one) => ({ ...asObject(one), encoding })),
  };
}

function response(written: JsonObject, produces: unknown): JsonObject {
  const { schema } = written;
  const isFile = asObject(schema)["type"] === "file";
  if (schema === undefined && asArray(produces).length === 0) return written;
  const content = contentOf(
    produces,
    isFile ? undefined : schema,
    isFile ? "application/octet-stream" : "application/json",
  );
  return { ...written, content };
}
