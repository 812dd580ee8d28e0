/** The sections of a document, as URIs name them. They are loaded for the first URI that names one. */

import type { Heading } from "./body.ts";
import { readBody } from "./body.ts";
import { splitFrontMatter } from "./front_matter.ts";
import { toLines } from "./lines.ts";

/** A heading with a name for URIs. */
export interface Section extends Heading {
  /** Names the section in a URI, as code hosts do: "why-not-x", for the second one "why-not-x-1". */
  readonly slug: string;
}

/** The lines with their ends. A text that ends with a line end has no empty last line. */
export function toRawLines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}

/** The slug of a title, with the next free number if it is taken. */
function toSlug(title: string, taken: Map<string, number>): string {
  const base = title.toLowerCase().replace(/[^\p{L}\p{N}\p{M} _-]/gu, "").replaceAll(" ", "-");
  let slug = base;
  for (let count = taken.get(base) ?? 0; taken.has(slug); taken.set(base, count)) slug = `${base}-${++count}`;
  taken.set(slug, 0);
  return slug;
}

/** The sections of a body, each with its slug. */
export function withSlugs(sections: readonly Heading[]): Section[] {
  const slugs = new Map<string, number>();
  return sections.map((section) => ({ ...section, slug: toSlug(section.title, slugs) }));
}

/** The sections of a document. */
export function readSections(text: string): Section[] {
  const lines = toLines(text);
  return withSlugs(readBody(lines, splitFrontMatter(lines).bodyLine).sections);
}

/** The text of one section, byte for byte; undefined when there is no such section. */
export function sectionText(text: string, slug: string, sections: readonly Section[]): string | undefined {
  const section = sections.find((one) => one.slug === slug);
  return section && toRawLines(text).slice(section.line, section.end).join("");
}
