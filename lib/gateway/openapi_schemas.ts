/** Converts the schemas of OpenAPI to JSON Schema 2020-12. */

import type { JsonObject } from "../base/json.ts";
import type { Schema, SchemaObject, Schemas } from "../formats/schema/mod.ts";
import type { GatewayError } from "./errors.ts";
import type { OpenApiDocument } from "./openapi_document.ts";
import { asArray, asObject, compact, isObject, own } from "../base/json.ts";
import { toPointer } from "../base/pointer.ts";
import { checkKeyword } from "../formats/schema/keyword_forms.ts";
import { isLinear, SchemaError } from "../formats/schema/mod.ts";
import { recover, refuse } from "./errors.ts";
import { IN_PLACE, usedBy } from "./schema_references.ts";

type Use = "sent" | "answered";
type Remark = (reason: string) => void;
/** An optional member, in the object that gets its schema. */
type Member = { readonly owner: Record<string, Schema>; readonly name: string };
/** What refers to a definition: an optional member, or another definition. */
type Holder = Member | string;

/** Converts schemas one after another, and collects the definitions that they share. */
export interface SchemaReader {
  /** Converts a schema. @throws {GatewayError} When it, or a schema that it refers to, cannot be used. */
  read(schema: unknown): Schema;
  /** The converted schemas that others refer to, by name. */
  readonly definitions: Schemas;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Keywords that hold a schema. */
const SCHEMA = words(
  "items additionalProperties not contains propertyNames unevaluatedItems unevaluatedProperties if then else",
);
/** Keywords that hold a list of schemas. */
const LIST: ReadonlySet<string> = new Set([...IN_PLACE, "prefixItems"]);
/** Keywords that hold schemas by name. */
const MAP = words("properties patternProperties dependentSchemas");
const ANSWER_KEYWORDS = words(
  "type title description format default deprecated contentEncoding contentMediaType " +
    "items additionalProperties allOf anyOf oneOf prefixItems properties",
);
const SENT_KEYWORDS: ReadonlySet<string> = new Set([
  ...[...ANSWER_KEYWORDS, ...SCHEMA, ...LIST, ...MAP],
  ...words(
    "enum const multipleOf maximum minimum exclusiveMaximum exclusiveMinimum maxLength minLength pattern maxItems minItems " +
      "uniqueItems maxProperties minProperties required dependentRequired minContains maxContains readOnly",
  ),
]);
const BOUNDS = [["exclusiveMaximum", "maximum"], ["exclusiveMinimum", "minimum"]] as const;

/** The maximum depth of a schema: more than people write, and less than what overflows the stack or breaks clients. */
const MAX_LEVELS = 48;
const NONE: ReadonlySet<string> = new Set();
const PREFIX = "#/$defs/";
const UNFIT = "is not an ECMAScript regular expression, or may take too long";

/**
 * Makes a reader for the schemas of a document. For answers, it keeps only names and types: APIs omit members, add members
 * and send null more often than they document.
 */
export function openApiSchemas(document: OpenApiDocument, use: Use, onremark: Remark): SchemaReader {
  const { isOld } = document;
  const isSent = use === "sent", keywords = isSent ? SENT_KEYWORDS : ANSWER_KEYWORDS;
  const definitions: Record<string, Schema> = {};
  /** Why a definition cannot be used, by its name. */
  const broken = new Map<string, GatewayError>();
  /** What uses a definition, by its name. */
  const uses = new Map<string, Holder[]>();
  /** What is being converted. */
  let holder: Holder | undefined;
  /** The name of a definition, by the reference to it. */
  const names = new Map<string, string>();
  const waiting: (() => void)[] = [];

  function read(written: unknown): Schema {
    const schema = convert(written, 0);
    for (let next = waiting.pop(); next; next = waiting.pop()) next();
    for (const name in usedBy([schema], definitions)) if (broken.has(name)) throw broken.get(name);
    return schema;
  }

  function fail(schema: JsonObject, tokens: readonly string[], reason: string): never {
    return refuse(`A schema cannot be used: ${document.placeOf(schema)}${toPointer(tokens)} ${reason}`);
  }

  /** A definition cannot be used: an optional member that refers to it accepts any value, others cannot be used either. */
  function spoil(name: string, error: GatewayError): void {
    if (broken.has(name)) return;
    broken.set(name, error);
    for (const one of uses.get(name) ?? []) {
      if (typeof one === "string") spoil(one, error);
      else acceptAny(one, error);
    }
  }

  function acceptAny({ owner, name }: Member, { reason }: GatewayError): void {
    owner[name] = true;
    onremark(`${reason}; any value is accepted`);
  }

  /** Converts an optional member of an object. If that is not possible, the member accepts any value. */
  function optional(member: Member, convertOne: () => Schema): void {
    const outer = holder;
    holder = member;
    recover(() => void (member.owner[member.name] = convertOne()), (error) => acceptAny(member, error));
    holder = outer;
  }

  /** Converts a schema within another one. */
  function inner(whole: JsonObject, tokens: readonly string[], level: number, unsent = NONE): Schema {
    const schema = tokens.reduce<unknown>((value, token) => own(value as object, token), whole);
    if (typeof schema !== "boolean" && !isObject(schema)) {
      fail(whole, tokens, "must be an object or a boolean");
    }
    return convert(schema, level + 1, unsent);
  }

  /** @param unsent Members that are read-only in this schema, or in another schema of the same object: they are not required. */
  function convert(schema: unknown, level: number, unsent = NONE): Schema {
    if (typeof schema === "boolean") return schema;
    if (!isObject(schema)) refuse("A schema must be an object or a boolean");
    if (level > MAX_LEVELS) refuse(`A schema is nested more than ${MAX_LEVELS} levels deep`);
    const { $ref, allOf, properties } = schema;
    if (isSent && ($ref ?? allOf ?? properties) !== undefined) {
      unsent = new Set([...unsent, ...document.readOnlyMembers(schema)]);
    }
    if (typeof $ref !== "string") return members(schema, level, unsent);
    const rest = isOld ? {} : members(schema, level, unsent);
    // The target requires a member that is read-only here: inline the target without that requirement.
    if (document.demands($ref, unsent)) {
      return { allOf: [convert(document.at($ref), level + 1, unsent), rest] };
    }
    return { $ref: PREFIX + define($ref), ...rest };
  }

  function members(schema: JsonObject, level: number, unsent: ReadonlySet<string>): SchemaObject {
    if ("$dynamicRef" in schema || "$id" in schema) refuse("A schema has an $id or a dynamic reference");
    const result: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (!keywords.has(keyword)) continue;
      if (SCHEMA.has(keyword)) {
        if (isSent || value !== false) result[keyword] = inner(schema, [keyword], level);
      } else if (LIST.has(keyword)) {
        if (asArray(value).length === 0) continue;
        // A value may match two alternatives: most servers take the first.
        const name = keyword === "oneOf" && schema["anyOf"] === undefined ? "anyOf" : keyword;
        result[name] = asArray(value).map((one, index) =>
          inner(schema, [keyword, `${index}`], level, isPart(keyword, one) ? unsent : NONE)
        );
      } else if (keyword === "enum" && asArray(value).length === 0) continue;
      else if (!MAP.has(keyword)) result[keyword] = value;
      else if (isObject(value)) {
        const slow = keyword === "patternProperties" && Object.keys(value).find((name) => !isLinear(name));
        if (slow) refuse(`The pattern ${slow.slice(0, 100)} ${UNFIT}`);
        const owner: Record<string, Schema> = Object.create(null);
        for (const name of Object.keys(value)) {
          const convertOne = () => inner(schema, [keyword, name], level);
          const isNeeded = keyword !== "properties" || (isSent && asArray(schema["required"]).includes(name));
          if (isNeeded) owner[name] = convertOne();
          else optional({ owner, name }, convertOne);
        }
        result[keyword] = owner;
      }
    }
    fixType(schema, result);
    if (isSent) fixConstraints(result, unsent);
    for (const [keyword, value] of Object.entries(result)) {
      if (keyword === "pattern" || keyword === "patternProperties") continue;
      const reason = keywordError(keyword, value);
      if (reason !== undefined) fail(schema, [keyword], reason);
    }
    // OpenAPI 3.0 defines `nullable` only next to `type`, but many documents have it next to `allOf`.
    const isNullable = isSent && isOld && nullable(schema) && schema["type"] === undefined;
    return (isNullable ? { anyOf: [compact(result), { type: "null" }] } : compact(result)) as SchemaObject;
  }

  function fixType(schema: JsonObject, result: Record<string, unknown>): void {
    const { type, format, enum: values } = schema;
    if (type === undefined) return;
    const isNullable = nullable(schema);
    const types = new Set([type].flat());
    if (isNullable || !isSent) types.add("null");
    if (isNullable && isSent && Array.isArray(values)) result["enum"] = [...new Set([...values, null])];
    // Many APIs send large numbers as strings, and so does the gateway.
    const isLarge = /64/.test(`${format}`) || (types.has("integer") && !/\d/.test(`${format}`));
    if (!isSent && isLarge) types.add("string");
    result["type"] = types.size === 1 ? [...types][0] : [...types];
  }

  function fixConstraints(result: Record<string, unknown>, unsent: ReadonlySet<string>): void {
    for (const [exclusive, plain] of BOUNDS) {
      // In OpenAPI 3.0, an exclusive bound is a boolean.
      const flag = result[exclusive];
      const limit = result[plain];
      if (typeof flag === "boolean") [result[exclusive], result[plain]] = flag ? [limit] : [undefined, limit];
    }
    const { required, pattern } = result;
    const needed = [...new Set(asArray(required))].filter((name) => !unsent.has(String(name)));
    result["required"] = required && needed;
    if (result["additionalProperties"] === false) {
      const members = (result["properties"] ??= Object.create(null)) as Record<string, Schema>;
      for (const name of asArray(result["required"])) members[String(name)] ??= true;
    }
    if (typeof pattern !== "string") return;
    result["pattern"] = portable(pattern);
    if (!result["pattern"]) onremark(`The pattern ${pattern.slice(0, 100)} ${UNFIT}; it is not checked`);
  }

  /** The name of the definition for a reference. Its schema is converted later, because references can be circular. */
  function define(reference: string): string {
    const target = document.at(reference);
    const known = names.get(reference);
    if (known !== undefined) {
      if (broken.has(known)) throw broken.get(known);
      if (holder !== undefined) uses.get(known)!.push(holder);
      return known;
    }
    const plain = reference.replace(/^.*(?:\/|~1)(?=.)/s, "").replace(/[^\w.-]+|^__proto__$/g, "_");
    let name = plain;
    for (let number = 2; Object.hasOwn(definitions, name); number++) name = `${plain}_${number}`;
    names.set(reference, name);
    definitions[name] = true;
    uses.set(name, holder === undefined ? [] : [holder]);
    waiting.push(() => {
      holder = name;
      recover(() => void (definitions[name] = convert(target, 0)), (error) => spoil(name, error));
      holder = undefined;
    });
    return name;
  }

  return { read, definitions };
}

/** Why a keyword cannot have this value; undefined if it can. */
function keywordError(keyword: string, value: unknown): string | undefined {
  try {
    checkKeyword(keyword, value, "");
    return undefined;
  } catch (cause) {
    if (cause instanceof SchemaError) return cause.message.split(`/${keyword} `)[1];
    throw cause;
  }
}

/** Whether a schema of OpenAPI 3.0 or, in the extension that most tools know, Swagger 2.0 allows null. */
function nullable(schema: JsonObject): boolean {
  return (schema["nullable"] ?? schema["x-nullable"]) === true;
}

/** Whether a schema in a list describes the same object. An alternative that only requires members does not. */
function isPart(keyword: string, schema: unknown): boolean {
  const { $ref, properties, allOf } = asObject(schema);
  return keyword === "allOf" || (keyword !== "prefixItems" && ($ref ?? properties ?? allOf) !== undefined);
}

/** A pattern in any dialect, rewritten for the flag `u`; undefined if it cannot be matched in linear time. */
function portable(pattern: string): string | undefined {
  const escapes = /\\(?:([^A-Za-z0-9^$\\.*+?()[\]{}|/])|[\s\S])/g;
  const toCode = (whole: string, one?: string) => one ? `\\u{${one.codePointAt(0)!.toString(16)}}` : whole;
  return [pattern, pattern.replace(escapes, toCode)].find(isLinear);
}
