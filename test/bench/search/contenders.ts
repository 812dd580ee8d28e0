/** What is compared: the search of Architrave and other ones, as they come and as well set up as they can be. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { create, insertMultiple, search as searchOrama } from "@orama/orama";
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as german } from "@orama/stemmers/german";
import lunr from "lunr";
import MiniSearch from "minisearch";
import type { Options } from "minisearch";
import type { Document } from "../../../lib/documents/document.ts";
import { Catalogue } from "../../../lib/documents/catalogue.ts";
import { documentIndex } from "../../../lib/documents/document_index.ts";
import { DocumentStore } from "../../../lib/documents/store.ts";
import { loadPlatform } from "../../../deps.ts";
import type { Collection } from "./collections.ts";
import type { Doc } from "./corpus.ts";

/** Something that was indexed. */
export interface Searcher {
  /** The ids of the best hits. @param limit Read by Architrave alone. @default {10} */
  search(query: string, limit?: number): string[] | Promise<string[]>;
  close?(): void;
}

type Build = () => Promise<Searcher>;

/** One way to search. */
export interface Contender {
  name: string;
  /** What it takes apart from the documents, made before the clock starts. */
  prepare(collection: Collection): Build | Promise<Build>;
}

/** The words that say nothing in English; both libraries leave it to their user to name them. */
const STOP_WORDS =
  ("a,an,and,are,as,at,be,been,but,by,can,do,does,for,from,had,has,have,how,if,in,into,is,it,its,no," +
    "not,of,on,or,such,that,the,their,then,there,these,they,this,to,was,were,what,when,where,which,who,why,will,with")
    .split(",");
const STEMMERS: Readonly<Record<string, (word: string) => string>> = { en: english, de: german };
const ORAMA_LANGUAGES: Readonly<Record<string, string>> = {
  en: "english",
  de: "german",
  es: "spanish",
  ru: "russian",
};

/** How a library is set up: with a stemmer and stop words, and tolerant of prefixes and typing errors. */
type Setup = readonly [name: string, isProcessed: boolean, isTolerant: boolean];
const SETUPS: readonly Setup[] = [
  ["", false, false],
  [", tolerant", false, true],
  [", stemmer and stop words", true, false],
  [", all of that", true, true],
];

/** All of them; the first is what the others are measured against. */
export const CONTENDERS: readonly Contender[] = [
  { name: "architrave", prepare: architrave },
  { name: "plain BM25", prepare: plain },
  { name: "bm25s, stemmer and stop words", prepare: bm25s },
  ...SETUPS.map((setup) => ({ name: `minisearch${setup[0]}`, prepare: miniSearch(setup) })),
  ...SETUPS.map((setup) => ({ name: `orama${setup[0]}`, prepare: orama(setup) })),
  { name: "lunr", prepare: lunrOf({ title: 1, name: 1, body: 1 }) },
  { name: "lunr, boosted", prepare: lunrOf({ title: 4, name: 2, body: 1 }) },
];

/** Through the store and the index of the program, as for its users. */
async function architrave(collection: Collection): Promise<Build> {
  const { docs, files } = collection;
  // Through a buffer, so that each text is one piece in memory and not the sum of two.
  const texts = new Map(docs.map(({ id, title, body }) => [
    id,
    Buffer.from(files || title === "" ? body : `# ${title}\n\n${body}`).toString(),
  ]));
  const idOf = ({ label }: Document) => label.slice("docs/".length);
  const catalogue = files ? await fromFiles(files) : generated(docs, texts);
  return async () => {
    const index = documentIndex((document) => texts.get(idOf(document)));
    await index.update(catalogue.documents);
    return {
      search: async (query, limit) => {
        const { hits } = await index.search(query, { limit });
        return hits.map(({ document }) => idOf(document));
      },
    };
  };
}

async function fromFiles(path: string): Promise<Catalogue> {
  const { files } = await loadPlatform();
  const store = new DocumentStore(files, { mounts: [{ name: "docs", path }], watch: false });
  await store.ready();
  return store.catalogue;
}

function generated(docs: readonly Doc[], texts: ReadonlyMap<string, string>): Catalogue {
  const documents = docs.map(({ id, title }): Document => ({
    key: `docs/${id}`,
    category: "docs",
    name: "",
    title,
    description: undefined,
    record: undefined,
    tags: [],
    appliesTo: [],
    label: `docs/${id}`,
    status: { kind: "file", size: texts.get(id)!.length, modified: 0, identity: id },
    fingerprint: 1,
    path: "",
    within: "",
  }));
  return new Catalogue(documents, ["docs"], []);
}

/** BM25 with the usual k1 and b, over words in lower case: the least that a search can do. */
function plain({ docs }: Collection): () => Promise<Searcher> {
  const [k1, b] = [1.2, 0.75];
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return async () => {
    const postings = new Map<string, Map<number, number>>();
    const lengths = docs.map((doc, at) => {
      const words = wordsOf(textOf(doc));
      for (const word of words) {
        let known = postings.get(word);
        if (!known) postings.set(word, known = new Map());
        known.set(at, (known.get(at) ?? 0) + 1);
      }
      return words.length;
    });
    const average = lengths.reduce((sum, length) => sum + length, 0) / docs.length;
    return {
      search: (query) => {
        const scores = new Map<number, number>();
        for (const word of wordsOf(query)) {
          const found = postings.get(word) ?? new Map<number, number>();
          const idf = Math.log(1 + (docs.length - found.size + 0.5) / (found.size + 0.5));
          for (const [at, count] of found) {
            const norm = k1 * (1 - b + b * lengths[at]! / average);
            scores.set(at, (scores.get(at) ?? 0) + idf * count * (k1 + 1) / (count + norm));
          }
        }
        return [...scores].sort(([, one], [, other]) => other - one).slice(0, 10).map(([at]) => docs[at]!.id);
      },
    };
  };
}

/** bm25s with Snowball's stemmer and English stop words, in Python. It answers a line for each line. */
function bm25s({ docs, language }: Collection): () => Promise<Searcher> {
  return async () => {
    const python = spawn("python3", [join(import.meta.dirname, "bm25s_lines.py"), language], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    python.unref();
    const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
    const ask = async (value: unknown): Promise<unknown> => {
      python.stdin.write(`${JSON.stringify(value)}\n`);
      const { value: line, done } = await lines.next();
      if (done) throw new Error("Cannot run bm25s: install bm25s and PyStemmer for python3");
      return JSON.parse(line);
    };
    await ask(docs.map(textOf));
    return {
      search: async (query) => (await ask(query) as number[]).map((at) => docs[at]!.id),
      close: () => python.stdin.end(),
    };
  };
}

function lunrOf(boosts: Readonly<Record<string, number>>): Contender["prepare"] {
  return ({ docs }) => async () => {
    const builder = new lunr.Builder();
    builder.pipeline.add(lunr.trimmer, lunr.stopWordFilter, lunr.stemmer);
    builder.searchPipeline.add(lunr.stemmer);
    for (const [field, boost] of Object.entries(boosts)) builder.field(field, { boost });
    for (const doc of docs) builder.add(fieldsOf(doc));
    const index = builder.build();
    return {
      search: (text) => {
        const found = index.query((query) => {
          for (const token of lunr.tokenizer(text)) query.term(lunr.tokenizer(`${token}`.replace(/^\W+|\W+$/g, "")), {});
        });
        return found.slice(0, 10).map(({ ref }) => ref);
      },
    };
  };
}

/** The fields of a document that a library indexes. The name of its file is one of them. */
function fieldsOf(doc: Doc): { id: string; title: string; name: string; body: string } {
  const name = doc.id.includes("/") || doc.id.endsWith(".md") ? doc.id.replace(/(?:\/README)?\.md$/, "") : "";
  return { id: doc.id, title: doc.title, name, body: doc.body };
}

function textOf(doc: Doc): string {
  const { title, name, body } = fieldsOf(doc);
  return `${name}\n${title}\n${body}`;
}

function processed(language: string): Partial<Options> {
  const stem = STEMMERS[language] ?? ((word: string) => word);
  const stopWords = new Set(language === "en" ? STOP_WORDS : []);
  return {
    processTerm: (term) => {
      const word = term.toLowerCase();
      return stopWords.has(word) ? null : stem(word);
    },
  };
}

function boost(isBoosted: boolean): object {
  return isBoosted ? { boost: { title: 2 } } : {};
}

function miniSearch([, isProcessed, isTolerant]: Setup): Contender["prepare"] {
  const search = { ...(isTolerant ? { prefix: true, fuzzy: 0.2 } : {}), ...boost(isProcessed || isTolerant) };
  return ({ docs, language }) => async () => {
    const index = new MiniSearch({ fields: ["title", "name", "body"], ...(isProcessed ? processed(language) : {}) });
    index.addAll(docs.map(fieldsOf));
    return { search: (query) => index.search(query, search).slice(0, 10).map(({ id }) => id as string) };
  };
}

function orama([, isProcessed, isTolerant]: Setup): Contender["prepare"] {
  const search = { ...(isTolerant ? { tolerance: 1 } : {}), ...boost(isProcessed || isTolerant) };
  return ({ docs, language: code }) => async () => {
    const stemmer = isProcessed ? STEMMERS[code] : undefined;
    const tokenizer = {
      language: ORAMA_LANGUAGES[code] ?? "english",
      ...(stemmer ? { stemming: true, stemmer } : {}),
      ...(isProcessed && code === "en" ? { stopWords: STOP_WORDS } : {}),
    };
    const index = create({ schema: { title: "string", name: "string", body: "string" }, components: { tokenizer } });
    await insertMultiple(index, docs.map(fieldsOf), 500);
    return {
      search: (query) => {
        const found = searchOrama(index, { term: query, limit: 10, ...search });
        if (found instanceof Promise) {
          throw new Error("Cannot measure a search that waits");
        }
        return found.hits.map(({ id }) => id);
      },
    };
  };
}
