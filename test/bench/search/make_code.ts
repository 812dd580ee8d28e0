/** Code to decision: questions made from files of code that cite proposals. Their citations are cut out. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { halfOf, Repository, writeCollection } from "./sources.ts";
import type { Made } from "./sources.ts";

/** How many words of a file's first comment a short question has, and how many words a long one has at most. */
const SHORT_WORDS = 40, LONG_WORDS = 300;
/** A file that cites more proposals than this is a list of them. */
const MAX_RIGHT = 6;

/** What is read of a file of code. */
interface Reader {
  citation: RegExp;
  comment(text: string): string;
  /** The name of a class, a function or a contract is the first group. */
  names: RegExp;
}

/** Makes both collections. `folder` has the standard library of CPython 3.11. */
export function makeCode(git: string, out: string, folder: string): void {
  const peps = new Map<string, string>();
  for (const [path, text] of new Repository(git, "python/peps").texts(/^peps\/pep-\d{4}\.rst$/)) {
    peps.set(path.slice("peps/".length).replace(".rst", ".md"), toMarkdown(text));
  }
  const python: Reader = {
    citation: /\bpep[-\s_:`]*0*(\d{1,4})\b/gi,
    comment: (text) => /^[^]{0,2000}?(?:"""|''')([^]*?)(?:"""|''')/.exec(text)?.[1] ?? "",
    names: /^\s*(?:async\s+)?(?:class|def)\s+(\w+)/gm,
  };
  const pepOf = (number: number) => `pep-${String(number).padStart(4, "0")}.md`;
  const files = new Map(pythonFiles(folder).map((path) => [relative(folder, path), readFileSync(path, "utf8")]));
  const library: CodeFile[] = [], contracts: CodeFile[] = [];
  write("peps", peps, questionsOf(files, python, (number) => [pepOf(number)].filter((path) => peps.has(path)), library), library);

  const eips = new Map<string, string>();
  for (const name of ["ethereum/EIPs", "ethereum/ERCs"]) {
    for (const [path, text] of new Repository(git, name).texts(/^(?:EIPS|ERCS)\/e[ir][pc]-\d+\.md$/)) {
      const isMoved = text.length < 1000 && /category: ERC/.test(text) && /moved/i.test(text);
      if (!isMoved) eips.set(path.split("/")[1]!, text);
    }
  }
  const solidity: Reader = {
    citation: /(?:\b|(?<=I))(?:EIP|ERC)[-\s_]*0*(\d{1,5})/gi,
    comment: (text) => [...text.matchAll(/\/\*\*[^]*?\*\//g)].map(([comment]) => comment.replace(/^\s*\/?\*+\/?/gm, " "))[0] ?? "",
    names: /^\s*(?:abstract\s+)?(?:contract|interface|library|function|event|error|struct)\s+(\w+)/gm,
  };
  const solidityFiles = new Repository(git, "OpenZeppelin/openzeppelin-contracts").texts(/^contracts\/(?!mocks|vendor).*\.sol$/);
  const go: Reader = {
    citation: /\b(?:EIP|ERC)[-\s_]*0*(\d{1,5})/gi,
    comment: (text) => [...text.matchAll(/(?:^\/\/.*\n)+/gm)].map(([comment]) => comment.replace(/^\/\/ ?/gm, ""))
      .filter((comment) => !/Copyright|GNU/.test(comment)).slice(0, 5).join(" "),
    names: /^(?:func\s+(?:\([^()]*\)\s*)?|type\s+)(\w+)/gm,
  };
  const sources = new Repository(git, "ethereum/go-ethereum").texts(/^(?!.*(?:_test|^tests\/|\/testdata\/|vendor\/)).*\.go$/);
  const eipOf = (number: number) => [`eip-${number}.md`, `erc-${number}.md`].filter((path) => eips.has(path)).slice(-1);
  write("eips", eips, [...questionsOf(solidityFiles, solidity, eipOf, contracts), ...questionsOf(sources, go, eipOf, contracts)], contracts);

  function write(name: string, documents: ReadonlyMap<string, string>, questions: readonly Made[], code: CodeFile[]): void {
    writeCollection(join(out, `code-${name}`), documents, questions);
    writeFileSync(join(out, `code-${name}`, "code.json"), JSON.stringify(code));
    console.error(`code-${name}: ${documents.size} documents, ${questions.length} questions`);
  }
}

/** The files, for `guess.ts`. */
type CodeFile = Pick<Made, "text" | "half" | "right"> & { path: string };

function questionsOf(
  files: ReadonlyMap<string, string>,
  { citation, comment, names }: Reader,
  documentsOf: (number: number) => string[],
  code: CodeFile[],
): Made[] {
  return [...files].flatMap(([path, text]) => {
    const right = [...new Set([...text.matchAll(citation)].flatMap(([, number]) => documentsOf(Number(number))))];
    if (right.length === 0 || right.length > MAX_RIGHT) return [];
    const words = (text: string) => text.replace(citation, " ").replace(/https?:\S+/g, " ").split(/\s+/).filter(Boolean);
    const about = words(comment(text));
    const pathWords = words(path.replace(/[/_.]/g, " "));
    const half = halfOf(path);
    code.push({ path, text: text.replace(citation, " "), half, right });
    const declared = [...new Set(Array.from(text.matchAll(names), ([, name]) => name!))];
    const short = [...pathWords, ...about.slice(0, SHORT_WORDS)];
    const long = [...about, ...words(declared.join(" "))].slice(0, LONG_WORDS);
    return [{ text: short.join(" "), kind: "short", half, right }, { text: long.join(" "), kind: "long", half, right }];
  });
}

function pythonFiles(folder: string): string[] {
  if (!existsSync(folder)) throw new Error(`Cannot read ${folder}: name the folder of CPython's library`);
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    const isOther = /^(?:test|tests|idlelib|site-packages|__pycache__|lib2to3|ensurepip|config-.*)$/.test(entry.name);
    if (entry.isDirectory()) return isOther ? [] : pythonFiles(path);
    return entry.name.endsWith(".py") ? [path] : [];
  }).sort();
}

/** A PEP as markdown: its preamble as front matter, and its headings. */
function toMarkdown(text: string): string {
  const [preamble = "", ...rest] = text.replaceAll("\r", "").split("\n\n");
  const field = (name: string) => new RegExp(`^${name}:\\s*(.*(?:\\n\\s+.*)*)`, "m").exec(preamble)?.[1]?.replace(/\s+/g, " ").trim();
  const front = ["Title", "Status", "Type", "Topic", "Created"].flatMap((name) => {
    const value = field(name);
    return value === undefined ? [] : [`${name.toLowerCase()}: ${JSON.stringify(value)}`];
  });
  const underlines: string[] = [];
  const body = rest.join("\n\n")
    .replace(/^(?:([=\-~^"'#*+])\1{2,}\n)?(\S.*)\n([=\-~^"'#*+])\3{2,}[ \t]*$/gm, (_all, _over, title: string, mark: string) => {
      if (!underlines.includes(mark)) underlines.push(mark);
      return `${"#".repeat(Math.min(2 + underlines.indexOf(mark), 6))} ${title}`;
    })
    .replace(/:[a-z:-]+:`([^`<]+?)(?:\s*<[^>]*>)?`/g, "$1")
    .replace(/``/g, "`");
  return `---\n${front.join("\n")}\n---\n\n# PEP ${field("PEP")} – ${field("Title")}\n\n${body}`;
}
