/** What keywords and the compiler know of each other. */

import type { Check, Rule } from "./run.ts";
import type { SchemaOptions } from "./schema.ts";

/** A schema in the context in which it is applied. */
export interface Site {
  readonly options: SchemaOptions;
  /** Whether evaluated members and items are noted in `run.seen`. */
  readonly tracked: boolean;
  /** The value of a keyword of the schema. */
  get(keyword: string): unknown;
  /** The names of the members that a keyword holds. */
  names(keyword: string): readonly string[];
  rule(keyword: string, token?: string | number): Rule;
  /** The check of a subschema for a member or an item of the value. */
  below(keyword: string, token?: string | number): Check;
  /** The check of a subschema for the value itself. */
  here(keyword: string, token?: string | number, tracked?: boolean): Check;
  /** The check of the schema that a keyword refers to. */
  reference(rule: Rule): Check;
}

/** A keyword and how its value is compiled, if there is anything to check. The name "" stands for keywords compiled together. */
export type Keyword = readonly [
  name: string,
  compile: (value: never, rule: Rule, site: Site) => Check<never> | undefined,
];
