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

/** A path item. Its parameters become those of its operations. What has a broken reference is left for the reader. */
function pathItem(written: unknown, root: JsonObject, resolve: Resolve): unknown {
  const tried = <T>(one: T, what: string, change: (found: JsonObject) => unknown): unknown =>
    recover(() => change(resolve(one, what)), () => one);
  return tried(written, "the path", (found) => {
    const { $ref: _, ...siblings } = asObject(written);
    const { parameters: _shared, ...item } = { ...found, ...siblings };
    const shared = [...new Set([found, siblings].flatMap(({ parameters }) => asArray(parameters)))];
    const parametersOf = (operation: JsonObject) =>
      [...shared, ...asArray(operation["parameters"])].map((one) =>
        asObject(tried(one, "a parameter", (one) => one))
      );
    return mapped(item, (one, key) => {
      if (!isObject(one) || key.startsWith("x-")) return one;
      return tried(one, "the operation", (found) => {
        const { produces = root["produces"] } = found;
        const answer = (one: unknown) => tried(one, "a response", (found) => response(found, produces));
        return {
          ...operation(found, parametersOf(found), root),
          responses: mapped(found["responses"], answer),
        };
      });
    });
  });
}

function operation(written: JsonObject, all: readonly JsonObject[], root: JsonObject): JsonObject {
  const { consumes = root["consumes"], schemes } = written;
  const body = all.findLast((one) => one["in"] === "body");
  const fields = body ? [] : all.filter((one) => one["in"] === "formData");
  const isOther = !asArray(root["schemes"]).some((one) => asArray(schemes ?? root["schemes"]).includes(one));
  return {
    ...written,
    parameters: all.filter((one) => one["in"] !== "body" && !fields.includes(one)).map(parameter),
    requestBody: body ? { ...body, content: contentOf(consumes, body["schema"]) } : formOf(fields, consumes),
    servers: isOther && schemes && root["schemes"] ? serversOf(root, schemes) : undefined,
  };
}

/** The media types of a body or an answer, each with its schema and what is the same for all. */
function contentOf(
  types: unknown,
  schema: unknown,
  usual = "application/json",
  rest: JsonObject = {},
): JsonObject {
  const all = asArray(types).length > 0 ? asArray(types) : [usual];
  return Object.fromEntries(all.map((type) => [String(type), { schema, ...rest }]));
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
  const isForm = (type: unknown) =>
    type === form || (!fields.some(isFile) && mediaKind(`${type}`) === "multipart");
  const members = fields.map(({ name, in: _place, required: _required, ...schema }) =>
    [name, isFile(schema) ? { ...schema, type: "string", format: "binary" } : schema] as const
  );
  const required = fields.filter((one) => one["required"] === true).map(({ name }) => name);
  const lists = fields.filter(({ type }) => type === "array")
    .map(({ name, collectionFormat }) => [name, serialization("formData", collectionFormat)]);
  const schema = { type: "object", properties: Object.fromEntries(members), required };
  const content = contentOf(asArray(consumes).filter(isForm), schema, form, {
    encoding: Object.fromEntries(lists),
  });
  return { required: required.length > 0, content };
}

function response(written: JsonObject, produces: unknown): JsonObject {
  const { schema } = written;
  if (schema === undefined && asArray(produces).length === 0) return written;
  const isFile = asObject(schema)["type"] === "file";
  const content = isFile
    ? contentOf(produces, undefined, "application/octet-stream")
    : contentOf(produces, schema);
  return { ...written, content };
}
