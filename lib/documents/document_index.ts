/** The search index of documents: what is indexed of each. */

import type { Piece, SectionHeading } from "../search/mod.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Document } from "./document.ts";
import type { DocumentProvider } from "./document_provider.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { MAX_LINE, plain } from "../formats/markdown/lines.ts";
import { SearchIndex } from "../search/mod.ts";
import { abbreviationsIn, glossaryOf, namesOf } from "./definitions.ts";
import { isOver } from "./records/status.ts";

/** Makes an empty index of documents. `text` returns the text of a document; undefined when it cannot be read. */
export function documentIndex(text: (document: Document) => string | undefined): SearchIndex<Document> {
  return new SearchIndex<Document>({
    size: ({ status }) => status.size,
    text,
    pieces: readPieces,
    boost: (document) => isOver(document) ? 0.5 : 1,
    plain,
  });
}

/** The maximum number of indexes. Clients that may see different documents have different indexes: scores reveal word frequencies. */
const MAX_INDEXES = 8;

type Indexes = (catalogue: Catalogue) => SearchIndex<Document>;
const known = new WeakMap<DocumentProvider, Indexes>();

/** Gives the index for what a client may see, which all tools of a provider share. It must be updated before each search. */
export function indexesOf(documents: DocumentProvider): Indexes {
  const indexes = new Map<string, SearchIndex<Document>>();
  const indexOf: Indexes = ({ hidden }) => {
    const index = indexes.get(hidden) ?? documentIndex((document) => documents.store.textOnce(document));
    indexes.delete(hidden);
    indexes.set(hidden, index);
    if (indexes.size > MAX_INDEXES) indexes.delete([...indexes.keys()][0]!);
    return index;
  };
  if (!known.has(documents)) known.set(documents, indexOf);
  return known.get(documents)!;
}

function* readPieces(document: Document, text = ""): Generator<Piece> {
  const { lines, front, sections } = readMarkdown(text);
  const title = sections.find(({ level, title }) => level === 1 && title !== "");
  const { record, category, tags } = document;
  const number = record?.number === undefined ? "" : `${category}-${record.number} `;
  const top = { line: title?.line ?? front.bodyLine, heading: undefined, continues: false };
  // A description that is not from the front matter is part of the body.
  const path = document.key.slice(category.length + 1).replace(/\/(?:README|index)$/i, "");
  const name = number + path.replaceAll("/", " "), description = front.values.get("description")?.join(", ");
  const metadata = { title: document.title, name, tags: tags.join(", "), description };
  const defines = [
    ...namesOf(document.key, document.title, tags),
    ...glossaryOf(lines, sections, { key: path, title: document.title, bodyLine: front.bodyLine }),
  ];
  for (const [field, text] of Object.entries(metadata)) {
    if (text) {
      yield { ...top, field: field as keyof typeof metadata, text, ...field === "title" && { defines } };
    }
  }
  let heading: SectionHeading | undefined;
  let next = 0;
  let continues = false;
  let isComment = false;
  for (let line = front.bodyLine; line < lines.length; line++) {
    const section = sections[next];
    if (section?.line === line) {
      next++;
      continues = false;
      const isTitle = section.level === 1 && section.title === document.title;
      heading = isTitle ? undefined : section;
      // The title is already indexed as metadata.
      if (!isTitle || section !== title) {
        yield { field: "heading", text: section.title, line, heading, continues };
      }
    } else {
      const text = lines[line]!;
      const isBlank = !/\S/.test(text), hasMark = text.includes("--");
      const isAside = isComment || (hasMark && text.includes("<!--")) || isLinks(text);
      const defines = abbreviationsIn(text, continues ? lines[line - 1]! : "");
      if (!isBlank) yield { field: "body", text, line, heading, continues, isAside, defines };
      continues = !isBlank;
      if (!hasMark) continue;
      // The last mark of a line tells whether the next one is in a comment.
      const start = text.lastIndexOf("<!--"), end = text.lastIndexOf("-->");
      if (start !== end) isComment = start > end;
    }
  }
}

const LINK = /!?\[[^\][]*\](?:\([^()]*\)|\[[^\][]*\]|:.*)|<[a-z]+:[^<>\s]+>|\bhttps?:\S+/gi;
/** The maximum number of words, in addition to its links, in a line of links. */
const MAX_LINK_WORDS = 2;

/** Whether a line has little text other than links, as in a table of contents. */
function isLinks(line: string): boolean {
  if (!/[\]<]|:\/\//.test(line)) return false;
  const rest = line.slice(0, MAX_LINE).replace(LINK, "");
  return rest.length < line.length && (rest.match(/\p{L}+/gu)?.length ?? 0) <= MAX_LINK_WORDS;
}
