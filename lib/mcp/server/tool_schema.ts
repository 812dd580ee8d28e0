/** The schemas of a tool: what is published of them, and how values are checked. JSON Schema and Standard Schema alike. */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { StandardSchema } from "./standard_schema.ts";
import type { AnySchema, Tool } from "./tool.ts";
import type { HeaderParameter } from "../protocol/headers.ts";
import { andThen } from "../../base/async.ts";
import { asObject, freeze, isObject } from "../../base/json.ts";
import { oneLine, problemLines, reasonOf } from "../../base/text.ts";
import { headerParameters } from "../protocol/headers.ts";
import { compileSchema } from "../../formats/schema/mod.ts";
import { closeSchema, inlineRootRef, wrapSchema } from "../../formats/schema/rewrite.ts";
import { ToolDefinitionError } from "./errors.ts";
import { isStandardSchema } from "./standard_schema.ts";

/** A valid value, perhaps transformed, or its problems, a sentence each. */
export type Checked = { readonly value: unknown } | { readonly problems: readonly string[] };

export interface CompiledSchema {
  readonly published: JsonObject;
  /** The member that wraps a value of the output; undefined when it is not wrapped. */
  readonly field?: string | undefined;
  check(value: unknown): Awaitable<Checked>;
}

/** A tool of a server, with its compiled schemas. */
export interface RegisteredTool {
  readonly tool: Tool;
  readonly input: CompiledSchema & { readonly headers: readonly HeaderParameter[] };
  readonly output: CompiledSchema | undefined;
  /** Whether only views may call it, and no model. */
  readonly isForViews: boolean;
}

/** Compiles the schemas of a tool. @throws {ToolDefinitionError} When they cannot be used. */
export function register(tool: Tool): RegisteredTool {
  const using = <T>(side: "input" | "output", compile: (definition: Tool["definition"]) => T): T => {
    try {
      return compile(tool.definition);
    } catch (cause) {
      const message = `Cannot use the ${side}Schema of the tool "${tool.name}": ${reasonOf(cause)}`;
      throw new ToolDefinitionError(message, { cause });
    }
  };
  const input = using("input", compileInput), output = using("output", compileOutput);
  const isForViews = tool.definition.ui?.visibility?.includes("model") === false;
  return freeze({ tool, input, output, isForViews });
}

function compileInput({ inputSchema }: Tool["definition"]): RegisteredTool["input"] {
  const schema = inlineRootRef(toJsonSchema("input", inputSchema));
  if (schema["type"] !== "object") throw new TypeError('it must say "type": "object"');
  const published = closeSchema(schema);
  const headers = headerParameters(published);
  if (!isStandardSchema(inputSchema)) return { published, headers, check: checkerOf(published) };
  const known = compileSchema(membersOf(published));
  const check = (value: unknown) => checkByLibrary(inputSchema, value, problemLines(known(value)));
  return { published, headers, check };
}

function compileOutput({ outputSchema, outputField }: Tool["definition"]): CompiledSchema | undefined {
  if (outputSchema === undefined) return undefined;
  const schema = toJsonSchema("output", outputSchema);
  const own = inlineRootRef(schema);
  const field = outputField ?? (own["type"] === "object" ? undefined : "result");
  const published = field === undefined ? own : wrapSchema(schema, field);
  const isWrapped = field !== undefined;
  if (!isStandardSchema(outputSchema)) return { published, field, check: checkerOf(schema, isWrapped) };
  // A library checks its own values, such as dates; JSON Schema checks JSON.
  const write = (checked: Checked) => "problems" in checked ? checked : toJson(checked.value, isWrapped);
  return { published, field, check: (value) => andThen(checkByLibrary(outputSchema, value), write) };
}

function toJsonSchema(side: "input" | "output", schema: AnySchema): JsonObject {
  if (!isStandardSchema(schema)) return structuredClone(schema) as JsonObject;
  const { vendor, jsonSchema } = schema["~standard"];
  if (!jsonSchema) {
    throw new TypeError(
      `${vendor} does not say how it is written as JSON Schema; give it as plain data, or add ~standard.jsonSchema`,
    );
  }
  try {
    // A library may return an object that it keeps.
    return structuredClone(jsonSchema[side]({ target: "draft-2020-12" }));
  } catch (cause) {
    throw new TypeError(`${vendor} cannot write it as JSON Schema: ${reasonOf(cause)}`, { cause });
  }
}

/** @param isWrapped Of an output: whether it may be other than an object. @default {it is an input} */
function checkerOf(schema: JsonObject, isWrapped?: boolean): (value: unknown) => Checked {
  const validate = compileSchema(schema);
  return (given) => {
    const checked = isWrapped === undefined ? { value: given } : toJson(given, isWrapped);
    if ("problems" in checked) return checked;
    const issues = validate(checked.value);
    return issues.length === 0 ? checked : { problems: problemLines(issues) };
  };
}

/** A schema of the member names only. Most libraries ignore unknown members; here they are refused. */
function membersOf({ properties, patternProperties, additionalProperties }: JsonObject): unknown {
  if (additionalProperties !== false) return true;
  const any = (members: unknown) =>
    Object.fromEntries(Object.keys(asObject(members)).map((name) => [name, true]));
  return {
    properties: any(properties),
    patternProperties: patternProperties && any(patternProperties),
    additionalProperties,
  };
}

function checkByLibrary(
  schema: StandardSchema,
  value: unknown,
  known: readonly string[] = [],
): Awaitable<Checked> {
  return andThen(schema["~standard"].validate(value), (result): Checked => {
    const issues = (result.issues ?? []).map(({ path = [], message }) => ({
      path: path.map((step) => `/${String(typeof step === "object" ? step.key : step)}`).join(""),
      message,
    }));
    const problems = new Set([...known, ...problemLines(issues)]);
    return problems.size > 0 || result.issues ? { problems: [...problems] } : { value: result.value };
  });
}

/**
 * The value as JSON will write it, so that the checked value is the one that is sent; undefined if JSON cannot write it. It must
 * be an object unless it is wrapped in one. Plain JSON values are not copied.
 */
export function toJson(value: unknown, isWrapped: boolean): Checked {
  try {
    let json = value;
    if (!isJson(value, 0)) {
      const text: string | undefined = JSON.stringify(value);
      json = text === undefined ? undefined : JSON.parse(text);
    }
    if (isWrapped || isObject(json)) return { value: json };
    return { problems: ["Expected an object, but it is written as something else."] };
  } catch (cause) {
    return { problems: [oneLine(`Cannot be written as JSON: ${reasonOf(cause)}`)] };
  }
}

/** Deeper values and cycles are left to `JSON.stringify`. */
const MAX_LEVELS = 100;

/** Whether a value is plain JSON, apart from members that are undefined. */
function isJson(value: unknown, level: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return !["bigint", "function", "symbol"].includes(typeof value);
  if (value === null) return true;
  if (level > MAX_LEVELS || typeof (value as { toJSON?: unknown }).toJSON === "function") return false;
  const isArray = Array.isArray(value);
  const prototype = Object.getPrototypeOf(value);
  if (!isArray && prototype !== Object.prototype && prototype !== null) return false;
  // Iterating over an array includes its holes.
  for (const member of isArray ? value : Object.values(value)) {
    if ((isArray && member === undefined) || !isJson(member, level + 1)) return false;
  }
  return true;
}
