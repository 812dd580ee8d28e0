/** Checks what documents say of each other: links, and the numbers and relations of decision records. */

import type { Corpus, LintOptions } from "./check_corpus.ts";
import type { Document } from "./document.ts";
import type { Finding } from "./finding.ts";
import type { RelationName } from "./records/record.ts";
import { filePath, imageType } from "./images.ts";
import { isUndecided } from "./check_stale.ts";
import { recordFolder } from "./records/name.ts";
import { isReference } from "./records/record.ts";
import { isRejected } from "./records/status.ts";
import { OFF_BY_DEFAULT, problem } from "./rules.ts";
import { decode, followPath, toUri } from "./uri.ts";

/** Fragments that code hosts support on every page: its top, and the lines of its source. */
const HOST_FRAGMENT = /^(?:top|L\d+(?:-L?\d+)?)?$/;

/** Reports the links without a target. */
export function* checkLinks({ catalogue, links, anchors, options }: Corpus): Generator<Finding> {
  const folders = new Map(catalogue.documents.map(({ category, within }) => [category, within]));
  for (const { from, target, line } of links) {
    const broken = (rule: string, what: string) =>
      problem(rule, from.label, `The link leads to ${target}, ${what}`, line);
    const followed = catalogue.follow(from, target) ?? missingImage(from, target, options);
    if (!followed) continue;
    const { documents, key, fragment } = followed;
    const [document] = documents;
    if (documents.length > 1) {
      yield broken("link-dead", `which names ${documents.map(({ label }) => label).join(" and ")}`);
    } else if (document) {
      const known = anchors.get(document.key);
      if (!known || HOST_FRAGMENT.test(fragment) || known.has(fragment)) continue;
      yield broken("link-section-dead", `and ${document.label} has no such section`);
    } else {
      const category = key === undefined ? from.category : decode(/^[^/]*(?=\/)/.exec(key)?.[0] ?? "");
      const folder = folders.get(category);
      // A link into a mounted folder may be correct in the repository of the documents.
      if (category === from.category || folder === from.within) {
        yield broken("link-dead", "which is not served");
      } else if (folder === undefined) yield broken("link-leaves", "out of the folders that are served");
    }
  }
}

/** What a link to an image leads to that cannot be shown, as `follow` tells it; undefined for other links. */
function missingImage(from: Document, target: string, { hasImage }: LintOptions) {
  const path = imageType(target.replace(/[?#][^]*$/, "")) && filePath(target);
  if (!path || !hasImage || hasImage(from, target)) return undefined;
  return { documents: [], key: followPath(from.key, path) ?? "", fragment: "" };
}

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

/** Relations with a direction: as the newer record states them, as the older one does, and the fields of both. */
const DIRECTED: readonly (readonly [by: RelationName, of: RelationName, newer: string, older: string])[] = [
  ["supersedes", "supersededBy", "supersedes", "superseded-by"],
  ["partlySupersedes", "partlySupersededBy", "partly-supersedes", "partly-superseded-by"],
  ["amends", "amendedBy", "amends", "amended-by"],
];

/** A record, the record that it replaces or changes, and which of the two states that. */
type Succession = Readonly<Record<"newer" | "older" | "from", Document> & { fields: readonly string[] }>;

/** Reports references to no record, relations that only one of two records states, and circles. */
export function* checkRelations({ catalogue, relations, links, options }: Corpus): Generator<Finding> {
  const linked = new Set(links.map(({ from, target }) => `${from.key} ${target}`));
  const successions: Succession[] = [];
  for (const { from, kind, reference, line } of relations) {
    const target = catalogue.resolve(from, reference);
    const [by, , ...fields] = DIRECTED.find((names) => names.includes(kind)) ?? [];
    if (target && by) {
      const [newer, older] = kind === by ? [from, target] : [target, from];
      successions.push({ newer, older, from, fields });
    } else if (!target && !/^(?!architecture:)[a-z][a-z0-9+.-]*:/i.test(reference)) {
      // Words often do not name a record, and links are checked with all links.
      const isChecked = isReference(reference) && !linked.has(`${from.key} ${reference}`);
      if (!isChecked && !/^supersede/.test(kind)) continue;
      const message = `The record refers to "${reference}", and no single record here has that name`;
      // A reference to another category may lead to a file that is not served, and plain words may not be a reference.
      const isUri = /^architecture:/i.test(reference);
      const key = isUri ? from.key : followPath(from.key, reference.replace(/[?#].*$/, ""));
      const isSure = isReference(reference) && key?.split("/", 1)[0] === from.key.split("/", 1)[0];
      yield problem("adr-reference-dangling", from.label, message, line, isSure ? "error" : "warning");
    }
  }
  const isWhole = ({ fields }: Succession) => fields[0] === "supersedes";
  const pairs = Map.groupBy(successions, ({ newer, older }) => `${newer.key} ${older.key}`);
  for (const statements of pairs.values()) {
    const { newer, older, from, fields: [active, passive] } = statements[0]!;
    const rule = active === "supersedes" ? "adr-supersedes-one-sided" : "adr-amends-one-sided";
    if (newer === older) continue;
    const isGivenUp = statements.some((one) => one.from === older && isWhole(one));
    if (isGivenUp && isUndecided(newer)) {
      const message =
        `The record is superseded by ${newer.label}, which is only proposed, so neither is in force`;
      yield problem("adr-superseded-by-proposal", older.label, message);
    }
    if (statements.some((one) => one.from !== from)) continue;
    if (OFF_BY_DEFAULT.includes(rule) && !options.strict?.includes(rule)) continue;
    // What is only proposed, or was rejected, replaces nothing.
    if (from === newer && (isUndecided(newer) || isRejected(newer))) continue;
    const verb = active!.replace("-", " ");
    const [to, says, field] = from === newer
      ? [older, `it ${verb} this record`, passive]
      : [newer, `this record ${verb} it`, active];
    const lacks = `${field}: ${from.record?.number ?? from.name}`;
    yield problem(rule, to.label, `${from.label} says that ${says}, which lacks "${lacks}"`);
  }
  yield* checkCircles([...pairs.values()].flatMap((statements) => statements.find(isWhole) ?? []));
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
