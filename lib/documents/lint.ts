/**
 * What could be better about the documents of a shelf? Each text is read and looked at once; what leads from one
 * document to another is looked up afterwards, so the work grows with the documents and no faster.
 */

import type { Catalogue, Document } from "./catalogue.ts";
import type { Finding } from "./finding.ts";
import type { Link } from "./lint_links.ts";
import type { Relation } from "./lint_relations.ts";
import { lintAppliesTo } from "./lint_applies_to.ts";
import { isWindowsText, lintText, lintWindowsTexts, openPage } from "./lint_text.ts";
import { linksOf, lintLinks, placesOf } from "./lint_links.ts";
import { isTemplate, lintRecord } from "./lint_record.ts";
import { lintNumbers, lintRelations, relationsOf } from "./lint_relations.ts";

/** Where the texts of documents come from. A `Shelf` that is ready fits. */
export interface TextSource {
  readonly catalogue: Catalogue;
  text(document: Document): string | undefined;
}

/** Looks at all documents. What kept a file off the shelf is among the findings of the catalogue, not here. */
export function lint(source: TextSource): Finding[] {
  const findings: Finding[] = [];
  const report = (finding: Finding): void => void findings.push(finding);
  const links: Link[] = [];
  const places = new Map<string, ReadonlySet<string>>();
  const relations: Relation[] = [];
  const windows: Document[] = [];
  for (const document of source.catalogue.documents) {
    const text = source.text(document);
    // It was there when it was listed: somebody is at work on it, and the next run will see what became of it.
    if (text === undefined) continue;
    const page = openPage(document, text);
    lintText(page, report);
    lintAppliesTo(page, report);
    places.set(document.key, placesOf(page));
    if (isWindowsText(text)) windows.push(document);
    if (document.record) lintRecord(page, report);
    // What a template leads to is an example.
    if (isTemplate(document)) continue;
    for (const link of linksOf(page)) links.push(link);
    for (const relation of relationsOf(page)) relations.push(relation);
  }
  for (const documents of Map.groupBy(windows, ({ category }) => category).values()) {
    lintWindowsTexts(documents, report);
  }
  lintLinks(source.catalogue, links, places, report);
  lintNumbers(source.catalogue, report);
  lintRelations(source.catalogue, relations, report);
  return findings;
}
