/** Can the schemas of an endpoint file be used? Each by itself, and all of an endpoint together as its tool has them. */

import type { Schema, SchemaObject, Schemas } from "../schema/mod.ts";
import type { Tool } from "../server/tool.ts";
import type { Endpoint } from "./endpoint.ts";
import { compileSchema, SchemaError } from "../schema/mod.ts";
import { isObject } from "../base/json.ts";
import { defineTool, ToolDefinitionError } from "../server/tool.ts";
import { inputSide, outputSide } from "../server/tool_schema.ts";
import { GatewayError } from "./gateway_error.ts";
import { inputSchemaOf, outputSchemaOf } from "./tool_schemas.ts";

/** Keywords that hold values: what looks like a reference in them is none. */
const VALUES = new Set(["const", "default", "enum", "examples"]);
/** Keywords that hold schemas by names of any kind. */
const MAPS = new Set(["$defs", "dependentSchemas", "patternProperties", "properties"]);
const PREFIX = "#/$defs/";

/**
 * Refuses definitions that refer to what is no definition: as parts of a tool they would mean something else.
 *
 * @throws {GatewayError} Naming the place.
 */
export function checkDefinitions(definitions: Schemas): void {
  for (const [name, schema] of Object.entries(definitions)) {
    checkReferences(schema, definitions, `/definitions/${escaped(name)}`);
  }
}

/**
 * Refuses a schema that cannot be compiled.
 *
 * @param place Whether it stays the root of what is published, so that it may refer to its own parts.
 * @throws {GatewayError} Naming the place.
 */
export function checkSchema(
  schema: Schema,
  definitions: Schemas,
  at: string,
  place: "part" | "root" = "part",
): void {
  if (place === "part") checkReferences(schema, definitions, at);
  try {
    compileSchema({ ...(typeof schema === "boolean" ? {} : schema), $defs: definitions } as SchemaObject);
  } catch (cause) {
    throw refusal(cause, (pointer) => inDefinitions(pointer) ?? at + pointer);
  }
}

/**
 * Refuses an endpoint whose schemas cannot be used together.
 *
 * @param at Where the endpoint is.
 * @throws {GatewayError} Naming the place.
 */
export function checkTool(endpoint: Endpoint, at: string): void {
  const outputSchema = outputSchemaOf(endpoint);
  const tool = defineTool({
    name: endpoint.name,
    inputSchema: inputSchemaOf(endpoint),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    handler: () => "",
  });
  try {
    inputSide(tool);
  } catch (cause) {
    throw refusal(cause, (pointer) => inDefinitions(pointer) ?? at + ofArgument(pointer, endpoint));
  }
  checkOutput(tool, `${at}/response`);
}

function checkOutput(tool: Tool, at: string): void {
  try {
    outputSide(tool);
  } catch (cause) {
    throw refusal(cause, (pointer) => inDefinitions(pointer) ?? at + pointer);
  }
}

/** A reference counts from the root of the tool, where a file has its definitions and nothing else that it knows. */
function checkReferences(value: unknown, definitions: Schemas, at: string): void {
  // A schema with a URI is a root of its own.
  if (!isObject(value) || value["$id"] !== undefined) return;
  for (const [keyword, held] of Object.entries(value)) {
    const place = `${at}/${escaped(keyword)}`;
    if (keyword === "$ref" && typeof held === "string") checkReference(held, definitions, place);
    if (VALUES.has(keyword)) continue;
    if (Array.isArray(held)) {
      held.forEach((one, index) => checkReferences(one, definitions, `${place}/${index}`));
    } else if (!MAPS.has(keyword)) checkReferences(held, definitions, place);
    else if (isObject(held)) {
      for (const [name, one] of Object.entries(held)) {
        checkReferences(one, definitions, `${place}/${escaped(name)}`);
      }
    }
  }
}

function checkReference(reference: string, definitions: Schemas, at: string): void {
  // Anchors and other documents are the compiler's.
  if (reference !== "#" && !reference.startsWith("#/")) return;
  if (reference.startsWith(PREFIX)) {
    const [name = ""] = reference.slice(PREFIX.length).split("/");
    if (Object.hasOwn(definitions, decoded(name))) return;
  }
  throw new GatewayError(
    `The schema refers to "${reference.slice(0, 200)}", which is no definition of the file: write it into ` +
      `/definitions, and refer to it as "${PREFIX}name"`,
    at,
  );
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch (cause) {
    if (cause instanceof URIError) return token;
    throw cause;
  }
}

/** The place of an argument's schema, seen from its endpoint. */
function ofArgument(pointer: string, { parameters, body }: Endpoint): string {
  const [, argument = "", rest = ""] = /^\/properties\/([^/]+)(.*)$/s.exec(pointer) ?? [];
  if (argument === body?.argument) return `/body/schema${rest}`;
  const index = parameters.findIndex((parameter) => parameter.argument === argument);
  return index < 0 ? "" : `/parameters/${index}/schema${rest}`;
}

function inDefinitions(pointer: string): string | undefined {
  return pointer.startsWith("/$defs/") ? pointer.replace("/$defs", "/definitions") : undefined;
}

/** The mistake as one of the file: a compiler says where it is, and a tool what cannot be. */
function refusal(cause: unknown, placeOf: (pointer: string) => string): unknown {
  const isOfTool = cause instanceof ToolDefinitionError;
  const reason = isOfTool && cause.cause instanceof Error ? cause.cause : cause;
  if (!isOfTool && !(reason instanceof SchemaError)) return cause;
  const pointer = reason instanceof SchemaError ? reason.pointer : "";
  return new GatewayError(plain((reason as Error).message), placeOf(pointer), { cause });
}

/** The place is said apart; here is what is wrong there, of a keyword where it is one of references. */
function plain(message: string): string {
  return message.replace(
    /^Cannot compile the schema: (?:its root|\S*?(\/\$\w+)?) /,
    (_, keyword?: string) => keyword === undefined ? "The schema " : `The schema's ${keyword.slice(1)} `,
  );
}

function escaped(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}
