/** The decision records among documents. It is loaded for the first document that may be one. */

import type { JsonObject } from "../base/json.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Document, ReadDocument, RecordFolder } from "./document.ts";
import type { FileContent } from "./files.ts";
import type { Scheme } from "./uri.ts";
import { inSlices } from "../base/async.ts";
import { hash } from "../base/bytes.ts";
import { compact } from "../base/json.ts";
import { compare } from "../base/text.ts";
import { decodeText } from "./files.ts";
import { readMetadata } from "./metadata.ts";
import { recordFolder } from "./records/name.ts";
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
): Promise<Records> {
  return inSlices(findInSteps(read, isForced, readFile));
}

function* findInSteps(
  read: readonly ReadDocument[],
  isForcedKey: (key: string) => boolean,
  readFile: (document: Document) => FileContent | undefined,
): Generator<unknown, Records> {
  const folders: RecordFolder[] = [], documents: Document[] = [];
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
      const { asRecord, signs } = (yield readMetadata(document, decodeText(content.bytes)!, true)) as Reading;
      Object.assign(member, { record: Object.freeze({ ...document, ...asRecord }), signs });
    }
    for (const { document, record, signs } of members) {
      // Any page may have sections such as Context and Decision.
      const isRecord = isForced || (isRecords && signs?.some((sign) => sign !== "sections"));
      documents.push(isRecord ? record ?? document : document);
    }
    if (!isForced && likely === 0) continue;
    const counts = ["name", "status", "sections"].map((sign) =>
      `${candidates.filter(({ signs = [] }) => signs.includes(sign)).length} by their ${sign}`
    );
    const reason = `${likely} of ${candidates.length} documents look like records (${counts.join(", ")})`;
    folders.push({ folder: recordFolder(members[0]!.document.label), isRecords, isForced, reason });
  }
  return { documents, folders: folders.sort((one, other) => compare(one.folder, other.folder)) };
}

/** What a decision record states, so that a client that reads only lists can tell whether it is in force. */
export function recordMeta(document: Document, scheme: Scheme, catalogue: Catalogue): JsonObject | undefined {
  const { record } = document;
  if (!record) return undefined;
  const resolve = (reference: string) => {
    const target = catalogue.resolve(document, reference);
    return target ? toUri(target.key, scheme) : reference;
  };
  const { number, date } = record;
  const related = RELATIONS.flatMap((name) =>
    record[name]?.length ? [[name, record[name].map(resolve)]] : []
  );
  const stated = compact({ number, status: currentStatus(document), date, ...Object.fromEntries(related) });
  return Object.keys(stated).length > 0 ? { "architrave/record": stated } : undefined;
}
