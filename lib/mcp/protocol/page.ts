/** Pages of lists, and their cursors. */

import type { JsonObject } from "../../base/json.ts";
import { textHash } from "../../base/bytes.ts";
import { own } from "../../base/json.ts";
import { invalidParams } from "./errors.ts";

/**
 * A page of a list, its start, and `next`, which makes the next cursor; undefined after the last page. A cursor has a hash of the
 * whole list, so any process with the same list accepts it.
 *
 * @throws {RpcError} -32602 when the list has changed since the cursor was issued.
 */
export function pageOf<T>(
  member: string,
  items: readonly T[],
  keyOf: (item: T) => string,
  params: JsonObject,
  pageSize: number,
): { readonly start: number; readonly items: readonly T[]; readonly next: () => string | undefined } {
  const list = () => [member, ...items.map(keyOf)].join("\n");
  const cursor = own(params, "cursor") ?? undefined;
  let start = 0;
  if (cursor !== undefined) {
    const position = typeof cursor === "string" ? fromCursor(list(), cursor) : undefined;
    // NaN for the cursor of another list.
    start = Number(position);
    const isPageStart = start > 0 && start < items.length && start % pageSize === 0;
    if (!isPageStart || String(start) !== position) {
      throw invalidParams("The list has changed since this cursor was issued; list again from the start", {
        cursor,
      });
    }
  }
  const end = start + pageSize;
  const next = () => end < items.length ? toCursor(list(), String(end)) : undefined;
  return { start, items: items.slice(start, end), next };
}

/** Writes a cursor. `list` is a text that changes whenever positions in the list do. */
export function toCursor(list: string, position: string): string {
  return `${textHash(list)}-${position}`;
}

/** The position in a cursor; undefined if it is not a cursor of this list. A client may have made the position up. */
export function fromCursor(list: string, cursor: string): string | undefined {
  const start = toCursor(list, "");
  return cursor.startsWith(start) ? cursor.slice(start.length) : undefined;
}
