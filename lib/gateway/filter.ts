/** Chooses the endpoints that a gateway serves. */

import type { Description, Endpoint, Operation } from "./endpoint.ts";
import { nearest } from "../base/nearest.ts";
import { didYouMean, shortened } from "../base/text.ts";
import { toMatcher } from "../formats/wildcard.ts";
import { refuse } from "./errors.ts";

/** The maximum length of a name in an error, in UTF-16 units. */
const MAX_NAME = 160;
/** How many of the existing tags, paths or operations an error lists. */
const MAX_NAMED = 20;

/** Selects the endpoints that match all members. An empty or missing member matches every endpoint. */
export interface Filter {
  /** Any of these tags. */
  readonly tags?: readonly string[];
  /** Any of these paths, spelled as in the description; `*` matches any text. */
  readonly paths?: readonly string[];
  /** Any of these names, or of the identifiers in the document. */
  readonly operations?: readonly string[];
}

/** Applies the filter and marks safe endpoints. A value that matches no endpoint is an error: it may be misspelled. */
export function select(description: Description, filter: Filter, safe: readonly string[]): Operation[] {
  // Descriptions come only from `readEndpoints` and `readOpenApi`, which return operations.
  const all = description.endpoints as readonly Operation[];
  type NamesOf = (endpoint: Endpoint) => readonly string[];
  const isSame = (value: string) => (name: string) => name === value;
  // A star matches slashes too, as `**` does in the matcher. The third star avoids `**/`, which has another meaning.
  const isLike = (pattern: string) => toMatcher(pattern.replaceAll("*", "***"));
  const chooser = (kind: string, namesOf: NamesOf, values: readonly string[] = [], toTest = isSame) => {
    if (values.length === 0) return () => true;
    const known = [...new Set(all.flatMap(namesOf))].sort();
    const tests = values.map((value) => {
      const test = toTest(value);
      if (known.some(test)) return test;
      const some = known.slice(0, MAX_NAMED).map((name) => shortened(name, MAX_NAME)).join(", ") || "none";
      const rest = known.length > MAX_NAMED ? ` and ${known.length - MAX_NAMED} more` : "";
      const hint = `${didYouMean(nearest(value, known))}; there are: ${some}${rest}`;
      return refuse(`There is no ${kind} "${value}" among the operations served${hint}`);
    });
    return (endpoint: Endpoint) => namesOf(endpoint).some((name) => tests.some((test) => test(name)));
  };
  const filters = [
    chooser("tag", ({ tags }) => tags, filter.tags),
    chooser("path", ({ path }) => [path], filter.paths, isLike),
    chooser("operation", identifiersOf, filter.operations),
  ];
  const ofPosts = (endpoint: Endpoint) => endpoint.method === "POST" ? identifiersOf(endpoint) : [];
  const isSafe = safe.length === 0 ? () => false : chooser("POST operation", ofPosts, safe);
  return all.filter((endpoint) => filters.every((isChosen) => isChosen(endpoint)))
    .map((endpoint) => isSafe(endpoint) ? { ...endpoint, isSafe: true } : endpoint);
}

function identifiersOf({ name, operationId = name }: Endpoint): readonly string[] {
  return [...new Set([name, operationId])];
}
