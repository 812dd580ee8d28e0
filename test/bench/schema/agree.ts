/**
 * Compares three validators on random schemas and values. A difference of one of the others is only counted: Ajv has its own
 * view of names that every object inherits and of `contains` beside `unevaluatedItems`, and @cfworker/json-schema lets
 * `then` see what `if` looked at. A case in which `lib/schema` stands alone is printed, and the exit code is 1.
 *
 *     node --experimental-strip-types test/bench/schema/agree.ts [schemas] [seed] [--awkward]
 */
import { Validator } from "@cfworker/json-schema";
import { Ajv2020 } from "ajv/dist/2020.js";
import { compileSchema, SchemaError } from "../../../lib/schema/mod.ts";
import { Random } from "../../fuzz/random.ts";

const PLAIN = ["a", "b", "c", "foo", "bar", "x y"];
/** Names with a meaning in JavaScript. */
const AWKWARD = ["__proto__", "constructor", "toString"];
const TYPES = ["string", "number", "integer", "object", "array", "boolean", "null"];
const NUMBERS = [0, 1, -1, 2, 3, 1.5, 0.1, 0.3, 10, 1e21, 4.02, 19.99];
const TEXTS = ["", "a", "b", "ab", "foo", "😀", "😀😀", "abc", "2024-01-01"];
const LEAVES = [true, true, false, {}, { type: "string" }, { type: "integer" }, { const: 1 }, { minimum: 1 }];

/** Makes schemas and values: small, always the same ones for the same seed, and with few names that have much to do with each other. */
class Generator {
  readonly #random: Random;
  readonly #names: string[];

  constructor(seed: number, isAwkward: boolean) {
    this.#random = new Random(seed);
    this.#names = isAwkward ? [...PLAIN, ...AWKWARD] : PLAIN;
  }

  /** A value that nests so deep at most. */
  value(depth: number): unknown {
    const kind = this.#random.below(depth > 0 ? 8 : 5);
    if (kind >= 6) return Array.from({ length: this.#random.below(5) }, () => this.value(depth - 1));
    if (kind === 5) return this.#object(() => this.value(depth - 1));
    return [null, this.#random.chance(0.5), this.#random.pick(NUMBERS), this.#random.pick(TEXTS), this.#random.below(4)][kind];
  }

  /** A schema that nests so deep at most; `#/$defs/x` and `#/$defs/y` must be there beside it. */
  schema(depth: number): unknown {
    if (depth <= 0 || this.#random.chance(0.08)) return this.#random.pick(LEAVES);
    const schema = {};
    const inner = () => this.schema(depth - 1);
    for (let count = 1 + this.#random.below(4); count > 0; count--) Object.assign(schema, this.#random.pick(this.#keywords(inner))());
    return schema;
  }

  #keywords(inner: () => unknown): (() => object)[] {
    const count = () => this.#random.below(4);
    return [
      () => ({ type: this.#random.pick(TYPES) }),
      () => ({ type: this.#some(TYPES, 1) }),
      () => ({ properties: this.#object(inner) }),
      () => ({ properties: this.#object(inner) }),
      () => ({ required: this.#some(this.#names) }),
      () => ({ additionalProperties: this.#random.pick([inner(), false]) }),
      () => ({ patternProperties: { [this.#random.pick(["^a", "o", "^.$", "^foo$"])]: inner() } }),
      () => ({ propertyNames: this.#random.pick([{ maxLength: 2 }, { pattern: "^[a-c]" }, { enum: ["a", "b"] }]) }),
      () => ({ minProperties: count() }),
      () => ({ maxProperties: count() }),
      () => ({ items: inner() }),
      () => ({ items: inner() }),
      () => ({ prefixItems: [inner(), inner()].slice(0, 1 + this.#random.below(2)) }),
      () => ({ contains: inner() }),
      () => ({ contains: inner(), minContains: count() }),
      () => ({ contains: inner(), maxContains: count() }),
      () => ({ minItems: count() }),
      () => ({ maxItems: count() }),
      () => ({ uniqueItems: true }),
      () => ({ allOf: [inner(), inner()] }),
      () => ({ anyOf: [inner(), inner()] }),
      () => ({ oneOf: [inner(), inner()] }),
      () => ({ not: inner() }),
      () => ({ if: inner(), then: inner() }),
      () => ({ if: inner(), else: inner() }),
      () => ({ dependentSchemas: this.#object(inner) }),
      () => ({ dependentRequired: this.#object(() => this.#some(this.#names)) }),
      () => ({ unevaluatedProperties: this.#random.pick([false, inner()]) }),
      () => ({ unevaluatedItems: this.#random.pick([false, inner()]) }),
      () => ({ enum: [this.value(1), this.value(1), this.value(0)] }),
      () => ({ const: this.value(1) }),
      () => ({ minLength: count() }),
      () => ({ maxLength: count() }),
      () => ({ pattern: this.#random.pick(["^a", "b$", "^.$"]) }),
      () => ({ [this.#random.pick(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])]: count() }),
      () => ({ $ref: this.#random.pick(["#/$defs/x", "#/$defs/y"]) }),
    ];
  }

  /** An object with own members only, whatever they are called. */
  #object(member: () => unknown): object {
    return JSON.parse(`{${this.#some(this.#names).map((name) => `${JSON.stringify(name)}:${JSON.stringify(member())}`)}}`);
  }

  #some<T>(values: readonly T[], least = 0): T[] {
    return [...new Set(Array.from({ length: least + this.#random.below(4) }, () => this.#random.pick(values)))];
  }
}

const [schemas = 2000, seed = 1] = process.argv.slice(2).map(Number).filter(Number.isFinite);
/** Values that each schema is asked about. */
const VALUES = 8;

const generator = new Generator(seed, process.argv.includes("--awkward"));
const counts = { agreed: 0, fitting: 0, refused: 0, ajvAlone: 0, cfworkerAlone: 0, alone: 0 };

/** What another makes of a value; undefined when it fails at that. */
function ask(check: () => boolean): boolean | undefined {
  try {
    return check();
  } catch {
    return undefined;
  }
}

for (let count = 0; count < schemas; count++) {
  const made = generator.schema(3);
  if (typeof made !== "object" || made === null) continue;
  const schema = { ...made, $defs: { x: generator.schema(1), y: { properties: { a: { $ref: "#/$defs/y" } } } } };
  let own;
  try {
    own = compileSchema(schema);
  } catch (cause) {
    if (!(cause instanceof SchemaError)) throw cause;
    counts.refused++;
    continue;
  }
  const ajv = new Ajv2020({ strict: false });
  for (let index = 0; index < VALUES; index++) {
    const value = generator.value(3);
    const fits = own(value).length === 0;
    const others = [
      ask(() => ajv.validate(schema, value)),
      ask(() => new Validator(schema, "2020-12").validate(value).valid),
    ];
    if (fits) counts.fitting++;
    if (others[0] === fits && others[1] === fits) counts.agreed++;
    else if (others[1] === fits) counts.ajvAlone++;
    else if (others[0] === fits) counts.cfworkerAlone++;
    else {
      counts.alone++;
      console.log(JSON.stringify({ fits, others, schema, value }));
    }
  }
}
console.log(counts);
process.exitCode = counts.alone === 0 ? 0 : 1;
