/** Which regular expressions does a schema hold? Those of `pattern` and `patternProperties`, in ECMAScript with the flag `u`. */

import { SchemaError } from "./schema_error.ts";

/** Compiled expressions by their source. */
export class Expressions {
  readonly #compiled = new Map<string, RegExp>();

  /**
   * Compiles an expression, once.
   *
   * @param pointer Where it stands in the schema.
   * @throws {SchemaError} When it is none.
   */
  compile(source: string, pointer: string): RegExp {
    const known = this.#compiled.get(source);
    if (known) return known;
    try {
      const expression = new RegExp(source, "u");
      this.#compiled.set(source, expression);
      return expression;
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      throw new SchemaError(pointer, "is not a regular expression of ECMAScript with the flag u", { cause });
    }
  }
}
