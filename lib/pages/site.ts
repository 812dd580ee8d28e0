/** Renders the pages as files for a static host. The same documents and base give the same bytes. */

import type { Model } from "./model.ts";
import type { ImageFile } from "../documents/images.ts";
import { sha256 } from "../base/bytes.ts";
import { attempt, isDay } from "../base/text.ts";
import { statusLabel } from "../documents/records/label.ts";
import { decode, toUri } from "../documents/uri.ts";
import { ASSETS, MARK } from "./assets.ts";
import { dayOf, facetsOf } from "./model.ts";
import { markup } from "./markup.ts";
import { pageAddresses, renderPage } from "./page.ts";
import { addressOf, nameOf } from "./components.ts";

/** The maximum number of decisions in the feed. */
const MAX_ENTRIES = 100;
/** The maximum number of words in the index, summed over all documents. */
const MAX_WORDS = 400_000;
/** The maximum length of a word in the index, in UTF-16 units. */
const MAX_WORD = 64;
/** The mark at a place where only this program writes it: other files may quote it. */
const OWN = new RegExp(`(?:^/\\* |^\\{"generator":"|<generator>|<meta name="generator" content=")${MARK}`);

/**
 * Renders all files, by path. Links begin with `base`, which ends with a slash; links in the feed begin with `origin` (such as
 * "https://example.com", or "") and `base`.
 */
export async function renderSite(
  model: Model,
  base: string,
  origin: string,
): Promise<{ files: Map<string, string>; images: Map<string, Uint8Array<ArrayBuffer>> }> {
  const query = new URLSearchParams(),
    files = new Map<string, string>(),
    found = new Map<string, ImageFile>();
  for (const address of [...pageAddresses(model), "404.html"]) {
    const { html } = await renderPage({ model, base, query, address, images: found });
    files.set(pathOf(address), html);
  }
  for (const [address, [, text]] of ASSETS) files.set(address, `/* ${MARK} */\n${text}`);
  const images = new Map<string, Uint8Array<ArrayBuffer>>(), hashes: Record<string, string> = {};
  for (const [address, image] of found) {
    const bytes = image.read() as Uint8Array<ArrayBuffer> | undefined, path = pathOf(address);
    if (!bytes) continue;
    images.set(path, bytes);
    hashes[path] = await sha256(bytes);
  }
  files.set("search.json", searchIndex(model, hashes)).set("feed.xml", feed(model, origin + base));
  return { files, images };
}

const pathOf = (address: string): string => address.split("/").map(decode).join("/");

/** The images of a site by their path, each with the SHA-256 of its bytes, as its index lists them. */
export function imagesIn(index: string | undefined): ReadonlyMap<string, unknown> {
  const images = index !== undefined && isOfSite(index) ? attempt(() => JSON.parse(index).images) : undefined;
  return new Map(Object.entries(Object(images)));
}

/** Whether a file was written by the command `site`. */
export const isOfSite = (text: string): boolean => OWN.test(text.slice(0, 1000));

/** The index for the script, which filters and searches documents: the facets of each document, and the documents of each word. */
function searchIndex(
  { catalogue: { documents }, store }: Model,
  images: Readonly<Record<string, string>>,
): string {
  const most = Math.floor(MAX_WORDS / documents.length);
  const places = new Map<string, number[]>();
  const rows = documents.map((document, place) => {
    // Normalise as the script does with typed words.
    const text = store.textOnce(document)?.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    const found = new Set(text?.match(/[\p{L}\p{N}]+/gu));
    const words = [...found].filter(({ length }) => length > 1 && length <= MAX_WORD).slice(0, most);
    for (const word of words) places.get(word)?.push(place) ?? places.set(word, [place]);
    return JSON.stringify(facetsOf(document));
  });
  const words = Array.from(places, (entry) => JSON.stringify(entry.flat())).sort();
  const listed = JSON.stringify(images);
  return `{"generator":"${MARK}","images":${listed},"documents":[\n${rows.join(",\n")}\n],"words":[\n${
    words.join(",\n")
  }\n]}\n`;
}

/** An Atom feed of the newest decisions. @see https://www.rfc-editor.org/rfc/rfc4287 */
function feed(model: Model, url: string): string {
  const timeOf = (day = "1970-01-01") => `${day}T00:00:00Z`;
  const dated = model.newest.filter((document) => isDay(dayOf(document))).slice(0, MAX_ENTRIES);
  const entries = dated.map((document) => {
    const { key, category, description } = document, status = statusLabel(document);
    return markup`<entry>
<title>${nameOf(document)}${status && ` (${status})`}</title>
<id>${toUri(key, "architecture")}</id>
<link href="${url}${addressOf(document)}"/>
<updated>${timeOf(dayOf(document))}</updated>
<category term="${category}"/>
${description && markup`<summary>${description}</summary>\n`}</entry>\n`;
  });
  return markup`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:base="${url}">
<title>Decisions</title>
<generator>${MARK}</generator>
<author><name>Architrave</name></author>
<id>${url.startsWith("/") ? "architecture://" : url}feed.xml</id>
<link href="${url}"/>
<link rel="self" href="${url}feed.xml"/>
<updated>${timeOf(dated[0] && dayOf(dated[0]))}</updated>
${entries}</feed>
`.text;
}
