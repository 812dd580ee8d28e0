/** Pages of lists, and their cursors. */

import type { JsonObject } from "../base/json.ts";
import { fromBase64Url, toBase64Url } from "../base/base64.ts";
import { textHash } from "../base/bytes.ts";
import { own } from "../base/json.ts";
import { invalidParams } from "./errors.ts";

/**
 * A page of a list, where it starts, and the cursor of the next one. A cursor names the list and its content, so that any
 * process with the same list accepts it.
 *
 * @throws {RpcError} -32602 when the cursor does not belong to the list in its present state.
 */
export function pageOf<T>(
  member: string,
  items: readonly T[],
  keyOf: (item: T) => string,
  params: JsonObject,
  pageSize: number,
): { readonly start: number; readonly items: readonly T[]; readonly next: () => string | undefined } {
  const list = () => `${member}:${textHash(items.map(keyOf).join("\n"))}`;
  const cursor = own(params, "cursor");
  let start = 0;
  if (cursor !== undefined) {
    const position = typeof cursor === "string" ? fromCursor(list(), cursor) : undefined;
    start = Number(position);
    const isPageStart = start > 0 && start < items.length && start % pageSize === 0;
    if (!isPageStart || String(start) !== position) {
      throw invalidParams("The cursor is not one of this list as it is now; list again from the start", {
        cursor,
      });
    }
  }
  const end = start + pageSize;
  const next = () => end < items.length ? toCursor(list(), String(end)) : undefined;
  return { start, items: items.slice(start, end), next };
}

/** Writes an opaque cursor. `list` names a list with all that positions in it depend on; `position` contains no colon. */
export function toCursor(list: string, position: string): string {
  return toBase64Url(new TextEncoder().encode(`${list}:${position}`));
}

/** The position of a cursor that `toCursor` wrote for the same list; undefined for any other text. */
export function fromCursor(list: string, cursor: string): string | undefined {
  const text = new TextDecoder().decode(fromBase64Url(cursor));
  const position = text.slice(text.lastIndexOf(":") + 1);
  return toCursor(list, position) === cursor ? position : undefined;
}
