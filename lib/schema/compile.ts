/** How does a schema become a check? Each of its schemas once, as closures over closures; no code is generated. */

import type { Node, Resource } from "./document.ts";
import type { Issue } from "./issue.ts";
import type { Limits, SchemaOptions } from "./options.ts";
import type { Check, Rule } from "./run.ts";
import type { Site } from "./site.ts";
import { compileConstants } from "./constants.ts";
import { keyword, SchemaDocument } from "./document.ts";
import { refuseCircles } from "./circles.ts";
import { compileInPlace } from "./in_place.ts";
import { MAX_SUBSCHEMAS, readOptions } from "./options.ts";
import { toPointer } from "../base/json.ts";
import { References } from "./references.ts";
import { Overrun, Run } from "./run.ts";
import { SchemaError } from "./schema_error.ts";
import { fitsAll } from "./site.ts";
import { compileTypes } from "./types.ts";
import { asksForRest, compileRest } from "./unevaluated.ts";

/** Checks a value: what does not fit, or nothing. */
export type Validator = (value: unknown) => Issue[];

/**
 * Compiles a JSON Schema of 2020-12. Keep the result: it is fast, and this is not.
 *
 * The schema must not change afterwards. References stay in the schema or lead to the meta-schema of 2020-12 by its URI;
 * nothing is fetched. A value that no JSON text could mean (undefined, a number that is not finite, a function) is of no
 * type; members that are undefined count as absent, as in `JSON.stringify`.
 *
 * The regular expressions of the schema are run on the values. Take schemas from those only whom you let run code: one
 * expression such as `^(a+)+$` lets whoever sends a value stop the program.
 *
 * @throws {SchemaError} When the schema is not valid, or refers to what is not there.
 * @throws {RangeError} When a limit is out of its range.
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
  const limits = readOptions(options);
  const check = new Compiler(schema, limits).compile();
  return (value) => {
    const first = attempt(check, value, new Run(limits, false));
    if (first.fits) return [];
    const { fits, issues } = attempt(check, value, new Run(limits, true));
    if (!fits) return issues;
    throw new TypeError("Cannot check a value that changes while it is checked");
  };
}

function attempt(check: Check, value: unknown, run: Run): { fits: boolean; issues: Issue[] } {
  try {
    return { fits: check(value, run), issues: run.issues };
  } catch (cause) {
    if (!(cause instanceof Overrun)) throw cause;
    run.end(cause);
    return { fits: false, issues: run.issues };
  }
}

/** The outermost schema of each dynamic anchor, on the way to a schema. */
interface Scope {
  readonly key: string;
  readonly anchors: ReadonlyMap<string, Node>;
}

/** A schema as it is compiled: more than once, where what is around it makes a difference. */
export interface Entry {
  readonly node: Node;
  /** Undefined until it is compiled. */
  check: Check | undefined;
  /** The entries that are applied to the same value. */
  readonly here: Entry[];
}

interface Around {
  readonly scope: Scope;
  readonly tracked: boolean;
}

class Compiler {
  readonly #limits: Limits;
  readonly #document: SchemaDocument;
  readonly #references: References;
  readonly #entries = new Map<string, Entry>();
  /** Targets of references: compiled when all else is, so that a long chain of them needs no stack. */
  readonly #waiting: (() => void)[] = [];

  constructor(schema: unknown, limits: Limits) {
    this.#limits = limits;
    this.#document = new SchemaDocument(schema);
    this.#references = new References(this.#document);
  }

  compile(): Check {
    const { root } = this.#document;
    const entry = this.#entry(root, { scope: { key: "", anchors: new Map() }, tracked: false });
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) next();
    this.#followOthers();
    refuseCircles(this.#entries.values(), this.#limits.maxDepth);
    return entry.check!;
  }

  /** Follows the references in schemas that nobody uses: what is wrong with them would be found too late otherwise. */
  #followOthers(): void {
    for (const node of this.#document.nodes()) {
      for (const name of ["$ref", "$dynamicRef"] as const) {
        if (keyword(node, name) !== undefined) this.#references.follow(node, name);
      }
    }
  }

  /** The entry for a schema; compiled at once, or when it is its turn. */
  #entry(node: Node, around: Around, later = false): Entry {
    const scope = enterScope(around.scope, node.resource);
    const key = `${around.tracked ? "+" : "-"}${locationOf(node)} ${scope.key}`;
    const known = this.#entries.get(key);
    if (known) return known;
    if (this.#entries.size >= MAX_SUBSCHEMAS) {
      throw new SchemaError(
        locationOf(node),
        `is one schema too many: a schema may come to ${MAX_SUBSCHEMAS}`,
      );
    }
    const entry: Entry = { node, check: undefined, here: [] };
    this.#entries.set(key, entry);
    const compile = () => void (entry.check = this.#compile(entry, { ...around, scope }));
    if (later) this.#waiting.push(compile);
    else compile();
    return entry;
  }

  #compile(entry: Entry, around: Around): Check {
    const { node } = entry;
    if (node.schema === true) return fitsAll;
    if (node.schema === false) return refuseAll(node);
    const asks = asksForRest((name) => keyword(node, name));
    const site = this.#site(entry, { ...around, tracked: around.tracked || asks });
    const others = compileTypes(site, [...compileConstants(site), ...compileInPlace(site)]);
    return asks ? compileRest(site, others, around.tracked) : others;
  }

  #site(entry: Entry, around: Around): Site {
    const { node } = entry;
    const at = (tokens: readonly (string | number)[]): Node =>
      node.resource.document.at(node.pointer + toPointer(tokens))!;
    const apply = (tokens: readonly (string | number)[], tracked: boolean): Check => {
      const applied = this.#entry(at(tokens), { ...around, tracked });
      entry.here.push(applied);
      return callOf(applied);
    };
    return {
      limits: this.#limits,
      tracked: around.tracked,
      say: (name) => keyword(node, name),
      rule: (name, ...tokens) => ruleOf(node, name, tokens),
      below: (...tokens) => callOf(this.#entry(at(tokens), { ...around, tracked: false })),
      here: (...tokens) => apply(tokens, around.tracked),
      apart: (...tokens) => apply(tokens, false),
      reference: (name) => this.#reference(entry, name, around),
      expression: (source) => node.resource.document.expressions.compile(source, node.pointer),
    };
  }

  #reference(entry: Entry, name: "$ref" | "$dynamicRef", around: Around): Check {
    const { node } = entry;
    const target = this.#references.follow(node, name);
    const outermost = target.dynamic === undefined ? undefined : around.scope.anchors.get(target.dynamic);
    const applied = this.#entry(outermost ?? target.node, around, true);
    entry.here.push(applied);
    const rule = ruleOf(node, name, []);
    const levels = node.depth + 1;
    return (value, run) => {
      run.spend(1, rule);
      run.enter(levels, rule);
      const fits = applied.check!(value, run);
      run.depth -= levels;
      return fits;
    };
  }
}

/** Calls what may not be compiled yet. */
function callOf(entry: Entry): Check {
  return entry.check ?? ((value, run) => entry.check!(value, run));
}

function refuseAll(node: Node): Check {
  const rule = { keyword: node.under || "false", schemaPath: locationOf(node) };
  return (_, run) =>
    run.collecting && run.report(rule, "Expected nothing at all: the schema for this allows no value.");
}

function ruleOf(node: Node, keyword: string, tokens: readonly (string | number)[]): Rule {
  return { keyword, schemaPath: locationOf(node) + toPointer([keyword, ...tokens]) };
}

function locationOf(node: Node): string {
  return node.resource.document.prefix + node.pointer;
}

/** The scope inside a resource: what an outer one has named keeps its meaning. */
function enterScope(scope: Scope, resource: Resource): Scope {
  let anchors: Map<string, Node> | undefined;
  for (const [name, node] of resource.dynamicAnchors) {
    if (!scope.anchors.has(name)) (anchors ??= new Map(scope.anchors)).set(name, node);
  }
  if (!anchors) return scope;
  const names = [...anchors.keys()].sort();
  return { anchors, key: names.map((name) => `${name}=${locationOf(anchors.get(name)!)}`).join(" ") };
}
