/** Do the links between documents lead anywhere? Links to markdown files, to URIs of the shelf, and to sections. */

import type { Catalogue, Document } from "./catalogue.ts";
import type { Page, Report } from "./lint_text.ts";
import { found } from "./lint_text.ts";
import { proseLines } from "./sections.ts";
import { decode, followPath, parseUri } from "./uri.ts";

/** One link of a document. */
export interface Link {
  readonly from: Document;
  readonly target: string;
  /** Counted from 1. */
  readonly line: number;
}

/** `[text](target)`, `[text](<target>)`; a target may hold one pair of round brackets. */
const INLINE = /\]\(\s*(?:<([^<>]*)>|((?:[^\s()<>\\]|\\.|\([^\s()]*\))+))/g;
/** `[name]: target` at the start of a line. */
const DEFINITION = /^ {0,3}\[[^\]]+\]:[ \t]*<?([^\s<>]+)/;
const AUTOLINK = /<(architecture:\/\/[^\s<>]+)>/gi;
/** Places that people name themselves: `<a id="x">`, `## Heading {#x}`. */
const NAMED_PLACE = /\b(?:id|name)=["']?([^"'\s>]+)|\{#([^{}\s]+)\}/g;
/** What code hosts add to links: the top of a page, and lines of its source. */
const HOST_FRAGMENT = /^(?:top|L\d+(?:-L?\d+)?)?$/;

/** The links of a document, outside of code. */
export function linksOf({ document, lines, front }: Page): Link[] {
  const links = new Map<string, Link>();
  for (const [index, raw] of proseLines(lines, front.bodyLine)) {
    const line = withoutCode(raw);
    const targets = [...line.matchAll(INLINE)].map((link) => link[1] ?? link[2]!);
    targets.push(...[...line.matchAll(AUTOLINK)].map((link) => link[1]!));
    const definition = DEFINITION.exec(line);
    if (definition) targets.push(definition[1]!);
    for (const target of targets) {
      // Once a line is enough.
      links.set(`${index} ${target}`, { from: document, target, line: index + 1 });
    }
  }
  return [...links.values()];
}

/** The names of all places in a document that a fragment can lead to. */
export function placesOf({ lines, front, sections }: Page): Set<string> {
  const places = new Set(sections.map(({ slug }) => slug));
  for (const [, line] of proseLines(lines, front.bodyLine)) {
    if (!line.includes("<") && !line.includes("{#")) continue;
    for (const place of line.matchAll(NAMED_PLACE)) places.add(place[1] ?? place[2]!);
  }
  return places;
}

/** Takes out what stands between two equal runs of backticks. */
export function withoutCode(line: string): string {
  if (!line.includes("`")) return line;
  const parts = line.split(/(`+)/);
  /** By length: where the nearest run behind the current one stands. */
  const nearest = new Map<number, number>();
  const partner: (number | undefined)[] = [];
  for (let index = parts.length - 2; index > 0; index -= 2) {
    partner[index] = nearest.get(parts[index]!.length);
    nearest.set(parts[index]!.length, index);
  }
  const kept: string[] = [];
  for (let index = 0; index < parts.length; index++) {
    const end = index % 2 === 1 ? partner[index] : undefined;
    kept.push(end === undefined ? parts[index]! : " ");
    if (end !== undefined) index = end;
  }
  return kept.join("");
}

/** Looks where links lead; `places` has those of every document by its key. */
export function lintLinks(
  catalogue: Catalogue,
  links: readonly Link[],
  places: ReadonlyMap<string, ReadonlySet<string>>,
  report: Report,
): void {
  const homes = new Map(catalogue.documents.map(({ category, within }) => [category, within]));
  for (const link of links) {
    const { from, target } = link;
    const hash = target.indexOf("#");
    const path = (hash < 0 ? target : target.slice(0, hash)).replace(/\?.*$/, "");
    const fragment = hash < 0 ? "" : target.slice(hash + 1);
    if (parseUri(target)?.scheme === "architecture") lintUri(catalogue, link, places, report);
    else if (target.startsWith("#")) lintFragment(link, from, fragment, places, report);
    else if (/\.md$/i.test(path) && !/^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(path)) {
      const key = followPath(from.key, path);
      const document = key === undefined ? undefined : catalogue.get(key);
      if (document) lintFragment(link, document, fragment, places, report);
      else reportDead(link, key, homes, report);
    }
  }
}

function lintUri(
  catalogue: Catalogue,
  link: Link,
  places: ReadonlyMap<string, ReadonlySet<string>>,
  report: Report,
): void {
  const answer = catalogue.find(link.target);
  if (answer.kind === "document") {
    lintFragment(link, answer.document, answer.address.section ?? "", places, report);
    return;
  }
  report(found(
    link.from,
    "error",
    "link-dead",
    answer.kind === "none"
      ? `The link leads to ${link.target}, which is not on the shelf`
      : `The link leads to ${link.target}, which names ${
        answer.candidates.map(({ label }) => label).join(" and ")
      }`,
    "Mend the link.",
    link.line,
  ));
}

function lintFragment(
  { from, target, line }: Link,
  document: Document,
  fragment: string,
  places: ReadonlyMap<string, ReadonlySet<string>>,
  report: Report,
): void {
  const known = places.get(document.key);
  if (HOST_FRAGMENT.test(fragment) || !known || known.has(decode(fragment))) return;
  report(found(
    from,
    "error",
    "link-section-dead",
    `The link leads to ${target}, and ${document.label} has no such section`,
    "Write the heading in lower case, with hyphens for spaces and without other marks.",
    line,
  ));
}

/**
 * A link within a folder that is served, to a file that is not there, is an error. One that leads out of the folder
 * may be good where the file lies, and a reader of the shelf cannot follow it: a warning. Nothing is said of a link to
 * a category from somewhere else: when a folder is mounted in the place of another, it is not the link that is wrong.
 */
function reportDead(
  { from, target, line }: Link,
  key: string | undefined,
  homes: ReadonlyMap<string, string>,
  report: Report,
): void {
  const category = key?.includes("/") ? decode(key.slice(0, key.indexOf("/"))) : undefined;
  const home = category === undefined ? undefined : homes.get(category);
  if (category === from.category || home === from.within) {
    report(found(
      from,
      "error",
      "link-dead",
      `The link leads to ${target}, which is not on the shelf`,
      "Mend the link.",
      line,
    ));
  } else if (home === undefined) {
    report(found(
      from,
      "warning",
      "link-leaves",
      `The link leads to ${target}, out of the folders that are served`,
      "Link to the address that the file has on the web, or serve its folder with --mount NAME=DIR.",
      line,
    ));
  }
}
