/** Checks what decision records state of each other: their numbers and relations. */

import type { Corpus } from "./check_corpus.ts";
import type { Document } from "./document.ts";
import type { Finding } from "./finding.ts";
import { recordFolder } from "./records/name.ts";
import { isReference } from "./records/record.ts";
import { problem } from "./rules.ts";
import { followPath, toUri } from "./uri.ts";

/** Reports the records of one folder that have the same number. */
export function* checkNumbers({ catalogue, options }: Corpus): Generator<Finding> {
  for (const document of catalogue.documents) {
    const number = document.record?.number;
    const folder = recordFolder(document.key);
    const [owner = document] = catalogue.numbered(folder, number);
    if (owner === document) continue;
    const uri = toUri(`${folder}/${number}`, options.scheme ?? "architecture");
    const message = `The number ${number} is also that of ${owner.label}, so ${uri} names neither`;
    yield problem("adr-number-duplicate", document.label, message);
  }
}

/** A record, the record that it replaces, and which of the two states that. */
type Succession = Readonly<Record<"newer" | "older" | "from", Document>>;

/** Reports references to no record, relations that only one of two records states, and circles. */
export function* checkRelations({ catalogue, relations }: Corpus): Generator<Finding> {
  const successions: Succession[] = [];
  for (const { from, kind, reference, line } of relations) {
    const target = catalogue.resolve(from, reference);
    if (!target) {
      if (/^(?!architecture:)[a-z][a-z0-9+.-]*:/i.test(reference)) continue;
      const message = `The record refers to "${reference}", and no single record here has that name`;
      // A reference to another category may lead to a file that is not served, and plain words may not be a reference.
      const isUri = /^architecture:/i.test(reference);
      const key = isUri ? from.key : followPath(from.key, reference.replace(/[?#].*$/, ""));
      const isSure = isReference(reference) && key?.split("/", 1)[0] === from.key.split("/", 1)[0];
      yield problem("adr-reference-dangling", from.label, message, line, isSure ? "error" : "warning");
    } else if (kind === "supersedes") successions.push({ newer: from, older: target, from });
    else if (kind === "supersededBy") successions.push({ newer: target, older: from, from });
  }
  const pairs = Map.groupBy(successions, ({ newer, older }) => `${newer.key} ${older.key}`);
  for (const statements of pairs.values()) {
    const [{ newer, older, from }] = statements as [Succession];
    if (newer === older || statements.some((one) => one.from !== from)) continue;
    const [to, says, field] = from === newer
      ? [older, "it supersedes this record", "superseded-by"]
      : [newer, "this record supersedes it", "supersedes"];
    const lacks = `${field}: ${from.record?.number ?? from.name}`;
    const message = `${from.label} says that ${says}, which lacks "${lacks}"`;
    yield problem("adr-supersedes-one-sided", to.label, message);
  }
  yield* checkCircles(Array.from(pairs.values(), ([first]) => first!));
}

/** Finds circles of records that supersede each other, depth first. The successors of each record are followed once. */
function* checkCircles(pairs: readonly Succession[]): Generator<Finding> {
  const successors = Map.groupBy(pairs, ({ older }) => older);
  /** The records whose successors were followed; true while they are still being followed. */
  const isOpen = new Map<Document, boolean>();
  const stack = [...successors.keys()].reverse();
  for (let record = stack.at(-1); record; record = stack.at(-1)) {
    if (isOpen.has(record)) {
      isOpen.set(record, false);
      stack.pop();
      continue;
    }
    isOpen.set(record, true);
    for (const { newer } of successors.get(record) ?? []) {
      if (!isOpen.has(newer)) stack.push(newer);
      if (!isOpen.get(newer)) continue;
      const message = newer === record
        ? "The record says that it supersedes itself"
        : `The record and ${record.label} supersede each other, directly or through others`;
      yield problem("adr-supersedes-circle", newer.label, message);
    }
  }
}
