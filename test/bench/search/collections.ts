/**
 * Public test collections that rankings are judged by: documents, questions, and which documents answer them.
 *
 * None is part of this repository. A folder, or folders in it, may hold any of:
 *
 * - Cranfield: `cran.all.1400`, `cran.qry`, `cranqrel` (1,400 abstracts, 225 questions, answers in four degrees)
 * - CISI: `CISI.ALL`, `CISI.QRY`, `CISI.REL` (1,460 abstracts, 76 long questions)
 * - XQuAD: `xquad.en.json`, `xquad.de.json`, … (240 paragraphs, 1,190 questions, the same in eleven languages)
 * - JSQuAD: `valid-v1.3.json` (1,145 Japanese paragraphs, 4,442 questions)
 * - CACM: `CACM-0001.html` …, `topics.cacm.txt`, `qrels.cacm.txt` (3,204 records of computing articles, most of them a title
 *   alone, 52 judged questions). The records are in castorini/anserini as `src/main/resources/cacm/cacm.tar.gz`, the rest
 *   is in castorini/eval
 * - NFCorpus: any of `train.docs`, `dev.docs`, `test.docs` of its first release, which is lower-cased and has no stop words;
 *   `topics.tsv` and `qrels.txt` are those of `beir-v1.0.0-nfcorpus.test` in castorini/eval (323 questions). With `dev` and
 *   `test` alone these are 3,394 of 3,633 documents, all judged ones among them
 * - what `make.ts` makes: `files/` with markdown, and `questions.json`
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Doc } from "./corpus.ts";
import type { Made } from "./sources.ts";

/** A question, with how well each document answers it; others do not. */
export interface Question {
  /** Its number in the collection, from 1. */
  number: number;
  text: string;
  gains: Map<string, number>;
  /** Questions of the tuning half may be looked at while the ranking is changed; of the others, only a report is made. */
  half: "tuning" | "test";
  /** "short" or "long" for code; "words", "number" or "commit" for known items; else empty. */
  kind: string;
}

/** One collection. */
export interface Collection {
  name: string;
  language: string;
  docs: Doc[];
  questions: Question[];
  /** The folder of its documents, if they are files. */
  files?: string;
}

/** Of the questions of a collection, about so many are asked: enough to tell rankings apart. */
const MANY_QUESTIONS = 1_200;

/** Reads all collections of a folder. */
export function readCollections(folder: string): Collection[] {
  const folders = [folder, ...readdirSync(folder).map((name) => join(folder, name))]
    .filter((path) => statSync(path).isDirectory());
  return folders.flatMap((path) => [...inFolder(path)]);
}

function* inFolder(folder: string): Generator<Collection> {
  const has = (name: string): boolean => existsSync(join(folder, name));
  if (has("cran.all.1400")) yield cranfield(folder);
  if (has("CISI.ALL")) yield cisi(folder);
  if (has("topics.cacm.txt")) yield cacm(folder);
  if (has("test.docs")) yield nfcorpus(folder);
  if (has("questions.json")) yield made(folder);
  for (const name of readdirSync(folder).sort()) {
    const xquad = /^xquad\.(\w+)\.json$/.exec(name);
    if (xquad) yield squad(`xquad ${xquad[1]}`, xquad[1]!, join(folder, name));
    if (/^valid-v1\..*\.json$/.test(name)) {
      yield squad("jsquad", "ja", join(folder, name));
    }
  }
}

/** A question before its answers are known: its key in the judgements, its number and its text. */
type Asked = readonly [key: string, number: number, text: string];
/** The key of a question, a document, and how well that answers it. */
type Judgement = readonly [key: string, id: string, gain: number];

/** Odd numbers were looked at while the ranking was tuned. */
function halfOf(number: number): Question["half"] {
  return number % 2 === 1 ? "tuning" : "test";
}

/** The questions that have an answer. */
function judged(asked: readonly Asked[], judgements: readonly Judgement[]): Question[] {
  const questions = new Map(asked.map(([key, number, text]): [string, Question] => {
    return [key, { number, text: oneLine(text), gains: new Map(), half: halfOf(number), kind: "" }];
  }));
  for (const [key, id, gain] of judgements) if (gain > 0) questions.get(key)?.gains.set(id, gain);
  return [...questions.values()].filter(({ gains }) => gains.size > 0);
}

/** The degrees are 1 for a complete answer to 4 for one of minimum interest; -1 is none. */
function cranfield(folder: string): Collection {
  const docs = smartRecords(join(folder, "cran.all.1400")).map(({ id, T = "", W = "" }) => {
    // The text begins with the title once more.
    const body = W.startsWith(T.trim()) ? W.slice(T.trim().length) : W;
    return { id, title: oneLine(T), body: body.trim() };
  });
  // The judgements count the questions; the numbers in their file have gaps.
  const asked = smartRecords(join(folder, "cran.qry"))
    .map(({ W = "" }, index): Asked => [`${index + 1}`, index + 1, W]);
  const judgements = table(join(folder, "cranqrel")).map(([key, id, degree]): Judgement => {
    return [key!, id!, Number(degree) >= 1 ? 5 - Number(degree) : 0];
  });
  return { name: "cranfield", language: "en", docs, questions: judged(asked, judgements) };
}

function cisi(folder: string): Collection {
  const docs = smartRecords(join(folder, "CISI.ALL"))
    .map(({ id, T = "", W = "" }) => ({ id, title: oneLine(T), body: W.trim() }));
  const asked = smartRecords(join(folder, "CISI.QRY")).map(({ id, W = "" }): Asked => [id, Number(id), W]);
  const judgements = table(join(folder, "CISI.REL")).map(([key, id]): Judgement => [key!, id!, 1]);
  return { name: "cisi", language: "en", docs, questions: judged(asked, judgements) };
}

function cacm(folder: string): Collection {
  const names = readdirSync(folder).filter((name) => name.endsWith(".html")).sort();
  const docs = names.map((name) => {
    // The rows of three numbers at the end are citations.
    const text = readFileSync(join(folder, name), "latin1").replace(
      /<\/?(?:html|pre)>|^\d+\t\d+\t\d+$/gm,
      "",
    );
    const [title = "", ...paragraphs] = text.trim().split(/\n\s*\n/);
    return { id: name.slice(0, -".html".length), title: oneLine(title), body: paragraphs.join("\n\n") };
  });
  const topics = readFileSync(join(folder, "topics.cacm.txt"), "latin1");
  const found = topics.matchAll(/<DOCNO>\s*(\d+)\s*<\/DOCNO>([^]*?)<\/DOC>/g);
  const asked = Array.from(
    found,
    ([, number = "", text = ""]): Asked => [`${Number(number)}`, Number(number), text],
  );
  const judgements = table(join(folder, "qrels.cacm.txt")).map(([key, , id]): Judgement => [key!, id!, 1]);
  return { name: "cacm", language: "en", docs, questions: judged(asked, judgements) };
}

function nfcorpus(folder: string): Collection {
  const docs = new Map<string, Doc>();
  for (const path of ["train.docs", "dev.docs", "test.docs"].map((name) => join(folder, name))) {
    for (const line of existsSync(path) ? readFileSync(path, "utf8").split("\n") : []) {
      const [id, text] = line.split("\t", 2);
      // These words are part of the page, not of the text.
      const [title, ...rest] = text?.split(/ (?:pubmed ncbi )?abstract /) ?? [];
      if (id && title !== undefined) docs.set(id, { id, title, body: rest.join(" abstract ") });
    }
  }
  const asked = readFileSync(join(folder, "topics.tsv"), "utf8").trim().split("\n").map(
    (line, index): Asked => {
      const [id = "", text = ""] = line.split("\t");
      return [id, index + 1, text];
    },
  );
  const judgements = table(join(folder, "qrels.txt"))
    .map(([key, , id, degree]): Judgement => [key!, id!, Number(degree)]);
  return { name: "nfcorpus", language: "en", docs: [...docs.values()], questions: judged(asked, judgements) };
}

/** Questions over paragraphs, each answered by the one that it was written for. */
function squad(name: string, language: string, path: string): Collection {
  const { data } = JSON.parse(readFileSync(path, "utf8")) as {
    data: { paragraphs: { context: string; qas: { question: string }[] }[] }[];
  };
  const paragraphs = data.flatMap((article) => article.paragraphs);
  const docs = paragraphs.map(({ context }, index) => {
    const [title, body] = context.includes(" [SEP] ") ? context.split(" [SEP] ", 2) : ["", context];
    return { id: String(index + 1), title: title!, body: body! };
  });
  const questions = paragraphs
    .flatMap(({ qas }, index) =>
      qas.map(({ question }) => ({ text: question, gains: new Map([[String(index + 1), 1]]) }))
    )
    .map((question, index): Question => ({ number: index + 1, ...question, half: halfOf(index + 1), kind: "" }));
  // In pairs, so that as many are even as are odd.
  const step = Math.ceil(questions.length / MANY_QUESTIONS);
  return { name, language, docs, questions: questions.filter((_, index) => (index >> 1) % step === 0) };
}

/** Files of markdown. */
function made(folder: string): Collection {
  const files = join(folder, "files");
  const paths = readdirSync(files, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".md")).sort();
  const docs = paths.map((id) => {
    const body = readFileSync(join(files, id), "utf8");
    const stated = /^---\n(?:.*\n)*?title: *["']?(.*?)["']?\n(?:.*\n)*?---/.exec(body)?.[1];
    return { id, title: stated ?? /^# +(.*)/m.exec(body)?.[1] ?? "", body };
  });
  const questions = JSON.parse(readFileSync(join(folder, "questions.json"), "utf8")) as Made[];
  return {
    name: basename(folder),
    language: "en",
    docs,
    files,
    questions: questions.map(({ text, kind, half, right }, index) => {
      return { number: index + 1, text, kind, half, gains: new Map(right.map((path) => [path, 1])) };
    }),
  };
}

/** A record of a SMART file: `.I 1`, then fields of one letter. */
type SmartRecord = { id: string } & { [field in "T" | "W"]?: string };

function smartRecords(path: string): SmartRecord[] {
  const records: SmartRecord[] = [];
  let field: "T" | "W" | undefined;
  const text = readFileSync(path, "latin1").replace(/^\u00ef\u00bb\u00bf/, "");
  for (const line of text.split("\n")) {
    const id = /^\.I\s+(\d+)/.exec(line)?.[1];
    const letter = /^\.([A-Z])\s*$/.exec(line)?.[1];
    if (id !== undefined) records.push({ id: String(Number(id)) });
    if (id !== undefined || letter !== undefined) {
      field = letter === "T" || letter === "W" ? letter : undefined;
    } else if (field && records.length > 0) {
      records.at(-1)![field] = `${records.at(-1)![field] ?? ""}${line}\n`;
    }
  }
  return records;
}

function table(path: string): string[][] {
  return readFileSync(path, "latin1").split("\n").map((line) => line.trim().split(/\s+/));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
