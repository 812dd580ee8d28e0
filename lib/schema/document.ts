/**
 * Which schemas does a document hold, and what are they called? Walks the document once, before anything is compiled,
 * and refuses what is not valid.
 */

import { Expressions } from "./expressions.ts";
import { KEYWORDS, refusal } from "./keywords.ts";
import { MAX_NESTING, MAX_SUBSCHEMAS } from "./options.ts";
import { escapeToken, isObject, own, parsePointer } from "../base/json.ts";
import { SchemaError } from "./schema_error.ts";
import { resolveUri, splitFragment } from "./uri.ts";

/** A schema, and where it stands. */
export interface Node {
  /** Read through `keyword()` only. */
  readonly schema: Readonly<Record<string, unknown>> | boolean;
  /** JSON pointer from the root of its document. */
  readonly pointer: string;
  /** The keyword that it stands under; "" for the root. */
  readonly under: string;
  /** How many schemas it stands in. */
  readonly depth: number;
  /** What its references are relative to. */
  readonly resource: Resource;
}

/** A schema with a URI of its own, and the names in it. */
export interface Resource {
  readonly uri: string;
  readonly document: SchemaDocument;
  /** JSON pointer to its root, from the root of its document. */
  readonly pointer: string;
  /** Schemas by anchor, dynamic ones included. */
  readonly anchors: Map<string, Node>;
  /** Schemas by dynamic anchor. */
  readonly dynamicAnchors: Map<string, Node>;
}

/** What a schema says under a keyword; undefined when it says nothing. */
export function keyword(node: Node, name: string): unknown {
  return sayOf(node.schema, name);
}

function sayOf(schema: Node["schema"], name: string): unknown {
  return typeof schema === "object" && Object.hasOwn(schema, name) ? schema[name] : undefined;
}

/** A JSON document that is a schema. */
export class SchemaDocument {
  /** The schemas in it that have URIs, by URI; the root has one in any case, which may be "". */
  readonly resources: Map<string, Resource> = new Map();
  /** The outermost schema. */
  readonly root: Node;
  /** What stands in front of pointers into this document, when they are shown. */
  readonly prefix: string;
  /** The regular expressions in it. */
  readonly expressions: Expressions = new Expressions();
  readonly #nodes = new Map<string, Node>();

  /**
   * Reads a document.
   *
   * @param uri What it is called when it does not say so itself.
   * @param prefix What stands in front of pointers into it. @default {nothing}
   * @throws {SchemaError} When anything in it is not valid.
   */
  constructor(schema: unknown, uri: string = "", prefix: string = "") {
    this.prefix = prefix;
    const resource = this.#open(uri, "");
    this.root = this.#read(schema, { pointer: "", under: "", depth: 0, resource });
  }

  /** All schemas in it that are known, in the order of the document. Those that become known meanwhile are among them. */
  nodes(): Iterable<Node> {
    return this.#nodes.values();
  }

  /**
   * The schema at a place.
   *
   * @returns Undefined when there is none.
   * @throws {SchemaError} When it is the first to be found under a keyword that is not known, and is not valid.
   */
  at(pointer: string): Node | undefined {
    const known = this.#nodes.get(pointer);
    if (known) return known;
    const tokens = parsePointer(pointer);
    if (!tokens) return undefined;
    // Nobody said that a schema stands here, until a reference did: what is around it decides how it is read.
    let value: unknown = this.root.schema;
    let nearest = this.root;
    let path = "";
    for (const token of tokens) {
      value = typeof value === "object" && value !== null ? own(value, token) : undefined;
      path += `/${escapeToken(token)}`;
      nearest = this.#nodes.get(path) ?? nearest;
    }
    if (typeof value !== "boolean" && !isObject(value)) return undefined;
    return this.#read(value, { ...nearest, pointer: path, under: tokens.at(-1)!, depth: nearest.depth + 1 });
  }

  #open(uri: string, pointer: string): Resource {
    if (this.resources.has(uri)) {
      throw new SchemaError(`${pointer}/$id`, "is the URI of another schema in the same document");
    }
    const resource = { uri, document: this, pointer, anchors: new Map(), dynamicAnchors: new Map() };
    this.resources.set(uri, resource);
    return resource;
  }

  #read(schema: unknown, place: Omit<Node, "schema">): Node {
    const { pointer, depth } = place;
    if (typeof schema !== "boolean" && !isObject(schema)) {
      throw new SchemaError(pointer, "must be a schema: an object, true or false");
    }
    if (depth > MAX_NESTING) {
      throw new SchemaError(pointer, `stands in more than ${MAX_NESTING} other schemas`);
    }
    if (this.#nodes.size >= MAX_SUBSCHEMAS) {
      throw new SchemaError(pointer, `is one schema too many: a document may hold ${MAX_SUBSCHEMAS}`);
    }
    const node: Node = { ...place, schema, resource: this.#resourceOf(schema, place) };
    this.#nodes.set(pointer, node);
    if (typeof schema === "boolean") return node;
    this.#nameAnchors(node);
    for (const name of Object.keys(schema)) this.#readKeyword(node, name, schema[name]);
    return node;
  }

  /** The resource that a schema belongs to: its own, when it has an identifier. */
  #resourceOf(schema: Node["schema"], { pointer, resource }: Omit<Node, "schema">): Resource {
    const id = sayOf(schema, "$id");
    if (id === undefined) return resource;
    const reason = refusal("identifier", id);
    if (reason) throw new SchemaError(`${pointer}/$id`, reason);
    const uri = resolveUri(splitFragment(id as string)[0], resource.uri);
    if (uri === resource.uri && pointer === resource.pointer) return resource;
    return this.#open(uri, pointer);
  }

  #nameAnchors(node: Node): void {
    const { anchors, dynamicAnchors } = node.resource;
    for (const name of ["$anchor", "$dynamicAnchor"]) {
      const anchor = keyword(node, name);
      if (typeof anchor !== "string") continue;
      if ((anchors.get(anchor) ?? node) !== node) {
        throw new SchemaError(`${node.pointer}/${name}`, "is the anchor of another schema too");
      }
      anchors.set(anchor, node);
      if (name === "$dynamicAnchor") dynamicAnchors.set(anchor, node);
    }
  }

  #readKeyword(node: Node, name: string, value: unknown): void {
    const form = KEYWORDS.get(name);
    if (form === undefined || value === undefined) return;
    const pointer = `${node.pointer}/${name}`;
    const reason = refusal(form, value);
    if (reason) throw new SchemaError(pointer, reason);
    if (name === "pattern") this.expressions.compile(value as string, pointer);
    const place = { under: name, depth: node.depth + 1, resource: node.resource };
    if (form === "schema") this.#read(value, { ...place, pointer });
    if (form !== "schema list" && form !== "schemas by name") return;
    for (const [token, schema] of Object.entries(value as Readonly<Record<string, unknown>>)) {
      const inner = `${pointer}/${escapeToken(token)}`;
      if (name === "patternProperties") this.expressions.compile(token, inner);
      this.#read(schema, { ...place, pointer: inner });
    }
  }
}
