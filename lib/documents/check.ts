/** The rules of `check` for documents. Each text is read once; links and relations are looked up afterwards. */

import type { CheckedSource, LintOptions } from "./check_corpus.ts";
import type { Finding } from "./finding.ts";
import { count } from "../base/text.ts";
import { Corpus } from "./check_corpus.ts";
import { checkDocument } from "./check_document.ts";
import { checkPaths } from "./check_paths.ts";
import { checkRecordNames, checkStatuses } from "./check_record.ts";
import { checkLinks, checkNumbers, checkRelations } from "./check_relations.ts";
import { recordFolder } from "./records/name.ts";
import { problem } from "./rules.ts";

/** Checks all documents that are served. Problems of files that are not served are in `catalogue.findings`. */
export function lint(source: CheckedSource, options: LintOptions = {}): Finding[] {
  const steps = lintInSteps(source, options);
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}

/** The same as `lint`, in steps: one for each document and each rule about all documents. */
export function* lintInSteps(source: CheckedSource, options: LintOptions): Generator<void, Finding[]> {
  const corpus = new Corpus(source, options), { findings } = corpus;
  for (const document of source.catalogue.documents) {
    yield;
    const text = source.text(document);
    // A file that was deleted since it was listed is skipped.
    if (text !== undefined) checkDocument(document, text, corpus);
  }
  const checks = [
    checkCustoms,
    checkStatuses,
    checkLineEnds,
    checkNames,
    checkRecordNames,
    checkLinks,
    checkNumbers,
    checkRelations,
    checkPaths,
  ];
  for (const check of checks) {
    for (const finding of check(corpus)) findings.push(finding);
    yield;
  }
  return findings;
}

/** Reports what documents lack. If most documents of a folder lack it, and five or more do, that is the custom of its team. */
function* checkCustoms({ lacking, options }: Corpus): Generator<Finding> {
  const folders = Map.groupBy(lacking, ({ rule, document }) => `${rule} ${recordFolder(document.key)}`);
  for (const group of folders.values()) {
    const lacks = Map.groupBy(group.flatMap(({ missing }) => missing), (part) => part);
    for (const { rule, document, message, missing } of group) {
      const isStrict = group.length < 5 || options.strict?.includes(rule);
      const parts = missing.filter((part) => isStrict || lacks.get(part)!.length <= group.length / 2);
      if (parts.length > 0) yield problem(rule, document.label, message + parts.join(" and "));
    }
  }
}

/** Reports CRLF once per category, because it is usually a setting and not a mistake. */
function* checkLineEnds({ crlf }: Corpus): Generator<Finding> {
  for (const [category, [first, ...others]] of Map.groupBy(crlf, ({ category }) => category)) {
    const more = others.length === 0 ? "" : `, as in ${count(others.length, "more file")} of ${category}`;
    yield problem("line-ends", first!.label, `The lines end with CRLF${more}`);
  }
}

/** Finds files and folders that are the same on a file system that ignores case. */
function* checkNames({ catalogue }: Corpus): Generator<Finding> {
  const seen = new Map<string, string>();
  for (const document of catalogue.documents) {
    const segments = document.label.split("/");
    for (const [index] of segments.entries()) {
      const path = segments.slice(0, index + 1).join("/");
      const folded = path.normalize("NFC").toLowerCase();
      const other = seen.get(folded) ?? path;
      seen.set(folded, other);
      if (other === path) continue;
      const message = `${path} and ${other} differ in case only, and are one on Windows and macOS`;
      yield problem("name-case-only", document.label, message);
      // Everything below it differs as well.
      break;
    }
  }
}
