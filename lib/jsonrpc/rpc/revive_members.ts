/** Reads JavaScript values that JSON cannot represent, such as dates and sets, if a method declares them for its params. */

import { fromBase64 } from "../../base/base64.ts";
import { toPointer } from "../../base/pointer.ts";
import { attempt } from "../../base/text.ts";
import { ErrorCode, RpcError } from "../message.ts";
import { toJsonValue } from "./to_json_value.ts";

/** The maximum number of digits of a bigint: the time of the conversion is more than linear. */
const MAX_DIGITS = 10_000;

/**
 * The declared type of a member:
 *
 * - `"date"`: a date and time of RFC 3339, with `Z` or an offset
 * - `"bigint"`: a decimal string or a safe integer
 * - `"bytes"`: Base64 with padding
 * - `"url"`: an absolute URL
 * - `"set"`: an array without duplicates
 * - `"map"`: an object, or an array of pairs without duplicate keys
 * - `symbol`: one of these strings, as the symbol of `Symbol.for`. They are listed because such symbols are never freed
 * - `list`, `set`, `map`, `keys` and `members`: the type of the items, values, keys or members
 */
export type RichType =
  | "date"
  | "bigint"
  | "bytes"
  | "url"
  | "set"
  | "map"
  | { readonly symbol: readonly string[] }
  | { readonly list: RichType }
  | { readonly set: RichType }
  | { readonly map: RichType; readonly keys?: RichType }
  | { readonly members: RichMembers };

/** The types of members by name, or by index if the params are an array. Missing members stay missing. */
export type RichMembers = { readonly [name: string]: RichType };

/**
 * Converts the declared members of params back to JavaScript values.
 *
 * @returns A copy of the declared members. The other ones are shared with the params.
 * @throws {RpcError} -32602 with the path (`data.path`, a JSON pointer) and what is expected there.
 */
export function reviveMembers(params: unknown, members: RichMembers): unknown {
  return params === undefined ? undefined : reviveObject(params, members, []);
}

type Path = readonly (string | number)[];

/** The types that are strings: a description for errors, and a reader that returns undefined or null for an invalid string. */
const SCALARS: Readonly<Record<string, readonly [expected: string, read: (text: string) => unknown]>> = {
  date: ["a date and time as in RFC 3339", toDate],
  bigint: ["an integer, as a decimal string where it is large", toBigint],
  bytes: ["a Base64 string with padding", fromBase64],
  url: ["an absolute URL", (text) => URL.parse(text)],
};

/** Converts a value to its type. Without a type, returns the value unchanged. */
function revive(value: unknown, type: RichType | undefined, path: Path): unknown {
  if (type === undefined) return value;
  if (type === "set") return reviveSet(value, undefined, path);
  if (type === "map") return reviveMap(value, {}, path);
  if (typeof type === "string") {
    const [expected, read] = SCALARS[type]!;
    const text = type === "bigint" && Number.isSafeInteger(value) ? String(value) : value;
    return (typeof text === "string" ? read(text) : undefined) ?? refuse(path, expected);
  }
  if ("list" in type) return reviveList(value, type.list, path);
  if ("set" in type) return reviveSet(value, type.set, path);
  if ("map" in type) return reviveMap(value, type, path);
  if ("members" in type) return reviveObject(value, type.members, path);
  if (typeof value === "string" && type.symbol.includes(value)) return Symbol.for(value);
  return refuse(path, `one of ${type.symbol.map((name) => JSON.stringify(name)).join(", ")}`);
}

function toDate(text: string): Date | undefined {
  const [, local] =
    /^((?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d{1,3})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/
      .exec(text) ?? [];
  const date = new Date(text);
  // Date accepts February 30 as a day in March. toJSON() returns null for an invalid date.
  const isReal = new Date(`${local}Z`).toJSON()?.startsWith(local!);
  return isReal && !Number.isNaN(date.getTime()) ? date : undefined;
}

function toBigint(text: string): bigint | undefined {
  return text.length <= MAX_DIGITS && /^(?:0|-?[1-9]\d*)$/.test(text) ? BigInt(text) : undefined;
}

function reviveList(value: unknown, type: RichType | undefined, path: Path): unknown[] {
  if (!Array.isArray(value)) return refuse(path, "an array");
  return value.map((item, index) => revive(item, type, [...path, index]));
}

function reviveSet(value: unknown, type: RichType | undefined, path: Path): Set<unknown> {
  const items = reviveList(value, type, path);
  if (new Set(items.map(identityOf)).size < items.length) refuse(path, "an array without duplicates");
  return new Set(items);
}

/** Returns a key by which values are compared. Revived objects are distinct, so they are equal if their JSON is. */
function identityOf(value: unknown): unknown {
  // The value may contain a number that JSON cannot represent (1e999).
  return attempt(() => JSON.stringify(toJsonValue(value))) ?? value;
}

function reviveMap(
  value: unknown,
  type: { readonly map?: RichType; readonly keys?: RichType },
  path: Path,
): Map<unknown, unknown> {
  if (typeof value !== "object" || value === null) return refuse(path, "an object or an array of pairs");
  const isList = Array.isArray(value);
  const entries = new Map<unknown, [key: unknown, value: unknown]>();
  for (const [name, entry] of Object.entries(value)) {
    const at = [...path, name];
    const pair: unknown = isList ? entry : [name, entry];
    if (!Array.isArray(pair) || pair.length !== 2) return refuse(at, "a pair of key and value");
    const key = revive(pair[0], type.keys, isList ? [...at, 0] : at);
    const identity = identityOf(key);
    if (entries.has(identity)) refuse(at, "a key that occurs only once");
    entries.set(identity, [key, revive(pair[1], type.map, isList ? [...at, 1] : at)]);
  }
  return new Map(entries.values());
}

function reviveObject(value: unknown, members: RichMembers, path: Path): unknown {
  if (typeof value !== "object" || value === null) return refuse(path, "an object");
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  for (const [name, type] of Object.entries(members)) {
    if (Object.hasOwn(copy, name)) copy[name] = revive(copy[name], type, [...path, name]);
  }
  return copy;
}

function refuse(tokens: Path, expected: string): never {
  const path = toPointer(tokens);
  throw new RpcError(ErrorCode.invalidParams, `Invalid params: "${path}" must be ${expected}`, { path });
}
