/** Writes JavaScript values that JSON cannot represent, such as dates, bytes, sets and maps. */

import { toBase64 } from "../../base/base64.ts";
import { toPointer } from "../../base/pointer.ts";
import { MAX_DEPTH, RawJson } from "../message.ts";

/** Names that readers refuse as members of an object. A map with such a key is written as pairs. */
const UNSAFE_KEYS: ReadonlySet<unknown> = new Set(["__proto__", "constructor"]);
const REPEATED = "a symbol and another key have the same name";

/**
 * Writes a value as JSON.
 *
 * @returns A copy of plain JSON values, which shares no objects with the value. A `RawJson` is returned unchanged.
 * @throws {TypeError} When JSON cannot represent the value. The message has its path. Errors of getters and `toJSON` are rethrown.
 */
export function toJsonValue(value: unknown): unknown {
  return value instanceof RawJson ? value : new Writer().write(value);
}

/** Writes one value. */
class Writer {
  /** The path of the current value. */
  readonly #path: (string | number)[] = [];
  /** The objects that contain it, outermost first. If one occurs again, there is a cycle. */
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
    // The response adds one level.
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
    if (kind !== "Object") this.#fail(`JSON cannot represent a value of the kind ${kind}`);
    const members = value as Record<symbol, unknown>;
    const symbols = Object.getOwnPropertySymbols(value)
      .filter((symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol));
    const entries: [unknown, unknown][] = Object.entries(value);
    for (const symbol of symbols) entries.push([symbol, members[symbol]]);
    return this.#writeEntries(entries.filter(([, member]) => member !== undefined));
  }

  #writeList(items: Iterable<unknown>): unknown[] {
    // Unlike map(), this includes the holes of sparse arrays.
    return Array.from(items, (item, index) => this.#writeAt(index, item));
  }

  #writeEntries(entries: readonly [unknown, unknown][]): object {
    // Without a prototype, every name is an ordinary member, such as "__proto__".
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

/** The name of a key. A symbol has its description. */
const nameOf = (key: unknown): unknown => typeof key === "symbol" ? key.description : key;
