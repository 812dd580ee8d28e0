/** Cuts JSON to a size that fits a model, and names the parts that were left out, so that each can be read next. */

import { isObject, own } from "../base/json.ts";
import { escapeToken, parsePointer } from "../base/pointer.ts";

/** Members of an object share what there is; with less than this for each, in bytes, it ends early, as lists do. */
const MIN_SHARE = 400;

/** A part of a value. `at` is its pointer, `from` its first item, and `wrap` puts it where it stands in the whole. */
interface Part {
  readonly value: unknown;
  readonly at: string;
  readonly from: number;
  readonly wrap?: (value: unknown) => unknown;
}

export function sizeOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

type Excerpt = { readonly value: unknown; readonly placed: unknown; readonly left: readonly string[] };

/** What fits of the part that a pointer leads to ("/a/40-": all from item 40), alone and in its place, and pointers to the rest. */
export function excerpt(whole: unknown, most: number, pointer: string = ""): Excerpt | undefined {
  let part: Required<Part> = { value: whole, at: "", from: 0, wrap: (value) => value };
  for (const token of parsePointer(pointer) ?? ["?"]) {
    const { value, at, wrap } = part;
    const found = isObject(value) || Array.isArray(value) ? own(value, token) : undefined;
    const from = /^\d{1,9}-$/.test(token) ? parseInt(token) : -1;
    if (found !== undefined) {
      const placed = (inner: unknown) => wrap(isObject(value) ? { [token]: inner } : [inner]);
      part = { value: found, at: `${at}/${escapeToken(token)}`, from: 0, wrap: placed };
    } else if (from < 0) return undefined;
    else if (isObject(value)) {
      part = { ...part, value: Object.fromEntries(Object.entries(value).slice(from)), from };
    } else if (typeof value === "string" || Array.isArray(value)) {
      part = { ...part, value: value.slice(from), from };
    } else return undefined;
  }
  const left: string[] = [];
  const value = cut(part, most, left);
  return { value, placed: part.wrap(value), left };
}

function cut({ value, at, from }: Part, most: number, left: string[]): unknown {
  const size = sizeOf(value);
  if (size <= most) return value;
  if (typeof value === "string") {
    // Half a surrogate pair would be lost.
    const shown = value.slice(0, value.length * most / size).replace(/[\ud800-\udbff]$/, "");
    left.push(`${at}/${from + shown.length}-`);
    return shown;
  }
  if (typeof value !== "object" || value === null) return value;
  const isList = Array.isArray(value);
  const entries = Object.entries(value).map(([key, one], index) => ({
    key,
    part: { value: one, at: `${at}/${isList ? from + index : escapeToken(key)}`, from: 0 },
    size: sizeOf(one) + (isList ? 1 : sizeOf(key) + 2),
  }));
  let rest = most;
  // Small members leave more to large ones.
  const share = entries.toSorted((one, other) => one.size - other.size).reduce((_, { size }, index) => {
    const share = rest / (entries.length - index);
    rest -= Math.min(size, share);
    return share;
  }, 0);
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
