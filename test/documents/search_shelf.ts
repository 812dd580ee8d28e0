/** What is searched in a test? Real files, indexed as a server would. */

import type { TestContext } from "node:test";
import type { Document } from "../../lib/documents/catalogue.ts";
import type { SearchOptions } from "../../lib/documents/search.ts";
import { Catalogue } from "../../lib/documents/catalogue.ts";
import { hash } from "../../lib/base/bytes.ts";
import { readMetadata } from "../../lib/documents/metadata.ts";
import { SearchIndex } from "../../lib/documents/search.ts";
import { files, makeRoot, openStore } from "./stores.ts";

/** An index over files under `resources/`. */
export async function makeIndex(
  test: Pick<TestContext, "after">,
  contents: Readonly<Record<string, string>>,
): Promise<SearchIndex> {
  const shelf = await openStore(files, makeRoot(test, contents));
  const index = new SearchIndex((document) => shelf.text(document));
  await index.update(shelf.catalogue);
  return index;
}

/** The keys of what is found, the best first. */
export async function keysOf(index: SearchIndex, query: string, options?: SearchOptions): Promise<string[]> {
  return (await index.search(query, options)).hits.map(({ document }) => document.key);
}

/** Documents that exist in memory only, by key: "adr/007-use-x". */
export function catalogueOf(texts: ReadonlyMap<string, string>): Catalogue {
  const documents = Array.from(texts, ([key, text]): Document => {
    const [category = "", name = ""] = [key.split("/")[0], key.split("/").at(-1)];
    const bytes = new TextEncoder().encode(text);
    const { metadata } = readMetadata(text, name, category === "adr");
    return {
      key,
      category,
      name,
      ...metadata,
      label: `${key}.md`,
      status: { kind: "file", size: bytes.length, modified: 0, identity: key },
      fingerprint: hash(bytes),
      path: `/${key}.md`,
      within: "/",
    };
  });
  return new Catalogue(documents, new Set(documents.map(({ category }) => category)), []);
}

/** An index over documents that exist in memory only. */
export async function indexOf(texts: ReadonlyMap<string, string>): Promise<SearchIndex> {
  const index = new SearchIndex(({ key }) => texts.get(key));
  await index.update(catalogueOf(texts));
  return index;
}

/** Numbers from 0 (inclusive) to 1 (exclusive), always the same ones for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
