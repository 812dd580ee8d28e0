/**
 * Paged lists. A page is serialised once and kept as long as its list is the same.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */

import { fromCursor, toCursor } from "../base/bytes.ts";
import { RawJson } from "../jsonrpc/message.ts";
import { invalidParams } from "../protocol/errors.ts";

/** What a page is made of. */
export interface PageRequest<T> {
  /** The member of the result that holds the items: "resources". */
  readonly member: string;
  readonly items: readonly T[];
  readonly cursor: unknown;
  readonly pageSize: number;
  /** Names the form of the items, if there are several. */
  readonly form: string;
  /** Identifies an item. */
  readonly keyOf: (item: T) => string;
  /** Converts an item to that form. */
  readonly present: (item: T) => unknown;
}

const encoder = new TextEncoder();
const pagesOf = new WeakMap<readonly unknown[], Map<string, RawJson>>();
const digests = new WeakMap<readonly unknown[], string>();

/**
 * One page of a list.
 *
 * @throws {RpcError} -32602 when the cursor does not belong to the list in its present state.
 */
export function listPage<T>(request: PageRequest<T>): RawJson {
  const { items, cursor, member, form, pageSize } = request;
  const start = cursor === undefined ? 0 : readCursor(request, cursor);
  let pages = pagesOf.get(items);
  if (!pages) pagesOf.set(items, pages = new Map());
  const key = `${member} ${form} ${start} ${pageSize}`;
  let page = pages.get(key);
  if (!page) {
    const end = Math.min(start + pageSize, items.length);
    const json = JSON.stringify(items.slice(start, end).map(request.present));
    const next = end < items.length ? `,"nextCursor":"${toCursor(cursorList(request), String(end))}"` : "";
    page = new RawJson([encoder.encode(`"${member}":${json}${next}`)]);
    pages.set(key, page);
  }
  return page;
}

const merged = new WeakMap<readonly unknown[], { lists: readonly unknown[]; all: readonly unknown[] }>();

/**
 * The sorted lists of several providers as one; the same array while theirs are the same. Of two items with one key, the
 * first provider's is listed, because it is the one that is served.
 */
export function mergeLists<T>(lists: readonly (readonly T[])[], keyOf: (item: T) => string): readonly T[] {
  const [first] = lists;
  if (!first || lists.length === 1) return first ?? [];
  const known = merged.get(first);
  if (known?.lists.length === lists.length && known.lists.every((list, index) => list === lists[index])) {
    return known.all as readonly T[];
  }
  const byKey = new Map(lists.toReversed().flat().map((item) => [keyOf(item), item]));
  const all = [...byKey.values()].sort((left, right) => keyOf(left) < keyOf(right) ? -1 : 1);
  merged.set(first, { lists, all });
  return all;
}

function readCursor<T>(request: PageRequest<T>, cursor: unknown): number {
  const position = typeof cursor === "string" ? fromCursor(cursorList(request), cursor) : undefined;
  const start = Number(position);
  const isPageStart = start > 0 && start < request.items.length && start % request.pageSize === 0;
  if (isPageStart && String(start) === position) return start;
  throw invalidParams("The cursor is not one of this list as it is now; list again from the start", {
    cursor,
  });
}

/** A cursor names the list and its content, so that any process with the same list accepts it. */
function cursorList<T>(request: PageRequest<T>): string {
  return `${request.member}:${digest(request)}`;
}

/** FNV-1a over the keys of a list. */
function digest<T>({ items, keyOf }: PageRequest<T>): string {
  let known = digests.get(items);
  if (known === undefined) {
    let hash = 0x811c9dc5;
    for (const item of items) {
      for (const byte of encoder.encode(`${keyOf(item)}\n`)) hash = Math.imul(hash ^ byte, 0x01000193);
    }
    digests.set(items, known = (hash >>> 0).toString(36));
  }
  return known;
}
