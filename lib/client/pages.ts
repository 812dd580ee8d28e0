/** Where does a list end? Page by page, with an end to it even where the server knows none. */

import type { Page } from "./results.ts";
import type { Members } from "./value.ts";
import { ProtocolError } from "./errors.ts";
import { isObject } from "../base/json.ts";

/**
 * All things of a list, in order, page by page as they are needed.
 *
 * @param what The method, for messages.
 * @param read Reads one page.
 * @param itemsOf What is on a page.
 * @throws {ProtocolError} When the server gives a cursor twice, or more pages than there may be.
 */
export async function* everything<T, P extends Page>(
  what: string,
  read: (cursor: string | undefined) => Promise<P>,
  itemsOf: (page: P) => readonly T[],
  maxPages: number,
): AsyncGenerator<T, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await read(cursor);
    yield* itemsOf(page);
    cursor = page.nextCursor;
    if (cursor === undefined) return;
    if (seen.has(cursor)) {
      throw new ProtocolError(`The list of ${what} goes in circles: the server gave the same cursor twice`);
    }
    seen.add(cursor);
  }
  throw new ProtocolError(`The list of ${what} has more than ${maxPages} pages; raise maxPages to read on`);
}

/**
 * Reads an answer as a page of a list.
 *
 * @throws {ProtocolError} When it is none.
 */
export function readPage<P extends Page>(answer: Members, method: string, member: string): P {
  const { [member]: items, nextCursor, ...rest } = answer;
  if (!Array.isArray(items)) throw new ProtocolError(`The server answered ${method} with no ${member}`);
  if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== "string") {
    throw new ProtocolError(`The server answered ${method} with a cursor that is no text`);
  }
  // Some servers say with an empty cursor, or with null, that there is no next page.
  return { ...rest, [member]: items.filter(isObject), ...(nextCursor ? { nextCursor } : {}) } as unknown as P;
}
