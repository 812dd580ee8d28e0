/** What does an OpenAPI document say? The same as an endpoint file; an operation that cannot be served costs no other one. */

import type { Endpoint } from "./endpoint.ts";
import type { Description, Skipped } from "./endpoint_file.ts";
import { freeze, isObject } from "../base/json.ts";
import { GatewayError, UnservableError } from "./gateway_error.ts";
import type { Part } from "./openapi_document.ts";
import { findUnusable } from "./openapi_check.ts";
import { OpenApiDocument } from "./openapi_document.ts";
import { OperationReader } from "./openapi_operation.ts";
import { readSchemes } from "./openapi_security.ts";
import { readServer } from "./openapi_servers.ts";
import { nameOperation } from "./operation_name.ts";

/** What is decided where a document leaves a choice. */
export interface OpenApiOptions {
  /** The values of server variables. @default {their defaults} */
  readonly variables?: { readonly [name: string]: string };
  /** Where the API is, whatever the document says. */
  readonly base?: string | undefined;
  /** Names of the credentials that there are: of several ways to be let in, the first that they suffice for is taken. */
  readonly credentials?: readonly string[];
}

/** The operations of a path, in the order in which they are listed. */
const METHODS = ["get", "head", "options", "post", "put", "patch", "delete", "trace"];

/**
 * Reads an OpenAPI document of 3.0 or 3.1 that was parsed already.
 *
 * @throws {GatewayError} When it is none, or says nothing that can be used.
 */
export function readOpenApi(document: unknown, options: OpenApiOptions = {}): Description {
  const version = requireVersion(document);
  const whole = new OpenApiDocument(document as Readonly<Record<string, unknown>>, version);
  const schemes = readSchemes(whole);
  const base = readServer(whole, options);
  const remarks: Skipped[] = [];
  const reader = new OperationReader(whole, schemes, options, base, (operation, reason) => {
    remarks.push({ operation, reason });
  });
  const skipped: Skipped[] = [];
  const endpoints: Endpoint[] = [];
  const names = new Set<string>();
  for (const { method, path, item } of operationsOf(whole, skipped)) {
    const operation = `${method.toUpperCase()} ${path}`;
    try {
      // A name is taken even by what cannot be served: it may be served one day.
      const name = claimName(names, item[method], method, path);
      endpoints.push(reader.read(name, method, path, item));
    } catch (cause) {
      if (!(cause instanceof UnservableError)) throw cause;
      skipped.push({ operation, reason: cause.message });
    }
  }
  return freeze({
    base,
    isOwnBase: false,
    schemes: Object.fromEntries(schemes.usable),
    endpoints: requireUsable(endpoints, skipped, remarks),
    skipped,
    remarks,
  });
}

/** The endpoints whose schemas can be compiled; what cannot be held against an answer is not promised. */
function requireUsable(endpoints: readonly Endpoint[], skipped: Skipped[], remarks: Skipped[]): Endpoint[] {
  const sent = findUnusable(endpoints, ({ parameters, body, definitions }) => ({
    schemas: [...parameters.map(({ schema }) => schema), ...(body ? [body.schema] : [])],
    definitions,
  }));
  const answered = findUnusable(
    endpoints,
    ({ response }) => response && { ...response, schemas: [response.schema] },
  );
  return endpoints.flatMap((endpoint): Endpoint[] => {
    const operation = `${endpoint.method} ${endpoint.path}`;
    const reason = sent.get(endpoint);
    if (reason !== undefined) {
      skipped.push({ operation, reason });
      return [];
    }
    const remark = answered.get(endpoint);
    if (remark === undefined) return [endpoint];
    remarks.push({ operation, reason: `Nothing is promised of its answer: ${remark}` });
    return [{ ...endpoint, response: undefined }];
  });
}

/** The name of an operation; of several with one identifier, the first in the document has it. */
function claimName(names: Set<string>, operation: unknown, method: string, path: string): string {
  const identifier = isObject(operation) ? operation["operationId"] : undefined;
  const wanted = nameOperation(
    typeof identifier === "string" && identifier !== "" ? identifier : undefined,
    method,
    path,
  );
  const name = names.has(wanted) ? nameOperation(undefined, method, path) : wanted;
  if (names.has(name)) throw new UnservableError(`Its name, ${name}, is that of another operation`);
  names.add(name);
  return name;
}

/** The version, as "3.0" or "3.1". */
function requireVersion(document: unknown): "3.0" | "3.1" {
  if (!isObject(document)) throw new GatewayError("An OpenAPI document is an object", "");
  if (document["swagger"] !== undefined) {
    throw new GatewayError(
      'This is Swagger 2, which is not read: convert it with "npx swagger2openapi FILE --outfile api.json"',
      "/swagger",
    );
  }
  const { openapi } = document;
  if (typeof openapi !== "string") {
    throw new GatewayError('An OpenAPI document says its version: "3.0.3" or "3.1.0"', "/openapi");
  }
  const found = (["3.0", "3.1"] as const).find((known) =>
    openapi === known || openapi.startsWith(`${known}.`)
  );
  if (!found) throw new GatewayError(`OpenAPI 3.0 and 3.1 are read, and this is "${openapi}"`, "/openapi");
  const { jsonSchemaDialect: dialect } = document;
  if (
    dialect !== undefined && dialect !== "https://json-schema.org/draft/2020-12/schema" &&
    dialect !== "https://spec.openapis.org/oas/3.1/dialect/base"
  ) {
    throw new GatewayError(
      "Schemas are read as JSON Schema 2020-12, and this document has another dialect",
      "/jsonSchemaDialect",
    );
  }
  return found;
}

/** Where an operation stands. */
interface Place {
  readonly method: string;
  readonly path: string;
  readonly item: Part;
}

function operationsOf(document: OpenApiDocument, skipped: Skipped[]): Place[] {
  const { paths = {} } = document.root;
  if (!isObject(paths)) throw new GatewayError("The paths of an OpenAPI document are an object", "/paths");
  return Object.entries(paths).flatMap(([path, item]): Place[] => {
    if (!path.startsWith("/")) return [];
    try {
      const found = pathItem(item, path, document);
      return METHODS.filter((method) => found[method] !== undefined).map((method) => ({
        method,
        path,
        item: found,
      }));
    } catch (cause) {
      if (!(cause instanceof UnservableError)) throw cause;
      skipped.push({ operation: path, reason: cause.message });
      return [];
    }
  });
}

/** A path, with what stands beside a reference to it: parameters are added, and anything else comes in place. */
function pathItem(item: unknown, path: string, document: OpenApiDocument): Part {
  const found = document.object(item, `the path ${path}`);
  if (!isObject(item) || item["$ref"] === undefined) return found;
  const { $ref: _, ...beside } = item;
  const parameters = [found, beside].flatMap((part: Part) =>
    Array.isArray(part["parameters"]) ? part["parameters"] : []
  );
  return { ...found, ...beside, parameters };
}

/**
 * Parses the text of an OpenAPI document.
 *
 * @throws {GatewayError} When it is not JSON.
 */
export function parseOpenApi(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const isYaml = /^\s*(?:#.*\n\s*|---\s*\n\s*|[\w-]+:.*\n[\s\S]*?^)?["']?(?:openapi|swagger)["']?\s*:/m
      .test(text.slice(0, 20_000));
    const reason = isYaml
      ? 'It is YAML, which is not read: convert it with "npx js-yaml FILE > api.json"'
      : `It is not JSON: ${(cause as Error).message}`;
    throw new GatewayError(reason, undefined, { cause });
  }
}
