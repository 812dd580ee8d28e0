/** The schemas of a tool, JSON Schema or Standard Schema: how they are published, and how values are checked. */

import type { Awaitable } from "../../base/async.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Issue, Validator } from "../../formats/schema/mod.ts";
import type { CheckResult } from "./json_value.ts";
import type { StandardSchema } from "./standard_schema.ts";
import type { AnySchema, Tool } from "./tool.ts";
import type { HeaderParameter } from "../protocol/headers.ts";
import { andThen } from "../../base/async.ts";
import { asObject, freeze } from "../../base/json.ts";
import { problemLines, reasonOf } from "../../base/text.ts";
import { headerParameters } from "../protocol/headers.ts";
import { compileSchema } from "../../formats/schema/mod.ts";
import { closeSchema, inlineRootRef, wrapSchema } from "../../formats/schema/rewrite.ts";
import { ToolDefinitionError } from "./tool_errors.ts";
import { toJson } from "./json_value.ts";
import { isStandardSchema } from "./standard_schema.ts";

/** A schema of the arguments or of the result of a tool. */
export interface CompiledSchema {
  /** The JSON Schema that clients get. */
  readonly published: JsonObject;
  /** The member that wraps a value of the output; undefined when it is not wrapped. */
  readonly field?: string | undefined;
  check(value: unknown): Awaitable<CheckResult>;
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
  return { published, headers, check: checkerByLibrary(inputSchema, compileSchema(memberNames(published))) };
}

function compileOutput({ outputSchema, outputField }: Tool["definition"]): CompiledSchema | undefined {
  if (outputSchema === undefined) return undefined;
  const schema = toJsonSchema("output", outputSchema);
  const inlined = inlineRootRef(schema);
  const field = outputField ?? (inlined["type"] === "object" ? undefined : "result");
  const published = field === undefined ? inlined : wrapSchema(schema, field);
  const isWrapped = field !== undefined;
  if (!isStandardSchema(outputSchema)) return { published, field, check: checkerOf(schema, isWrapped) };
  // A library checks its own values, such as dates; JSON Schema checks JSON.
  const write = (checked: CheckResult) => "problems" in checked ? checked : toJson(checked.value, isWrapped);
  const check = checkerByLibrary(outputSchema);
  return { published, field, check: (value) => andThen(check(value), write) };
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

/** @param isWrapped For an output: whether it is wrapped, so need not be an object. Undefined for an input. */
function checkerOf(schema: JsonObject, isWrapped?: boolean): (value: unknown) => CheckResult {
  const validate = compileSchema(schema);
  return (given) => {
    const checked = isWrapped === undefined ? { value: given } : toJson(given, isWrapped);
    if ("problems" in checked) return checked;
    const issues = validate(checked.value);
    return issues.length === 0 ? checked : { problems: problemLines(issues) };
  };
}

/** A schema that checks only the names of members. Most libraries ignore unknown members, but here they are refused. */
function memberNames({ properties, patternProperties, additionalProperties }: JsonObject): unknown {
  if (additionalProperties !== false) return true;
  const any = (members: unknown) =>
    Object.fromEntries(Object.keys(asObject(members)).map((name) => [name, true]));
  return {
    properties: any(properties),
    patternProperties: patternProperties && any(patternProperties),
    additionalProperties,
  };
}

function checkerByLibrary(schema: StandardSchema, checkNames?: Validator): CompiledSchema["check"] {
  return (value) =>
    andThen(schema["~standard"].validate(value), (result): CheckResult => {
      const issues: Pick<Issue, "path" | "message">[] = checkNames?.(value) ?? [];
      for (const { path = [], message } of result.issues ?? []) {
        const steps = path.map((step) => `/${String(typeof step === "object" ? step.key : step)}`);
        issues.push({ path: steps.join(""), message });
      }
      if (issues.length === 0 && !result.issues) return { value: result.value };
      return { problems: [...new Set(problemLines(issues))] };
    });
}
