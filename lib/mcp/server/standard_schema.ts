/** Standard Schema: the interface with which libraries offer their schemas. */

/**
 * The part of Standard Schema, version 1, that is used. Libraries implement it; none of them is imported.
 *
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The interface. */
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** Validates a value, and may transform it. */
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Types, for the compiler only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Converts the schema to JSON Schema, if the library can. */
    readonly jsonSchema?: {
      input(options: { readonly target: string }): Record<string, unknown>;
      output(options: { readonly target: string }): Record<string, unknown>;
    };
  };
}

/** The result of a validation: the value; or the problems, each with a sentence and the path of the member. */
export type StandardResult<Output> = { readonly value: Output; readonly issues?: undefined } | {
  readonly issues: readonly {
    readonly message: string;
    readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  }[];
};

/** Whether a schema is a Standard Schema, and not plain data. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  return (typeof schema === "object" || typeof schema === "function") && schema !== null &&
    "~standard" in schema;
}
