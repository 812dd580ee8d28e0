/** Cuts JSON to a size that a model can read, and names the parts that were left out, so that they can be read next. */

import { isObject, own } from "../base/json.ts";
import { escapeToken, parsePointer } from "../base/pointer.ts";

/** The members of an object share the size. If each share is smaller than this, in bytes, the object is cut at its end, as a list is. */
const MIN_SHARE = 400;

/** The minimum size of a member as JSON, in bytes. */
const MIN_MEMBER = 5;

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
  const keys = isList ? value.keys() : Object.keys(value);
  const sizeOf = (key: number | string) => jsonSize(own(value, `${key}`)) + (isList ? 1 : jsonSize(key) + 2);
  // Long lists and objects with very many members are not measured as a whole.
  const isSmall = Array.isArray(keys) && keys.length * MIN_MEMBER < most;
  const share = isSmall ? shareOf(keys.map(sizeOf), most) : 0;
  const isShared = share >= MIN_SHARE;
  const shown: [number | string, unknown][] = [];
  let rest = most;
  for (const key of keys) {
    const size = sizeOf(key), index = shown.length;
    if (!isShared && index > 0 && size > rest) {
      left.push(`${at}/${from + index}-`);
      break;
    }
    const part = {
      value: own(value, `${key}`),
      at: `${at}/${isList ? from + index : escapeToken(key)}`,
      from: 0,
    };
    shown.push([key, cut(part, isShared ? share : rest, left)]);
    rest -= size;
  }
  return isList ? shown.map(([, one]) => one) : Object.fromEntries(shown);
}

/** How much each of these sizes may have of a whole: large ones get what small ones do not need. */
function shareOf(sizes: readonly number[], most: number): number {
  let rest = most, share = 0;
  for (const [index, size] of sizes.toSorted((one, other) => one - other).entries()) {
    share = rest / (sizes.length - index);
    rest -= Math.min(size, share);
  }
  return share;
}
