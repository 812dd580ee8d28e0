/** JavaScript values that JSON has no form for: `toJsonValue` writes them, `reviveMembers` reads what is declared. */

import { fromBase64, toBase64 } from "../../base/base64.ts";
import { toPointer } from "../../base/pointer.ts";
import { attempt } from "../../base/text.ts";
import { ErrorCode, MAX_DEPTH, RawJson, RpcError } from "../message.ts";

/** Names that readers refuse as members of an object: a map that has one is written as pairs. */
const UNSAFE_KEYS: ReadonlySet<unknown> = new Set(["__proto__", "constructor"]);
const REPEATED = "a symbol and another key have the same name";
/** Converting more digits takes more than linear time. */
const MAX_DIGITS = 10_000;

/**
 * Writes a value as JSON.
 *
 * @returns A copy of plain JSON values, which shares nothing with the value; a `RawJson` as it is.
 * @throws {TypeError} When it has no form in JSON: the message names the place. Errors of getters and `toJSON` are passed on.
 */
export function toJsonValue(value: unknown): unknown {
  return value instanceof RawJson ? value : new Writer().write(value);
}

class Writer {
  /** The place of the value. */
  readonly #path: (string | number)[] = [];
  /** The objects around it, outermost first; one that occurs again is a cycle. */
  readonly #around: object[] = [];

  write(value: unknown): unknown {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) ? value : this.#fail(`${value} is not a JSON number`);
      case "bigint":
        return value.toString();
      case "symbol":
        return value.description ?? this.#fail("it is a symbol without a description");
    }
    if (value === undefined || value === null) return null;
    if (value instanceof Date) {
      return Number.isNaN(value.getTime()) ? this.#fail("it is an invalid date") : value.toISOString();
    }
    if (value instanceof Uint8Array) return toBase64(value);
    if (this.#around.includes(value)) this.#fail("it contains itself");
    // The response around it is one level.
    if (this.#around.length + 2 > MAX_DEPTH) this.#fail(`it nests deeper than ${MAX_DEPTH} levels`);
    this.#around.push(value);
    const written = this.#writeMembers(value);
    this.#around.pop();
    return written;
  }

  #writeMembers(value: object): unknown {
    if (Array.isArray(value) || value instanceof Set) return this.#writeList(value);
    if (value instanceof Map) {
      const names = [...value.keys()].map(nameOf);
      if (new Set(names).size < names.length) this.#fail(REPEATED);
      const isObject = names.every((name) => typeof name === "string" && !UNSAFE_KEYS.has(name));
      return isObject ? this.#writeEntries([...value]) : this.#writeList(value);
    }
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function") return this.write(toJSON.call(value, ""));
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (kind !== "Object") this.#fail(`a value of the kind ${kind} has no form in JSON`);
    const members = value as Record<symbol, unknown>;
    const symbols = Object.getOwnPropertySymbols(value)
      .filter((symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol));
    const entries: [unknown, unknown][] = Object.entries(value);
    for (const symbol of symbols) entries.push([symbol, members[symbol]]);
    return this.#writeEntries(entries.filter(([, member]) => member !== undefined));
  }

  #writeList(items: Iterable<unknown>): unknown[] {
    // Unlike map(), this includes holes.
    return Array.from(items, (item, index) => this.#writeAt(index, item));
  }

  #writeEntries(entries: readonly [unknown, unknown][]): object {
    // Without a prototype, every name is an ordinary member.
    const written: Record<string, unknown> = Object.create(null);
    for (const [key, member] of entries) {
      const name = nameOf(key);
      if (typeof name !== "string") return this.#fail("a key is a symbol without a description");
      if (name in written) this.#fail(REPEATED);
      written[name] = this.#writeAt(name, member);
    }
    return written;
  }

  #writeAt(key: string | number, value: unknown): unknown {
    this.#path.push(key);
    const written = this.write(value);
    this.#path.pop();
    return written;
  }

  #fail(what: string): never {
    throw new TypeError(`Cannot write the value at "${toPointer(this.#path)}" as JSON: ${what}`);
  }
}

/** Symbols count by their descriptions. */
const nameOf = (key: unknown): unknown => typeof key === "symbol" ? key.description : key;

/**
 * The declared type of a member: a date and time of RFC 3339, with `Z` or offset; a bigint as a decimal string or a safe integer;
 * bytes as Base64 with padding; an absolute URL; a set as an array without duplicates; a map as an object, or an array of
 * pairs without duplicate keys; one of the listed strings as the symbol of `Symbol.for` (only these, because registered symbols are
 * never freed); or an array, set, map or object whose items, values, keys or members are revived.
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

/** The members to revive, by name, or by index where the params are an array. Missing members stay missing. */
export type RichMembers = { readonly [name: string]: RichType };

/**
 * Converts the declared members of params back to JavaScript values.
 *
 * @returns A copy of what is declared; the rest is shared with the params.
 * @throws {RpcError} -32602 with the place (`data.path`, a JSON pointer) and what is expected there.
 */
export function reviveMembers(params: unknown, members: RichMembers): unknown {
  return params === undefined ? undefined : reviveObject(params, members, []);
}

type Path = readonly (string | number)[];

/** The types of values that are strings: what is expected, and how one is read; undefined or null for any other string. */
const SCALARS: Readonly<Record<string, readonly [expected: string, read: (text: string) => unknown]>> = {
  date: ["a date and time as in RFC 3339", toDate],
  bigint: ["an integer, as a decimal string where it is large", toBigint],
  bytes: ["a Base64 string with padding", fromBase64],
  url: ["an absolute URL", (text) => URL.parse(text)],
};

/** Without a type, a value is left as it is. */
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
  // Date takes February 30 for a day in March, and has null for what is no date at all.
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

/** Revived objects are all distinct, so two are the same when they are written the same. */
function identityOf(value: unknown): unknown {
  // It may hold a number that JSON cannot write (1e999).
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
    if (entries.has(identity)) refuse(at, "a key that does not occur twice");
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
