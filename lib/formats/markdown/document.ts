/** Reads all of a markdown document: lines, front matter, headings and sections (https://spec.commonmark.org/0.31.2/). */

import type { FrontMatter } from "./front_matter.ts";
import type { Body } from "./body.ts";
import type { Section } from "./sections.ts";
import { joinFrontMatter, splitFrontMatter } from "./front_matter.ts";
import { readBody } from "./body.ts";
import { withSlugs } from "./sections.ts";
import { toLines } from "./lines.ts";
import { readYamlValue } from "./yaml_value.ts";

/** A document. */
export interface Markdown extends Body {
  readonly lines: readonly string[];
  readonly front: FrontMatter;
  readonly sections: readonly Section[];
}

/** Reads a document, including all values of its front matter. */
export function readMarkdown(text: string): Markdown {
  const lines = toLines(text);
  const front = joinFrontMatter(splitFrontMatter(lines), readYamlValue);
  const { prose, sections } = readBody(lines, front.bodyLine);
  return { lines, front, prose, sections: withSlugs(sections) };
}
