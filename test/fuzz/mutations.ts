/** What can be wrong with a message? Mutations of what it says, before it is written and while it is JSON text. */

import type { Random } from "./random.ts";
import { anyValue, memberName, nested, oddId, oddNumber, oddText } from "./values.ts";

/** A place in a message where a value stands. */
interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Changes one thing about a message, in place; it may still be a good one afterwards. */
export function mutateMessage(message: Record<string, unknown>, random: Random): void {
  if (random.chance(0.12)) message["id"] = oddId(random);
  else mutatePlace(pickPlace(message, random), random);
}

/** Half of the time a member of the message itself: there is the most to get wrong. */
function pickPlace(message: Record<string, unknown>, random: Random): Place {
  const keys = Object.keys(message);
  if (random.chance(0.5) && keys.length > 0) return { holder: message, key: random.pick(keys) };
  const places = placesIn(message);
  return places.length > 0 ? random.pick(places) : { holder: message, key: memberName(random) };
}

function placesIn(value: unknown, found: Place[] = []): Place[] {
  // A number that is written in a way of its own is an object that cannot be changed.
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return found;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    found.push({ holder, key });
    placesIn(holder[key], found);
  }
  return found;
}

const OPERATIONS: readonly (readonly [number, (place: Place, random: Random) => void])[] = [
  [4, ({ holder, key }) => void delete holder[key]],
  [5, ({ holder, key }, random) => define(holder, key, anyValue(random))],
  [2, ({ holder, key }, random) => {
    const value = holder[key];
    delete holder[key];
    define(holder, random.chance(0.3) ? key.toUpperCase() : memberName(random), value);
  }],
  [3, ({ holder }, random) => define(holder, memberName(random), anyValue(random))],
  [1, ({ holder }, random) => define(holder, random.pick(["__proto__", "constructor"]), { polluted: true })],
  [1, ({ holder, key }, random) => define(holder, key, nested(holder[key], random.between(1, 80), random))],
  [
    1,
    ({ holder, key }, random) =>
      define(holder, key, random.chance(0.5) ? oddNumber(random) : oddText(random)),
  ],
  [1, ({ holder, key }, random) => define(holder, memberName(random), holder[key])],
];

function mutatePlace(place: Place, random: Random): void {
  random.weighted(OPERATIONS)(place, random);
}

/** Sets a member whatever it is called: assigning to `__proto__` would set something else. */
function define(holder: Record<string, unknown>, key: string, value: unknown): void {
  // A list that is given a length of its own would be one of thousands of holes.
  if (Array.isArray(holder) && !/^\d$/.test(key)) return void holder.push(value);
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

const TEXT_OPERATIONS: readonly (readonly [number, (text: string, random: Random) => string])[] = [
  [4, (text, random) => afterBrace(text, `${member(random)},`)],
  [4, (text, random) => beforeLastBrace(text, `,${member(random)}`)],
  [2, (text, random) => afterBrace(text, `"deep":${brackets(random)},`)],
  [1, (text, random) => text.replace('"params":{', (found) => `${found}"deep":${brackets(random)},`)],
  [1, (text) => text.replace(/"(\w)/g, (_, letter: string) => `"${escaped(letter)}`)],
  [1, (text) => text.replaceAll(",", " ,\t").replaceAll(":", " : ")],
  [1, (text) => beforeLastBrace(text, ",")],
  [1, (text) => text.replaceAll('"', "'")],
  [
    1,
    (text, random) =>
      text.replace(
        /:"[^"]*"/,
        `:${random.pick(["NaN", "Infinity", "undefined", "01", "1.", "+1", ".5", "0x10", "tru", "/**/1"])}`,
      ),
  ],
  [1, (text, random) => text.replace(/:"/, `:"${random.pick(["\t", "\u0001", "\\x", "\\u12", "\\ud800"])}`)],
  [1, (text, random) => text + random.pick([text, "}", "]", "//", ";", "null"])],
  [1, (text) => `[${text}]`],
];

/** Changes one thing about the text of a message; it may be no JSON afterwards. */
export function mutateText(text: string, random: Random): string {
  return random.weighted(TEXT_OPERATIONS)(text, random);
}

/** A member that is there a second time, in front of the first or behind it. */
function member(random: Random): string {
  const [name, value] = random.pick<readonly [string, unknown]>([
    ["id", oddId(random)],
    ["id", random.below(1000)],
    ["method", "ping"],
    ["method", oddText(random)],
    ["params", anyValue(random)],
    ["jsonrpc", "1.0"],
    ["jsonrpc", "2.0"],
    ["result", {}],
    [memberName(random), anyValue(random)],
  ]);
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

/** Brackets within brackets; the limit is 64 levels. */
function brackets(random: Random): string {
  const levels = random.weighted([[6, random.between(55, 70)], [2, random.between(1, 500)], [1, 20_000]]);
  const [open, close] = random.pick([["[", "]"], ['{"a":', "}"]]) as readonly [string, string];
  return `${open.repeat(levels)}${open === "[" ? "" : "1"}${close.repeat(levels)}`;
}

function afterBrace(text: string, insert: string): string {
  return text.replace("{", () => `{${insert}`);
}

function beforeLastBrace(text: string, insert: string): string {
  const at = text.lastIndexOf("}");
  return at < 0 ? text : text.slice(0, at) + insert + text.slice(at);
}

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
