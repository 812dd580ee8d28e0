/**
 * How do schemas of other libraries come in? By the interface that they share; none of them is imported.
 *
 * @see https://standardschema.dev
 */

/** As much of Standard Schema, version 1, as is used. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** Everything that is shared. */
  readonly "~standard": {
    /** The version of the interface. */
    readonly version: 1;
    /** The library. */
    readonly vendor: string;
    /** Checks a value, and may change it. */
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>;
    /** For the compiler alone. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** How the schema is written as JSON Schema, where the library can do that. */
    readonly jsonSchema?: {
      /** What goes in. */
      input(options: { readonly target: string }): Record<string, unknown>;
      /** What comes out. */
      output(options: { readonly target: string }): Record<string, unknown>;
    };
  };
}

/** What a library found out. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value. */
export interface StandardIssue {
  /** A sentence. */
  readonly message: string;
  /** Where, member by member. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Tells a schema of a library from one that is plain data. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  return (typeof schema === "object" || typeof schema === "function") && schema !== null &&
    "~standard" in schema;
}
