/**
 * What is published of a tool's schemas, and how are values held against them? The place where schemas of ours and of
 * libraries become one thing.
 */

import type { Issue, Schema } from "../schema/mod.ts";
import type { StandardIssue, StandardSchema } from "./standard_schema.ts";
import type { AnySchema, Tool } from "./tool.ts";
import type { Awaitable } from "./awaitable.ts";
import { compileSchema } from "../schema/mod.ts";
import { andThen } from "./awaitable.ts";
import { headerParameters } from "./header_parameters.ts";
import { isObject } from "./params.ts";
import { isStandardSchema } from "./standard_schema.ts";
import { ToolDefinitionError } from "./tool.ts";

/** JSON Schema as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A value that fits, perhaps changed by the schema, or everything that is wrong with it, a sentence each. */
export type Checked = { readonly value: unknown } | { readonly problems: readonly string[] };

/** One side of a tool. */
export interface Side {
  /** As it is listed. */
  readonly published: JsonSchema;
  /** Holds a value against it. */
  check(value: unknown): Awaitable<Checked>;
}

/** The other side of a tool, which may be wrapped for the wire. */
export interface OutputSide extends Side {
  /** The member that the value is wrapped under; undefined when it is sent as it is. */
  readonly field: string | undefined;
}

/** What other members an object schema can speak of, apart from `properties`. */
const COMPOSED = ["allOf", "anyOf", "oneOf", "$ref", "$dynamicRef", "if", "dependentSchemas"];

/**
 * The arguments of a tool.
 *
 * @throws {ToolDefinitionError} When the schema is none, or not one of an object.
 */
export function inputSide({ name, definition }: Tool): Side {
  const { inputSchema } = definition;
  const schema = toJsonSchema(name, "inputSchema", inputSchema, "input");
  if (schema["type"] !== "object") {
    throw new ToolDefinitionError(`Cannot use the tool "${name}": its inputSchema must say "type": "object"`);
  }
  const published = closed(schema);
  try {
    headerParameters(published);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new ToolDefinitionError(`Cannot use the inputSchema of the tool "${name}": ${cause.message}`, {
      cause,
    });
  }
  return { published, check: checker(name, "inputSchema", inputSchema, published) };
}

/**
 * The result of a tool; undefined when nothing is said of it.
 *
 * @throws {ToolDefinitionError} When the schema is none, or cannot be wrapped.
 */
export function outputSide({ name, definition }: Tool): OutputSide | undefined {
  const { outputSchema, outputField } = definition;
  if (outputSchema === undefined) return undefined;
  const schema = toJsonSchema(name, "outputSchema", outputSchema, "output");
  const field = outputField ?? (schema["type"] === "object" ? undefined : "result");
  return {
    published: field === undefined ? schema : wrapped(name, schema, field),
    field,
    check: checker(name, "outputSchema", outputSchema, schema),
  };
}

function toJsonSchema(tool: string, which: string, schema: AnySchema, side: "input" | "output"): JsonSchema {
  if (!isStandardSchema(schema)) {
    if (isObject(schema)) return structuredClone(schema) as JsonSchema;
    throw new ToolDefinitionError(`Cannot use the tool "${tool}": its ${which} must be an object`);
  }
  const { vendor, jsonSchema } = schema["~standard"];
  // A library may hand out what it keeps for itself.
  if (jsonSchema) return structuredClone(jsonSchema[side]({ target: "draft-2020-12" }));
  throw new ToolDefinitionError(
    `Cannot use the tool "${tool}": ${vendor} does not say how its ${which} is written as JSON Schema; ` +
      "give it as plain data, or add ~standard.jsonSchema",
  );
}

/** Says of an object that it has no members but those that are named. */
function closed(schema: JsonSchema): JsonSchema {
  if ("additionalProperties" in schema || "unevaluatedProperties" in schema) return schema;
  // Parts of a composition know nothing of each other's members, so only the whole can be closed.
  const isComposed = COMPOSED.some((keyword) => keyword in schema);
  return { ...schema, [isComposed ? "unevaluatedProperties" : "additionalProperties"]: false };
}

/** Puts a schema under a member. Its definitions move up with the root that references count from. */
function wrapped(tool: string, schema: JsonSchema, field: string): JsonSchema {
  const { $schema, $defs, ...inner } = schema;
  if (inner["$id"] === undefined && refersToRoot(inner)) {
    throw new ToolDefinitionError(
      `Cannot wrap the outputSchema of the tool "${tool}" under "${field}": it refers to its own root; ` +
        "move what it refers to into $defs",
    );
  }
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: "object",
    properties: { [field]: inner },
    required: [field],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
  };
}

/** Whether there is a reference into the document that is not one to a definition. */
function refersToRoot(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(refersToRoot);
  if (!isObject(schema)) return false;
  const reference = schema["$ref"];
  const isOfRoot = typeof reference === "string" && reference.startsWith("#") &&
    !/^#(?:\/\$defs\/|[A-Za-z_])/.test(reference);
  return isOfRoot || Object.values(schema).some(refersToRoot);
}

function checker(
  tool: string,
  which: string,
  given: AnySchema,
  published: JsonSchema,
): (value: unknown) => Awaitable<Checked> {
  if (isStandardSchema(given)) {
    if (which === "outputSchema") return (value) => checkByLibrary(given, value);
    const named = compileSchema(membersOf(published));
    return (value) =>
      checkByLibrary(given, value, named(value).map(({ path, message }) => sentence(path, message)));
  }
  let validate: (value: unknown) => readonly Issue[];
  try {
    validate = compileSchema(published as Schema);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolDefinitionError(`Cannot use the ${which} of the tool "${tool}": ${reason}`, { cause });
  }
  return (value) => {
    const issues = validate(value);
    return issues.length === 0
      ? { value }
      : { problems: issues.map(({ path, message }) => sentence(path, message)) };
  };
}

/** Most libraries pass over members that they do not know. Here a member that is not published is not taken. */
function membersOf({ properties, patternProperties, additionalProperties }: JsonSchema): Schema {
  if (additionalProperties !== false) return true;
  const any = (members: unknown) =>
    Object.fromEntries(Object.keys(isObject(members) ? members : {}).map((name) => [name, true]));
  return {
    properties: any(properties),
    patternProperties: any(patternProperties),
    additionalProperties: false,
  };
}

function checkByLibrary(
  schema: StandardSchema,
  value: unknown,
  known: readonly string[] = [],
): Awaitable<Checked> {
  return andThen(schema["~standard"].validate(value), (result): Checked => {
    const { issues = [] } = result;
    const problems = issues.map((issue) => sentence(pointer(issue), issue.message));
    const all = [...known.filter((problem) => !problems.includes(problem)), ...problems];
    return all.length > 0 || result.issues ? { problems: all } : { value: result.value };
  });
}

function pointer({ path = [] }: StandardIssue): string {
  return path.map((step) => `/${String(typeof step === "object" ? step.key : step)}`).join("");
}

/** One line, whatever the members are called: a line break in a name must not begin another sentence. */
function sentence(path: string, message: string): string {
  const line = path === "" ? message : `${path}: ${message}`;
  // deno-lint-ignore no-control-regex
  return line.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
}
