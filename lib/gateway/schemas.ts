/** Converts the schemas of OpenAPI to JSON Schema 2020-12, and composes the schemas of tools. */

import type { JsonObject } from "../base/json.ts";
import type { Schema, SchemaObject, Schemas } from "../schema/mod.ts";
import type { Argument, Operation } from "./endpoint.ts";
import type { OpenApiDocument } from "./openapi.ts";
import { asArray, asObject, isObject } from "../base/json.ts";
import { compileSchema, SchemaError, walkSchema } from "../schema/mod.ts";
import { attempt, CONFIRMATION, UnservableError } from "./endpoint.ts";

/** Reads the schemas of one description. */
export interface SchemaReader {
  /** @throws {UnservableError} When it, or a schema that it refers to, cannot be checked. */
  read(schema: unknown): Schema;
  /** The definitions that schemas of this reader need. */
  definitionsOf(schemas: readonly Schema[]): Schemas;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Keywords that hold a schema, a list of schemas, and schemas by name. */
const SCHEMA = words(
  "items additionalProperties not contains propertyNames unevaluatedItems unevaluatedProperties if then else",
);
const LIST = words("allOf anyOf oneOf prefixItems");
const MAP = words("properties patternProperties dependentSchemas");
/** Keywords that answers are held to. */
const ANSWERED = words(
  "type title description format default deprecated contentEncoding contentMediaType " +
    "items additionalProperties allOf anyOf oneOf prefixItems properties",
);
/** Keywords that arguments are held to. */
const SENT: ReadonlySet<string> = new Set([
  ...[...ANSWERED, ...SCHEMA, ...LIST, ...MAP],
  ...words(
    "enum const multipleOf maximum minimum exclusiveMaximum exclusiveMinimum maxLength minLength pattern maxItems minItems " +
      "uniqueItems maxProperties minProperties required dependentRequired minContains maxContains",
  ),
]);
/** Keywords that say which members an object has besides `properties`, and of which type a value is. */
const OPEN = ["additionalProperties", "patternProperties", "unevaluatedProperties"];
const COMPOSED = ["$ref", "allOf", "anyOf", "oneOf"];
const TYPED = ["type", "enum", "const", "not", "required"];

/** The deepest nesting of a schema: more than people write, and less than the stack and clients bear. */
const MAX_LEVELS = 48;
const NONE: ReadonlySet<string> = new Set();

/**
 * Reads the schemas of an OpenAPI document. Arguments are held to every keyword. Answers are held to names and types, because
 * APIs leave out, add and null more than they document.
 */
export class OpenApiSchemas implements SchemaReader {
  readonly #document: OpenApiDocument;
  readonly #isSent: boolean;
  readonly #keywords: ReadonlySet<string>;
  readonly #onremark: (reason: string) => void;
  /** The targets of references, by the names that they get. */
  readonly #definitions: Record<string, Schema> = {};
  readonly #names = new Map<string, string>();
  /** Why a target cannot be used, by name. */
  readonly #broken = new Map<string, UnservableError>();
  readonly #waiting: (() => void)[] = [];

  constructor(document: OpenApiDocument, direction: "sent" | "answered", onremark: (reason: string) => void) {
    this.#document = document;
    this.#isSent = direction === "sent";
    this.#keywords = this.#isSent ? SENT : ANSWERED;
    this.#onremark = onremark;
  }

  read(written: unknown): Schema {
    const schema = this.#isSent ? this.#argument(written) : this.#answer(written);
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) next();
    for (const name of Object.keys(this.definitionsOf([schema]))) {
      const reason = this.#broken.get(name);
      if (reason) throw reason;
    }
    return schema;
  }

  definitionsOf(schemas: readonly Schema[]): Schemas {
    return usedBy(schemas, this.#definitions);
  }

  /** Unknown members are rejected where the parts of the schema name all members. */
  #argument(written: unknown): Schema {
    const schema = this.#convert(written, 0);
    const parts = this.#document.parts(written, true);
    const has = (part: JsonObject, some: readonly string[]) => some.some((keyword) => keyword in part);
    const isNamed = ({ properties }: JsonObject) => Object.keys(asObject(properties)).length > 0;
    const isObjectType = ({ type }: JsonObject) => [type].flat().includes("object");
    const isOpen = (part: JsonObject) =>
      has(part, OPEN) || !(isNamed(part) || has(part, COMPOSED) || (has(part, TYPED) && !isObjectType(part)));
    if (typeof schema === "boolean" || !parts.some(isNamed) || parts.some(isOpen)) return schema;
    return { ...schema, unevaluatedProperties: false };
  }

  /** An answer as a whole is never null, and is described as an object at its root. */
  #answer(written: unknown): Schema {
    const root = isObject(written) ? this.#document.object(written, "a schema") : {};
    const types = [root["type"]].flat();
    const isNamed = types.includes("object") && types.every((one) => one === "object" || one === "null");
    return isNamed
      ? { ...this.#convert(root, 0) as SchemaObject, type: "object" }
      : this.#convert(written, 0);
  }

  /** @param unsent Members that the schemas around this one describe as only answered: they are not required. */
  #convert(schema: unknown, level: number, unsent = NONE): Schema {
    if (typeof schema === "boolean") return schema;
    if (!isObject(schema)) throw new UnservableError("A schema is neither an object nor a boolean");
    if (level > MAX_LEVELS) throw new UnservableError(`A schema nests deeper than ${MAX_LEVELS} levels`);
    const readOnly = this.#isSent ? this.#document.readOnlyMembers(schema) : NONE;
    if (readOnly.size > 0) unsent = new Set([...unsent, ...readOnly]);
    const { $ref } = schema;
    if (typeof $ref !== "string") return this.#object(schema, level, unsent);
    const reference = { $ref: PREFIX + this.#define($ref, this.#document.demandedBy($ref, unsent)) };
    // Up to 3.0, members beside a reference are ignored.
    return this.#document.version === "3.0"
      ? reference
      : { ...reference, ...this.#object(schema, level, unsent) };
  }

  #object(schema: JsonObject, level: number, unsent: ReadonlySet<string>): SchemaObject {
    if ("$dynamicRef" in schema || "$id" in schema) {
      throw new UnservableError("A schema has its own URI, or a dynamic reference");
    }
    const result: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (!this.#keywords.has(keyword)) continue;
      if (SCHEMA.has(keyword)) {
        if (this.#isSent || value !== false) result[keyword] = this.#convert(value, level + 1);
      } else if (LIST.has(keyword)) {
        if (asArray(value).length === 0) continue;
        // An answer that fits two alternatives is a good one.
        result[keyword === "oneOf" && !this.#isSent ? "anyOf" : keyword] = asArray(value).map((one) =>
          this.#convert(one, level + 1, isPart(keyword, one) ? unsent : NONE)
        );
      } else if (!MAP.has(keyword)) result[keyword] = value;
      else if (isObject(value)) {
        result[keyword] = Object.fromEntries(
          Object.entries(value).map(([name, one]) => [name, this.#member(one, level + 1)]),
        );
      }
    }
    this.#fixType(schema, result);
    if (this.#isSent) this.#fixBounds(result, unsent);
    return result as SchemaObject;
  }

  /** A member that is only answered cannot be sent. */
  #member(schema: unknown, level: number): Schema {
    return this.#isSent && this.#document.isReadOnly(schema) ? { not: {} } : this.#convert(schema, level);
  }

  #fixType({ type, format, nullable, enum: values }: JsonObject, result: Record<string, unknown>): void {
    if (type === undefined) return;
    const isNullable = this.#document.version === "3.0" && nullable === true;
    const types = new Set([type].flat());
    if (isNullable || !this.#isSent) types.add("null");
    if (isNullable && this.#isSent && Array.isArray(values)) result["enum"] = [...new Set([...values, null])];
    // Many APIs answer numbers that a double cannot hold as texts.
    if (!this.#isSent && format === "int64") types.add("string");
    result["type"] = types.size === 1 ? [...types][0] : [...types];
  }

  #fixBounds(result: Record<string, unknown>, unsent: ReadonlySet<string>): void {
    for (const bound of ["Maximum", "Minimum"]) {
      const [exclusive, plain] = [`exclusive${bound}`, bound.toLowerCase()];
      // Up to 3.0, it is a flag.
      if (typeof result[exclusive] !== "boolean") continue;
      const isExclusive = result[exclusive] && result[plain] !== undefined;
      delete result[exclusive];
      if (!isExclusive) continue;
      result[exclusive] = result[plain];
      delete result[plain];
    }
    const { required, pattern } = result;
    if (Array.isArray(required)) {
      result["required"] = [...new Set(required)].filter((name) => !unsent.has(name));
    } else delete result["required"];
    if (pattern === undefined) return;
    const written = portable(String(pattern));
    if (written !== undefined) result["pattern"] = written;
    else {
      delete result["pattern"];
      const shown = String(pattern).slice(0, 100);
      this.#onremark(`The pattern ${shown} is not a regular expression of ECMAScript and is not checked`);
    }
  }

  /**
   * The name of the definition that a reference leads to. It is converted later, so that circles end.
   *
   * @param unsent Required members that must not be sent here: each set of them is a definition of its own.
   */
  #define(reference: string, unsent: readonly string[]): string {
    const target = this.#document.at(reference);
    const key = JSON.stringify([reference, unsent]);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const plain = reference.slice(reference.lastIndexOf("/") + 1).replace(/[^\w.-]+/g, "_");
    let name = plain;
    for (let number = 2; Object.hasOwn(this.#definitions, name); number++) name = `${plain}_${number}`;
    this.#names.set(key, name);
    this.#definitions[name] = true;
    this.#waiting.push(() =>
      attempt(
        () => void (this.#definitions[name] = this.#convert(target, 0, new Set(unsent))),
        (error) => void this.#broken.set(name, error),
      )
    );
    return name;
  }
}

/** Whether a schema of a list is about the same object. An alternative that only requires something is not: it chooses. */
function isPart(keyword: string, schema: unknown): boolean {
  const { $ref, properties, allOf } = asObject(schema);
  return keyword === "allOf" || (keyword !== "prefixItems" && ($ref ?? properties ?? allOf) !== undefined);
}

/**
 * A pattern as a regular expression with the flag `u`; undefined when it is not one. Many patterns are written for other dialects,
 * and escape characters that must not be escaped with it.
 */
function portable(pattern: string): string | undefined {
  const plain = pattern.replace(
    /\\([\s\S])/g,
    (whole, escaped: string) =>
      /[A-Za-z0-9^$\\.*+?()[\]{}|/]/.test(escaped) ? whole : `\\u{${escaped.codePointAt(0)!.toString(16)}}`,
  );
  return [pattern, plain].find(isExpression);
}

function isExpression(source: string): boolean {
  try {
    return new RegExp(source, "u") !== undefined;
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}

const PREFIX = "#/$defs/";
/** The definitions that each definition refers to: definitions are shared by hundreds of endpoints. */
const references = new WeakMap<object, Set<string>>();

/** The definitions that schemas need, by name. References to anything else are left to the compiler. */
export function usedBy(schemas: readonly Schema[], definitions: Schemas): Schemas {
  const used: Record<string, Schema> = {};
  const waiting = [...schemas];
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
    for (const name of referencesOf(schema)) {
      if (Object.hasOwn(used, name) || !Object.hasOwn(definitions, name)) continue;
      waiting.push(used[name] = definitions[name]!);
    }
  }
  return used;
}

function referencesOf(schema: Schema): ReadonlySet<string> {
  if (typeof schema === "boolean") return NONE;
  let found = references.get(schema);
  if (found) return found;
  references.set(schema, found = new Set());
  walkSchema(schema, ({ $ref }) => {
    const name = typeof $ref === "string" ? definitionOf($ref) : undefined;
    if (name !== undefined) found.add(name);
  });
  return found;
}

/** The name of the definition that a reference leads to or into; undefined for any other reference. */
export function definitionOf(reference: string): string | undefined {
  const [, name] = /^#\/\$defs\/([^/]*)/.exec(reference) ?? [];
  return name === undefined || /%(?![0-9A-Fa-f]{2})/.test(name)
    ? undefined
    : decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Why a schema cannot be compiled; undefined when it can. */
export function compileError(schema: SchemaObject): SchemaError | undefined {
  try {
    compileSchema(schema);
    return undefined;
  } catch (cause) {
    if (cause instanceof SchemaError) return cause;
    throw cause;
  }
}

/**
 * The endpoints whose schemas cannot be compiled, and why. They share most of their definitions, so many are compiled at once, and
 * each half of them where that fails.
 */
export function findUnusable(
  endpoints: readonly Operation[],
  groupOf: (endpoint: Operation) => readonly [schemas: readonly Schema[], definitions: Schemas],
): [Operation, string][] {
  const groups = endpoints.map(groupOf);
  const $defs = Object.assign({}, ...groups.map(([, definitions]) => definitions));
  const error = compileError({ anyOf: [true, ...groups.flatMap(([schemas]) => schemas)], $defs });
  if (!error) return [];
  const half = endpoints.length >> 1;
  if (half > 0) {
    return [endpoints.slice(0, half), endpoints.slice(half)].flatMap((some) => findUnusable(some, groupOf));
  }
  return [[
    endpoints[0]!,
    error.message.replace(/^Cannot compile the schema: /, "A schema cannot be used: "),
  ]];
}

/** The schema of an object with these members and no others. */
export function objectOf<const R extends readonly string[], const P extends Schemas>(
  required: R,
  properties: P,
): { type: "object"; properties: P; required: R; additionalProperties: false } {
  return { type: "object", properties, required, additionalProperties: false };
}

/** The arguments of an endpoint: its parameters and its body. */
export function argumentsOf({ parameters, body }: Pick<Operation, "parameters" | "body">): Argument[] {
  return body ? [...parameters, body] : [...parameters];
}

/** The arguments of an endpoint, as one closed object. */
export function inputSchemaOf(endpoint: Operation): SchemaObject {
  const all = argumentsOf(endpoint);
  const properties = Object.fromEntries(all.map(({ argument, schema }) => [argument, schema]));
  if (!endpoint.isSafe) {
    const description = `Leave it out: ${endpoint.name} then answers with a plan and a token for it`;
    properties[CONFIRMATION] = { type: "string", description };
  }
  const required = all.filter((one) => one.required).map(({ argument }) => argument);
  return withDefinitions(objectOf(required, properties), endpoint.definitions);
}

/** The successful answer of an endpoint; undefined when nothing is promised of it. */
export function outputSchemaOf({ response, isSafe }: Operation): SchemaObject | undefined {
  // A plan is no such answer, so endpoints that have to be confirmed promise none.
  if (!isSafe || !response?.isOnly) return undefined;
  const { schema, definitions } = response;
  return withDefinitions(typeof schema === "boolean" ? { not: schema ? false : {} } : schema, definitions);
}

function withDefinitions(schema: SchemaObject, definitions: Schemas): SchemaObject {
  return Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions };
}
