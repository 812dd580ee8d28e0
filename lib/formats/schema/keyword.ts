/** The interface between keywords and the compiler. */

import type { Check, Rule } from "./run.ts";
import type { SchemaOptions } from "./schema.ts";

/** A schema in the context in which it is applied. */
export interface Site {
  readonly options: SchemaOptions;
  /** Whether evaluated members and items are noted in `run.seen`. */
  readonly tracked: boolean;
  /** The value of a keyword of the schema. */
  get(keyword: string): unknown;
  /** The names of the members of a keyword. */
  names(keyword: string): readonly string[];
  /** The keyword, or a part of it, for issues. */
  rule(keyword: string, token?: string | number): Rule;
  /** The check of a subschema for a member or an item of the value. */
  below(keyword: string, token?: string | number): Check;
  /** The check of a subschema for the value itself. */
  here(keyword: string, token?: string | number, tracked?: boolean): Check;
  /** The check of the schema that a keyword refers to. */
  reference(rule: Rule): Check;
}

/** A keyword and its compiler, which returns undefined if there is nothing to check. The name is "" for several keywords at once. */
export type Keyword = readonly [
  name: string,
  compile: (value: never, rule: Rule, site: Site) => Check<never> | undefined,
];
