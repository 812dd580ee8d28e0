/** The readers of records take time that grows with their input, and not with its square. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { readBody } from "../../lib/formats/markdown/body.ts";
import { readMarkdown } from "../../lib/formats/markdown/document.ts";
import { cpuNow } from "../harness/process.ts";

const FOLDER = new URL("../../lib/documents/records/", import.meta.url);
/** The maximum processor time for a text, in milliseconds; what grows with the square of its length takes minutes. */
const LIMIT_MS = 3000;
const SIZE = 400_000;

/** What is repeated, on its own and after the words that begin a field. */
const PARTS = [
  ..." |*|_|[|]|(|)|<|~|`|-|.|,|#|:|/|a|1|é|x |a.|[[|](|]](|](x)|[a](b) |<!--|{|→|->|ADR-1 |1, |and |superseded by |not "
    .split("|"),
  ..."superseded |replaced by ADR-1 and |Accepted, |2026-01-01 || a |-\n|\n\n|- [ ] a\n|## Status\n|Status: |\\n"
    .split("|"),
  ..."|Status|a|\n,<td>,:::info Status\n,**Status**\n,承認,ersetzt durch ,## Superseded by\n,Superseded by: \n"
    .split(","),
];
const STARTS = ["", "Status: ", "## Status\n\n", "Superseded by: ", "| Status | ", "Superseded by ["];

type Callers = Readonly<Record<string, (text: string) => unknown>>;

async function callers(): Promise<Callers> {
  const read = await import("../../lib/documents/records/read.ts");
  const places = await import("../../lib/documents/records/places.ts");
  const text = await import("../../lib/documents/records/status_text.ts");
  const references = await import("../../lib/documents/records/references.ts");
  const prohibitions = await import("../../lib/documents/records/prohibitions.ts");
  const label = await import("../../lib/documents/records/label.ts");
  const like = await import("../../lib/documents/records/like.ts");
  const words = await import("../../lib/documents/records/words.ts");
  const signs = await import("../../lib/documents/records/signs.ts");
  const status = await import("../../lib/documents/records/status.ts");
  const template = await import("../../lib/documents/records/template_text.ts");
  const decision = await import("../../lib/documents/records/decision.ts");
  const languages = await import("../../lib/documents/records/languages.ts");
  const asRecord = await import("../../lib/documents/records/as_record.ts");
  const known = languages.standardWords();
  const whole = (text: string) => [text.split("\n"), readBody(text.split("\n"), 0)] as const;
  const own: Callers = {
    readRecord: (text) =>
      read.readRecord("0007-x", [new Map([["superseded-by", [text]]])], ...whole(text), known),
    aboutRecord: (text) =>
      read.aboutRecord(text.split("\n"), whole(text)[1].prose, whole(text)[1].sections, known),
    findStatements: (text) => places.findStatements([], ...whole(text), known),
    readStatus: (all) => text.readStatus([{ text: all, place: undefined }], known, 7),
    relationsIn: (all) => text.relationsIn({ text: all, place: undefined }, known, 7),
    leadingRelation: (all) => text.leadingRelation(all, known),
    scopeOf: (all) => text.scopeOf(all, "supersededby"),
    namesIn: references.namesIn,
    namesAfter: references.namesAfter,
    folded: words.folded,
    listOf: words.listOf,
    Words: (text) => [known.statusOf(text), known.fieldOf(text)],
    isEnglish: words.isEnglish,
    statusLike: (text) => like.statusLike(known, "accepted", [text, "Akzeptiert", text]),
    phraseLike: (text) => like.phraseLike(known, "supersededBy", [text, "Akzeptiert", text]),
    hasRecordName: signs.hasRecordName,
    readAsRecord: (text) => {
      const known = { name: "7-x", title: undefined, hasName: true, hasSections: false, isOther: false };
      const front = { values: new Map(), bodyLine: 0, problems: [] }, [lines, body] = whole(text);
      return asRecord.readAsRecord(known, [front], lines, body, body.sections, undefined);
    },
    hasForeignSections: (text) => languages.hasForeignSections(whole(text)[1].sections),
    hasRecordSections: (text) => signs.hasRecordSections(whole(text)[1].sections),
    currentStatus: (text) =>
      status.currentStatus({ record: { status: text, supersedes: [], supersededBy: [text] } }),
    currentWord: (text) =>
      label.currentWord({ record: { status: text, supersedes: [], supersededBy: [text] } }),
    statusLabel: (text) => label.statusLabel({ record: { status: text, supersedes: [], supersededBy: [] } }),
    numberedTitle: (text) => status.numberedTitle(text, 7),
    isOverdue: (text) => status.isOverdue({ record: undefined, reviewBy: text }, "2026-01-01"),
    decisionOf: (text) => decision.decisionOf("", readMarkdown(text)),
    prohibitions: (text) =>
      prohibitions.prohibitions(readMarkdown(text), text.split("\n").map((_, at) => at)),
    writtenLines: (text) => decision.writtenLines(text.split("\n"), 0, SIZE),
    templateLines: (text) => template.templateLines(text.split("\n")),
    templateTexts: (text) => template.templateTexts(text.split("\n")),
    markedTitle: (title) => status.markedTitle({ record: undefined, title }),
  };
  /** These take no text, or are read with others. */
  const others =
    "standardWords teamWords englishWords sectionPattern hasEnded re headingPattern isRejected isOver isInForce continuesIn templatesIn";
  // Every file of the folder is read, so that no function is left out.
  const modules = await Promise.all(readdirSync(FOLDER).map((file) => import(new URL(file, FOLDER).href)));
  const all: Record<string, (text: string) => unknown> = {};
  for (const [name, value] of Object.entries(Object.assign({}, ...modules) as Record<string, unknown>)) {
    if (typeof value !== "function" || others.split(" ").includes(name)) continue;
    all[name] = own[name] ?? value as (text: string) => unknown;
  }
  return all;
}

test("the time of each reader of records grows with its text", async () => {
  const slow: string[] = [];
  for (const [name, call] of Object.entries(await callers())) {
    for (const part of PARTS) {
      for (const before of STARTS) {
        const text = before + part.repeat(Math.ceil(SIZE / 8 / Math.max(1, part.length)));
        const start = cpuNow();
        call(text);
        const took = cpuNow() - start;
        if (took > LIMIT_MS / 8) slow.push(`${name}(${JSON.stringify(before + part)}): ${took} ms`);
      }
    }
  }
  assert.deepEqual(slow, []);
});
