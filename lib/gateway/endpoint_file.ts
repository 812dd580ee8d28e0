/** Reads endpoint files: translates each endpoint to an OpenAPI operation. Every mistake is an error. */

import type { FromSchema, Schema, Schemas } from "../formats/schema/mod.ts";
import type { Description, Operation, Place } from "./endpoint.ts";
import type { Source } from "./operation_source.ts";
import { asObject, compact, freeze } from "../base/json.ts";
import { parsePointer, toPointer } from "../base/pointer.ts";
import { quoted } from "../base/text.ts";
import { headerParameters } from "../mcp/protocol/headers.ts";
import { compileSchema, walkSchema } from "../formats/schema/mod.ts";
import { keyOf, SAFE_METHODS } from "./endpoint.ts";
import { recover, refuse } from "./errors.ts";
import { OpenApiDocument } from "./openapi_document.ts";
import { readOperation } from "./operation.ts";
import { definitionOf } from "./schema_references.ts";
import { STYLES } from "./serialize.ts";
import { closedObject, inputSchemaOf } from "./tool_definition.ts";
import { compileError } from "./usable_schemas.ts";

const TEXT = { type: "string", minLength: 1 } as const;
const TEXTS = { type: "array", items: TEXT } as const;
const FLAG = { type: "boolean" } as const;
const SCHEMA = { type: ["object", "boolean"] } as const;
const NAME = { type: "string", pattern: "^[\\w.-]+$" } as const;

const NAMED = ["header", "query", "cookie"];
const SCHEME = {
  ...closedObject(["type"], { type: { enum: [...NAMED, "basic", "bearer"] }, name: NAME }),
  if: { properties: { type: { enum: NAMED } } },
  then: { required: ["name"] },
  else: { properties: { name: false } },
};
const PARAMETER = closedObject(["name", "in"], {
  name: TEXT,
  argument: TEXT,
  in: { enum: Object.keys(STYLES) as Place[] },
  required: FLAG,
  description: { type: "string" },
  schema: SCHEMA,
  style: { enum: Object.values(STYLES).flat() },
  explode: FLAG,
});
const BODY = closedObject(["schema"], {
  type: { type: "string", pattern: "^[\\w.+-]+/[\\w.+-]+(;[\\x20-\\x7e]*)?$" },
  required: FLAG,
  description: { type: "string" },
  schema: SCHEMA,
});
const ENDPOINT = closedObject(["name", "description", "method", "path"], {
  name: { type: "string", pattern: "^[A-Za-z0-9_-]{1,48}$" },
  title: TEXT,
  description: TEXT,
  method: { enum: ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] },
  path: { type: "string", pattern: "^/[^?#]*$" },
  tags: TEXTS,
  safe: FLAG,
  allow: FLAG,
  auth: TEXTS,
  parameters: { type: "array", items: PARAMETER },
  body: BODY,
  response: SCHEMA,
  timeoutMs: { type: "integer", minimum: 1, maximum: 3_600_000 },
});
const FILE = closedObject(["endpoints"], {
  base: TEXT,
  auth: { type: "object", propertyNames: NAME, additionalProperties: SCHEME },
  definitions: { type: "object", additionalProperties: SCHEMA },
  endpoints: { type: "array", items: ENDPOINT, minItems: 1 },
});

type WrittenEndpoint = FromSchema<typeof ENDPOINT>;
type Common = Pick<Source, "document" | "sent" | "answered" | "isOwn" | "onremark">;

/** Reads a parsed endpoint file. @throws {GatewayError} With a pointer to the first mistake. */
export function readEndpoints(file: unknown): Description {
  const { openapi, swagger = openapi, endpoints: listed } = asObject(file);
  const isOther = swagger !== undefined && listed === undefined;
  if (isOther) refuse("This is an OpenAPI document, not an endpoint file: pass it with readOpenApi", "");
  const [issue] = compileSchema(FILE)(file);
  if (issue) refuse(issue.message.replace(/\.$/, ""), issue.path);
  const { base, auth = {}, definitions = {}, endpoints } = structuredClone(file) as FromSchema<typeof FILE>;
  const $defs = definitions as Schemas;
  const schemas = { read: (schema: unknown) => schema as Schema, definitions: $defs };
  const document = new OpenApiDocument({ openapi: "3.1.0", $defs });
  const source = { document, sent: schemas, answered: schemas, isOwn: true, onremark: () => {} };
  const read = endpoints.map((written, index) => {
    const at = `/endpoints/${index}`;
    return recover(
      () => {
        const first = endpoints.findIndex(({ name }) => name === written.name);
        if (first < index) refuse(`/endpoints/${first} already has the name "${written.name}"`, "/name");
        checkEndpoint(written, auth);
        const credentials = written.auth ?? Object.keys(auth);
        const endpoint = { ...toEndpoint(source, written), credentials };
        checkSchemas(endpoint, $defs);
        return endpoint;
      },
      ({ reason, pointer = "" }) => refuse(reason, /^\/definitions/.test(pointer) ? pointer : at + pointer),
    );
  });
  walkSchema({ $defs }, loosen);
  const schemes = auth as Description["schemes"];
  return freeze({ base, isOwnBase: true, schemes, endpoints: read, skipped: [], remarks: [] });
}

/** Lets a value match two alternatives: most servers take the first. */
function loosen(schema: Record<string, unknown>): void {
  if (schema["oneOf"] === undefined || schema["anyOf"] !== undefined) return;
  schema["anyOf"] = schema["oneOf"];
  delete schema["oneOf"];
}

/** Translates an endpoint to an OpenAPI operation, reads it, and adds what OpenAPI cannot express. */
function toEndpoint(source: Common, written: WrittenEndpoint): Omit<Operation, "credentials"> {
  const { title: summary, parameters = [], body, response } = written;
  const { type = "application/json", schema, ...more } = body ?? {};
  const operation = {
    ...written,
    summary,
    // Unlike in OpenAPI, a parameter without a schema is a string, and an empty string is sent.
    parameters: parameters.map((one) => ({ schema: { type: "string" }, allowEmptyValue: true, ...one })),
    requestBody: body && { required: true, ...more, content: { [type]: { schema } } },
    responses: response !== undefined && { 200: { content: { "application/json": { schema: response } } } },
  };
  const endpoint = readOperation({ ...source, ...written, item: {}, operation });
  const isSafe = endpoint.isSafe || written.safe === true;
  return { ...endpoint, isSafe, isAllowed: written.allow === true, timeoutMs: written.timeoutMs };
}

function checkEndpoint({ method, safe, auth = [], parameters = [] }: WrittenEndpoint, schemes: object): void {
  const unknown = auth.findIndex((name) => !Object.hasOwn(schemes, name));
  if (unknown >= 0) refuse(`There is no "${auth[unknown]}" in /auth`, `/auth/${unknown}`);
  const isUnsafe = safe && method !== "POST" && !SAFE_METHODS.has(method);
  if (isUnsafe) refuse(`${method} always changes something; only POST can be marked as safe`, "/safe");
  for (const [index, parameter] of parameters.entries()) {
    const { name, in: place, required } = parameter;
    const at = `/parameters/${index}`;
    const isLeftOut = place === "path" && required === false;
    if (isLeftOut) refuse("A path parameter is always required", `${at}/required`);
    // An API would read only one of two parameters with the same name, or both as a list.
    const first = parameters.findIndex((other) => keyOf(other) === keyOf(parameter));
    const reason = `There is already a ${place} parameter "${name}", at /parameters/${first}`;
    if (first < index) refuse(reason, `${at}/name`);
  }
}

/** Rejects schemas that cannot be compiled, or that would have another meaning in the schema of a tool. */
function checkSchemas(endpoint: Operation, $defs: Schemas): void {
  const { parameters, bodies: [body], response } = endpoint;
  try {
    headerParameters(inputSchemaOf(endpoint));
  } catch (cause) {
    refuse((cause as TypeError).message, "");
  }
  const sent: Record<string, Schema> = {};
  for (const [index, { schema }] of parameters.entries()) sent[`/parameters/${index}/schema`] = schema;
  if (body) sent["/body/schema"] = body.schema;
  checkTogether(sent, $defs);
  // A response schema may refer to itself as "#".
  if (response) checkTogether({ "/response": response.schema }, $defs, "#/properties/~1response");
}

/** Checks schemas as properties of one schema, as in a tool. Names are pointers within the endpoint; "#" may refer to `self`. */
function checkTogether(properties: Record<string, Schema>, $defs: Schemas, self?: string): void {
  const inFile = (pointer: string) => {
    const [keyword, name = "", ...rest] = parsePointer(pointer)!;
    const isPlace = keyword === "properties" && Object.hasOwn(properties, name);
    return isPlace ? name + toPointer(rest) : pointer.replace(/^\/\$defs\//, "/definitions/") || "/response";
  };
  // In a tool, "#" is another root than in the file; only the definitions are the same.
  walkSchema({ properties, $defs }, ({ $id, $ref }, pointer) => {
    // A schema with its own URI is its own root. The compiler checks references to anchors and other documents.
    if ($id !== undefined) return false;
    const isOther = typeof $ref !== "string" || !/^#(?:\/|$)/.test($ref);
    if (isOther || ($ref === "#" && self && pointer.startsWith("/properties/"))) return true;
    const name = definitionOf($ref);
    if (name !== undefined && Object.hasOwn($defs, name)) return true;
    return refuse(
      `The schema refers to "${quoted($ref, 200)}", which the file does not define: ` +
        'add it to /definitions and refer to it as "#/$defs/name"',
      `${inFile(pointer)}/$ref`,
    );
  });
  const error = compileError({ properties, $defs, ...compact({ $ref: self }) });
  const reason = error?.message.replace(
    /^Cannot compile the schema: (?:its root|\S*?(?:\/(\$\w+))?) /,
    (_, keyword?: string) => keyword === undefined ? "The schema " : `The schema's ${keyword} `,
  );
  if (reason) refuse(reason, inFile(error!.pointer));
  walkSchema({ properties }, loosen);
}
