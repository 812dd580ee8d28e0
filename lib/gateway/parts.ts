/** Cuts JSON to a size that fits a model, and names the parts that were left out, so that each can be read next. */

import { escapeToken, isObject, own, parsePointer } from "../base/json.ts";

/** A member of an object gets this many bytes, or the members after those that fit are left out together. */
const MIN_SHARE = 400;

/** A part of a value, and what puts it back where it stands. `at` is its pointer, `from` its first item. */
interface Part {
  readonly value: unknown;
  readonly at: string;
  readonly from: number;
  wrap(value: unknown): unknown;
}

/** What fits, the pointers of what does not, and `value` in the place that it has in the whole. */
export interface Excerpt {
  readonly value: unknown;
  readonly left: readonly string[];
  readonly placed: unknown;
}

/** The size of a value as JSON, in bytes. */
export function sizeOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/**
 * What fits of the part that a JSON pointer leads to; undefined when it leads nowhere. The last token of the pointer may be "40-": all from
 * the item, member or character 40 on.
 */
export function excerpt(whole: unknown, most: number, pointer: string = ""): Excerpt | undefined {
  const part = partOf(whole, pointer);
  if (!part) return undefined;
  const left: string[] = [];
  const value = cut(part, most, left);
  return { value, left, placed: part.wrap(value) };
}

function partOf(whole: unknown, pointer: string): Part | undefined {
  let part: Part = { value: whole, at: "", from: 0, wrap: (value) => value };
  for (const token of parsePointer(pointer) ?? ["?"]) {
    const { value, at, wrap } = part;
    const found = typeof value === "object" && value !== null && part.from === 0 ? own(value, token) : undefined;
    const from = /^\d{1,9}-$/.test(token) ? parseInt(token) : undefined;
    if (found !== undefined) {
      const place = (inner: unknown) => wrap(Array.isArray(value) ? [inner] : { [token]: inner });
      part = { value: found, at: `${at}/${escapeToken(token)}`, from: 0, wrap: place };
    } else if (from !== undefined && (typeof value === "string" || Array.isArray(value))) {
      part = { ...part, value: value.slice(from), from };
    } else if (from !== undefined && isObject(value)) {
      part = { ...part, value: Object.fromEntries(Object.entries(value).slice(from)), from };
    } else return undefined;
  }
  return part;
}

/** Small members stay whole, and large ones share the rest evenly. Lists, and objects with too many members, end early. */
function cut({ value, at, from }: Omit<Part, "wrap">, most: number, left: string[]): unknown {
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
  const entries = Object.entries(value).map(([key, one], index) => {
    const part = { value: one, at: `${at}/${isList ? from + index : escapeToken(key)}`, from: 0 };
    return { key, part, size: sizeOf(one) + (isList ? 1 : key.length + 4) };
  });
  let [rest, share] = [most, 0];
  for (const [index, { size }] of entries.toSorted((one, other) => one.size - other.size).entries()) {
    share = rest / (entries.length - index);
    if (size > share) break;
    rest -= size;
  }
  if (!isList && share >= MIN_SHARE) {
    return Object.fromEntries(entries.map(({ key, part }) => [key, cut(part, share, left)]));
  }
  rest = most;
  const shown: [string, unknown][] = [];
  for (const [index, { key, part, size }] of entries.entries()) {
    if (index > 0 && size > rest) {
      left.push(`${at}/${from + index}-`);
      break;
    }
    shown.push([key, cut(part, rest, left)]);
    rest -= size;
  }
  return isList ? shown.map(([, one]) => one) : Object.fromEntries(shown);
}
