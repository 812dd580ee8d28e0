/**
 * The speed of the validator beside others: compile time, and time for a value that fits and for one that does not, as
 * multiples of what `lib/schema` takes: above 1 the other one is slower.
 *
 *     node --experimental-strip-types schema/run.ts [--quick]
 */
import { Validator } from "@cfworker/json-schema";
import { Ajv2020 } from "ajv/dist/2020.js";
import { compileSchema } from "../../../lib/schema/mod.ts";
import { quantile } from "../report.ts";
import type { Case } from "./cases.ts";
import { cases } from "./cases.ts";

/** Samples of each figure; their median is what counts. */
const ROUNDS = process.argv.includes("--quick") ? 5 : 21;
/** A sample takes at least this long, in milliseconds, so that the clock does not matter. */
const SAMPLE_MS = process.argv.includes("--quick") ? 5 : 20;

type Check = (value: unknown) => boolean;

/** Who takes part: what each makes of a schema. All stop early where they can, and none rewrites the value. */
const contestants: [name: string, compile: (schema: Case["schema"]) => Check][] = [
  ["lib/schema", (schema) => {
    const validate = compileSchema(schema);
    return (value) => validate(value).length === 0;
  }],
  ["ajv", (schema) => new Ajv2020({ strict: false, allErrors: false }).compile(schema)],
  ["ajv, all errors", (schema) => new Ajv2020({ strict: false, allErrors: true }).compile(schema)],
  ["cfworker", (schema) => {
    const validator = new Validator(schema, "2020-12", true);
    return (value) => validator.validate(value).valid;
  }],
];

/** How long one call takes, in microseconds, from as many as fill a sample. */
function timeOf(call: () => unknown): number {
  let calls = 1;
  for (;;) {
    const start = performance.now();
    for (let index = 0; index < calls; index++) call();
    const elapsed = performance.now() - start;
    if (elapsed >= SAMPLE_MS) return elapsed / calls * 1000;
    calls = Math.ceil(calls * Math.max(2, Math.min(100, SAMPLE_MS / Math.max(elapsed, 0.01))));
  }
}

/** Medians by contestant; the contestants take turns, so that what disturbs the machine disturbs them all. */
function measure(calls: (() => unknown)[]): number[] {
  const samples: number[][] = calls.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, call] of calls.entries()) samples[index]!.push(timeOf(call));
  }
  return samples.map((all) => quantile(all, 0.5));
}

const figures = ["compile", "fits", "fails"] as const;
console.log(`| case | figure | lib/schema | ${contestants.slice(1).map(([name]) => name).join(" | ")} |`);
console.log(`|---|---|---|${contestants.slice(1).map(() => "---|").join("")}`);
for (const { name, schema, fits, fails } of cases) {
  const checks = contestants.map(([, compile]) => compile(schema));
  for (const [index, check] of checks.entries()) {
    if (!check(fits) || check(fails)) throw new Error(`${contestants[index]![0]} is wrong about "${name}"`);
  }
  const calls = {
    compile: contestants.map(([, compile]) => () => compile(schema)),
    fits: checks.map((check) => () => check(fits)),
    fails: checks.map((check) => () => check(fails)),
  };
  for (const figure of figures) {
    const [own, ...others] = measure(calls[figure]);
    const ratios = others.map((other) => (other / own!).toFixed(2));
    console.log(`| ${name} | ${figure} | ${own!.toPrecision(3)} µs | ${ratios.join(" | ")} |`);
  }
}
console.log(`\nMultiples of the time of lib/schema; medians of ${ROUNDS} samples, ${process.version}.`);
