/** What do the tools say of a document besides its text? One form for all of them. */

import type { Catalogue, Document } from "./catalogue.ts";
import type { Scheme } from "./uri.ts";
import type { ToolAnnotations } from "../server/tool.ts";
import { shorten } from "./describe.ts";
import { isOver, standing } from "./record.ts";
import { toUri } from "./uri.ts";
import { quoted } from "../base/text.ts";
import { ToolValidationError } from "../server/tool.ts";

/** The hints of every tool here: it reads, and it reads only what is here. */
export const READ_ONLY: ToolAnnotations = Object.freeze({
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
});

/** The most successors that are named: who replaces a decision by more has split it into a catalogue. */
const MAX_SUCCESSORS = 10;

/** What somebody should read first who is about to follow a decision that holds no more; undefined for all others. */
export function warning(document: Document, catalogue: Catalogue, scheme: Scheme): string | undefined {
  if (!isOver(document)) return undefined;
  const { supersededBy } = document.record!;
  const successors = supersededBy.slice(0, MAX_SUCCESSORS).map((reference) => {
    const target = catalogue.resolve(document, reference);
    return target ? `${toUri(target.key, scheme)} (${shorten(target.title)})` : shorten(reference);
  });
  const others = supersededBy.length - successors.length;
  if (others > 0) successors.push(`${others} more that its text names`);
  const instead = successors.length > 0 ? ` Read ${successors.join(" and ")} in its place.` : "";
  return `This decision is ${standing(document)}: do not follow it.${instead}`;
}

/** What names a document, and what is known of it as a record; a URI is whole, other words are cut where they are long. */
export function facts(
  document: Document,
  scheme: Scheme,
): Readonly<Record<string, unknown>> & { uri: string } {
  const { key, title, category, record } = document;
  const status = standing(document);
  return {
    uri: toUri(key, scheme),
    title: shorten(title),
    category,
    ...(record?.number === undefined ? {} : { number: record.number }),
    ...(status === undefined ? {} : { status: shorten(status) }),
    ...(record?.date === undefined ? {} : { date: shorten(record.date) }),
  };
}

/** The same as one line of text. */
export function line(document: Document, scheme: Scheme): string {
  const known = [standing(document), document.record?.date].filter((fact) => fact !== undefined).map(shorten);
  const title = shorten(document.title);
  return `${toUri(document.key, scheme)} - ${title}${known.length === 0 ? "" : ` (${known.join(", ")})`}`;
}

/**
 * Makes sure that a category is one.
 *
 * @throws {ToolValidationError} Naming those that there are.
 */
export function requireCategory(category: string | undefined, { categories }: Catalogue): void {
  if (category === undefined || categories.includes(category)) return;
  throw new ToolValidationError(
    `There is no category "${quoted(category, 100)}"; there are: ${categories.join(", ") || "none"}`,
  );
}

/** Whether a document is of a category and has a status, as far as these are given. */
export function passes(
  document: Document,
  category: string | undefined,
  status: string | undefined,
): boolean {
  return (category === undefined || document.category === category) &&
    (status === undefined || standing(document) === status.toLowerCase());
}

/** The properties that several tools share. */
export const FACTS = {
  uri: { type: "string", description: "What the document is read by" },
  title: { type: "string", description: "Cut where it is very long" },
  category: { type: "string" },
  number: { type: "integer", description: "Of a decision record" },
  status: { type: "string", description: "Of a decision record: accepted, superseded, ..." },
  date: { type: "string", description: "Of a decision record, as it is written" },
} as const;
