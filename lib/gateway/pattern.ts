/** Is this a regular expression that can be checked? Many are written for other dialects, and mean the same in ours. */

/**
 * The same expression with the flag `u`, which refuses escapes of characters that need none.
 *
 * @returns Undefined when it is none.
 */
export function portable(pattern: string): string | undefined {
  if (isExpression(pattern)) return pattern;
  const plain = pattern.replace(/\\([\s\S])/g, (whole, escaped: string) => {
    if (/[A-Za-z0-9^$\\.*+?()[\]{}|/]/.test(escaped)) return whole;
    return `\\u{${escaped.codePointAt(0)!.toString(16)}}`;
  });
  return isExpression(plain) ? plain : undefined;
}

function isExpression(source: string): boolean {
  try {
    new RegExp(source, "u");
    return true;
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}
