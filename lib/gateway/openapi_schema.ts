/**
 * What does a schema of OpenAPI mean as JSON Schema 2020-12? What is sent is held to every word; what is answered is held to
 * names and types, because APIs leave out, add and null more than they say.
 */

import type { Schema, Schemas } from "../schema/mod.ts";
import type { OpenApiDocument, Part } from "./openapi_document.ts";
import { isObject } from "../base/json.ts";
import { UnservableError } from "./gateway_error.ts";
import { tokensOf } from "./openapi_document.ts";
import { ReadOnlyMembers } from "./openapi_read_only.ts";
import { portable } from "./pattern.ts";
import { usedBy } from "./used_definitions.ts";

/** Which way a value goes. */
export type Direction = "sent" | "answered";

/** Keywords that hold no schema. */
const PLAIN = [
  "type",
  "title",
  "description",
  "format",
  "default",
  "deprecated",
  "contentEncoding",
  "contentMediaType",
];
/** Those of them that bound a value. */
const BOUNDS = [
  ...[
    "enum",
    "const",
    "multipleOf",
    "maximum",
    "minimum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxLength",
  ],
  ...["minLength", "maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties", "required"],
  ...["dependentRequired", "minContains", "maxContains"],
];
const SCHEMAS = ["items", "additionalProperties"];
const STRICT_SCHEMAS = [
  "not",
  "contains",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
  "if",
  "then",
  "else",
];
const LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAPS = ["properties", "patternProperties", "dependentSchemas"];
const TYPES = new Set(["null", "boolean", "object", "array", "number", "integer", "string"]);

/** More than any schema that somebody wrote, and less than the stack and the messages of clients bear. */
const MAX_LEVELS = 48;

/** No member. */
const NONE: ReadonlySet<string> = new Set();

/** Reads the schemas of a document for one direction. */
export class SchemaReader {
  readonly #document: OpenApiDocument;
  readonly #direction: Direction;
  /** What references lead to, by the name that it gets. */
  readonly #definitions: Record<string, Schema> = {};
  /** Why some of them cannot be used, by name. */
  readonly #broken = new Map<string, UnservableError>();
  readonly #names = new Map<string, string>();
  readonly #waiting: (() => void)[] = [];
  readonly #onremark: (reason: string) => void;
  readonly #readOnly: ReadOnlyMembers;

  /** Takes the document, and who hears of what is left out. */
  constructor(document: OpenApiDocument, direction: Direction, onremark: (reason: string) => void) {
    this.#document = document;
    this.#direction = direction;
    this.#onremark = onremark;
    this.#readOnly = new ReadOnlyMembers(document);
  }

  /**
   * Reads one schema.
   *
   * @throws {UnservableError} When it, or anything that it refers to, cannot be held against a value.
   */
  read(schema: unknown): Schema {
    const converted = this.#convert(schema, 0);
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) next();
    for (const name of Object.keys(this.definitionsOf([converted]))) {
      const reason = this.#broken.get(name);
      if (reason) throw reason;
    }
    return converted;
  }

  /** The definitions that schemas of this reader need. */
  definitionsOf(schemas: readonly Schema[]): Schemas {
    return usedBy(schemas, this.#definitions);
  }

  /** @param unsent Members that something around the schema says are only ever answered: nobody may demand them. */
  #convert(schema: unknown, level: number, unsent = NONE): Schema {
    if (typeof schema === "boolean") return schema;
    if (!isObject(schema)) throw new UnservableError("There is something else where a schema belongs");
    if (level > MAX_LEVELS) throw new UnservableError(`A schema nests deeper than ${MAX_LEVELS} levels`);
    const all = this.#direction === "sent" ? union(unsent, this.#readOnly.of(schema)) : NONE;
    const reference = schema["$ref"];
    if (typeof reference !== "string") return this.#object(schema, level, all);
    const $ref = `#/$defs/${this.#define(reference, this.#readOnly.demanded(reference, all))}`;
    // Up to 3.0, what stands beside a reference means nothing.
    return this.#document.version === "3.0" ? { $ref } : { $ref, ...this.#object(schema, level, all) };
  }

  #object(schema: Part, level: number, unsent: ReadonlySet<string>): { [keyword: string]: unknown } {
    if (schema["$dynamicRef"] !== undefined || schema["$id"] !== undefined) {
      throw new UnservableError("A schema has a URI of its own, or a dynamic reference");
    }
    const result: Record<string, unknown> = {};
    const isSent = this.#direction === "sent";
    for (const keyword of isSent ? [...PLAIN, ...BOUNDS] : PLAIN) {
      if (schema[keyword] !== undefined) result[keyword] = schema[keyword];
    }
    for (const keyword of isSent ? [...SCHEMAS, ...STRICT_SCHEMAS] : SCHEMAS) {
      const held = schema[keyword];
      if (held !== undefined && (isSent || held !== false)) result[keyword] = this.#convert(held, level + 1);
    }
    for (const keyword of LISTS) {
      const held = schema[keyword];
      if (!Array.isArray(held) || held.length === 0) continue;
      // What fits two of them is no reason to withhold an answer.
      const written = keyword === "oneOf" && !isSent ? "anyOf" : keyword;
      result[written] = held.map((one) =>
        this.#convert(one, level + 1, isPart(keyword, one) ? unsent : NONE)
      );
    }
    for (const keyword of isSent ? MAPS : MAPS.slice(0, 1)) {
      const held = schema[keyword];
      if (!isObject(held)) continue;
      const entries = Object.entries(held).map(([name, one]) => [name, this.#member(one, level + 1)]);
      result[keyword] = Object.fromEntries(entries);
    }
    this.#fixTypes(schema, result);
    if (isSent) this.#fixBounds(schema, result, unsent);
    return result;
  }

  /** A member that is only ever answered cannot be sent. */
  #member(schema: unknown, level: number): Schema {
    if (this.#direction === "sent" && this.#readOnly.isReadOnly(schema)) return { not: {} };
    return this.#convert(schema, level);
  }

  #fixTypes(schema: Part, result: Record<string, unknown>): void {
    const { type } = schema;
    if (type === undefined) return;
    const types = new Set(Array.isArray(type) ? type : [type]);
    for (const one of types) {
      if (!TYPES.has(one)) {
        throw new UnservableError(
          `A schema has the type ${JSON.stringify(one)?.slice(0, 40)}, which is none`,
        );
      }
    }
    const isNullable = this.#document.version === "3.0" && schema["nullable"] === true;
    if (isNullable || this.#direction === "answered") types.add("null");
    if (isNullable && Array.isArray(result["enum"])) result["enum"] = [...new Set([...result["enum"], null])];
    // Numbers that a double cannot hold are answered as texts by many an API.
    if (this.#direction === "answered" && schema["format"] === "int64") types.add("string");
    const all = [...types];
    result["type"] = all.length === 1 ? all[0] : all;
  }

  #fixBounds(schema: Part, result: Record<string, unknown>, unsent: ReadonlySet<string>): void {
    for (
      const [exclusive, plain] of [["exclusiveMaximum", "maximum"], ["exclusiveMinimum", "minimum"]] as const
    ) {
      if (typeof schema[exclusive] !== "boolean") continue;
      delete result[exclusive];
      if (!schema[exclusive] || schema[plain] === undefined) continue;
      result[exclusive] = schema[plain];
      delete result[plain];
    }
    const { required, pattern } = schema;
    if (Array.isArray(required)) {
      result["required"] = [...new Set(required)].filter((name) => !unsent.has(name));
    } else delete result["required"];
    if (typeof pattern !== "string") return;
    const written = portable(pattern);
    if (written !== undefined) result["pattern"] = written;
    else {this.#onremark(
        `The pattern ${pattern.slice(0, 100)} is no regular expression of ECMAScript and is not checked`,
      );}
  }

  /** The name of what a reference leads to; it is read when all that is at hand is read, so that circles end. */
  #define(reference: string, unsent: ReadonlySet<string>): string {
    const tokens = tokensOf(reference);
    const key = JSON.stringify([tokens, [...unsent]]);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = this.#freeName(tokens.at(-1) ?? "root");
    this.#names.set(key, name);
    this.#definitions[name] = true;
    this.#waiting.push(() => {
      try {
        this.#definitions[name] = this.#convert(this.#document.at(reference), 0, unsent);
      } catch (cause) {
        if (!(cause instanceof UnservableError)) throw cause;
        this.#broken.set(name, cause);
      }
    });
    return name;
  }

  #freeName(wanted: string): string {
    const plain = wanted.replace(/[^\w.-]+/g, "_");
    let name = plain;
    for (let number = 2; Object.hasOwn(this.#definitions, name); number++) name = `${plain}_${number}`;
    return name;
  }
}

/** Whether a schema in a list speaks of the same object: an alternative that only requires something is there to choose. */
function isPart(keyword: string, schema: unknown): boolean {
  if (keyword === "allOf") return true;
  return keyword !== "prefixItems" && isObject(schema) &&
    ["$ref", "properties", "allOf"].some((one) => one in schema);
}

function union(some: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  if (some.size === 0) return others;
  return others.size === 0 ? some : new Set([...some, ...others]);
}
