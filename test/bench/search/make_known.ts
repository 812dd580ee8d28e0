/** Known items: questions made from what other files and commits say of a document when they link to it or name it. */
import { join, posix } from "node:path";
import { halfOf, Repository, writeCollection } from "./sources.ts";
import type { Made } from "./sources.ts";

/** A public folder of decisions or proposals. */
interface Folder {
  repository: string;
  /** The documents, with pages that list them. No question is about such a page. */
  documents: RegExp;
  pages?: RegExp;
  /** How text names a document; the group is its number. */
  series: RegExp;
}

/** None of them is one that the ranking was tuned to before. */
const FOLDERS: Readonly<Record<string, Folder>> = {
  swift: {
    repository: "swiftlang/swift-evolution",
    documents: /^proposals\/\d{4}-.*\.md$/,
    series: /\bSE-?(\d{3,4})\b/i,
  },
  csharp: { repository: "dotnet/csharplang", documents: /^proposals\/.*\.md$/, pages: /README/, series: /\bC# (\d+)(?!\d)/i },
  aries: {
    repository: "hyperledger/aries-rfcs",
    documents: /^(?:concepts|features)\/\d{4}-[^/]*\/README\.md$|^(?:README|index|tags)\.md$/,
    pages: /^\w+\.md$/,
    series: /\b(?:Aries )?RFC[- #]?(\d{3,4})\b/i,
  },
  ember: { repository: "emberjs/rfcs", documents: /^text\/\d{4}-.*\.md$/, series: /\bRFC[- #]*(\d{2,4})\b/i },
  keps: {
    repository: "kubernetes/enhancements",
    documents: /^keps\/(?:[^/]+\/\d+-[^/]*(?:\/README)?|README|[^/]+\/README)\.md$/,
    pages: /^keps\/(?:[^/]+\/)?README/,
    series: /\bKEP[- #]?(\d{2,8})\b/i,
  },
  cardano: {
    repository: "cardano-foundation/CIPs",
    documents: /^(?:C[IP][PS]-\d{4}\/(?:README|C[IP][PS]-\d+)|README)\.md$/,
    pages: /^README/,
    series: /\bC[IP][PS]-?(\d{1,4})\b/i,
  },
};

/** Texts that name nothing. A text of these words and numbers alone is no question. */
const EMPTY = new Set(
  `a an the this that these here see link links proposal proposals original previous earlier previously rfc rfcs se st cip cps kep
    keps pr pull request issue issues introducing introduced first second review reviewed amendment doc docs document documents page
    section above below details more read me readme md in of for and to by on with from its it as is was one two spec speclet
    specification champion champions feature features last next time week discussion thread pitch text file github com http https
    update updated fix fixed typo typos add added remove merge branch master main status implemented accepted rejected returned
    active markdown formatting number note notes minor changes change comment comments suggestions feedback implementation
    recent latest proposed similar small advance stage recommended released discontinued xref`
    .split(/\s+/),
);
/** At most so many questions of one document, so that the best-known ones do not decide. */
const MAX_OF_ONE = 4;
/** A text that names more documents than this one names none of them. */
const MAX_RIGHT = 3;
/** A file that links to more than this share of the documents is an index of them: it repeats their titles. */
const INDEX_SHARE = 0.25;

/** Makes all these collections, and one without questions for the time and memory of real text. */
export function makeKnown(git: string, out: string): void {
  for (const [name, folder] of Object.entries(FOLDERS)) {
    const repository = new Repository(git, folder.repository);
    const documents = new Map([...repository.texts(folder.documents)].filter(([path]) => !/template/i.test(path)));
    const asked = [...linkTexts(repository, folder, documents), ...commitSubjects(repository, folder, documents)];
    const questions = toQuestions(asked, folder);
    writeCollection(join(out, `known-${name}`), documents, questions);
    console.error(`known-${name}: ${documents.size} documents, ${questions.length} questions`);
  }
  writeCollection(join(out, "costs-rust"), new Repository(git, "rust-lang/rfcs").texts(/^text\/\d{4}-.*\.md$/), []);
}

type Asked = readonly [text: string, kind: "link" | "commit", path: string];

const LINK = /(?<!!)\[([^\][\n]{3,120})\](?:\(([^()\s]+)[^()\n]{0,200}\)|\[([^\][\n]{1,80})\])/g;
const DEFINITION = /^ {0,3}\[([^\][\n]{1,80})\]:\s*(\S+)/gm;

/** The texts of links to documents, in all other files that are no index of them. */
function* linkTexts(repository: Repository, folder: Folder, documents: ReadonlyMap<string, string>): Generator<Asked> {
  for (const [path, text] of repository.texts(/\.md$/)) {
    const definitions = new Map(Array.from(text.matchAll(DEFINITION), ([, name, url]) => [name!.toLowerCase(), url!]));
    const found: Asked[] = [];
    for (const [, label = "", url, reference] of text.matchAll(LINK)) {
      const target = url ?? definitions.get(reference!.toLowerCase()) ?? "";
      // With a fragment, the text is about a section.
      const to = target.includes("#") ? undefined : resolve(target, path, folder.repository, documents);
      if (to !== undefined && to !== path && !folder.pages?.test(to)) found.push([label, "link", to]);
    }
    if (new Set(found.map(([, , to]) => to)).size <= documents.size * INDEX_SHARE) yield* found;
  }
}

function resolve(
  url: string,
  from: string,
  repository: string,
  documents: ReadonlyMap<string, string>,
): string | undefined {
  const path = url.replace(/[?#].*$/, "").replace(/%20/g, " ");
  const own = /^https:\/\/github\.com\/([^/]+\/[^/]+)\/(?:blob|tree)\/[^/]+\/(.*)$/.exec(path);
  const isOwn = own?.[1]!.split("/")[1] === repository.split("/")[1];
  if (!isOwn && /^[a-z]+:/i.test(path)) return undefined;
  const target = own ? own[2]! : path.startsWith("/") ? path.slice(1) : posix.join(posix.dirname(from), path);
  return [target, `${target}.md`, posix.join(target, "README.md")].find((path) => documents.has(path));
}

/** The subjects of commits that name one document by its number. */
function* commitSubjects(
  repository: Repository,
  { series }: Folder,
  documents: ReadonlyMap<string, string>,
): Generator<Asked> {
  const byNumber = Map.groupBy(documents.keys(), (path) => Number(/(\d{2,})(?:-|\/|\.md)/.exec(path)?.[1]));
  for (const subject of repository.git("log", "--no-merges", "--format=%s").split("\n")) {
    const numbers = [...subject.matchAll(new RegExp(series, "gi"))].map(([, number]) => Number(number));
    const paths = byNumber.get(numbers[0]!);
    if (numbers.length === 1 && paths?.length === 1) yield [subject, "commit", paths[0]!];
  }
}

/** Each text once, with the documents that it names. */
function toQuestions(asked: readonly Asked[], { series }: Folder): Made[] {
  const byText = Map.groupBy(
    asked.map(([text, kind, path]) => [clean(text), kind, path] as const),
    ([text]) => text.toLowerCase(),
  );
  const counts = new Map<string, number>();
  const questions: Made[] = [];
  for (const group of byText.values()) {
    const [text, from] = group[0]!;
    const right = [...new Set(group.map(([, , path]) => path))];
    const words = text.replace(new RegExp(series, "gi"), " ").split(/[^\p{L}]+/u)
      .filter((word) => word.length > 1 && !EMPTY.has(word.toLowerCase()));
    const kind = words.length > 0 ? from === "link" ? "words" : "commit" : "number";
    // A commit says what it changes; with few words that is nothing of the document.
    const isEmpty = text.includes("://") || (kind === "commit" ? words.length < 3 : kind === "number" && !/\d/.test(text));
    const key = `${kind} ${right[0]}`;
    const limit = kind === "words" ? MAX_OF_ONE : 1;
    if (isEmpty || from === "commit" && kind !== "commit" || right.length > MAX_RIGHT) continue;
    if ((counts.get(key) ?? 0) >= limit) continue;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    questions.push({ text, kind, half: halfOf(right[0]!), right });
  }
  return questions;
}

function clean(text: string): string {
  return text.replace(/[`*]|<[^<>]*>|\(#\d+\)|^_|_$/g, "").replace(/\\(.)/g, "$1").replace(/\s+/g, " ").trim();
}
