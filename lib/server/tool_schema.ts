/** The schemas of a tool: what is published of them, and how values are checked. JSON Schema and Standard Schema alike. */

import type { Issue, Schema } from "../schema/mod.ts";
import type { AnySchema, StandardIssue, StandardSchema, Tool } from "./tool.ts";
import type { Awaitable } from "../base/async.ts";
import { compileSchema, walkSchema } from "../schema/mod.ts";
import { andThen } from "../base/async.ts";
import { headerParameters } from "../protocol/headers.ts";
import { isObject } from "../base/json.ts";
import { isStandardSchema, ToolDefinitionError } from "./tool.ts";
import { toJson } from "./tool_result.ts";

/** JSON Schema as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A valid value, perhaps transformed, or its problems, a sentence each. */
export type Checked = { readonly value: unknown } | { readonly problems: readonly string[] };

/** The input or output of a tool. */
export interface Side {
  /** The schema as it is listed. */
  readonly published: JsonSchema;
  /** Checks a value. */
  check(value: unknown): Awaitable<Checked>;
}

/** The output of a tool, which may be wrapped in an object. */
export interface OutputSide extends Side {
  /** The member that wraps the value; undefined when it is not wrapped. */
  readonly field: string | undefined;
}

/** Keywords that can describe further members. */
const COMPOSED = ["allOf", "anyOf", "oneOf", "$ref", "$dynamicRef", "if", "dependentSchemas"];

/** Keywords beside a reference that do not constrain the value. */
const REMARKS: ReadonlySet<string> = new Set(
  "$comment $defs $schema default deprecated description examples readOnly title writeOnly".split(" "),
);

/** The input of a tool. @throws {ToolDefinitionError} When the schema is invalid, or not of an object. */
export function inputSide({ name, definition }: Tool): Side {
  const { inputSchema } = definition;
  const schema = direct(toJsonSchema(name, "inputSchema", inputSchema, "input"));
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

/** The output of a tool, if it has a schema. @throws {ToolDefinitionError} When the schema is invalid. */
export function outputSide({ name, definition }: Tool): OutputSide | undefined {
  const { outputSchema, outputField } = definition;
  if (outputSchema === undefined) return undefined;
  const schema = toJsonSchema(name, "outputSchema", outputSchema, "output");
  const own = direct(schema);
  const field = outputField ?? (own["type"] === "object" ? undefined : "result");
  const check = checker(name, "outputSchema", outputSchema, schema);
  return {
    published: field === undefined ? own : wrapped(schema, field),
    field,
    // A library checks its own values, such as dates; JSON Schema checks JSON.
    check: isStandardSchema(outputSchema)
      ? (value) => andThen(check(value), (checked) => asSent(checked, field !== undefined))
      : (value) => andThen(asSent({ value }, true), (sent) => "problems" in sent ? sent : check(sent.value)),
  };
}

/** The value as JSON; without a wrapper it must be an object. */
function asSent(checked: Checked, isWrapped: boolean): Checked {
  if ("problems" in checked) return checked;
  try {
    const value = toJson(checked.value);
    if (isWrapped || isObject(value)) return { value };
    return { problems: ["Expected an object, but it is written as something else."] };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { problems: [sentence("", `Cannot be written as JSON: ${reason}`)] };
  }
}

function toJsonSchema(tool: string, which: string, schema: AnySchema, side: "input" | "output"): JsonSchema {
  if (!isStandardSchema(schema)) {
    if (isObject(schema)) return structuredClone(schema) as JsonSchema;
    throw new ToolDefinitionError(`Cannot use the tool "${tool}": its ${which} must be an object`);
  }
  const { vendor, jsonSchema } = schema["~standard"];
  if (!jsonSchema) {
    throw new ToolDefinitionError(
      `Cannot use the tool "${tool}": ${vendor} does not say how its ${which} is written as JSON Schema; ` +
        "give it as plain data, or add ~standard.jsonSchema",
    );
  }
  try {
    // A library may return an object that it keeps.
    return structuredClone(jsonSchema[side]({ target: "draft-2020-12" }));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolDefinitionError(
      `Cannot use the tool "${tool}": ${vendor} cannot write its ${which} as JSON Schema: ${reason}`,
      { cause },
    );
  }
}

/** Inlines a root `$ref` to one of its own definitions, because clients and models look for `properties` at the root. */
function direct(schema: JsonSchema, hops = 16): JsonSchema {
  const { $ref, ...remarks } = schema;
  if (hops === 0 || typeof $ref !== "string" || !$ref.startsWith("#/$defs/")) return schema;
  if (!Object.keys(remarks).every((keyword) => REMARKS.has(keyword))) return schema;
  const name = $ref.slice("#/$defs/".length);
  const { [name]: target, ...others } = isObject(remarks["$defs"]) ? remarks["$defs"] : {};
  // A schema with an identifier must not occur twice.
  if (!isObject(target) || /"\$(?:id|anchor|dynamicAnchor)":"/.test(JSON.stringify(target))) return schema;
  // Keywords at the root come first and win.
  const { $defs, ...root } = { ...remarks, ...target, ...remarks };
  const rest = JSON.stringify([root, others]);
  const reference = JSON.stringify($ref).slice(0, -1);
  const isNeeded = rest.includes(`${reference}"`) || rest.includes(`${reference}/`);
  const needed = isNeeded ? $defs as object : others;
  const found = direct(Object.keys(needed).length === 0 ? root : { ...root, $defs: needed }, hops - 1);
  return found["type"] === "object" ? found : schema;
}

/** Refuses members that the schema does not name. */
function closed(schema: JsonSchema): JsonSchema {
  if ("additionalProperties" in schema || "unevaluatedProperties" in schema) return schema;
  // The parts of a composition do not know each other's members, so only the whole can be closed.
  const isComposed = COMPOSED.some((keyword) => keyword in schema);
  return { ...schema, [isComposed ? "unevaluatedProperties" : "additionalProperties"]: false };
}

/** Wraps a schema in an object. Its definitions move to the new root, which references are relative to. */
function wrapped({ $schema, ...schema }: JsonSchema, field: string): JsonSchema {
  const token = encodeURIComponent(field.replaceAll("~", "~0").replaceAll("/", "~1"));
  // In a schema with an `$id`, references are relative to itself.
  const isApart = typeof schema["$id"] === "string";
  const { $defs, ...inner } = isApart ? {} as JsonSchema : moved(schema, `#/properties/${token}`);
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: "object",
    properties: { [field]: isApart ? schema : inner },
    required: [field],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
  };
}

/** Adjusts the references of a schema that moves within its document. */
function moved(schema: JsonSchema, to: string): JsonSchema {
  const copy = structuredClone(schema);
  walkSchema(copy, (node) => {
    // In a schema that has a URI, references count from itself.
    if (typeof node["$id"] === "string") return false;
    for (const keyword of ["$ref", "$dynamicRef"]) {
      if (keyword in node) node[keyword] = movedReference(node[keyword], to);
    }
    return true;
  });
  return copy;
}

function movedReference(reference: unknown, to: string): unknown {
  // Anchors do not depend on the position.
  const isPointer = typeof reference === "string" && /^#(?:\/|$)/.test(reference);
  if (!isPointer || /^#\/(?:\$|%24)defs(?:\/|$)/.test(reference)) return reference;
  return to + reference.slice(1);
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

/** Most libraries ignore unknown members; here they are refused. */
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

/** One line: a line break in the name of a member must not begin another sentence. */
function sentence(path: string, message: string): string {
  const line = path === "" ? message : `${path}: ${message}`;
  // deno-lint-ignore no-control-regex
  return line.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
}
