/**
 * What did a member mean before it was JSON? What the receiver declares it to be, and nothing else: a text that looks
 * like a date stays a text where no date is declared.
 *
 * What a declared member holds must be exactly what `rich_values.ts` writes for it, or an equal form that is named here.
 */

import { fromBase64 } from "../base/bytes.ts";
import { ErrorCode, RpcError } from "./error.ts";
import { pointerTo, toJsonValue } from "./rich_values.ts";

/** More digits than anything that is counted has; converting them takes more than linear time. */
const MAX_DIGITS = 10_000;

/** What a member is declared to be. */
export type RichType =
  /** A text of RFC 3339: a date and a time of day with `Z` or an offset. */
  | "date"
  /** A decimal text, or an integer between -(2^53 - 1) and 2^53 - 1. */
  | "bigint"
  /** A text in Base64 with padding. */
  | "bytes"
  /** An absolute URL. */
  | "url"
  /** A list without duplicates. */
  | "set"
  /** An object, or a list of pairs without duplicate keys. */
  | "map"
  /** One of these texts, which becomes the symbol that `Symbol.for` gives for it. Only these: registered symbols are never freed. */
  | { readonly symbol: readonly string[] }
  /** A list whose items are to be revived. */
  | { readonly list: RichType }
  /** A list without duplicates whose items are to be revived. */
  | { readonly set: RichType }
  /** An object or a list of pairs whose values, and keys where they are declared, are to be revived. */
  | { readonly map: RichType; readonly keys?: RichType }
  /** An object, or a list by index, of which some members are to be revived. */
  | { readonly members: RichMembers };

/** The members that are to be revived, by name; by index where params are a list. Members that are missing stay missing. */
export type RichMembers = { readonly [name: string]: RichType };

/**
 * Revives the declared members of params.
 *
 * @returns A copy as far as something is declared; the rest is the params' own.
 * @throws {RpcError} -32602 with the place (`data.path`, a JSON Pointer) and what is expected there.
 *
 * @example
 * ```ts
 * import { reviveMembers } from "@architrave/architrave/jsonrpc";
 *
 * reviveMembers({ since: "2026-11-22T09:00:00Z" }, { since: "date" }); // { since: Date }
 * ```
 */
export function reviveMembers(params: unknown, members: RichMembers): unknown {
  return params === undefined ? undefined : reviveObject(params, members, []);
}

type Path = readonly (string | number)[];

function revive(value: unknown, type: RichType, path: Path): unknown {
  if (typeof type === "string") return reviveNamed(value, type, path);
  if ("symbol" in type) {
    if (typeof value === "string" && type.symbol.includes(value)) return Symbol.for(value);
    throw mismatch(path, `one of ${type.symbol.map((name) => JSON.stringify(name)).join(", ")}`);
  }
  if ("list" in type) return reviveList(value, type.list, path);
  if ("set" in type) return toSet(reviveList(value, type.set, path), path);
  if ("map" in type) return reviveMap(value, type.map, type.keys, path);
  return reviveObject(value, type.members, path);
}

function reviveNamed(value: unknown, type: RichType & string, path: Path): unknown {
  switch (type) {
    case "date":
      return toDate(value) ?? expected(path, "a date and time as in RFC 3339");
    case "bigint":
      return toBigint(value) ?? expected(path, "an integer, as a decimal text where it is large");
    case "bytes":
      return (typeof value === "string" ? fromBase64(value) : undefined) ??
        expected(path, "a text in Base64 with padding");
    case "url":
      if (typeof value === "string" && URL.canParse(value)) return new URL(value);
      throw mismatch(path, "an absolute URL");
    case "set":
      return toSet(reviveList(value, undefined, path), path);
    default:
      return reviveMap(value, undefined, undefined, path);
  }
}

function toDate(value: unknown): Date | undefined {
  if (typeof value !== "string") return undefined;
  const found =
    /^((?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/
      .exec(value);
  if (!found) return undefined;
  const date = new Date(value);
  const local = new Date(`${found[1]}Z`);
  if (Number.isNaN(date.getTime()) || Number.isNaN(local.getTime())) return undefined;
  // The thirtieth of February would be taken for a day in March.
  return local.toISOString().startsWith(found[1]!) ? date : undefined;
}

function toBigint(value: unknown): bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== "string" || value.length > MAX_DIGITS) return undefined;
  return /^(?:0|-?[1-9]\d*)$/.test(value) ? BigInt(value) : undefined;
}

function reviveList(value: unknown, type: RichType | undefined, path: Path): unknown[] {
  if (!Array.isArray(value)) throw mismatch(path, "a list");
  return type === undefined ? [...value] : value.map((item, index) => revive(item, type, [...path, index]));
}

function toSet(items: readonly unknown[], path: Path): Set<unknown> {
  const seen = new Seen();
  for (const item of items) if (!seen.add(item)) throw mismatch(path, "a list without duplicates");
  return new Set(items);
}

/** What was there before. Each that is revived is an object of its own, so they are the same when they are written the same. */
class Seen {
  readonly #values = new Set<unknown>();
  readonly #written = new Set<string>();

  /** Adds a value; false when it was there before. */
  add(value: unknown): boolean {
    const text = isObject(value) ? toText(value) : undefined;
    const known: Set<unknown> = text === undefined ? this.#values : this.#written;
    const before = known.size;
    return known.add(text ?? value).size > before;
  }
}

/** How an object is written; undefined for one with a number in it that is too large to be written (1e999). */
function toText(value: object): string | undefined {
  try {
    return JSON.stringify(toJsonValue(value));
  } catch {
    return undefined;
  }
}

function reviveMap(
  value: unknown,
  values: RichType | undefined,
  keys: RichType | undefined,
  path: Path,
): Map<unknown, unknown> {
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) throw mismatch(path, "an object or a list of pairs");
  const map = new Map<unknown, unknown>();
  const seen = new Seen();
  for (const [name, entry] of Object.entries(value)) {
    const at = [...path, isList ? Number(name) : name];
    const pair: unknown = isList ? entry : [name, entry];
    if (!Array.isArray(pair) || pair.length !== 2) throw mismatch(at, "a pair of key and value");
    const key = keys === undefined ? pair[0] : revive(pair[0], keys, isList ? [...at, 0] : at);
    if (!seen.add(key)) throw mismatch(at, "a key that is not there already");
    map.set(key, values === undefined ? pair[1] : revive(pair[1], values, isList ? [...at, 1] : at));
  }
  return map;
}

function reviveObject(value: unknown, members: RichMembers, path: Path): unknown {
  const isList = Array.isArray(value);
  if (!isList && !isObject(value)) throw mismatch(path, "an object");
  const copy = (isList ? [...value] : { ...value }) as Record<string, unknown>;
  for (const [name, type] of Object.entries(members)) {
    if (Object.hasOwn(copy, name)) {
      copy[name] = revive(copy[name], type, [...path, isList ? Number(name) : name]);
    }
  }
  return copy;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function expected(path: Path, what: string): never {
  throw mismatch(path, what);
}

function mismatch(path: Path, what: string): RpcError {
  const place = pointerTo(path);
  return new RpcError(ErrorCode.invalidParams, `Invalid params: "${place}" must be ${what}`, { path: place });
}
