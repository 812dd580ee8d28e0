/** What can nobody change any more? */

/** The tools that were checked, copied and frozen. */
const tools = new WeakSet<object>();

/** Marks a tool as one that can be served. */
export function defined<T extends object>(tool: T): T {
  tools.add(tool);
  return tool;
}

/**
 * Makes sure that something is a tool that was defined here, and that nobody can change any more.
 *
 * @throws {TypeError} When it is anything else.
 */
export function requireDefined(value: { readonly name: string }): void {
  if (tools.has(value)) return;
  const { name } = (value ?? {}) as { name?: unknown };
  throw new TypeError(
    `Cannot serve the tool "${name}": defineTool did not make it; pass its definition through defineTool first`,
  );
}
