/** Translates what is new in OpenAPI 3.2 to the terms of 3.1. */

import type { JsonObject } from "../base/json.ts";
import type { OpenApiDocument } from "./openapi_document.ts";
import { asObject, isObject } from "../base/json.ts";
import { refuse } from "./errors.ts";
import { mediaKind } from "./media_kind.ts";

/** Members of a path item that are not methods. */
const COMMON = ["$ref", "summary", "description", "servers", "parameters"];
const METHODS = ["GET", "HEAD", "OPTIONS", "QUERY", "POST", "PUT", "PATCH", "DELETE", "TRACE"];

/** The methods of a path item, with their operations. Names of methods may be in any case. */
export function methodsOf(item: JsonObject): [method: string, operation: unknown][] {
  return Object.entries(item).flatMap(([key, value]): [string, unknown][] => {
    if (COMMON.includes(key) || key.startsWith("x-")) return [];
    return key === "additionalOperations" ? Object.entries(asObject(value)) : [[key.toUpperCase(), value]];
  });
}

/** @throws {GatewayError} When a path item cannot have this method, or no client can send it. */
export function checkMethod(method: string, item: JsonObject): void {
  const isAdded = Object.hasOwn(asObject(item["additionalOperations"]), method);
  if (!isAdded && !METHODS.includes(method)) refuse(`OpenAPI does not define the method ${method}`);
  if (/^(?:TRACE|TRACK|CONNECT)$/i.test(method) || !/^[\w!#$%&'*+.^`|~-]+$/.test(method)) {
    refuse(`${method} cannot be sent`);
  }
}

/** The media types of a body or an answer. A sequence of items is text. */
export function mediaOf(content: unknown, document: OpenApiDocument): [range: string, media: JsonObject][] {
  return Object.entries(asObject(content)).map(([range, written]) => {
    const media = isObject(written) ? document.object(written, `the media type ${range}`) : {};
    const isSequence = media["schema"] === undefined && media["itemSchema"] !== undefined &&
      mediaKind(range) !== "json";
    return [range, isSequence ? { ...media, schema: { type: "string" } } : media];
  });
}

/** A parameter. The members of a whole query are the members of an exploded object. */
export function parameterOf(written: JsonObject, onremark: (reason: string) => void): JsonObject {
  const { in: place, style, name, content } = written;
  if (place === "cookie" && style === "cookie") {
    onremark(`The cookie ${name} is percent-encoded`);
    return { ...written, style: "form" };
  }
  const [[type = "", media] = []] = Object.entries(asObject(content));
  if (place !== "querystring" || mediaKind(type) !== "form") return written;
  const { schema } = asObject(media);
  return { ...written, in: "query", style: "form", explode: true, schema, content: undefined };
}
