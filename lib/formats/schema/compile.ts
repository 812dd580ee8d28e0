/** Compiles schemas to closures. A schema is compiled once for each context that changes its meaning. */

import type { Node, SchemaResource } from "./document.ts";
import type { Keyword, Site } from "./keyword.ts";
import type { Check, Rule } from "./run.ts";
import type { Issue, SchemaOptions, TypeName } from "./schema.ts";
import { escapeToken } from "../../base/pointer.ts";
import { KEYWORDS, unevaluated } from "./applicators.ts";
import { otherType } from "./assertions.ts";
import { requireBounded, SchemaDocument, valueOf } from "./document.ts";
import { all, fits, MAX_APPLIED, mismatch } from "./run.ts";
import { SchemaError } from "./schema.ts";

/** Checks a value. Returns the issues; an empty list if the value matches. */
export type Validator = (value: unknown) => Issue[];

/**
 * Compiles a JSON Schema 2020-12. Keep the result: checking is fast, compiling is not. The schema must not change afterwards.
 *
 * References point into the schema or to the meta-schema; nothing is fetched. Undefined members count as absent; other values
 * that JSON cannot express have no type. Patterns are matched in linear time, on texts of up to 10,000 characters. A pattern for
 * which that is impossible, such as `(a+)+\\1$`, is matched by the runtime; with `onskip`, it is skipped.
 *
 * @throws {SchemaError} When the schema is invalid or a reference cannot be resolved.
 * @throws {RangeError} When a limit is not an integer of 1 or more.
 *
 * @example
 * ```ts
 * import { compileSchema } from "@architrave/architrave/schema";
 *
 * const validate = compileSchema({
 *   type: "object",
 *   properties: { query: { type: "string", minLength: 1 }, limit: { type: "integer", maximum: 100 } },
 *   required: ["query"],
 *   additionalProperties: false,
 * });
 * for (const { path, message } of validate({ limit: 1000 })) console.log(`${path}: ${message}`);
 * ```
 */
export function compileSchema(schema: unknown, options: SchemaOptions = {}): Validator {
  const { maxIssues = 100, maxSteps = 10_000_000 } = options;
  const limits = { maxIssues, maxSteps };
  for (const [name, limit] of Object.entries(limits)) {
    if (Number.isSafeInteger(limit) && limit > 0) continue;
    throw new RangeError(`Cannot compile with ${name} ${limit}: it must be an integer of 1 or more`);
  }
  const document = new SchemaDocument(schema);
  const sites = new Map<string, SchemaSite>();
  const check = siteOf({ document, options, sites }, document.root, [], false).compile();
  // Compile the targets of references one after another, so that a long chain does not overflow the stack.
  for (const site of sites.values()) site.compile();
  for (const site of sites.values()) site.requireEnd(0);
  return (value) => {
    const issues: Issue[] = [];
    if (fits(check, value, limits)) return issues;
    if (!fits(check, value, limits, issues)) return issues;
    throw new TypeError("Cannot check a value that changes while it is checked");
  };
}

/** What the sites of a schema share. */
interface Compilation {
  readonly document: SchemaDocument;
  readonly options: SchemaOptions;
  readonly sites: Map<string, SchemaSite>;
}

/** The resources on the path to a schema that were the first to define a dynamic anchor. */
type Scope = readonly SchemaResource[];

/** The site of a schema within a scope: always the same object. It may not be compiled yet. */
function siteOf(compilation: Compilation, node: Node, outer: Scope, tracked: boolean): SchemaSite {
  const { resource } = node;
  const isKnown = (name: string) => outer.some(({ dynamicAnchors }) => dynamicAnchors.has(name));
  const isInner = outer.includes(resource) || [...resource.dynamicAnchors.keys()].every(isKnown);
  const scope = isInner ? outer : [...outer, resource];
  // No location contains a tilde followed by a space, because pointers escape tildes.
  const key = [tracked, node.location, ...scope.map(({ location }) => location)].join("~ ");
  let site = compilation.sites.get(key);
  if (site) return site;
  requireBounded(node.location, node.depth, compilation.sites.size);
  compilation.sites.set(key, site = new SchemaSite(compilation, node, scope, tracked));
  return site;
}

/** A schema in the context in which it is applied. */
class SchemaSite implements Site {
  readonly options: SchemaOptions;
  tracked: boolean;
  /** Undefined until it is compiled. */
  check: Check | undefined;
  readonly #compilation: Compilation;
  readonly #node: Node;
  readonly #scope: Scope;
  /** The sites that are applied to the same value. */
  readonly #inPlace: SchemaSite[] = [];
  /** Whether `requireEnd` has passed. */
  #ends = false;

  constructor(compilation: Compilation, node: Node, scope: Scope, tracked: boolean) {
    this.options = compilation.options;
    this.tracked = tracked;
    this.#compilation = compilation;
    this.#node = node;
    this.#scope = scope;
  }

  get(keyword: string): unknown {
    return valueOf(this.#node, keyword);
  }

  names(keyword: string): readonly string[] {
    return Object.keys(this.get(keyword) ?? {});
  }

  rule(keyword: string, token?: string | number): Rule {
    const path = `${this.#node.location}/${keyword}`;
    return { keyword, schemaPath: token === undefined ? path : `${path}/${escapeToken(token)}` };
  }

  /** The check of a subschema for a member or an item of the value. */
  below(keyword: string, token?: string | number): Check {
    return this.#subsite(keyword, token, false).compile();
  }

  /** The check of a subschema for the value itself. */
  here(keyword: string, token?: string | number, tracked: boolean = this.tracked): Check {
    const site = this.#subsite(keyword, token, tracked);
    this.#inPlace.push(site);
    return site.compile();
  }

  reference(rule: Rule): Check {
    const [node, anchor = ""] = this.#compilation.document.resolve(this.#node, rule.keyword);
    const outermost = this.#scope.find(({ dynamicAnchors }) => dynamicAnchors.has(anchor));
    const target = outermost?.dynamicAnchors.get(anchor) ?? node;
    const site = siteOf(this.#compilation, target, this.#scope, this.tracked);
    this.#inPlace.push(site);
    const levels = this.#node.depth + 1;
    return (value, run) => {
      run.spend(1);
      run.enter(levels);
      const fits = site.check!(value, run);
      run.depth -= levels;
      return fits;
    };
  }

  compile(): Check {
    return this.check ??= this.#compile();
  }

  /** @throws {SchemaError} When the schema is applied to a value inside itself, or inside too many others. */
  requireEnd(depth: number): void {
    if (depth >= MAX_APPLIED) {
      const reason = `refers to itself for the same value, or is inside more than ${MAX_APPLIED} others`;
      throw new SchemaError(this.#node.location, reason);
    }
    for (const site of this.#ends ? [] : this.#inPlace) site.requireEnd(depth + 1);
    this.#ends = true;
  }

  #subsite(keyword: string, token: string | number | undefined, tracked: boolean): SchemaSite {
    const { nodes } = this.#compilation.document;
    return siteOf(this.#compilation, nodes.get(this.rule(keyword, token).schemaPath)!, this.#scope, tracked);
  }

  #compile(): Check {
    const { schema, keyword, location } = this.#node;
    if (schema === true) return () => true;
    if (schema === false) {
      const rule = { keyword: keyword || "false", schemaPath: location };
      return mismatch(rule, "no value", "there is one");
    }
    const isOuterTracked = this.tracked;
    const hasRest = (this.get("unevaluatedProperties") ?? this.get("unevaluatedItems")) !== undefined;
    this.tracked ||= hasRest;
    const check = compileTypes(this);
    return hasRest ? unevaluated(this, check, isOuterTracked) : check;
  }
}

/** Compiles `type`, and for each allowed type the keywords that apply to it. */
function compileTypes(site: Site): Check {
  const type = site.get("type") as TypeName | readonly TypeName[] | undefined;
  const types = typeof type === "string" ? [type] : type;
  const others = compileAll(site, KEYWORDS.all);
  const none = types ? otherType(types, site.rule("type")) : all(others);
  const checkOf = (names: readonly TypeName[], keywords: readonly Keyword[]) => {
    const isAllowed = !types || names.some((name) => types.includes(name));
    return isAllowed ? all([...compileAll(site, keywords), ...others]) : none;
  };
  const string = checkOf(["string"], KEYWORDS.string);
  const number = checkOf(["number", "integer"], KEYWORDS.number);
  const object = checkOf(["object"], KEYWORDS.object);
  const array = checkOf(["array"], KEYWORDS.array);
  const boolean = checkOf(["boolean"], []);
  const null_ = checkOf(["null"], []);
  return (value, run) => {
    switch (typeof value) {
      case "string":
        return string(value, run);
      case "number":
        return number(value, run);
      case "object":
        return (value === null ? null_ : Array.isArray(value) ? array : object)(value, run);
      case "boolean":
        return boolean(value, run);
      default:
        return none(value, run);
    }
  };
}

function compileAll(site: Site, keywords: readonly Keyword[]): Check[] {
  const checks: Check[] = [];
  for (const [name, compile] of keywords) {
    const value = name === "" ? null : site.get(name);
    const check = value === undefined ? undefined : compile(value as never, site.rule(name), site);
    if (check) checks.push(check as Check);
  }
  return checks;
}
