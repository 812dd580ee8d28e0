/** Converts the schemas of OpenAPI to JSON Schema 2020-12, and composes the schemas of tools. */

import type { JsonObject } from "../base/json.ts";
import type { Schema, SchemaObject, Schemas } from "../schema/mod.ts";
import type { Argument, GatewayError, Operation } from "./endpoint.ts";
import type { OpenApiDocument } from "./openapi.ts";
import { asArray, asObject, compact, isObject, own } from "../base/json.ts";
import { escapeToken, parsePointer } from "../base/pointer.ts";
import { nearest } from "../base/nearest.ts";
import { didYouMean, uriDecoded } from "../base/text.ts";
import { compileSchema, isLinear, SchemaError } from "../schema/mod.ts";
import { attempt, CONFIRMATION, PART, refuse } from "./endpoint.ts";

type Remark = (reason: string) => void;

export interface SchemaReader {
  /** @throws {GatewayError} When it, or a schema that it refers to, cannot be checked. */
  read(schema: unknown): Schema;
  readonly definitions: Schemas;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Keywords that hold a schema, a list of schemas, and schemas by name. */
const SCHEMA = words(
  "items additionalProperties not contains propertyNames unevaluatedItems unevaluatedProperties if then else",
);
const IN_PLACE = ["allOf", "anyOf", "oneOf"];
const LIST: ReadonlySet<string> = new Set([...IN_PLACE, "prefixItems"]);
const MAP = words("properties patternProperties dependentSchemas");
const ANSWERED = words(
  "type title description format default deprecated contentEncoding contentMediaType " +
    "items additionalProperties allOf anyOf oneOf prefixItems properties",
);
const SENT: ReadonlySet<string> = new Set([
  ...[...ANSWERED, ...SCHEMA, ...LIST, ...MAP],
  ...words(
    "enum const multipleOf maximum minimum exclusiveMaximum exclusiveMinimum maxLength minLength pattern maxItems minItems " +
      "uniqueItems maxProperties minProperties required dependentRequired minContains maxContains readOnly",
  ),
]);
const BOUNDS = [["exclusiveMaximum", "maximum"], ["exclusiveMinimum", "minimum"]] as const;

/** The deepest nesting of a schema: more than people write, and less than the stack and clients bear. */
const MAX_LEVELS = 48;
/** The most members without a description that are named: finding what each was meant for takes time. */
const MAX_NOTES = 20;
const NONE: ReadonlySet<string> = new Set();
const PREFIX = "#/$defs/";
const UNFIT = "is not a regular expression of ECMAScript, or may take too long,";

/** Reads the schemas of a document. Answers are held to names and types: APIs leave out, add and null more than they document. */
export function openApiSchemas(document: OpenApiDocument, isSent: boolean, onremark: Remark): SchemaReader {
  const { isOld } = document;
  const keywords = isSent ? SENT : ANSWERED;
  const definitions: Record<string, Schema> = {};
  const broken = new Map<string, GatewayError>();
  const names = new Map<string, string>();
  const waiting: (() => void)[] = [];

  function read(written: unknown): Schema {
    const schema = convert(written, 0);
    for (let next = waiting.pop(); next; next = waiting.pop()) next();
    for (const name in usedBy([schema], definitions)) if (broken.has(name)) throw broken.get(name);
    return schema;
  }

  /** @param unsent Members that the schemas around this one describe as read-only: they are not required. */
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
    // A part that requires what is only answered is written out.
    if (document.demands($ref, unsent)) {
      return { allOf: [convert(document.at($ref), level + 1, unsent), rest] };
    }
    return { $ref: PREFIX + define($ref), ...rest };
  }

  function members(schema: JsonObject, level: number, unsent: ReadonlySet<string>): SchemaObject {
    if ("$dynamicRef" in schema || "$id" in schema) {
      refuse("A schema has an $id, or a dynamic reference");
    }
    const result: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (!keywords.has(keyword)) continue;
      if (SCHEMA.has(keyword)) {
        if (isSent || value !== false) result[keyword] = convert(value, level + 1);
      } else if (LIST.has(keyword)) {
        if (asArray(value).length === 0) continue;
        // What fits two alternatives is good: most servers take the first.
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
    if (isSent) fixBounds(result, unsent);
    // 3.0 defines it beside a type alone. Many documents have it beside `allOf`.
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

  function fixBounds(result: Record<string, unknown>, unsent: ReadonlySet<string>): void {
    for (const [exclusive, plain] of BOUNDS) {
      // Up to 3.0, it is a flag.
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
    if (!result["pattern"]) {
      onremark(`The pattern ${pattern.slice(0, 100)} ${UNFIT} and is unchecked`);
    }
  }

  /** The name of the definition that a reference leads to. It is converted later, so that circles end. */
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
    waiting.push(() => attempt(fill, (error) => void broken.set(name, error)));
    return name;
  }

  return { read, definitions };
}

export function isRounded(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

interface Sent {
  /** A text of digits that a double cannot hold is a bigint, where a schema has an integer and no such text. */
  readonly sent: JsonObject;
  readonly hasLarge: boolean;
  readonly problems: readonly string[];
  /** Members that are not described, beside others that are. */
  readonly notes: readonly string[];
}

export function asSent(args: JsonObject, root: SchemaObject): Sent {
  const [problems, notes]: [string[], string[]] = [[], []];
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

function fitsText({ type, format, pattern, enum: values, maxLength }: JsonObject, text: unknown): boolean {
  if (![type].flat().includes("string")) return false;
  return compileSchema({ format, pattern, enum: values, maxLength }, { formats: true })(text).length === 0;
}

/** A schema, the one that it refers to, and all that `allOf`, `anyOf` and `oneOf` compose it of, each once. */
export function partsOf(
  schema: unknown,
  find: (reference: string) => unknown,
  isAlone: boolean = false,
  lists: readonly string[] = IN_PLACE,
  found: Set<JsonObject> = new Set(),
): JsonObject[] {
  if (!isObject(schema) || found.has(schema)) return [];
  found.add(schema);
  const { $ref } = schema;
  const isReference = typeof $ref === "string";
  const inner = lists.flatMap((keyword) => asArray(schema[keyword]));
  const next = isReference ? [find($ref), ...isAlone ? [] : inner] : inner;
  const parts = next.flatMap((one) => partsOf(one, find, isAlone, lists, found));
  return isReference && isAlone ? parts : [schema, ...parts];
}

/** Whether a schema of a list is about the same object. An alternative that only requires something is not: it chooses. */
function isPart(keyword: string, schema: unknown): boolean {
  const { $ref, properties, allOf } = asObject(schema);
  return keyword === "allOf" || (keyword !== "prefixItems" && ($ref ?? properties ?? allOf) !== undefined);
}

/** A pattern of any dialect as a regular expression with the flag `u`; undefined when it is none of linear time. */
function portable(pattern: string): string | undefined {
  const escapes = /\\(?:([^A-Za-z0-9^$\\.*+?()[\]{}|/])|[\s\S])/g;
  const toCode = (whole: string, one?: string) => one ? `\\u{${one.codePointAt(0)!.toString(16)}}` : whole;
  return [pattern, pattern.replace(escapes, toCode)].find(isLinear);
}

/** The definitions that each definition refers to: definitions are shared by hundreds of endpoints. */
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

/** The endpoints whose schemas cannot be compiled, and why: all at once, and each half of them where that fails. */
export function findUnusable(
  endpoints: readonly Operation[],
  definitions: Schemas,
  partsOf: (endpoint: Operation) => readonly { readonly schema: Schema }[],
): Map<Operation, string> {
  const schemas = endpoints.flatMap(partsOf).map(({ schema }) => schema);
  const error = compileError({ anyOf: [true, ...schemas], $defs: usedBy(schemas, definitions) });
  if (!error) return new Map();
  const half = endpoints.length >> 1;
  if (half === 0) {
    const reason = error.message.replace(/^Cannot compile the schema: /, "A schema cannot be used: ");
    return new Map([[endpoints[0]!, reason]]);
  }
  const halves = [endpoints.slice(0, half), endpoints.slice(half)];
  return new Map(halves.flatMap((some) => [...findUnusable(some, definitions, partsOf)]));
}

export function objectOf<const R extends readonly string[], const P extends Schemas>(
  required: R,
  properties: P,
): { type: "object"; properties: P; required: R; additionalProperties: false } {
  return { type: "object", properties, required, additionalProperties: false };
}

export function argumentsOf({ parameters, body }: Pick<Operation, "parameters" | "body">): Argument[] {
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

/** What stands for an answer that is not what it is promised to be. */
const UNEXPECTED = objectOf(["unexpected_answer"], {
  unexpected_answer: { type: "string", description: "How the answer, which is the text, differs from this" },
});

/** The result of an endpoint: the answer or `UNEXPECTED`; undefined when nothing is promised of it. */
export function outputSchemaOf({ response, isSafe }: Operation): SchemaObject | undefined {
  // A plan is no such answer, so endpoints that have to be confirmed promise none.
  if (!isSafe || !response?.isOnly) return undefined;
  const { schema, definitions } = response;
  const type = isObjectSchema(schema, definitions) ? "object" : undefined;
  return withDefinitions(compact({ type, anyOf: [schema, UNEXPECTED] }) as SchemaObject, definitions);
}

/** Whether all values of a schema, besides null, are objects. An answer as a whole is never null. */
function isObjectSchema(schema: unknown, definitions: Schemas): boolean {
  const { type, $ref } = asObject(schema);
  const target = typeof $ref === "string" ? own(definitions, definitionOf($ref) ?? "") : undefined;
  return target ? isObjectSchema(target, definitions) : /^(?:null,)?object(?:,null)?$/.test(`${type}`);
}

function withDefinitions(schema: SchemaObject, definitions: Schemas): SchemaObject {
  const $defs = usedBy([schema], definitions);
  return Object.keys($defs).length === 0 ? schema : { ...schema, $defs };
}
