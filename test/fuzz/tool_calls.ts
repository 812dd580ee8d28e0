/** How are tools called? As they want it, nearly so, and as nobody should. */

import type { Random } from "./random.ts";
import { TOOLS } from "./tool_arguments.ts";
import { DOCUMENTS } from "./shelf.ts";
import { anyValue, hostileUri, memberName, oddNumber, oddText } from "./values.ts";

type Make = (random: Random) => unknown;

const URIS: readonly string[] = [...DOCUMENTS.keys()];
const WORDS: readonly string[] = [
  "naming",
  "names words",
  '"first in"',
  "quueue",
  "Größe",
  "line room",
  "seven",
  "\\ back",
  "€ 𝄞",
  '"',
  '""" "',
  "a".repeat(1000),
  "𝄞".repeat(1000),
  "x ".repeat(501),
];
const PATHS: readonly string[] = [
  "src/a.ts",
  "src",
  "src\\b.ts",
  "./src/a",
  "../src/a",
  "/",
  "*",
  "[",
  "x".repeat(1001),
];

const category: Make = (random) =>
  random.pick(["adr", "guidelines", "odd", "patterns", "ADR", "none", "..", "toString"]);
const status: Make = (random) => random.pick(["accepted", "Accepted", "proposed", "none", ""]);

/** Arguments that often fit, by tool and name. */
const ARGUMENTS: Readonly<Record<string, Readonly<Record<string, Make>>>> = {
  "decisions_for": {
    paths: (random) =>
      Array.from(
        { length: random.weighted([[9, random.between(1, 4)], [1, 0], [1, random.between(99, 101)]]) },
        () => random.chance(0.8) ? random.pick(PATHS) : oddText(random),
      ),
    cursor: cursor,
  },
  "list_documents": { category, status, cursor: cursor },
  "read_document": {
    uri: (random) => random.chance(0.7) ? random.pick(URIS) : hostileUri(random),
    section: (random) => random.pick(["why", "decision", "none", "", "toString", "#why"]),
    offset: (random) => random.pick([0, 1, 2, 9, 10, 11, 12, 40, 1000, 1e6, -1, 0.5]),
    limit: (random) => random.pick([4, 5, 7, 50, 1000, 20_000, 200_000, 200_001, 3, 1e9]),
  },
  "search_documents": {
    query: (random) => random.chance(0.8) ? random.pick(WORDS) : oddText(random),
    category,
    status,
    limit: (random) => random.pick([1, 2, 3, 100, 101, 0, 1.5]),
  },
};

/** What one call says. */
export function calling(random: Random): Record<string, unknown> {
  if (random.chance(0.04)) {
    return { name: random.chance(0.5) ? oddText(random) : anyValue(random), arguments: {} };
  }
  const name = random.pick(Object.keys(TOOLS));
  if (random.chance(0.03)) return random.chance(0.5) ? { name } : { name, arguments: anyValue(random) };
  const { required } = TOOLS[name]!;
  const given: Record<string, unknown> = {};
  for (const [key, make] of Object.entries(ARGUMENTS[name]!)) {
    if (random.chance(required.includes(key) ? 0.97 : 0.25)) given[key] = make(random);
  }
  if (random.chance(0.1)) given[random.pick(Object.keys(ARGUMENTS[name]!))] = oddValue(random);
  if (random.chance(0.05)) given[memberName(random)] = oddValue(random);
  return { name, arguments: given };
}

function oddValue(random: Random): unknown {
  return random.chance(0.5) ? anyValue(random) : random.chance(0.5) ? oddNumber(random) : oddText(random);
}

/** The shelf fits on one page, so every cursor is made up. */
function cursor(random: Random): unknown {
  return random.pick([
    btoa("adr/001-first").replaceAll("=", ""),
    btoa("a"),
    "!",
    "",
    "AAAA",
    "YWRy",
    oddText(random),
  ]);
}
