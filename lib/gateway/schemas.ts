/** Converts the schemas of OpenAPI to JSON Schema 2020-12, and composes the schemas of tools. */

import type { JsonObject } from "../base/json.ts";
import type { Schema, SchemaObject, Schemas } from "../formats/schema/mod.ts";
import type { Argument, GatewayError, Operation } from "./endpoint.ts";
import type { OpenApiDocument } from "./openapi.ts";
import { asArray, asObject, compact, isObject, own } from "../base/json.ts";
import { escapeToken, parsePointer } from "../base/pointer.ts";
import { nearest } from "../base/nearest.ts";
import { didYouMean, uriDecoded } from "../base/text.ts";
import { compileSchema, isLinear, SchemaError } from "../formats/schema/mod.ts";
import { CONFIRMATION, PART, recover, refuse } from "./endpoint.ts";

type Use = "sent" | "answered";
type Remark = (reason: string) => void;

export interface SchemaReader {
  /** @throws {GatewayError} When it, or a schema that it refers to, cannot be checked. */
  read(schema: unknown): Schema;
  readonly definitions: Schemas;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Keywords that hold a schema (SCHEMA), a list of schemas (LIST), and schemas by name (MAP). */
const SCHEMA = words(
  "items additionalProperties not contains propertyNames unevaluatedItems unevaluatedProperties if then else",
);
export const IN_PLACE: readonly string[] = ["allOf", "anyOf", "oneOf"];
const LIST: ReadonlySet<string> = new Set([...IN_PLACE, "prefixItems"]);
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

/** The deepest nesting of a schema: more than people write, and less than what overflows the stack or troubles clients. */
const MAX_LEVELS = 48;
/** How many members without a description are named: it takes time to find what each was meant for. */
const MAX_NOTES = 20;
const NONE: ReadonlySet<string> = new Set();
const PREFIX = "#/$defs/";
const UNFIT = "is not a regular expression of ECMAScript, or may take too long,";

/** Reads the schemas of a document. Of answers, names and types are checked: APIs leave out, add and null more than they say. */
export function openApiSchemas(document: OpenApiDocument, use: Use, onremark: Remark): SchemaReader {
  const { isOld } = document;
  const isSent = use === "sent", keywords = isSent ? SENT_KEYWORDS : ANSWER_KEYWORDS;
  const definitions: Record<string, Schema> = {};
  /** Why definitions cannot be used, by their names, and the names of definitions by the references to them. */
  const broken = new Map<string, GatewayError>();
  const names = new Map<string, string>();
  const waiting: (() => void)[] = [];

  function read(written: unknown): Schema {
    const schema = convert(written, 0);
    for (let next = waiting.pop(); next; next = waiting.pop()) next();
    for (const name in usedBy([schema], definitions)) if (broken.has(name)) throw broken.get(name);
    return schema;
  }

  /** @param unsent The members that this schema, or one of the same object, calls read-only: they are not required. */
  function convert(schema: unknown, level: number, unsent = NONE): Schema {
    if (typeof schema === "boolean") return schema;
    if (!isObject(schema)) refuse("A schema is neither an object nor a boolean");
    if (level > MAX_LEVELS) refuse(`A schema nests deeper than ${MAX_LEVELS} levels`);
    const { $ref, allOf, properties } = schema;
    if (isSent && ($ref ?? allOf ?? properties) !== undefined) {
      unsent = new Set([...unsent, ...document.readOnlyMembers(schema)]);
    }
    if (typeof $ref !== "string") return members(schema, level, unsent);
    const rest = isOld ? {} : members(schema, level, unsent);
    // The target requires a member that is read-only here: it is written out, without that.
    if (document.demands($ref, unsent)) {
      return { allOf: [convert(document.at($ref), level + 1, unsent), rest] };
    }
    return { $ref: PREFIX + define($ref), ...rest };
  }

  function members(schema: JsonObject, level: number, unsent: ReadonlySet<string>): SchemaObject {
    if ("$dynamicRef" in schema || "$id" in schema) refuse("A schema has an $id, or a dynamic reference");
    const result: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (!keywords.has(keyword)) continue;
      if (SCHEMA.has(keyword)) {
        if (isSent || value !== false) result[keyword] = convert(value, level + 1);
      } else if (LIST.has(keyword)) {
        if (asArray(value).length === 0) continue;
        // A value may fit two alternatives: most servers take the first.
        const name = keyword === "oneOf" && schema["anyOf"] === undefined ? "anyOf" : keyword;
        const convertOne = (one: unknown) => convert(one, level + 1, isPart(keyword, one) ? unsent : NONE);
        result[name] = asArray(value).map(convertOne);
      } else if (keyword === "enum" && asArray(value).length === 0) continue;
      else if (!MAP.has(keyword)) result[keyword] = value;
      else if (isObject(value)) {
        const slow = keyword === "patternProperties" && Object.keys(value).find((name) => !isLinear(name));
        if (slow) refuse(`The pattern ${slow.slice(0, 100)} ${UNFIT}`);
        const all = Object.entries(value).map(([name, one]) => [name, convert(one, level + 1)]);
        result[keyword] = Object.fromEntries(all);
      }
    }
    fixType(schema, result);
    if (isSent) fixConstraints(result, unsent);
    // OpenAPI 3.0 defines `nullable` only where there is a `type`, but many documents have it next to `allOf`.
    const isNullable = isSent && isOld && schema["nullable"] === true && schema["type"] === undefined;
    return (isNullable ? { anyOf: [compact(result), { type: "null" }] } : compact(result)) as SchemaObject;
  }

  function fixType(schema: JsonObject, result: Record<string, unknown>): void {
    const { type, format, nullable, enum: values } = schema;
    if (type === undefined) return;
    const isNullable = nullable === true;
    const types = new Set([type].flat());
    if (isNullable || !isSent) types.add("null");
    if (isNullable && isSent && Array.isArray(values)) result["enum"] = [...new Set([...values, null])];
    // Many APIs answer large numbers as texts, and so does the gateway.
    const isLarge = /64/.test(`${format}`) || (types.has("integer") && !/\d/.test(`${format}`));
    if (!isSent && isLarge) types.add("string");
    result["type"] = types.size === 1 ? [...types][0] : [...types];
  }

  function fixConstraints(result: Record<string, unknown>, unsent: ReadonlySet<string>): void {
    for (const [exclusive, plain] of BOUNDS) {
      // In OpenAPI 3.0, the exclusive bound is a flag.
      const flag = result[exclusive];
      const limit = result[plain];
      if (typeof flag === "boolean") [result[exclusive], result[plain]] = flag ? [limit] : [undefined, limit];
    }
    const { required, pattern } = result;
    const needed = [...new Set(asArray(required))].filter((name) => !unsent.has(String(name)));
    result["required"] = required && needed;
    if (result["additionalProperties"] === false) {
      const undescribed = asArray(result["required"]).map((name) => [name, true]);
      result["properties"] = { ...Object.fromEntries(undescribed), ...asObject(result["properties"]) };
    }
    if (typeof pattern !== "string") return;
    result["pattern"] = portable(pattern);
    if (!result["pattern"]) onremark(`The pattern ${pattern.slice(0, 100)} ${UNFIT} and is unchecked`);
  }

  /** The name of the definition that a reference leads to. It is converted later, so that references may form circles. */
  function define(reference: string): string {
    const target = document.at(reference);
    const known = names.get(reference);
    if (known !== undefined) return known;
    const plain = reference.replace(/^.*(?:\/|~1)(?=.)/s, "").replace(/[^\w.-]+/g, "_");
    let name = plain;
    for (let number = 2; Object.hasOwn(definitions, name); number++) name = `${plain}_${number}`;
    names.set(reference, name);
    definitions[name] = true;
    const fill = () => void (definitions[name] = convert(target, 0));
    waiting.push(() => recover(fill, (error) => void broken.set(name, error)));
    return name;
  }

  return { read, definitions };
}

export function isRounded(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

interface Sent {
  /** Digits that a double cannot hold, given as a text, are a bigint where a schema wants a number and no such text. */
  readonly sent: JsonObject;
  readonly hasLarge: boolean;
  /** Large integers that are given as numbers, and have lost digits. */
  readonly problems: readonly string[];
  /** Members that the schemas do not describe, although they describe others. */
  readonly notes: readonly string[];
}

export function asSent(args: JsonObject, root: SchemaObject): Sent {
  const problems: string[] = [], notes: string[] = [];
  let hasLarge = false, undescribed = 0;
  const definitions = asObject(root["$defs"]);
  const find = (reference: string) => own(definitions, definitionOf(reference) ?? "");
  const convert = (value: unknown, schemas: readonly unknown[], at: string): unknown => {
    if (isPlain(value)) return value;
    const parts = [...new Set(schemas.flatMap((one) => partsOf(one, find)))];
    if (typeof value === "string") {
      const isText = !parts.some(isInteger) || parts.some((one) => fitsText(one, value));
      hasLarge ||= !isText;
      return isText ? value : BigInt(value);
    }
    if (typeof value === "number") problems.push(`${at}: Expected the digits as a string, but got a number`);
    if (!isObject(value) && !Array.isArray(value)) return value;
    if (Array.isArray(value)) {
      const items = parts.flatMap(({ items, prefixItems }) => [items, ...asArray(prefixItems)]);
      return value.map((one, index) => isPlain(one) ? one : convert(one, items, `${at}/${index}`));
    }
    const names = new Set(parts.flatMap(({ properties }) => Object.keys(asObject(properties))));
    const isOpen = names.size === 0 || parts.some(isFree);
    const members = Object.entries(value).map(([name, one]) => {
      const found = parts.flatMap(({ properties, additionalProperties }) =>
        own(asObject(properties), name) ?? additionalProperties ?? []
      );
      const place = `${at}/${escapeToken(name)}`;
      const isNoted = found.length === 0 && !isOpen && ++undescribed <= MAX_NOTES;
      if (isNoted) notes.push(place + didYouMean(nearest(name, names)));
      return [name, convert(one, found, place)];
    });
    return Object.fromEntries(members);
  };
  const sent = convert(args, [root], "") as JsonObject;
  if (undescribed > MAX_NOTES) notes.push(`${undescribed - MAX_NOTES} more`);
  return { sent, problems, notes, hasLarge };
}

/** Whether a value is sent as it is, whatever its schema says. */
function isPlain(value: unknown): boolean {
  if (typeof value === "string") return !/^-?\d{16,20}$/.test(value) || !isRounded(Number(value));
  return value === null || (typeof value !== "object" && !isRounded(value));
}

const isFree = ({ type, patternProperties, properties, $ref, allOf, anyOf, oneOf }: JsonObject) =>
  patternProperties ?? (type === "object" && (properties ?? $ref ?? allOf ?? anyOf ?? oneOf) === undefined);
const isInteger = ({ type }: JsonObject) => /integer|number/.test(`${type}`);

/** Whether a schema is for texts and this one fits it. */
function fitsText({ type, format, pattern, enum: values, maxLength }: JsonObject, text: unknown): boolean {
  if (![type].flat().includes("string")) return false;
  return compileSchema({ format, pattern, enum: values, maxLength }, { formats: true })(text).length === 0;
}

/** A schema, the one that it refers to, and those that it is composed of with the keywords `lists`, each once. */
export function partsOf(
  schema: unknown,
  find: (reference: string) => unknown,
  lists: readonly string[] = IN_PLACE,
  ignoresSiblings: boolean = false,
  found: Set<JsonObject> = new Set(),
): JsonObject[] {
  if (!isObject(schema) || found.has(schema)) return [];
  found.add(schema);
  const { $ref } = schema;
  const isReference = typeof $ref === "string";
  const inner = lists.flatMap((keyword) => asArray(schema[keyword]));
  const next = isReference ? [find($ref), ...ignoresSiblings ? [] : inner] : inner;
  const parts = next.flatMap((one) => partsOf(one, find, lists, ignoresSiblings, found));
  return isReference && ignoresSiblings ? parts : [schema, ...parts];
}

/** Whether a schema in a list describes the same object. An alternative that only requires members does not: it selects. */
function isPart(keyword: string, schema: unknown): boolean {
  const { $ref, properties, allOf } = asObject(schema);
  return keyword === "allOf" || (keyword !== "prefixItems" && ($ref ?? properties ?? allOf) !== undefined);
}

/** A pattern of any dialect as one for the flag `u`; undefined when it is no regular expression that takes linear time. */
function portable(pattern: string): string | undefined {
  const escapes = /\\(?:([^A-Za-z0-9^$\\.*+?()[\]{}|/])|[\s\S])/g;
  const toCode = (whole: string, one?: string) => one ? `\\u{${one.codePointAt(0)!.toString(16)}}` : whole;
  return [pattern, pattern.replace(escapes, toCode)].find(isLinear);
}

/** The names of the definitions that each schema refers to, kept because hundreds of endpoints share definitions. */
const references = new WeakMap<object, Set<string>>();

/** The definitions that schemas need, by name. References to anything else are left to the compiler. */
export function usedBy(schemas: readonly Schema[], definitions: Schemas): Schemas {
  const used: Record<string, Schema> = {};
  const waiting = schemas.filter(isObject);
  for (const schema of waiting) {
    let names = references.get(schema);
    if (!names) {
      const found = JSON.stringify(schema).matchAll(/"#\/\$defs\/(?:[^"\\]|\\.)*"/g);
      references.set(schema, names = new Set(Array.from(found, ([text]) => definitionOf(JSON.parse(text))!)));
    }
    for (const name of names) {
      if (Object.hasOwn(used, name) || !Object.hasOwn(definitions, name)) continue;
      const definition = used[name] = definitions[name]!;
      if (isObject(definition)) waiting.push(definition);
    }
  }
  return used;
}

/** The tokens of a JSON pointer in a URI; undefined when it is not encoded correctly. */
export function tokensOf(reference: string): readonly string[] | undefined {
  return parsePointer(uriDecoded(reference.slice(1)) ?? "?");
}

/** The name of the definition that a reference leads to or into; undefined for any other reference. */
export function definitionOf(reference: string): string | undefined {
  const [keyword, name] = reference.startsWith("#") ? tokensOf(reference) ?? [] : [];
  return keyword === "$defs" ? name : undefined;
}

export function compileError(schema: SchemaObject): SchemaError | undefined {
  try {
    compileSchema(schema);
    return undefined;
  } catch (cause) {
    if (cause instanceof SchemaError) return cause;
    throw cause;
  }
}

/** The endpoints whose schemas cannot be compiled, and why. All are compiled at once, and each half of them where that fails. */
export function findUnusable(
  endpoints: readonly Operation[],
  definitions: Schemas,
  described: (endpoint: Operation) => readonly { readonly schema: Schema }[],
): Map<Operation, string> {
  const schemas = endpoints.flatMap(described).map(({ schema }) => schema);
  const error = compileError({ anyOf: [true, ...schemas], $defs: usedBy(schemas, definitions) });
  if (!error) return new Map();
  const half = endpoints.length >> 1;
  if (half === 0) {
    const reason = error.message.replace(/^Cannot compile the schema: /, "A schema cannot be used: ");
    return new Map([[endpoints[0]!, reason]]);
  }
  const halves = [endpoints.slice(0, half), endpoints.slice(half)];
  return new Map(halves.flatMap((some) => [...findUnusable(some, definitions, described)]));
}

export function objectOf<const R extends readonly string[], const P extends Schemas>(
  required: R,
  properties: P,
): { type: "object"; properties: P; required: R; additionalProperties: false } {
  return { type: "object", properties, required, additionalProperties: false };
}

export function argumentsOf({ parameters, body }: Operation): Argument[] {
  return body ? [...parameters, body] : [...parameters];
}

export function inputSchemaOf(endpoint: Operation, shorten?: (schema: Schema) => Schema): SchemaObject {
  const all = argumentsOf(endpoint);
  const shown = all.map(({ argument, schema }) => [argument, shorten ? shorten(schema) : schema]);
  const properties: Record<string, Schema> = Object.fromEntries(shown);
  const token = `Leave it out: ${endpoint.name} then answers with a plan and a token for it`;
  properties[PART] = { type: "string", description: "Of a long answer, the part to read, as it names it" };
  if (!endpoint.isSafe) properties[CONFIRMATION] = { type: "string", description: token };
  const required = all.filter((one) => one.required).map(({ argument }) => argument);
  return withDefinitions(objectOf(required, properties), endpoint.definitions);
}

/** The data of a result whose answer is not what was promised. */
const UNEXPECTED = objectOf(["unexpected_answer"], {
  unexpected_answer: { type: "string", description: "How the answer, which is the text, differs from this" },
});

/** The result of an endpoint: the answer or `UNEXPECTED`; undefined when nothing is promised of it. */
export function outputSchemaOf({ response, isSafe }: Operation): SchemaObject | undefined {
  // An endpoint that has to be confirmed promises nothing: it may answer with a plan.
  if (!isSafe || !response?.isOnly) return undefined;
  const { schema, definitions } = response;
  const type = isObjectSchema(schema, definitions) ? "object" : undefined;
  return withDefinitions(compact({ type, anyOf: [schema, UNEXPECTED] }) as SchemaObject, definitions);
}

/** Whether all values of a schema are objects, except null, which is never the whole answer. */
function isObjectSchema(schema: unknown, definitions: Schemas): boolean {
  const { type, $ref } = asObject(schema);
  const target = typeof $ref === "string" ? own(definitions, definitionOf($ref) ?? "") : undefined;
  return target ? isObjectSchema(target, definitions) : /^(?:null,)?object(?:,null)?$/.test(`${type}`);
}

function withDefinitions(schema: SchemaObject, definitions: Schemas): SchemaObject {
  const $defs = usedBy([schema], definitions);
  return Object.keys($defs).length === 0 ? schema : { ...schema, $defs };
}
