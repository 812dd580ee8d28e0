/**
 * What is on a page of a list? Cuts a list into pages, and keeps each page as the bytes of its JSON for as long as the
 * list stays the same.
 *
 * A cursor is opaque to clients. It names the list, its content and a place in it, so that one of another list, of an
 * earlier state of it, or made up, is refused; any process that serves the same list takes it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */

import { RawJson } from "../jsonrpc/codec.ts";
import { invalidParams } from "../protocol/errors.ts";

/** What is asked for. */
export interface PageRequest<T> {
  /** The member of the result that holds the page: "resources". */
  readonly member: string;
  readonly items: readonly T[];
  readonly cursor: unknown;
  readonly pageSize: number;
  /** Names the form that the items are shown in, where there is more than one. */
  readonly form: string;
  /** What tells one item from another, for cursors. */
  readonly keyOf: (item: T) => string;
  /** How an item is shown in that form. */
  readonly present: (item: T) => unknown;
}

const encoder = new TextEncoder();
/** Pages by the list they are of; a list that is replaced takes its pages with it. */
const keptPages = new WeakMap<readonly unknown[], Map<string, RawJson>>();
const digests = new WeakMap<readonly unknown[], string>();

/**
 * One page.
 *
 * @throws {RpcError} -32602 when the cursor is not one of this list as it is now.
 */
export function listPage<T>(request: PageRequest<T>): RawJson {
  const { items, cursor, member, form, pageSize } = request;
  const start = cursor === undefined ? 0 : readCursor(request, cursor);
  let pages = keptPages.get(items);
  if (!pages) keptPages.set(items, pages = new Map());
  const key = `${member} ${form} ${start} ${pageSize}`;
  let page = pages.get(key);
  if (!page) {
    const end = Math.min(start + pageSize, items.length);
    const shown = JSON.stringify(items.slice(start, end).map(request.present));
    const next = end < items.length ? `,"nextCursor":"${writeCursor(request, end)}"` : "";
    page = new RawJson([encoder.encode(`"${member}":${shown}${next}`)]);
    pages.set(key, page);
  }
  return page;
}

/**
 * One list of all that several providers have, sorted; the same list while theirs are the same. Of two things with one
 * key the first provider's is listed, because that is the one that is served.
 */
export function mergeLists<T>(lists: readonly (readonly T[])[], keyOf: (item: T) => string): readonly T[] {
  const [first] = lists;
  if (!first) return NOTHING;
  if (lists.length === 1) return first;
  const known = merged.get(first);
  const isKnown = known?.lists.length === lists.length &&
    known.lists.every((list, index) => list === lists[index]);
  if (isKnown) return known.all as readonly T[];
  const byKey = new Map(lists.toReversed().flat().map((item) => [keyOf(item), item]));
  const all = [...byKey.values()].sort((left, right) => keyOf(left) < keyOf(right) ? -1 : 1);
  merged.set(first, { lists, all });
  return all;
}

const NOTHING: readonly never[] = Object.freeze([]);
const merged = new WeakMap<readonly unknown[], { lists: readonly unknown[]; all: readonly unknown[] }>();

function writeCursor<T>(request: PageRequest<T>, start: number): string {
  return btoa(`${request.member}:${digest(request)}:${start}`).replaceAll("=", "");
}

function readCursor<T>(request: PageRequest<T>, cursor: unknown): number {
  const start = typeof cursor === "string" ? Number(decodeCursor(cursor).split(":")[2]) : NaN;
  const isPageStart = start > 0 && start < request.items.length && start % request.pageSize === 0;
  // Written again, it must be the same: that checks every part of it at once.
  if (isPageStart && writeCursor(request, start) === cursor) return start;
  throw invalidParams("The cursor is not one of this list as it is now; list again from the start", {
    cursor,
  });
}

function decodeCursor(cursor: string): string {
  try {
    return atob(cursor);
  } catch {
    return "";
  }
}

/** Names the content of a list: the same in every process that has the same one. FNV-1a over its keys. */
function digest<T>(request: PageRequest<T>): string {
  let known = digests.get(request.items);
  if (known === undefined) {
    let hash = 0x811c9dc5;
    for (const item of request.items) {
      for (const byte of encoder.encode(`${request.keyOf(item)}\n`)) {
        hash = Math.imul(hash ^ byte, 0x01000193);
      }
    }
    known = (hash >>> 0).toString(36);
    digests.set(request.items, known);
  }
  return known;
}
