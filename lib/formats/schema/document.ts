/** Reads a schema document: collects its subschemas and resolves references between them. */

import type { JsonObject } from "../../base/json.ts";
import { isObject, own } from "../../base/json.ts";
import { escapeToken, isPointer, parsePointer } from "../../base/pointer.ts";
import { uriDecoded } from "../../base/text.ts";
import { checkKeyword, DIALECT, eachSubschema, MAX_NESTING, metaSchema } from "./keyword_forms.ts";
import { SchemaError } from "./schema.ts";

/** The maximum number of schemas in a document. The largest published ones have 10,000. */
const MAX_SUBSCHEMAS = 100_000;

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
      this.#read(metaSchema(), `${uri}#`, "", 0, this.#open(uri, `${uri}#`));
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

function resolveUri(reference: string, base: string): string {
  return URL.parse(reference, base)?.href ?? reference;
}
