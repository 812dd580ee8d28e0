/** The decision records among documents. It is loaded for the first document that may be one. */

import type { JsonObject } from "../base/json.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Document, ReadDocument, RecordFolder } from "./document.ts";
import type { FileContent } from "./files.ts";
import type { RecordWords } from "./records/record.ts";
import type { Scheme } from "./uri.ts";
import { inSlices } from "../base/async.ts";
import { hash } from "../base/bytes.ts";
import { compact } from "../base/json.ts";
import { compare } from "../base/text.ts";
import { decodeText } from "./files.ts";
import { readMetadata } from "./metadata.ts";
import { isFolderPage, recordDate, recordFolder, recordName, recordNumber } from "./records/name.ts";
import { RELATIONS } from "./records/record.ts";
import { currentStatus } from "./records/status.ts";
import { toUri } from "./uri.ts";

export { markedTitle } from "./records/status.ts";

/** The number of signs that a document has, of three, if it looks like a record. */
const MIN_SIGNS = 2;

type Reading = Awaited<ReturnType<typeof readMetadata>>;
type Records = { readonly documents: readonly Document[]; readonly folders: readonly RecordFolder[] };

/**
 * Decides which documents are read as records: those of the folders whose keys are forced, and of each other folder in which at
 * least half of the documents look like records.
 */
export function findRecords(
  read: readonly ReadDocument[],
  isForced: (key: string) => boolean,
  readFile: (document: Document) => FileContent | undefined,
  words?: RecordWords,
): Promise<Records> {
  return inSlices(findInSteps(read, isForced, readFile, words));
}

function* findInSteps(
  read: readonly ReadDocument[],
  isForcedKey: (key: string) => boolean,
  readFile: (document: Document) => FileContent | undefined,
  words: RecordWords | undefined,
): Generator<unknown, Records> {
  const folders: RecordFolder[] = [], documents: Document[] = [];
  const folderOf = (key: string) => key.slice(0, key.lastIndexOf("/"));
  const holding = new Set(
    read.flatMap(({ key, document: { name, label } }) =>
      isFolderPage(name) || recordNumber(recordName(label)) === undefined ? [] : folderOf(key)
    ),
  );
  for (const members of Map.groupBy(read, ({ key }) => recordFolder(key)).values()) {
    const candidates = members.filter(({ signs }) => signs);
    const likely = candidates.filter(({ signs = [] }) => signs.length >= MIN_SIGNS).length;
    const isForced = isForcedKey(members[0]!.key);
    const isRecords = isForced || (likely > 0 && likely * 2 >= candidates.length);
    for (const member of candidates) {
      if (!isRecords || member.record) continue;
      const { document } = member, content = readFile(document);
      // A file that was changed meanwhile is read again by the next scan.
      if (!content || hash(content.bytes) !== document.fingerprint) continue;
      const { asRecord, signs } =
        (yield readMetadata(document, decodeText(content.bytes)!, true, undefined, words)) as Reading;
      Object.assign(member, { record: Object.freeze({ ...document, ...asRecord }), signs });
    }
    const chosen = members.map(({ key, document, record, signs }) => {
      // Any page may have sections such as Context and Decision. The page of a folder of records is an index.
      const own = recordName(document.label), isNamed = recordNumber(own) ?? recordDate(own);
      const isIndex = isNamed === undefined && isFolderPage(document.name) && holding.has(folderOf(key));
      const isRecord = !isIndex && (isForced || (isRecords && signs?.some((sign) => sign !== "sections")));
      return isRecord && record ? { document, record, signs } : { document };
    });
    documents.push(...withoutCompanions(chosen));
    if (!isForced && likely === 0) continue;
    const counts = ["name", "status", "sections"].map((sign) =>
      `${candidates.filter(({ signs = [] }) => signs.includes(sign)).length} by their ${sign}`
    );
    const reason = `${likely} of ${candidates.length} documents look like records (${counts.join(", ")})`;
    folders.push({ folder: recordFolder(members[0]!.document.label), isRecords, isForced, reason });
  }
  return { documents, folders: folders.sort((one, other) => compare(one.folder, other.folder)) };
}

type Chosen = {
  readonly document: Document;
  readonly record?: Document;
  readonly signs?: readonly string[] | undefined;
};

/** The maximum number of records with one number that may have companions. */
const MAX_OWNERS = 10;
/** A translation: "0007-use-x.de". */
const TRANSLATION = /\.[a-z]{2,3}(?:[-_][a-z]{2,4})?$/i;

const COMPANION =
  /(?:^|[-_. ])(?:review|appendix|annex|addendum|notes?|comments|faq|diagrams?|example|slides)(?:$|[-_. ])/;

/**
 * The documents of a folder. A companion of a record has the same number: a translation is a record without a number, and an appendix
 * or a review, which has no status of its own, is not a record.
 */
function withoutCompanions(members: readonly Chosen[]): Document[] {
  const names = new Set(members.map(({ document: { label } }) => recordName(label).toLowerCase()));
  /** The names of the records with a status, by number. */
  const owners = new Map<number, string[]>();
  for (const { document, record } of members) {
    const { number, status } = record?.record ?? {};
    if (number === undefined || status === undefined) continue;
    const known = owners.get(number) ?? [];
    if (known.length < MAX_OWNERS) owners.set(number, [...known, recordName(document.label).toLowerCase()]);
  }
  return members.map(({ document, record, signs = [] }) => {
    const number = record?.record?.number, name = recordName(document.label);
    if (!record || number === undefined) return record ?? document;
    if (TRANSLATION.test(name) && names.has(name.replace(TRANSLATION, "").toLowerCase())) {
      const { number: _, ...stated } = record.record!;
      return Object.freeze({ ...record, record: stated });
    }
    const isBare = record.record!.status === undefined && !signs.includes("sections");
    const lower = name.toLowerCase();
    const isOwner = (owner: string) => {
      const isNamed = /^[-_. ]/.test(lower.slice(owner.length)) && lower.startsWith(owner);
      return isNamed || lower.endsWith(owner) || COMPANION.test(lower);
    };
    return isBare && recordDate(name) === undefined && owners.get(number)?.some(isOwner) ? document : record;
  });
}

/** What a decision record states, so that a client that reads only lists can tell whether it is in force. */
export function recordMeta(document: Document, scheme: Scheme, catalogue: Catalogue): JsonObject | undefined {
  const { record } = document;
  if (!record) return undefined;
  const resolve = (reference: string) => {
    const target = catalogue.resolve(document, reference);
    return target ? toUri(target.key, scheme) : reference;
  };
  const { number, date } = record, status = currentStatus(document);
  const statusWord = status === record.status ? record.statusWord : undefined;
  const related = RELATIONS.flatMap((name) =>
    record[name]?.length ? [[name, record[name].map(resolve)]] : []
  );
  const stated = compact({ number, status, statusWord, date, ...Object.fromEntries(related) });
  return Object.keys(stated).length > 0 ? { "architrave/record": stated } : undefined;
}
