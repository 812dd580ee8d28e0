/**
 * How is a value written that JSON has no form for? By a fixed table, outward:
 *
 * | value                          | JSON                                                                     |
 * | ------------------------------ | ------------------------------------------------------------------------ |
 * | `Date`                         | its ISO 8601 text in UTC: `"2026-11-22T09:00:00.000Z"`                   |
 * | `bigint`                       | its decimal text: `"9007199254740993"`                                   |
 * | `Uint8Array`                   | Base64 with padding: `"AQID"`                                            |
 * | `URL`                          | its text                                                                 |
 * | `symbol`                       | its description                                                          |
 * | `Set`                          | a list, in order                                                         |
 * | `Map` whose keys are all texts | an object                                                                |
 * | any other `Map`                | a list of pairs: `[[1, "one"], [2, "two"]]`                              |
 * | an object with `toJSON`        | what that returns                                                        |
 * | any other object               | its own enumerable members; those that are undefined are left out        |
 * | undefined                      | null, in lists and alone                                                 |
 *
 * What would lose its meaning is refused: numbers that are not finite, invalid dates, functions, symbols without a
 * description, circles, other built-in objects (`RegExp`, `Error`, `Promise`, other kinds of buffers), and what nests
 * deeper than a message may. Inward, nothing is guessed from the look of a text: `revive.ts` turns back what is declared.
 */

import { toBase64 } from "../base/bytes.ts";
import { MAX_DEPTH } from "./decode.ts";
import { WrittenObject } from "./encode.ts";

/** Keys that readers refuse as members of an object, ours among them: a map that has one is written as pairs. */
const UNSAFE_KEYS: ReadonlySet<unknown> = new Set(["__proto__", "constructor"]);

/** A value that cannot be written as JSON without losing what it means. It names the place and not the value. */
export class RichValueError extends TypeError {
  /** Names the class in logs. */
  override readonly name = "RichValueError";
  /** Where in the value it stands, as a JSON Pointer: "/items/3". */
  readonly path: string;

  /** Says what stands where. */
  constructor(path: string, what: string) {
    super(`Cannot write the value at "${path}" as JSON: ${what}`);
    this.path = path;
  }
}

/**
 * Writes a value by the table at the head of this file.
 *
 * @returns A copy of plain JSON values, which shares nothing with the value; a `WrittenObject` as it is.
 * @throws {RichValueError} When it has no form in JSON. What getters and `toJSON` throw is passed on.
 *
 * @example
 * ```ts
 * import { toJsonValue } from "@architrave/architrave/jsonrpc";
 *
 * toJsonValue({ at: new Date(0), ids: new Set([1n]) }); // { at: "1970-01-01T00:00:00.000Z", ids: ["1"] }
 * ```
 */
export function toJsonValue(value: unknown): unknown {
  return value instanceof WrittenObject ? value : write(value, { path: [], around: [] });
}

/** Where the walk is. */
interface Walk {
  readonly path: (string | number)[];
  /** The objects around the value, outermost first: one that comes again is a circle. */
  readonly around: object[];
}

function write(value: unknown, walk: Walk): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw refuse(walk, `${value} is no number there`);
      return value;
    case "bigint":
      return value.toString();
    case "symbol":
      if (value.description === undefined) throw refuse(walk, "it is a symbol without a description");
      return value.description;
    case "function":
      throw refuse(walk, "it is a function");
    case "undefined":
      return null;
    default:
      return value === null ? null : writeObject(value as object, walk);
  }
}

function writeObject(value: object, walk: Walk): unknown {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw refuse(walk, "it is an invalid date");
    return value.toISOString();
  }
  if (value instanceof Uint8Array) return toBase64(value);
  if (value instanceof URL) return value.href;
  if (walk.around.includes(value)) throw refuse(walk, "it is in a circle");
  // The envelope of an answer is one level.
  if (walk.around.length + 2 > MAX_DEPTH) throw refuse(walk, `it nests deeper than ${MAX_DEPTH} levels`);
  walk.around.push(value);
  const written = writeMembers(value, walk);
  walk.around.pop();
  return written;
}

function writeMembers(value: object, walk: Walk): unknown {
  if (Array.isArray(value)) return writeList(value, walk);
  if (value instanceof Set) return writeList([...value], walk);
  if (value instanceof Map) {
    const keys = [...value.keys()];
    const isObject = keys.every((key) => typeof key === "string" && !UNSAFE_KEYS.has(key));
    return isObject ? writeEntries(value, walk) : writeList([...value], walk);
  }
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return write(toJSON.call(value, ""), walk);
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (kind !== "Object") throw refuse(walk, `there is no form for a value of the kind ${kind}`);
  return writeEntries(Object.entries(value).filter(([, member]) => member !== undefined), walk);
}

function writeList(items: readonly unknown[], walk: Walk): unknown[] {
  // Not map(), which would pass over holes.
  return Array.from(items, (item, index) => writeAt(index, item, walk));
}

function writeEntries(entries: Iterable<[string, unknown]>, walk: Walk): object {
  // Without a prototype, a member of any name is a member.
  const written: Record<string, unknown> = Object.create(null);
  for (const [key, member] of entries) written[key] = writeAt(key, member, walk);
  return written;
}

function writeAt(key: string | number, value: unknown, walk: Walk): unknown {
  walk.path.push(key);
  const written = write(value, walk);
  walk.path.pop();
  return written;
}

function refuse({ path }: Walk, what: string): RichValueError {
  return new RichValueError(pointerTo(path), what);
}

/** A JSON Pointer (RFC 6901). */
export function pointerTo(path: readonly (string | number)[]): string {
  return path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
