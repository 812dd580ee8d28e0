/** Reads a schema document: finds and validates the schemas in it, and resolves references between them. */

import type { JsonObject } from "../base/json.ts";
import { escapeToken, isObject, own, parsePointer } from "../base/json.ts";
import { eachSubschema, metaSchema, mistakeIn, requireBounded } from "./keywords.ts";
import { SchemaError } from "./schema.ts";

/** One schema and its place. */
export interface Node {
  readonly schema: JsonObject | boolean;
  /** JSON pointer from the root of the document; in a part of the meta-schema, its URI stands in front. */
  readonly location: string;
  /** The keyword that it stands under; "" for the root. */
  readonly keyword: string;
  /** How many schemas it stands in. */
  readonly depth: number;
  readonly resource: Resource;
}

/** A schema with a URI: what references are relative to, and where anchors belong. */
export interface Resource {
  readonly uri: string;
  /** The location of its root. */
  readonly location: string;
  /** Schemas by anchor, dynamic ones included. */
  readonly anchors: Map<string, Node>;
  readonly dynamicAnchors: Map<string, Node>;
}

/** Relative URIs are resolved against this where no schema has a URI. */
const NO_BASE = "schema:/";

/** A schema document, and the parts of the meta-schema that it refers to. */
export class SchemaDocument {
  /** All known schemas by location. */
  readonly nodes: Map<string, Node> = new Map();
  readonly root: Node;
  readonly #resources = new Map<string, Resource>();

  /** @throws {SchemaError} When a schema is invalid, or a reference cannot be resolved. */
  constructor(schema: unknown) {
    this.root = this.#load(schema, NO_BASE, "");
    for (const node of this.nodes.values()) {
      for (const name of ["$ref", "$dynamicRef"]) {
        if (valueOf(node, name) !== undefined) this.resolve(node, name);
      }
    }
  }

  /**
   * Resolves a reference within the document or to the meta-schema. Nothing is fetched.
   *
   * @returns The schema, and for a `$dynamicRef` to a dynamic anchor its name: an outer schema of that name takes precedence.
   * @throws {SchemaError} When there is no such schema.
   */
  resolve(node: Node, name: string): readonly [target: Node, dynamicAnchor: string | undefined] {
    const [, uri = "", fragment = ""] = /^([^#]*)#?(.*)$/s.exec(valueOf(node, name) as string)!;
    const resource = uri === "" ? node.resource : this.#resourceAt(resolveUri(uri, node.resource.uri));
    const fail = (reason: string) => new SchemaError(`${node.location}/${name}`, reason);
    if (!resource) throw fail("leads out of the schema; put what it means into $defs, nothing is fetched");
    const decoded = decode(fragment);
    const isPointer = decoded === "" || decoded.startsWith("/");
    const target = isPointer ? this.#nodeAt(resource, decoded) : resource.anchors.get(decoded);
    if (!target) throw fail("leads to nothing in the schema");
    const isDynamic = name === "$dynamicRef" && valueOf(target, "$dynamicAnchor") === fragment;
    return [target, isDynamic ? fragment : undefined];
  }

  #load(schema: unknown, uri: string, location: string): Node {
    return this.#read(schema, { location, keyword: "", depth: 0, resource: this.#open(uri, location) });
  }

  #open(uri: string, location: string): Resource {
    if (this.#resources.has(uri)) {
      throw new SchemaError(`${location}/$id`, "is the URI of another schema in the same document");
    }
    const resource = { uri, location, anchors: new Map(), dynamicAnchors: new Map() };
    this.#resources.set(uri, resource);
    return resource;
  }

  #read(schema: unknown, place: Omit<Node, "schema">): Node {
    const { location, depth } = place;
    let { resource } = place;
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
    const node = { ...place, schema, resource };
    this.nodes.set(location, node);
    if (typeof schema === "boolean") return node;
    for (const name of ["$anchor", "$dynamicAnchor"]) {
      const anchor = own(schema, name);
      if (typeof anchor !== "string") continue;
      if ((resource.anchors.get(anchor) ?? node) !== node) {
        throw new SchemaError(`${location}/${name}`, "is the anchor of another schema too");
      }
      resource.anchors.set(anchor, node);
      if (name === "$dynamicAnchor") resource.dynamicAnchors.set(anchor, node);
    }
    eachSubschema(schema, (subschema, keyword, suffix) => {
      this.#read(subschema, { location: location + suffix, keyword, depth: depth + 1, resource });
    });
    return node;
  }

  #resourceAt(uri: string): Resource | undefined {
    const schema = this.#resources.has(uri) ? undefined : metaSchema(uri);
    return schema ? this.#load(schema, uri, `${uri}#`).resource : this.#resources.get(uri);
  }

  /** The schema at a pointer. Under an unknown keyword, it is one only because of the reference. */
  #nodeAt(resource: Resource, pointer: string): Node | undefined {
    const known = this.nodes.get(resource.location + pointer);
    if (known) return known;
    let nearest = this.nodes.get(resource.location)!;
    let { location } = resource;
    let value: unknown = nearest.schema;
    let keyword = "";
    for (keyword of parsePointer(pointer) ?? ["\0"]) {
      value = typeof value === "object" && value !== null ? own(value, keyword) : undefined;
      location += `/${escapeToken(keyword)}`;
      nearest = this.nodes.get(location) ?? nearest;
    }
    if (typeof value !== "boolean" && !isObject(value)) return undefined;
    return this.#read(value, { ...nearest, location, keyword, depth: nearest.depth + 1 });
  }
}

/** The value of a keyword; undefined if there is none. */
export function valueOf(node: Node, keyword: string): unknown {
  return typeof node.schema === "object" ? own(node.schema, keyword) : undefined;
}

function checkKeyword(keyword: string, value: unknown, location: string): void {
  if (value === undefined) return;
  const at = `${location}/${keyword}`;
  const mistake = mistakeIn(keyword, value);
  if (mistake !== undefined) throw new SchemaError(at, mistake);
  if (keyword === "pattern") requirePattern(value as string, at);
  const sources = keyword === "patternProperties" ? Object.keys(value as object) : [];
  for (const source of sources) requirePattern(source, `${at}/${escapeToken(source)}`);
}

function requirePattern(source: string, location: string): void {
  try {
    new RegExp(source, "u");
  } catch (cause) {
    throw new SchemaError(location, "is not a regular expression of ECMAScript with the flag u", { cause });
  }
}

function resolveUri(reference: string, base: string): string {
  return URL.parse(reference, base)?.href ?? reference;
}

/** Decodes a fragment; what encodes nothing names nothing. */
function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return "\0";
  }
}
