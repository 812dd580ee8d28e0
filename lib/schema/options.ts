/** How far does a check go? Every limit has a default and a reason; each is there because values come from strangers. */

/** What may be said about a compilation. */
export interface SchemaOptions {
  /**
   * Whether `format` is checked. JSON Schema has it say something about a value without refusing any; formats that are
   * not known are never checked. @default {false}
   */
  readonly formats?: boolean | undefined;
  /** How many issues are gathered at most: a long array can hold a million mistakes. @default {100} */
  readonly maxIssues?: number | undefined;
  /**
   * The longest string that a `pattern` or a name in `patternProperties` is held against, in UTF-16 units, up to
   * 1,000,000; a longer one is an issue. It bounds expressions that take the square of the length. It does not help
   * against those that take exponential time, such as `^(a+)+$`, for which thirty characters are too many: do not write
   * those. @default {10000}
   */
  readonly maxPatternInput?: number | undefined;
  /**
   * How many schemas are applied inside one another, up to 1,000, before checking ends with an issue: a value can nest as
   * deep as its sender likes where a schema refers to itself, and the stack cannot. @default {500}
   */
  readonly maxDepth?: number | undefined;
  /**
   * How many steps a check takes before it ends with an issue: one for each item and branch that is looked at, four for
   * each member. Schemas that refer to themselves from several branches can take exponentially many.
   * @default {10000000, several for each value in a message of 4 MiB, and some seconds at worst}
   */
  readonly maxSteps?: number | undefined;
}

/** Options with everything said. */
export interface Limits {
  readonly formats: boolean;
  readonly maxIssues: number;
  readonly maxPatternInput: number;
  readonly maxDepth: number;
  readonly maxSteps: number;
}

/** How deep schemas may stand in one another, in schemas. Written ones stay below ten. */
export const MAX_NESTING = 100;

/**
 * How many schemas one schema may hold, with those that are there several times because of `$dynamicRef` counted as often.
 * The largest schemas that are published have some ten thousand.
 */
export const MAX_SUBSCHEMAS = 100_000;

/**
 * What each limit is when nothing is said, and the most that it may be. Regular expressions run out of stack at some
 * sixteen million characters, and checks, with the keywords that need most of it, not far above 1,000 schemas.
 */
const LIMITS = {
  maxIssues: [100, Number.MAX_SAFE_INTEGER],
  maxPatternInput: [10_000, 1_000_000],
  maxDepth: [500, 1000],
  maxSteps: [10_000_000, Number.MAX_SAFE_INTEGER],
} as const;

/**
 * Fills in what is not said.
 *
 * @throws {RangeError} For a limit that is no integer from 1 to the most that it may be.
 */
export function readOptions(options: SchemaOptions): Limits {
  return {
    formats: options.formats ?? false,
    maxIssues: readLimit(options, "maxIssues"),
    maxPatternInput: readLimit(options, "maxPatternInput"),
    maxDepth: readLimit(options, "maxDepth"),
    maxSteps: readLimit(options, "maxSteps"),
  };
}

function readLimit(options: SchemaOptions, name: keyof typeof LIMITS): number {
  const [standard, most] = LIMITS[name];
  const limit = options[name] ?? standard;
  if (Number.isInteger(limit) && limit >= 1 && limit <= most) return limit;
  throw new RangeError(`Cannot compile with ${name} ${limit}: it must be an integer from 1 to ${most}`);
}
