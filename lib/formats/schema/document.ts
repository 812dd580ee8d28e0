/** Reads a schema document: validates keywords, collects subschemas, and resolves references. */

import type { JsonObject } from "../../base/json.ts";
import { isObject, own } from "../../base/json.ts";
import { escapeToken, isPointer, parsePointer } from "../../base/pointer.ts";
import { uriDecoded } from "../../base/text.ts";
import { patternError } from "./pattern.ts";
import { SchemaError } from "./schema.ts";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The maximum depth of nested schemas. Ten is usual. */
const MAX_NESTING = 100;
/** The maximum number of schemas in a document. The largest published ones have 10,000. */
const MAX_SUBSCHEMAS = 100_000;

const TYPES: readonly unknown[] = ["null", "boolean", "object", "array", "number", "integer", "string"];
const NAME = /^[A-Za-z_][-A-Za-z0-9._]*$/;

type Test = (value: unknown) => boolean;
const isText = (value: unknown): value is string => typeof value === "string";
const isFlag: Test = (value) => typeof value === "boolean";
const isCount: Test = (value) => Number.isInteger(value) && Number(value) >= 0;
const isPositive: Test = (value) => Number.isFinite(value) && Number(value) > 0;
const isUri: Test = (value) => isText(value) && !/#./s.test(value);
const isName: Test = (value) => isText(value) && NAME.test(value);
const isDialect: Test = (value) => value === DIALECT || value === `${DIALECT}#`;
const isFullList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;
const isNames: Test = (value) =>
  Array.isArray(value) && value.every(isText) && new Set(value).size === value.length;
const isType: Test = (value) => TYPES.includes(value);
const isTypes: Test = (value) =>
  isType(value) || (isFullList(value) && isNames(value) && value.every(isType));
const everyMember = (test: Test): Test => (value) => isObject(value) && Object.values(value).every(test);
/** The depth is limited, because comparing with a constant recurses. */
const isJson = (value: unknown, depth = 0): boolean =>
  typeof value === "object" && value !== null
    ? depth < MAX_NESTING && Object.values(value).every((member) => isJson(member, depth + 1))
    : value === null || ["string", "boolean", "undefined"].includes(typeof value) || Number.isFinite(value);
const isJsonList: Test = (value) => Array.isArray(value) && isJson(value);

/** The allowed values of a keyword: a test, a description, and the part of the meta-schema. */
type Form = readonly [fits: Test, wanted: string, schema: object];

const STRING = { type: "string" };
const URI = { ...STRING, format: "uri-reference" };
const listOf = (items: object) => ({ type: "array", items });
const objectOf = (additionalProperties: object) => ({ type: "object", additionalProperties });
const META = { $dynamicRef: "#meta" };
/** Subschemas are validated when they are read. */
const SCHEMA: Form = [() => true, "", META];
const SCHEMAS: Form = [isFullList, "a list of at least one schema", { ...listOf(META), minItems: 1 }];
const SCHEMAS_BY_NAME: Form = [isObject, "an object of schemas", objectOf(META)];
const TEXT: Form = [isText, "a string", STRING];
const FLAG: Form = [isFlag, "true or false", { type: "boolean" }];
const NAMES: Form = [isNames, "a list of unique strings", { ...listOf(STRING), uniqueItems: true }];
const COUNT: Form = [isCount, "an integer of 0 or more", { type: "integer", minimum: 0 }];
const ANCHOR: Form = [isName, `a name that matches ${NAME.source}`, { ...STRING, pattern: NAME.source }];
const TYPE = { enum: TYPES };
const TYPE_OR_TYPES = { anyOf: [TYPE, { ...listOf(TYPE), minItems: 1, uniqueItems: true }] };
const JSON_WANTED = `JSON of at most ${MAX_NESTING} levels`;

const FORMS: ReadonlyMap<string, Form> = new Map(
  Object.entries<Form>({
    "$id": [isUri, "a URI without a fragment", { ...URI, pattern: "^[^#]*#?$" }],
    "$schema": [isDialect, `"${DIALECT}", the only supported dialect`, URI],
    "$ref $dynamicRef": [isText, "a string", URI],
    "$anchor $dynamicAnchor": ANCHOR,
    "$vocabulary": [everyMember(isFlag), "an object of booleans", objectOf(FLAG[2])],
    // "definitions" is the older name of $defs; references still use it.
    "$defs definitions properties patternProperties dependentSchemas": SCHEMAS_BY_NAME,
    "prefixItems allOf anyOf oneOf": SCHEMAS,
    "items contains additionalProperties propertyNames if then else not contentSchema": SCHEMA,
    "unevaluatedItems unevaluatedProperties": SCHEMA,
    "type": [isTypes, `one of ${TYPES.join(", ")}, or a list of unique ones`, TYPE_OR_TYPES],
    "const": [isJson, JSON_WANTED, {}],
    "enum": [isJsonList, `an array of ${JSON_WANTED}`, { type: "array" }],
    "multipleOf": [isPositive, "a number above 0", { type: "number", exclusiveMinimum: 0 }],
    "maximum exclusiveMaximum minimum exclusiveMinimum": [Number.isFinite, "a number", { type: "number" }],
    "maxLength maxItems maxContains maxProperties minLength minItems minContains minProperties": COUNT,
    "pattern": [isText, "a string", { ...STRING, format: "regex" }],
    "required": NAMES,
    "dependentRequired": [
      everyMember(isNames),
      "an object of lists of unique strings",
      objectOf(NAMES[2]),
    ],
    "uniqueItems deprecated readOnly writeOnly": FLAG,
    "$comment title description format contentEncoding contentMediaType": TEXT,
    "examples": [Array.isArray, "an array", { type: "array" }],
  }).flatMap(([keywords, form]) => keywords.split(" ").map((keyword) => [keyword, form])),
);

/** Calls `take` for each subschema of a schema. */
function eachSubschema(
  schema: JsonObject,
  take: (subschema: unknown, keyword: string, pointer: string) => void,
): void {
  for (const keyword of Object.keys(schema)) {
    const form = FORMS.get(keyword);
    const value = schema[keyword];
    if (form === SCHEMA && value !== undefined) take(value, keyword, `/${keyword}`);
    if (form !== SCHEMAS && form !== SCHEMAS_BY_NAME) continue;
    for (const [token, subschema] of Object.entries(value ?? {})) {
      take(subschema, keyword, `/${keyword}/${escapeToken(token)}`);
    }
  }
}

/**
 * Calls a function for a schema and all schemas in it, outer ones first. Boolean schemas are skipped, and the schema need not
 * be valid. The function may change a schema before its subschemas are visited, or return false to skip them.
 *
 * @throws {SchemaError} When schemas nest deeper than 100, or there are more than 100,000.
 */
export function walkSchema(
  schema: unknown,
  callback: (schema: Record<string, unknown>, pointer: string) => boolean | void,
): void {
  let count = 0;
  const walk = (schema: unknown, pointer: string, depth: number): void => {
    requireBounded(pointer, depth, count++);
    if (!isObject(schema) || callback(schema, pointer) === false) return;
    eachSubschema(schema, (subschema, _, suffix) => walk(subschema, pointer + suffix, depth + 1));
  };
  walk(schema, "", 0);
}

/** @throws {SchemaError} When a schema is nested too deeply, or there are too many. */
export function requireBounded(pointer: string, depth: number, count: number): void {
  if (depth > MAX_NESTING) throw new SchemaError(pointer, `is inside more than ${MAX_NESTING} other schemas`);
  if (count < MAX_SUBSCHEMAS) return;
  throw new SchemaError(pointer, `is one schema too many: the maximum is ${MAX_SUBSCHEMAS}`);
}

/** A schema in a document. */
export interface Node {
  readonly schema: JsonObject | boolean;
  /** JSON pointer from the root of the document; in the meta-schema, it begins with its URI. */
  readonly location: string;
  /** The keyword that holds the schema; "" for the root. */
  readonly keyword: string;
  readonly depth: number;
  readonly resource: SchemaResource;
}

/** A schema with a URI of its own: the base of references, and the scope of anchors. */
export interface SchemaResource {
  readonly uri: string;
  readonly location: string;
  readonly anchors: Map<string, Node>;
  readonly dynamicAnchors: Map<string, Node>;
}

/** The base of relative URIs if no schema has a URI. */
const NO_BASE = "schema:/";

/** A schema document, including the meta-schema if it refers to it. */
export class SchemaDocument {
  readonly nodes: Map<string, Node> = new Map();
  readonly root: Node;
  readonly #resources = new Map<string, SchemaResource>();

  constructor(schema: unknown) {
    this.root = this.#read(schema, "", "", 0, this.#open(NO_BASE, ""));
    for (const node of this.nodes.values()) {
      for (const name of ["$ref", "$dynamicRef"]) {
        if (valueOf(node, name) !== undefined) this.resolve(node, name);
      }
    }
  }

  /** The target of a reference, and its name if it is a dynamic anchor: an outer schema with that name takes precedence. */
  resolve(node: Node, name: string): readonly [target: Node, dynamicAnchor: string | undefined] {
    const [, uri = "", fragment = ""] = /^([^#]*)#?(.*)$/s.exec(valueOf(node, name) as string)!;
    const resource = uri === "" ? node.resource : this.#resourceAt(resolveUri(uri, node.resource.uri));
    const fail = (reason: string) => new SchemaError(`${node.location}/${name}`, reason);
    if (!resource) {
      throw fail("points outside of the schema; nothing is fetched, so put the target into $defs");
    }
    // Anchors have no question mark.
    const decoded = uriDecoded(fragment) ?? "?";
    const target = isPointer(decoded) ? this.#nodeAt(resource, decoded) : resource.anchors.get(decoded);
    if (!target) throw fail("has no target in the schema");
    const isDynamic = name === "$dynamicRef" && valueOf(target, "$dynamicAnchor") === fragment;
    return [target, isDynamic ? fragment : undefined];
  }

  #open(uri: string, location: string): SchemaResource {
    if (this.#resources.has(uri)) {
      throw new SchemaError(`${location}/$id`, "is the URI of another schema in the same document");
    }
    const resource = { uri, location, anchors: new Map(), dynamicAnchors: new Map() };
    this.#resources.set(uri, resource);
    return resource;
  }

  #read(schema: unknown, location: string, keyword: string, depth: number, outer: SchemaResource): Node {
    let resource = outer;
    requireBounded(location, depth, this.nodes.size);
    if (typeof schema !== "boolean" && !isObject(schema)) {
      throw new SchemaError(location, "must be a schema: an object, true or false");
    }
    if (isObject(schema)) {
      for (const keyword of Object.keys(schema)) checkKeyword(keyword, schema[keyword], location);
      const id = own(schema, "$id");
      const uri = typeof id === "string" ? resolveUri(id.replace(/#$/, ""), resource.uri) : resource.uri;
      if (uri !== resource.uri || (id !== undefined && location !== resource.location)) {
        resource = this.#open(uri, location);
      }
    }
    const node = { schema, location, keyword, depth, resource };
    this.nodes.set(location, node);
    if (typeof schema === "boolean") return node;
    for (const name of ["$anchor", "$dynamicAnchor"]) {
      const anchor = own(schema, name);
      if (typeof anchor !== "string") continue;
      if ((resource.anchors.get(anchor) ?? node) !== node) {
        throw new SchemaError(`${location}/${name}`, "is also the anchor of another schema");
      }
      resource.anchors.set(anchor, node);
      if (name === "$dynamicAnchor") resource.dynamicAnchors.set(anchor, node);
    }
    eachSubschema(schema, (subschema, keyword, suffix) => {
      this.#read(subschema, location + suffix, keyword, depth + 1, resource);
    });
    return node;
  }

  #resourceAt(uri: string): SchemaResource | undefined {
    if (uri === DIALECT && !this.#resources.has(uri)) {
      const properties = Object.fromEntries(
        Array.from(FORMS, ([keyword, [, , schema]]) => [keyword, schema]),
      );
      const metaSchema = { $dynamicAnchor: "meta", type: ["object", "boolean"], properties };
      this.#read(metaSchema, `${uri}#`, "", 0, this.#open(uri, `${uri}#`));
    }
    return this.#resources.get(uri);
  }

  /** The schema at a pointer. Under an unknown keyword, a value becomes a schema only through the reference. */
  #nodeAt(resource: SchemaResource, pointer: string): Node | undefined {
    const known = this.nodes.get(resource.location + pointer);
    if (known) return known;
    let nearest = this.nodes.get(resource.location)!;
    let { location } = resource;
    let value: unknown = nearest.schema;
    let keyword = "";
    for (keyword of parsePointer(pointer)!) {
      value = typeof value === "object" && value !== null ? own(value, keyword) : undefined;
      location += `/${escapeToken(keyword)}`;
      nearest = this.nodes.get(location) ?? nearest;
    }
    if (typeof value !== "boolean" && !isObject(value)) return undefined;
    return this.#read(value, location, keyword, nearest.depth + 1, nearest.resource);
  }
}

export function valueOf(node: Node, keyword: string): unknown {
  return typeof node.schema === "object" ? own(node.schema, keyword) : undefined;
}

function checkKeyword(keyword: string, value: unknown, location: string): void {
  if (value === undefined) return;
  const at = `${location}/${keyword}`;
  const form = FORMS.get(keyword);
  if (form && !form[0](value)) throw new SchemaError(at, `must be ${form[1]}`);
  if (keyword === "pattern") requirePattern(value as string, at);
  if (keyword !== "patternProperties") return;
  for (const source of Object.keys(value as object)) requirePattern(source, `${at}/${escapeToken(source)}`);
}

function requirePattern(source: string, location: string): void {
  const cause = patternError(source);
  if (!cause) return;
  throw new SchemaError(location, "is not an ECMAScript regular expression with the flag u", { cause });
}

function resolveUri(reference: string, base: string): string {
  return URL.parse(reference, base)?.href ?? reference;
}
