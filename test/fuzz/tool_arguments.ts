/** Which arguments fit a tool? Written from what the guideline `using-the-tools` and the listed schemas say, by hand. */

import type { Json } from "./rules.ts";
import { has, isObject } from "./rules.ts";

/** What is wrong with one argument: pointers to what does not fit, from the argument on; "" is the argument itself. */
type Check = (value: unknown) => readonly string[];

/** What a tool wants. */
interface Wanted {
  readonly required: readonly string[];
  readonly checks: Readonly<Record<string, Check>>;
}

const anyText = text(0, Infinity);

/** The tools by name, in the order of the list. */
export const TOOLS: Readonly<Record<string, Wanted>> = {
  "decisions_for": { required: ["paths"], checks: { paths, cursor: anyText } },
  "list_documents": { required: [], checks: { category: anyText, status: anyText, cursor: anyText } },
  "read_document": {
    required: ["uri"],
    checks: { uri: anyText, section: anyText, offset: whole(0, Infinity), limit: whole(4, 200_000) },
  },
  "search_documents": {
    required: ["query"],
    checks: { query: text(1, 1000), category: anyText, status: anyText, limit: whole(1, 100) },
  },
};

/** Everything that is wrong with arguments, each as the words that must name it. */
export function problemsWith(tool: string, given: unknown): readonly string[] {
  if (!isObject(given)) return ["object"];
  const { required, checks } = TOOLS[tool]!;
  return [
    ...required.filter((name) => !has(given, name)).map((name) => `"${name}"`),
    ...Object.keys(given).flatMap((name) => problemsOf(checks, given, name)),
  ];
}

function problemsOf(checks: Wanted["checks"], given: Json, name: string): readonly string[] {
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  const pointer = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return check ? check(given[name]).map((rest) => pointer + rest) : [pointer];
}

function paths(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) return [""];
  return [
    ...(value.length > 100 ? [""] : []),
    ...value.flatMap((path, index) => text(0, 1000)(path).map((rest) => `/${index}${rest}`)),
  ];
}

function text(least: number, most: number): Check {
  return (value) => {
    const length = typeof value === "string" ? [...value].length : -1;
    return length >= least && length <= most ? [] : [""];
  };
}

/** A number that is no whole one may be too small or too large as well, which is another thing to say of it. */
function whole(least: number, most: number): Check {
  return (value) => {
    if (typeof value !== "number") return [""];
    return [
      ...(Number.isInteger(value) ? [] : [""]),
      ...(value < least ? [""] : []),
      ...(value > most ? [""] : []),
    ];
  };
}
