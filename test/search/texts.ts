/** Texts in memory for tests of search: a few marks of markdown, one document for each key. */

import type { Indexable, Piece, SearchOptions } from "../../lib/search/mod.ts";
import { SearchIndex } from "../../lib/search/mod.ts";

/** A document of a test. Its text is looked up by key when it is read. */
export interface Doc extends Indexable {
  readonly size: number;
}

/** What makes a text longer, and is found by no query. */
export const FILLER = "Something else altogether stands here, so that there is more than one text.";
/** A document with a text, among others. */
export const said = (text: string, title = "X"): string => `# ${title}\n\n${text} ${FILLER}\n`;

/** Texts by key. */
export type Texts = Readonly<Record<string, string>>;

/** The documents of some texts, in the order of their keys; a `description:` line becomes the description. */
export function docsOf(texts: Texts): Doc[] {
  return Object.keys(texts).sort().map((key) => {
    const text = texts[key]!;
    let fingerprint = 7;
    for (let at = 0; at < text.length; at++) {
      fingerprint = Math.imul(fingerprint, 31) + text.charCodeAt(at) | 0;
    }
    return { key, fingerprint, size: text.length, description: /^description: (.*)/m.exec(text)?.[1] };
  });
}

/** An index of texts that change. Documents with a key that starts with "old" rank at half their score. */
export class Corpus {
  readonly texts: Record<string, string>;
  /** The keys of the documents whose text was read. */
  readonly read: string[] = [];
  /** Called before each text is read. */
  onread: (key: string) => void = () => {};
  readonly index: SearchIndex<Doc> = new SearchIndex<Doc>({
    size: ({ size }) => size,
    text: ({ key }) => {
      this.read.push(key);
      this.onread(key);
      return this.texts[key];
    },
    pieces: ({ key }, text) => pieces(key, text),
    boost: ({ key }) => key.startsWith("old") ? 0.5 : 1,
    plain: (markup) =>
      markup.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*`]/g, "").replace(/\s+/g, " "),
  });

  constructor(texts: Texts = {}) {
    this.texts = { ...texts };
  }

  /** Indexes the texts as they are now. */
  async update(): Promise<this> {
    await this.index.update(docsOf(this.texts));
    return this;
  }

  /** What is found for each of some words. */
  async foundBy(words: string): Promise<string[]> {
    const found: string[] = [];
    for (const word of words.split(" ")) found.push((await keysOf(this.index, word)).join(" "));
    return found;
  }
}

/** An index of some texts. */
export async function indexOf(texts: Texts): Promise<SearchIndex<Doc>> {
  return (await new Corpus(texts).update()).index;
}

/** The keys of what is found, or none when no document holds a phrase of the query. */
export async function holdersOf(index: SearchIndex<Doc>, query: string): Promise<string[]> {
  const { hits, asWords } = await index.search(query);
  return asWords.length > 0 ? [] : hits.map(({ document }) => document.key);
}

/** The keys of what is found, the best first. */
export async function keysOf(
  index: SearchIndex<Doc>,
  query: string,
  options?: SearchOptions<Doc>,
): Promise<string[]> {
  return (await index.search(query, options)).hits.map(({ document }) => document.key);
}

function* pieces(key: string, text = ""): Generator<Piece> {
  const lines = text.split("\n");
  const title = lines.findIndex((line) => line.startsWith("# "));
  let heading: Piece["heading"];
  let continues = false;
  yield { field: "title", text: lines[title]?.slice(2) ?? key, line: title, heading, continues };
  for (const [line, text] of lines.entries()) {
    if (line === title || text.startsWith("description: ")) continue;
    if (text.startsWith("## ")) {
      const title = text.slice(3);
      heading = { slug: `${title.toLowerCase()}-${line}` };
      yield { field: "heading", text: title, line, heading, continues: false };
    } else if (text !== "") yield { field: "body", text, line, heading, continues };
    continues = text !== "" && !text.startsWith("## ");
  }
}
