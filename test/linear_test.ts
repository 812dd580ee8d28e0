/** What reads or edits text takes time in proportion to it, whatever the text is. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { attempt } from "../lib/base/text.ts";
import { readBody } from "../lib/formats/markdown/body.ts";
import { readMarkdown } from "../lib/formats/markdown/document.ts";
import { memoryStore } from "./documents/stores.ts";
import { cpuNow } from "./harness/process.ts";
import { IS_COMPLETE } from "./harness/runtime.ts";
import { indexOf } from "./search/texts.ts";

const LIB = new URL("../lib/", import.meta.url);
/** The folders and files whose functions read the texts of documents, code and questions. */
const READERS = [
  ..."documents documents/records documents/code formats/markdown search formats/yaml.ts formats/glob.ts"
    .split(
      " ",
    ),
  ..."formats/wildcard.ts cli/record_text.ts cli/record_template.ts cli/record_name.ts cli/record_syntax.ts"
    .split(" "),
  ..."cli/find_record.ts cli/diff.ts cli/generated_part.ts cli/export_entries.ts cli/export_index.ts".split(
    " ",
  ),
  "cli/hook_input.ts",
];

/** What is repeated. */
const PARTS: readonly string[] = [
  ..." |\t|\n|\\n|[|]|(|)|[[|](|](](x)|[a](b) |[a]: b\n|*|_|`|~|~~a |```\n|<|<pre>\n|<!--|]<!--|<a |>|> |{|}|\"|'|\\|#|# "
    .split("|"),
  ..."## Status\n\n|-|- |- [ ] a\n|- [ ] Accepted\n|- [x] a\n\n|1|1. |1, |a|a: |a b |é|ADR-1 |ADR-1 and |1.2."
    .split("|"),
  ..."superseded |superseded by |Superseded by [a](b.md)\n|replaced by ADR-1 and |not |and |by\n|Accepted, "
    .split("|"),
  ...': |:|, |.|. |/|a/|→ |->|Status: |Status: a | \x7c |2026-01-01 |must not |import a from "b";\n|/* |// |${'
    .split("|"),
  ..."、|，|承認|ersetzt durch |被 ADR-1 取代，|ADR-1 に|は ADR-1 に置き換え|대체됨 |第1節|2026年1月1日|（|**Status**\n"
    .split("|"),
  ...[
    "|",
    "| a | b |\n",
    "| Status | x |\n",
    "||\n|-|\n",
    "<td>",
    ":::info Status\n",
    "Superseded by: \n",
    "Amends [a](b.md)\n\n",
    "---\n",
    "status: x\n",
    "- a\n  - b\n",
    "*a_ ",
    "![a](b",
    "${{a}}",
  ],
];
/** Where it is repeated. */
const PLACES: readonly (readonly [before: string, after: string])[] = [
  ["", ""],
  ["# 1. a", "b\n\n## Status\n\nAccepted\n"],
  ["Status: ", ""],
  ["# A\n\n## Status\n\n", "\n\n## Context\n"],
  ["Superseded by: ", ""],
  ["# A\n\n- Status:", "x\n- Date: 2026-01-02\n"],
  ["# A\n\n- Status: accepted", "x\n- Superseded by: none\n"],
  ["Superseded by [", ""],
  ["# A\n\n| Status |", "accepted |\n|---|---|\n| Date | x |\n"],
  ["# A\n\n| Status | Date |\n|---|---|\n| Accepted", "| x |\n"],
  ["# A\n\n## Status\n\nAccepted", "x\n\n## Context\n"],
  ["---\nstatus: accepted", "x\nsuperseded-by: 7\n---\n# A\n"],
  ["---\nsuperseded-by: [", "]\nstatus: accepted # x\n---\n# A\n"],
  ['+++\nstatus = "accepted"', "\n+++\n# A\n"],
  ["---\nforbids: [", "]\napplies-to: [a/**]\nstatus: accepted\n---\n# A\n"],
  ["# A\n\n## Links\n\n- x", "\n"],
  ["# A\n\n## Context\n\nB\n\n## Decision\n\nWe must not use", "\n"],
];

/** The length of a short text in UTF-16 units, and where that takes too long. */
const LENGTH = 2500, LESS = 400;
/** How much longer the long text is, and how much longer it may take. */
const GROWTH = 8, MOST = 2.5 * GROWTH;
/** Shorter times are noise, in milliseconds. */
const NOISE_MS = 20;
/** How often a time is taken at most; the shortest counts. */
const ROUNDS = 7;

type Call = (text: string) => unknown;
const modules = new Map<string, Readonly<Record<string, unknown>>>();
for (const path of READERS) {
  const files = path.endsWith(".ts")
    ? [path]
    : readdirSync(new URL(path, LIB)).map((name) => `${path}/${name}`);
  for (const file of files.filter((name) => name.endsWith(".ts"))) {
    modules.set(file, await import(new URL(file, LIB).href));
  }
}
// deno-lint-ignore no-explicit-any -- The names are checked where they are called.
const all: Record<string, any> = Object.assign({}, ...modules.values());

const words = all["standardWords"]();
const lined = (text: string) => [text.split("\n"), readBody(text.split("\n"), 0)] as const;
const listed = (text: string) => ({
  record: { status: text, supersedes: [], supersededBy: [text] },
  title: text,
});
const part = (text: string) => ({ text, place: undefined });
const record = (text: string) => new all["RecordText"]("0001-a.md", text);
const confirmed = (text: string, change: (one: ReturnType<typeof record>) => void) => {
  const one = record(text);
  change(one);
  one.confirm("x", [], () => true);
};
const LINK = { id: "ADR-0002", title: "2. B", target: "0002-b.md" };
const VALUES = { number: "0009", title: "Use queues", date: "2026-07-28" };
const storeOf = (text: string) =>
  memoryStore({ "adr/0007-x.md": text, "adr/0002-b.md": "# B\n", "guidelines/x.md": text });

/** Those that take a text and nothing else. */
const PLAIN =
  `namesIn namesAfter folded splitWords isEnglish hasRecordName isFieldLine isStatus standing hasEnded isUnfinished statedText
  dateOf firstWord isReference isFolderPage pageKind recordName recordFolder recordNumber recordSubNumber recordDate recordTitle
  isTemplateText shownStatus plain toLines toRawLines readMarkdown readSections toHtml unescape strip attribute toLabel splitRow toGlob
  toFilePath isAbsolute readYaml isDense hashOf parseQuery rankOf mayCite parseUri canonicalPath hasFileNames decode shorten safeLine
  statusesOf isHidden checkTitle headingText splitFields commentOf toToml readHookInput userParts toMatcher compileWildcards`;
/** Those that take more, or are read through others. */
const CALLS: Readonly<Record<string, Call>> = {
  ...Object.fromEntries(PLAIN.split(/\s+/).map((name) => [name, (text: string) => all[name](text)])),
  // Records.
  readRecord: (text) =>
    all["readRecord"]("0007-x", [new Map([["superseded-by", [text]]])], ...lined(text), words),
  aboutRecord: (text) =>
    all["aboutRecord"](text.split("\n"), lined(text)[1].prose, lined(text)[1].sections, words),
  readAsRecord: (text) => {
    const known = { name: "7-x", title: undefined, hasName: true, hasSections: false, isOther: false };
    const front = { values: new Map(), bodyLine: 0, problems: [] }, [lines, body] = lined(text);
    return all["readAsRecord"](known, [front], lines, body, body.sections, undefined);
  },
  findStatements: (text) => all["findStatements"]([], ...lined(text), words),
  readStatus: (text) => all["readStatus"]([part(text)], words, 7),
  relationsIn: (text) => all["relationsIn"](part(text), words, 7),
  foreignRelations: (text) => all["foreignRelations"](text, text, words, 7),
  leadingRelation: (text) => all["leadingRelation"](text, words),
  clauseScope: (text) => all["clauseScope"](text, text, text, words, 7),
  scopeOf: (text) => all["scopeOf"](text, "supersededby"),
  continuesIn: (text) => all["continuesIn"](text, text),
  Words: (text) => [words.statusOf(text), words.fieldOf(text)],
  statusLike: (text) => all["statusLike"](words, "accepted", [text, "Akzeptiert", text]),
  phraseLike: (text) => all["phraseLike"](words, "supersededBy", [text, "Akzeptiert", text]),
  hasForeignSections: (text) => all["hasForeignSections"](lined(text)[1].sections),
  hasRecordSections: (text) => all["hasRecordSections"](lined(text)[1].sections),
  numberedTitle: (text) => all["numberedTitle"](text, 7),
  isOverdue: (text) => all["isOverdue"]({ record: undefined, reviewBy: text }, "2026-01-01"),
  ...Object.fromEntries(
    [
      "currentStatus",
      "currentWord",
      "statusLabel",
      "markedTitle",
      "isRejected",
      "isOver",
      "isTold",
      "isInForce",
    ]
      .map((name) => [name, (text: string) => all[name](listed(text))]),
  ),
  decisionOf: (text) => all["decisionOf"]("", readMarkdown(text)),
  prohibitions: (text) => all["prohibitions"](readMarkdown(text), text.split("\n").map((_, at) => at)),
  writtenLines: (text) => all["writtenLines"](text.split("\n"), 0, text.length),
  templateLines: (text) => all["templateLines"](text.split("\n")),
  templateTexts: (text) => all["templateTexts"](text.split("\n")),
  templatesIn: (text) => all["templatesIn"]([{ label: "a" }, { label: "b" }, { label: "c" }], () => text),
  // Documents.
  readMetadata: (text) => all["readMetadata"]({ name: "0007-x", label: "adr/0007-x" }, text, true, text),
  lint: async (text) => all["lint"](await storeOf(text), { strict: ["adr-no-status"] }),
  guidance: async (text) => {
    const store = await storeOf(text), { catalogue } = store, paths = (): string => text;
    const summaries = catalogue.documents.map(all["summarizer"](store, catalogue, paths));
    const entries = summaries.map((summary) => all["toExportEntry"](summary));
    return [
      all["guidance"](summaries, 300),
      summaries.map((one) => [all["summaryLines"](one, 500), all["titleWithStatus"](one)]),
      all["indexLines"](entries, 5000),
    ];
  },
  findApplying: async (
    text,
  ) => {
    // All files get one text.
    const many = Array.from({ length: text.length / 50 }, (_, index) => `${index}.ts`);
    return [...all["findApplying"]((await storeOf(text)).catalogue, [text.slice(0, 500), ...many], text)];
  },
  guessDocument: async (text) => {
    const store = await storeOf("# A and b\n");
    return await all["guessDocument"]({ store }, store.catalogue, { file: "a.ts", text }, {
      timeoutMs: Infinity,
    });
  },
  nearestDocuments: async (text) => all["nearestDocuments"]((await storeOf("# A\n")).catalogue, text),
  toKey: (text) => all["toKey"]([text, text]),
  toUri: (text) => all["toUri"](text, "architecture"),
  inScheme: (text) => all["inScheme"](text, "architecture"),
  followPath: (text) => all["followPath"](text, text),
  decodeText: (text) => all["decodeText"](new TextEncoder().encode(text)),
  abbreviationsIn: (text) => [all["abbreviationsIn"](text, text), all["abbreviationsIn"](`(${text}`, "")],
  namesOf: (text) => all["namesOf"](text, text, [text.slice(0, 9), text]),
  glossaryOf: (text) => {
    const { lines, sections, front } = readMarkdown(text);
    return all["glossaryOf"](lines, sections, { key: "a/terms", title: "Terms", bodyLine: front.bodyLine });
  },
  // Code.
  Code: (text) =>
    ["a.ts", "a.py", "a.go", "a.rs", "a.java", "a.kt", "a.rb", "a.php", "a.cs", "a.c"].map((path) => {
      const code = new all["Code"](path, text);
      return [code.lines, code.imports, all["citationsIn"](code)];
    }),
  languageOf: (text) => all["languageOf"](text),
  citedIn: async (text) => [...all["citedIn"]((await storeOf("# A\n")).catalogue, ["a.ts", "b.py"], text)],
  readCodeRules: (text) => all["readCodeRules"](text, ["a/**"]),
  findBreaks: (text) => {
    const rules = all["readCodeRules"]("---\nforbids: [a, 'text: b']\n---\n", ["**"]).rules;
    const code = new all["Code"]("a.ts", text);
    return all["findBreaks"](rules, code, new all["Code"]("a.ts", ` ${text}`)).map((one: unknown) =>
      all["describeBreak"](one, text)
    );
  },
  editBreaks: async (text) => {
    const store = await storeOf("---\nforbids: [a]\napplies-to: ['**']\n---\n# A\n");
    return [...all["editBreaks"](store, store.catalogue, [{ file: "a.ts", after: text, before: text }])];
  },
  // Formats.
  readBody: (text) => readBody(text.split("\n"), 0),
  firstParagraph: (text) => all["firstParagraph"](text.split("\n"), lined(text)[1].prose, () => false),
  cutInline: (text) => all["cutInline"](text, text.length / 2),
  cutMarkdown: (text) => all["cutMarkdown"](text, text.length / 2),
  splitFrontMatter: (text) => all["splitFrontMatter"](["---", ...text.split("\n"), "---"]),
  joinFrontMatter: (text) => {
    const split = all["splitFrontMatter"](["---", ...text.split("\n"), "---"]);
    return [all["needsYaml"](split), all["joinFrontMatter"](split, all["readYamlValue"])];
  },
  readYamlValue: (text) => all["readYamlValue"]("a", text, [`a: ${text}`]),
  readLinks: (text) => all["readLinks"](readMarkdown(text)),
  withSlugs: (text) => all["withSlugs"](lined(text)[1].sections),
  sectionText: (text) => all["sectionText"](text, "a", all["readSections"](text)),
  Blocks: (text) => new all["Blocks"](text),
  toTarget: (text) => all["toTarget"]([text, text, text]),
  match: (text) =>
    ["tagLine", "html", "escape", "address", "note", "label", "resource", "definition"].map((name) =>
      all["match"](name, text)
    ),
  toGlob: (
    text,
  ) => [all["toGlob"]("a/**/*b*c*").matches(text), attempt(() => all["toGlob"](text).matches("a/b"))],
  toMatcher: (text) => [all["toMatcher"]("a*b*c")(text), all["toMatcher"](text.slice(0, 500))("a/b")],
  // Search.
  tokenize: (text) => all["tokenize"](text, () => {}, () => {}),
  toSynonyms: (text) => all["toSynonyms"]([[text, "a"], ["b", text.slice(0, 50)]]),
  SearchIndex: async (text) => {
    const index = await indexOf({ one: `# A\n\n${text}\n`, two: "# B\n\nCache.\n" });
    return [await index.search('cache "a b" superseded'), await index.search(text)];
  },
  // What writes.
  RecordText: (text) => [record(text).title, record(text).form, record(text).skeleton()],
  "RecordText.stated": (text) => [record(text).stated, record(text).edited],
  "RecordText.setTitle": (text) => record(text).setTitle("X", "1. X"),
  "RecordText.setDate": (text) => record(text).setDate("2026-07-28"),
  "RecordText.setStatus": (text) => confirmed(text, (one) => one.setStatus("accepted")),
  "RecordText.dropSuccessors": (text) => confirmed(text, (one) => one.dropSuccessors()),
  "RecordText.supersededBy": (text) => confirmed(text, (one) => one.supersededBy(LINK, "Superseded")),
  "RecordText.supersedes": (text) => confirmed(text, (one) => one.supersedes(LINK, "Supersedes")),
  fillTemplate: (text) => all["fillTemplate"](text, "0009-x.md", VALUES),
  fillLike: (text) => all["fillLike"](record(text), "0009-x.md", VALUES, () => text),
  findRecord: (text) => all["findRecord"]([{ label: `adr/${text}` }, { label: "adr/0001-a.md" }], text),
  nextName: (text) => all["nextName"]([text, `0001-${text}.md`], text, "2026-07-28"),
  layoutOf: (text) =>
    all["layoutOf"]([
      new all["RecordText"](`${text}.md`, ""),
      new all["RecordText"](`0001-a/${text}.md`, ""),
    ]),
  withName: (text) => all["withName"](text, "ADR-2", "[2](2.md)"),
  toYaml: (text) => all["toYaml"]([text, text]),
  unifiedDiff: (text) => all["unifiedDiff"]("a", text, `${text}a`),
  merged: (text) => all["merged"]("a", text, { head: undefined, lines: [text], isRule: false }),
};
/** Those that take longer, whose texts are short unless all tests run. */
const SLOW =
  /^(?:RecordText|fill|lint|guidance|find(?:Applying|Statements)|SearchIndex|toHtml|(?:status|phrase)Like|Code|readMetadata)/;
/** The functions that a row calls. */
const INNER: Readonly<Record<string, string>> = {
  lint:
    `lintInSteps checkDocument Corpus checkPaths checkPatterns collectCited checkRecord checkStatuses checkRecordNames recordKind checkLinks
    checkNumbers checkRelations checkStale isUndecided findRecords DocumentStore Catalogue FolderStore scanDocuments readInside`,
  guidance: "summarizer summaryLines titleWithStatus toExportEntry indexLines",
  Code: "citationsIn",
  findBreaks: "describeBreak",
  editBreaks: "codeRulesOf",
  joinFrontMatter: "needsYaml",
  SearchIndex:
    `InvertedIndex Vocabulary expand findPassage scoreTerms requirePhrases refine best toSnapshot eachTerm
    codeOf sequencePattern weightOf idf saturated raiseNamed synonymsIn formPostings documentIndex stemOf rankedQuery`,
  toHtml: "Inlines",
  nearestDocuments: "nearestUris",
};
/** Those that take no text of a document: paths, folders, stores, what was read, and words of the program. */
const WITHOUT_TEXT =
  `changeBetween checkCode readCode decisionsFor recordMeta isGone isHiddenIn isInside isUnchanged listDocuments
  documentProvider documentTools lazyStore readDocument problem toFindings kindOf searchDocuments documentTool filterBy filters fitting
  integer knownStatuses lines noticeOf objectOf showDocument showPage someOf string successorsOf defineTools walkFiles sectionPattern
  standardWords teamWords englishWords re headingPattern toPattern YamlError folderOf readTemplate today isExported placesFrom
  indexesOf filePath findImage imageType tolerant checkOf listOf`;

test("each function that takes a text has a row", () => {
  const inner = Object.entries(INNER).flatMap(([row, names]) =>
    Object.hasOwn(CALLS, row) ? names.split(/\s+/) : []
  );
  const known = new Set([...Object.keys(CALLS), ...inner, ...WITHOUT_TEXT.split(/\s+/)]);
  const missing = [...modules].flatMap(([file, module]) =>
    Object.entries(module).flatMap(([name, value]) =>
      typeof value === "function" && !known.has(name) ? [`${file} ${name}`] : []
    )
  );
  assert.deepEqual(missing, []);
  assert.deepEqual([...known].filter((name) => typeof all[name.split(".")[0]!] !== "function"), []);
});

async function timeOf(call: Call, text: string): Promise<number> {
  const start = cpuNow();
  try {
    await call(text);
  } catch {
    // A text may be refused.
  }
  return cpuNow() - start;
}

/** The shortest of some times. */
async function bestOf(call: Call, text: string, most: number): Promise<number> {
  let best = Infinity;
  for (let round = 0; round < ROUNDS && best > most; round++) best = Math.min(best, await timeOf(call, text));
  return best;
}

for (const [row, [name, call]] of Object.entries(CALLS).entries()) {
  test(`${name} takes time in proportion to its text`, async () => {
    const size = SLOW.test(name) && !IS_COMPLETE ? LESS : LENGTH;
    for (const [index, repeated] of PARTS.entries()) {
      for (const [place, [before, after]] of PLACES.entries()) {
        // Not every text is in every place.
        if ((row + index - place) % (IS_COMPLETE ? 6 : 3 * PLACES.length) !== 0) continue;
        const textOf = (length: number) =>
          before + repeated.repeat(Math.ceil(length / repeated.length)) + after;
        const long = textOf(GROWTH * size);
        if (await timeOf(call, long) < NOISE_MS) continue;
        const short = await bestOf(call, textOf(size), 0);
        const took = await bestOf(call, long, Math.max(NOISE_MS, MOST * short));
        assert.ok(
          took < NOISE_MS || took < MOST * short,
          `${JSON.stringify([before, repeated, after])}: ${short} ms, then ${took} ms`,
        );
      }
    }
  });
}
