/** Which members of an object are only ever answered? Those that a schema, or any that it is put together from, says so of. */

import type { OpenApiDocument, Part } from "./openapi_document.ts";
import { isObject } from "../base/json.ts";
import { UnservableError } from "./gateway_error.ts";

const NONE: ReadonlySet<string> = new Set();

/** Knows the members that are only ever answered, and those that are required, of the schemas of one document. */
export class ReadOnlyMembers {
  readonly #document: OpenApiDocument;
  readonly #known = new WeakMap<object, ReadonlySet<string>>();

  /** Takes the document. */
  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  /** Whether what fits a schema is only ever answered. */
  isReadOnly(schema: unknown): boolean {
    return this.#parts(schema).some((part) => part["readOnly"] === true);
  }

  /** The members of an object that are only ever answered. */
  of(schema: Part): ReadonlySet<string> {
    if (schema["$ref"] === undefined && schema["allOf"] === undefined && schema["properties"] === undefined) {
      return NONE;
    }
    const known = this.#known.get(schema);
    if (known) return known;
    const names = this.#parts(schema).flatMap(({ properties }) =>
      Object.entries(isObject(properties) ? properties : {})
        .filter(([, member]) => this.isReadOnly(member)).map(([name]) => name)
    );
    const found = new Set(names);
    this.#known.set(schema, found);
    return found;
  }

  /** Those of some members that what a reference leads to requires, and does not know to be only answered. */
  demanded(reference: string, members: ReadonlySet<string>): ReadonlySet<string> {
    if (members.size === 0) return NONE;
    const target = this.#target(reference);
    if (!isObject(target)) return NONE;
    const own = this.of(target);
    const required = new Set(this.#parts(target, true).flatMap(({ required }) => namesIn(required)));
    return new Set([...members].filter((name) => required.has(name) && !own.has(name)).sort());
  }

  /** A schema, what it refers to and all of what it is put together from, each once; with its alternatives if they count. */
  #parts(schema: unknown, withForms = false, seen: Set<Part> = new Set()): Part[] {
    if (!isObject(schema) || seen.has(schema)) return [];
    seen.add(schema);
    const { $ref, allOf, anyOf, oneOf } = schema;
    const isReference = typeof $ref === "string";
    const referred = isReference ? this.#parts(this.#target($ref), withForms, seen) : [];
    // Up to 3.0, what stands beside a reference means nothing.
    if (isReference && this.#document.version === "3.0") return referred;
    const inner = [allOf, ...(withForms ? [anyOf, oneOf] : [])]
      .flatMap((list) => Array.isArray(list) ? list : [])
      .flatMap((one) => this.#parts(one, withForms, seen));
    return [schema, ...referred, ...inner];
  }

  /** What a reference leads to; one that leads nowhere is refused where it is read. */
  #target(reference: string): unknown {
    try {
      return this.#document.at(reference);
    } catch (cause) {
      if (cause instanceof UnservableError) return undefined;
      throw cause;
    }
  }
}

function namesIn(required: unknown): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}
