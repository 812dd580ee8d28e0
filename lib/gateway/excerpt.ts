/** Cuts JSON to a size that a model can read, and names the parts that were left out, so that they can be read next. */

import { isObject, own } from "../base/json.ts";
import { escapeToken, parsePointer } from "../base/pointer.ts";

/** The members of an object share the size. If each share is smaller than this, in bytes, the object is cut at its end, as a list is. */
const MIN_SHARE = 400;

/** A part of a whole: `at` is its pointer, `from` the index of its first item. */
interface Part {
  readonly value: unknown;
  readonly at: string;
  readonly from: number;
}

/** The size of a value as JSON, in bytes. */
export function jsonSize(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** The shown value of a part, the same value at its place in the whole, and pointers to what was left out. */
type Excerpt = { readonly value: unknown; readonly placed: unknown; readonly left: readonly string[] };

/** Cuts the part at a pointer ("/a/40-": all from item 40) to `most` bytes; undefined if there is no such part. */
export function excerpt(whole: unknown, most: number, pointer: string = ""): Excerpt | undefined {
  let part: Part = { value: whole, at: "", from: 0 };
  let place = (inner: unknown): unknown => inner;
  const tokens = parsePointer(pointer);
  if (!tokens) return undefined;
  for (const token of tokens) {
    const { value, at } = part;
    const found = isObject(value) || Array.isArray(value) ? own(value, token) : undefined;
    const from = /^\d{1,9}-$/.test(token) ? parseInt(token) : -1;
    if (found !== undefined) {
      const placeOuter = place;
      place = (inner) => placeOuter(isObject(value) ? { [token]: inner } : [inner]);
      part = { value: found, at: `${at}/${escapeToken(token)}`, from: 0 };
    } else if (from < 0) return undefined;
    else if (isObject(value)) {
      part = { value: Object.fromEntries(Object.entries(value).slice(from)), at, from };
    } else if (typeof value === "string" || Array.isArray(value)) {
      part = { value: value.slice(from), at, from };
    } else return undefined;
  }
  const left: string[] = [];
  const value = cut(part, most, left);
  return { value, placed: place(value), left };
}

/** The value of a part, cut to `most` bytes. Adds pointers to the rest to `left`. */
function cut({ value, at, from }: Part, most: number, left: string[]): unknown {
  const size = jsonSize(value);
  if (size <= most) return value;
  if (typeof value === "string") {
    // Do not split a surrogate pair: the next excerpt begins where this one ends.
    const shown = value.slice(0, value.length * most / size).replace(/[\ud800-\udbff]$/, "");
    left.push(`${at}/${from + shown.length}-`);
    return shown;
  }
  if (typeof value !== "object" || value === null) return value;
  const isList = Array.isArray(value);
  const entries = Object.entries(value).map(([key, one], index) => ({
    key,
    part: { value: one, at: `${at}/${isList ? from + index : escapeToken(key)}`, from: 0 },
    size: jsonSize(one) + (isList ? 1 : jsonSize(key) + 2),
  }));
  let rest = most, share = 0;
  // From small to large, so that large ones get what small ones do not need.
  for (const [index, { size }] of entries.toSorted((one, other) => one.size - other.size).entries()) {
    share = rest / (entries.length - index);
    rest -= Math.min(size, share);
  }
  const isShared = !isList && share >= MIN_SHARE;
  rest = most;
  const shown: [string, unknown][] = [];
  for (const [index, { key, part, size }] of entries.entries()) {
    if (!isShared && index > 0 && size > rest) {
      left.push(`${at}/${from + index}-`);
      break;
    }
    shown.push([key, cut(part, isShared ? share : rest, left)]);
    rest -= size;
  }
  return isList ? shown.map(([, one]) => one) : Object.fromEntries(shown);
}
