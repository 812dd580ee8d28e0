/** An OpenAPI document: checks its version and resolves its references. */

import type { JsonObject } from "../base/json.ts";
import { asArray, asObject, asString, isObject, own } from "../base/json.ts";
import { escapeToken, parsePointer } from "../base/pointer.ts";
import { quoted } from "../base/text.ts";
import { recover, refuse } from "./errors.ts";
import { fromSwagger } from "./swagger.ts";
import { IN_PLACE, partsOf, tokensOf } from "./schema_references.ts";

/** The maximum number of references that are followed to resolve one. */
const MAX_REFERENCES = 100;

/** A parsed OpenAPI document. */
export class OpenApiDocument {
  readonly root: JsonObject;
  /** Whether its version is 3.0 or Swagger 2.0, which ignore the siblings of a reference. */
  readonly isOld: boolean;
  readonly #targets = new Map<string, unknown>();
  /** The document before a translation. */
  readonly #written: JsonObject;
  /** The pointers to the objects of the document. */
  #places: Map<unknown, string> | undefined;

  constructor(root: unknown) {
    if (!isObject(root)) refuse("An OpenAPI document must be an object", "");
    const { swagger, openapi = swagger, endpoints, jsonSchemaDialect = "2020-12" } = root;
    // YAML without quotes: 3.1 and 3.0 are numbers.
    const text = typeof openapi === "number" ? openapi.toFixed(1) : asString(openapi) ?? "";
    const [version] = (openapi === swagger ? /^2\.0$/ : /^3\.[012](?=\.|$)/).exec(text) ?? [];
    const isOther = openapi === undefined && endpoints !== undefined;
    if (isOther) refuse("This is an endpoint file, not an OpenAPI document: pass it with readEndpoints", "");
    const found = JSON.stringify(openapi) ?? "nothing";
    const reason = `OpenAPI 3.0 to 3.2 and Swagger 2.0 are supported, but the version is ${found}`;
    if (version === undefined) refuse(reason, swagger === undefined ? "/openapi" : "/swagger");
    const isKnown = /\b2020-12\b|\boas\/3\.[12]\b/.test(String(jsonSchemaDialect));
    if (!isKnown) refuse("The only supported dialect is JSON Schema 2020-12", "/jsonSchemaDialect");
    this.root = this.#written = root;
    this.isOld = version < "3.1";
    if (version !== "2.0") return;
    this.root = fromSwagger(root, (value, what) => this.object(value, what));
    this.#targets.clear();
  }

  /** An object, or the target of a reference to one. `what` names it in errors. */
  object(value: unknown, what: string): JsonObject {
    const seen = new Set<unknown>();
    while (isObject(value) && typeof value["$ref"] === "string") {
      if (seen.has(value)) refuse(`The reference of ${what} is circular`);
      seen.add(value);
      value = this.at(value["$ref"]);
    }
    if (isObject(value)) return value;
    return refuse(`The description of ${what} is not an object`);
  }

  /** The target of a reference within the document. Other references on the way are followed. */
  at(reference: string, depth = 0): unknown {
    const known = this.#targets.get(reference);
    if (known !== undefined) return known;
    const { $self } = this.root;
    if (typeof $self === "string" && reference.startsWith(`${$self}#`)) {
      return this.at(reference.slice($self.length), depth);
    }
    const fail = (reason: string): never => refuse(`The reference "${quoted(reference, 200)}" ${reason}`);
    if (!/^#(?:\/|$)/.test(reference)) fail("must be a JSON pointer into the document");
    let value: unknown = this.root;
    for (const name of tokensOf(reference) ?? fail("is not encoded correctly")) {
      while (isObject(value) && !Object.hasOwn(value, name) && typeof value["$ref"] === "string") {
        if (++depth > MAX_REFERENCES) fail("goes through too many others");
        value = this.at(value["$ref"], depth);
      }
      value = typeof value === "object" && value !== null ? own(value, name) : undefined;
    }
    this.#targets.set(reference, value ?? fail("has no target"));
    return value;
  }

  /** Where a part of the document is, for errors: "/components/schemas/a", "file.yaml#/a". */
  placeOf(part: JsonObject): string {
    if (!this.#places) {
      this.#places = new Map();
      const waiting: [unknown, string][] = [[this.root, ""], [this.#written, ""]];
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [value, at] = next;
        if (typeof value !== "object" || value === null || this.#places.has(value)) continue;
        this.#places.set(value, at);
        for (const [key, one] of Object.entries(value)) waiting.push([one, `${at}/${escapeToken(key)}`]);
      }
    }
    const inFile = (_: string, file: string) => `${parsePointer(`/${file}`)}#`;
    return (this.#places.get(part) ?? "").replace(/^\/x-files\/([^/]*)/, inFile);
  }

  /** The parts of a schema (see `partsOf`). Broken references are ignored. */
  parts(schema: unknown, lists: readonly string[] = ["allOf"]): JsonObject[] {
    const find = (reference: string) => recover(() => this.at(reference), () => undefined);
    return partsOf(schema, find, lists, this.isOld);
  }

  membersOf(schema: unknown): [name: string, schema: unknown][] {
    return this.parts(schema).flatMap(({ properties }) => Object.entries(asObject(properties)));
  }

  /** The names of the read-only members of an object schema: they need not be sent. */
  readOnlyMembers(schema: unknown): string[] {
    const isReadOnly = (member: unknown) => this.parts(member).some(({ readOnly }) => readOnly === true);
    return this.membersOf(schema).flatMap(([name, member]) => isReadOnly(member) ? [name] : []);
  }

  /** Whether the target of a reference requires one of these members. */
  demands(reference: string, names: ReadonlySet<string>): boolean {
    const parts = names.size === 0 ? [] : this.parts({ $ref: reference }, IN_PLACE);
    return parts.some(({ required }) => asArray(required).some((name) => names.has(String(name))));
  }
}
