import assert from "node:assert/strict";
import { test } from "node:test";
import { isMultiple } from "../../lib/schema/numbers.ts";

test("isMultiple() takes numbers as the decimals that they are written as", () => {
  for (
    const [value, divisor] of [
      [0, 7],
      [-0, 0.3],
      [21, 7],
      [-21, 7],
      [0.3, 0.1],
      [1.1, 0.1],
      [-4.35, 0.05],
      [19.99, 0.01],
      [0.0075, 0.0001],
      [123456789.123456, 0.000001],
      [1e308, 0.5],
      [1e308, 1e-8],
      [1.5e300, 5e299],
      [9007199254740992, 2],
      [1e21, 1e20],
      [5e-324, 5e-324],
      [1, 5e-324],
      [4.5, 1.5],
    ] as const
  ) assert.equal(isMultiple(value, divisor), true, `${value} / ${divisor}`);
});

test("isMultiple() is not fooled by what division rounds away", () => {
  for (
    const [value, divisor] of [
      [7, 2],
      [0.35, 0.1],
      [0.00751, 0.0001],
      [1e308, 0.123456789],
      [123456789.1234567, 0.000001],
      [1.000000000000001, 0.1],
      [9007199254740992, 3],
      [1e-7, 1],
      [1e300, 3e299],
      [Infinity, 1],
      [NaN, 1],
    ] as const
  ) assert.equal(isMultiple(value, divisor), false, `${value} / ${divisor}`);
});
