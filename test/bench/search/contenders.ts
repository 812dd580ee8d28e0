/** What is compared: the search of Architrave and those of two libraries, as they come and as well set up as they can be. */
import { create, insertMultiple, search as searchOrama } from "@orama/orama";
import { stemmer as english } from "@orama/stemmers/english";
import { stemmer as german } from "@orama/stemmers/german";
import MiniSearch from "minisearch";
import type { Options } from "minisearch";
import type { Document } from "../../../lib/documents/document.ts";
import { Catalogue } from "../../../lib/documents/catalogue.ts";
import { documentIndex } from "../../../lib/documents/document_index.ts";
import type { Doc } from "./corpus.ts";

/** Something that was indexed. */
export interface Searcher {
  /** The ids of the best hits. @param limit Read by Architrave alone. @default {10} */
  search(query: string, limit?: number): string[] | Promise<string[]>;
}

/** One way to search. */
export interface Contender {
  name: string;
  /** What it takes apart from the documents, made before the clock starts. */
  prepare(docs: readonly Doc[], language: string): () => Promise<Searcher>;
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
  ...SETUPS.map((setup) => ({ name: `minisearch${setup[0]}`, prepare: miniSearch(setup) })),
  ...SETUPS.map((setup) => ({ name: `orama${setup[0]}`, prepare: orama(setup) })),
];

function architrave(docs: readonly Doc[]): () => Promise<Searcher> {
  // Through a buffer, so that each text is one piece in memory and not the sum of two.
  const texts = new Map(docs.map(({ id, title, body }) => [
    `docs/${id}`,
    Buffer.from(title === "" ? body : `# ${title}\n\n${body}`).toString(),
  ]));
  const documents = docs.map(({ id, title }): Document => ({
    key: `docs/${id}`,
    category: "docs",
    name: "",
    title,
    description: undefined,
    record: undefined,
    tags: [],
    appliesTo: [],
    label: `docs/${id}.md`,
    status: { kind: "file", size: texts.get(`docs/${id}`)!.length, modified: 0, identity: id },
    fingerprint: 1,
    path: "",
    within: "",
  }));
  const catalogue = new Catalogue(documents, ["docs"], []);
  return async () => {
    const index = documentIndex(({ key }) => texts.get(key));
    await index.update(catalogue.documents);
    return {
      search: async (query, limit) => {
        const { hits } = await index.search(query, { limit });
        return hits.map(({ document }) => document.key.slice("docs/".length));
      },
    };
  };
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
  return (docs, language) => async () => {
    const index = new MiniSearch({ fields: ["title", "body"], ...(isProcessed ? processed(language) : {}) });
    index.addAll(docs);
    return { search: (query) => index.search(query, search).slice(0, 10).map(({ id }) => id as string) };
  };
}

function orama([, isProcessed, isTolerant]: Setup): Contender["prepare"] {
  const search = { ...(isTolerant ? { tolerance: 1 } : {}), ...boost(isProcessed || isTolerant) };
  return (docs, code) => async () => {
    const stemmer = isProcessed ? STEMMERS[code] : undefined;
    const tokenizer = {
      language: ORAMA_LANGUAGES[code] ?? "english",
      ...(stemmer ? { stemming: true, stemmer } : {}),
      ...(isProcessed && code === "en" ? { stopWords: STOP_WORDS } : {}),
    };
    const index = create({ schema: { title: "string", body: "string" }, components: { tokenizer } });
    await insertMultiple(index, [...docs], 500);
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
