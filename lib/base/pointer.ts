/** JSON pointers (RFC 6901). */

/** Makes a JSON pointer of tokens: "/a~1b/0" of `a/b` and `0`, "" without tokens. */
export function toPointer(tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${escapeToken(token)}`).join("");
}

export function escapeToken(token: string | number): string {
  if (typeof token === "number") return String(token);
  return /[~/]/.test(token) ? token.replaceAll("~", "~0").replaceAll("/", "~1") : token;
}

export function isPointer(text: string): boolean {
  return text === "" || (text.startsWith("/") && !/~(?![01])/.test(text));
}

/** The tokens of a JSON pointer; undefined if the text is not one. */
export function parsePointer(pointer: string): string[] | undefined {
  if (!isPointer(pointer)) return undefined;
  if (pointer === "") return [];
  return pointer.slice(1).split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}
