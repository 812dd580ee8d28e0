/**
 * What is an operation called? By its own identifier or its method and path alone, never by what else there is: a name must
 * not come to mean another operation when the API grows.
 */

import { MAX_NAME, NAME } from "./endpoint.ts";

/** How long the mark of a name is that is not the operation's own. */
const MARK = 5;

/** Names an operation. Different operations get different names, but for operations with the same identifier. */
export function nameOperation(operationId: string | undefined, method: string, path: string): string {
  if (operationId !== undefined && NAME.test(operationId)) return operationId;
  const words = operationId ?? `${method} ${path.replace(/\{([^}]*)\}/g, "by $1")}`;
  const plain = words.replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+|_+$/g, "").slice(0, MAX_NAME - MARK - 1);
  // Two identifiers may differ only in what a name cannot hold, or only in their ends.
  return `${plain.replace(/_+$/, "")}_${markOf(operationId ?? `${method} ${path}`)}`.replace(/^_/, "");
}

/** Five characters that differ with the text: FNV-1a, in base 36. */
function markOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return (hash % 36 ** MARK).toString(36).padStart(MARK, "0");
}
