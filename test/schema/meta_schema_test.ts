/** Is what is refused by hand what the meta-schema refuses? Asked of many schemas, right and wrong at any place. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema, SchemaError } from "../../lib/schema/mod.ts";
import { DIALECT, KEYWORDS } from "../../lib/schema/keywords.ts";
import { META_SCHEMAS } from "../../lib/schema/meta_schemas.ts";

const SEED = 20_260_728;
const ROUNDS = 4000;

/** Numbers between 0 and 1, the same in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomFrom(SEED);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;

/** References may lead nowhere, names may be taken, and dialects unknown: of that the meta-schema knows nothing. */
const keywords = [...KEYWORDS.keys()].filter((keyword) =>
  !/^\$(?:ref|dynamicRef|schema|id|anchor|dynamicAnchor)$/.test(keyword)
);

/** Something that may or may not be right under a keyword. */
function something(depth: number): unknown {
  const simple = () =>
    pick<unknown>([null, true, false, 0, 1, 2, -1, 0.5, "a", "string", "null", [], {}, ["a"], ["a", "a"], [
      "string",
      "null",
    ], [1]]);
  if (depth === 0 || random() < 0.3) return simple();
  switch (Math.floor(random() * 4)) {
    case 0:
      return [schema(depth - 1), schema(depth - 1)];
    case 1:
      return { a: schema(depth - 1), b: random() < 0.5 ? schema(depth - 1) : simple() };
    case 2:
      return { a: ["b"], c: pick<unknown>([["d"], "d", ["d", "d"], true]) };
    default:
      return schema(depth - 1);
  }
}

function schema(depth: number): unknown {
  if (random() < 0.2) return pick<unknown>([true, false, {}]);
  const made: Record<string, unknown> = {};
  for (let count = Math.floor(random() * 3) + 1; count > 0; count--) made[pick(keywords)] = something(depth);
  return made;
}

test("compileSchema() refuses what the meta-schema refuses, and nothing else", () => {
  const validate = compileSchema({ $ref: DIALECT });
  const counts = { fitting: 0, refused: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const made = schema(3);
    const issues = validate(made);
    let refusal: SchemaError | undefined;
    try {
      compileSchema(made);
    } catch (cause) {
      if (!(cause instanceof SchemaError)) throw cause;
      refusal = cause;
    }
    assert.equal(
      refusal !== undefined,
      issues.length > 0,
      JSON.stringify({ made, refusal: refusal?.message, issues }),
    );
    counts[refusal ? "refused" : "fitting"]++;
  }
  assert.ok(Math.min(counts.fitting, counts.refused) > ROUNDS / 10, JSON.stringify(counts));
});

test("the well-known schemas are valid by their own word", () => {
  const validate = compileSchema({ $ref: DIALECT }, { formats: true });
  assert.equal(META_SCHEMAS.size, 8);
  for (const [uri, schema] of META_SCHEMAS) {
    assert.deepEqual(validate(schema), [], uri);
    assert.doesNotThrow(() => compileSchema(schema), uri);
  }
});
