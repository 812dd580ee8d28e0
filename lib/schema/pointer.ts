/** How is a place in a JSON document written? As a JSON pointer, RFC 6901. */

/** Writes tokens as a pointer: "" for none, "/a~1b/0" for `a/b` and `0`. */
export function toPointer(tokens: readonly (string | number)[]): string {
  let pointer = "";
  for (const token of tokens) pointer += `/${escapeToken(token)}`;
  return pointer;
}

/** Writes one token: the two characters that mean something in a pointer are encoded. */
export function escapeToken(token: string | number): string {
  if (typeof token === "number") return String(token);
  return /[~/]/.test(token) ? token.replaceAll("~", "~0").replaceAll("/", "~1") : token;
}

/** Whether a text is a pointer. */
export function isPointer(text: string): boolean {
  return text === "" || (text.startsWith("/") && !/~(?![01])/.test(text));
}

/** The tokens of a pointer, or undefined when it is none. */
export function parsePointer(pointer: string): string[] | undefined {
  if (!isPointer(pointer)) return undefined;
  if (pointer === "") return [];
  return pointer.slice(1).split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What one token leads to in a JSON value: an own member or an item, and nothing that is inherited. */
export function step(value: unknown, token: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.hasOwn(value, token) ? (value as Readonly<Record<string, unknown>>)[token] : undefined;
}
