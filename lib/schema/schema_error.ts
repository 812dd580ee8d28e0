/** What is wrong with a schema? One sentence, with the place. */

/** A schema that is not valid JSON Schema 2020-12, or that asks for what is not done here. */
export class SchemaError extends Error {
  /** Names the class in logs. */
  override readonly name = "SchemaError";
  /** JSON pointer to what is wrong, from the root of the schema. */
  readonly pointer: string;

  /**
   * Says why a schema is refused.
   *
   * @param pointer Where, as a JSON pointer into the schema.
   * @param reason Completes the sentence "Cannot compile the schema: /x …".
   */
  constructor(pointer: string, reason: string, options?: ErrorOptions) {
    super(`Cannot compile the schema: ${pointer === "" ? "its root" : pointer} ${reason}`, options);
    this.pointer = pointer;
  }
}
