/** The errors of tools. */

/** A tool is defined incorrectly. */
export class ToolDefinitionError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "ToolDefinitionError";
}

/** A call cannot be carried out. The message is for the model. */
export class ToolValidationError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "ToolValidationError";
}

/** A call timed out. */
export class ToolTimeoutError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "ToolTimeoutError";
}
