/** Do the decision records agree with each other? Their numbers, and which of them takes the place of which. */

import type { Catalogue, Document } from "./catalogue.ts";
import type { Page, Report } from "./lint_text.ts";
import { found } from "./lint_text.ts";
import { isReference, recordFolder } from "./record_name.ts";
import { followPath, toUri } from "./uri.ts";

/** What one record says of another. */
export interface Relation {
  readonly from: Document;
  readonly kind: "supersedes" | "superseded by";
  /** As it is written. */
  readonly reference: string;
  readonly line: number | undefined;
}

/** What a record says of others. */
export function relationsOf({ document, lines }: Page): Relation[] {
  const { supersedes = [], supersededBy = [] } = document.record ?? {};
  const stating = lines.flatMap((line, index) => /supersed|replac/i.test(line) ? [index] : []);
  const relate = (kind: Relation["kind"]) => (reference: string): Relation => {
    const index = stating.find((index) => lines[index]!.includes(reference));
    return { from: document, kind, reference, line: index === undefined ? undefined : index + 1 };
  };
  return [...supersedes.map(relate("supersedes")), ...supersededBy.map(relate("superseded by"))];
}

/** Looks for records of one folder with one number. */
export function lintNumbers(catalogue: Catalogue, report: Report): void {
  const owners = new Map<string, Document>();
  for (const document of catalogue.documents) {
    const number = document.record?.number;
    if (number === undefined) continue;
    const place = `${recordFolder(document.key)}/${number}`;
    const owner = owners.get(place);
    if (!owner) owners.set(place, document);
    else {
      report(found(
        document,
        "error",
        "adr-number-duplicate",
        `The number ${number} is also that of ${owner.label}`,
        `Give one of the two the next free number; until then ${toUri(place, "architecture")} names neither.`,
      ));
    }
  }
}

/** Looks at what takes the place of what. */
export function lintRelations(catalogue: Catalogue, relations: readonly Relation[], report: Report): void {
  /** Pairs of keys, newer first, by who states them. */
  const stated = { "supersedes": new Map<string, Pair>(), "superseded by": new Map<string, Pair>() };
  const successors = new Map<Document, Document[]>();
  for (const relation of relations) {
    const target = catalogue.resolve(relation.from, relation.reference);
    if (!target) reportDangling(relation, report);
    else {
      const pair = relation.kind === "supersedes"
        ? { newer: relation.from, older: target }
        : { newer: target, older: relation.from };
      const name = `${pair.newer.key} ${pair.older.key}`;
      const isKnown = stated["supersedes"].has(name) || stated["superseded by"].has(name);
      stated[relation.kind].set(name, pair);
      if (!isKnown) pushTo(successors, pair.older, pair.newer);
    }
  }
  for (const [name, pair] of stated["supersedes"]) {
    if (!stated["superseded by"].has(name)) reportOneSided(pair.older, pair.newer, "superseded-by", report);
  }
  for (const [name, pair] of stated["superseded by"]) {
    if (!stated["supersedes"].has(name)) reportOneSided(pair.newer, pair.older, "supersedes", report);
  }
  lintCircles(successors, report);
}

interface Pair {
  readonly newer: Document;
  readonly older: Document;
}

function pushTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/**
 * What leads to another place on the web may well be there. What leads out of the folder may be there too, and what is
 * mere words may be meant as such: a warning.
 */
function reportDangling({ from, kind, reference, line }: Relation, report: Report): void {
  if (/^[a-z][a-z0-9+.-]*:/i.test(reference) && !/^architecture:/i.test(reference)) return;
  report(found(
    from,
    isReference(reference) && isWithin(from, reference) ? "error" : "warning",
    "adr-reference-dangling",
    `The record says that it ${
      kind === "supersedes" ? "supersedes" : "is superseded by"
    } "${reference}", and no single record here goes by that`,
    "Write the number or the file name of the other record, or a link to it.",
    line,
  ));
}

function isWithin(from: Document, reference: string): boolean {
  if (/^architecture:/i.test(reference)) return true;
  const key = followPath(from.key, reference.replace(/[?#].*$/, ""));
  return key !== undefined && key.startsWith(from.key.slice(0, from.key.indexOf("/") + 1));
}

function reportOneSided(silent: Document, other: Document, field: string, report: Report): void {
  const number = other.record?.number ?? other.name;
  report(found(
    silent,
    "warning",
    "adr-supersedes-one-sided",
    field === "supersedes"
      ? `${other.label} says that this record supersedes it, and this record does not say so`
      : `${other.label} says that it supersedes this record, and this record does not say so`,
    `Write "${field}: ${number}" in its front matter, or a line under "## Status".`,
  ));
}

/** Looks for records that take each other's place: each document is entered once. */
function lintCircles(successors: ReadonlyMap<Document, readonly Document[]>, report: Report): void {
  const done = new Set<Document>();
  for (const start of successors.keys()) {
    const path: { document: Document; waiting: Document[] }[] = [];
    const onPath = new Set<Document>();
    const enter = (document: Document): void => {
      path.push({ document, waiting: [...successors.get(document) ?? []] });
      onPath.add(document);
      done.add(document);
    };
    if (!done.has(start)) enter(start);
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const next = step.waiting.pop();
      if (next === undefined) onPath.delete(path.pop()!.document);
      else if (onPath.has(next)) reportCircle(next, step.document, report);
      else if (!done.has(next)) enter(next);
    }
  }
}

function reportCircle(first: Document, last: Document, report: Report): void {
  report(found(
    first,
    "error",
    "adr-supersedes-circle",
    first === last
      ? "The record says that it supersedes itself"
      : `The record and ${last.label} each take the place of the other, directly or through others`,
    "Decide which one holds, and let the others name it as their successor.",
  ));
}
