/**
 * How many tokens each way of reaching a model costs, and in how many of 100 questions it leads to the right document.
 *
 *     npm ci --prefix test/bench/reach
 *     node --experimental-strip-types test/bench/reach/run.ts FOLDERS [--adrkit COMMAND] [--docs-mcp-server COMMAND] \
 *       [--misses] [--paths]
 *
 * FOLDERS holds the folders of records that `questions.json` names, besides our own `mcp/`. `../records/folders.json` has
 * the repository, commit and path of each: `git archive COMMIT PATH | tar -x --strip-components=… -C FOLDERS/NAME`.
 * The options start the built servers of mbeacom/adrkit ("node packages/mcp/dist/bin.js") and of arabold/docs-mcp-server
 * ("node dist/index.js"); without them their rows are left out. `PROGRAM` names another `mod.ts`. `--misses` lists the questions
 * that each way does not answer. `--paths` gives our search the file that the developer is working on.
 */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, matchesGlob, resolve } from "node:path";
import { parseArgs } from "node:util";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { ServerProcess } from "../process.ts";
import { table } from "../report.ts";
import { adrkit, architrave, docsMcpServer } from "./servers.ts";
import type { Folder, ServerKind } from "./servers.ts";

interface Question {
  question: string;
  /** The file that the developer is working on. */
  path?: string;
  /** The document that answers it, below the folder. */
  document: string;
}

/** What is known of one server for one folder. */
interface Reading {
  tools: number;
  skills: number | undefined;
  search: number[];
  read: number[];
  /** For each question: whether the document is among the first three hits. */
  found: boolean[];
}

/** One rule for some files. */
interface Rule {
  globs: string[];
  text: string;
}

const TOP = 3;
const { values, positionals: [root] } = parseArgs({
  allowPositionals: true,
  options: {
    adrkit: { type: "string" },
    "docs-mcp-server": { type: "string" },
    misses: { type: "boolean", default: false },
    paths: { type: "boolean", default: false },
  },
});
if (root === undefined) {
  throw new Error("name the folder that holds the folders of records");
}
const repository = resolve(import.meta.dirname, "../../..");
const program = process.env["PROGRAM"] ?? join(repository, "mod.ts");
const all = JSON.parse(
  readFileSync(join(import.meta.dirname, "questions.json"), "utf8"),
) as Record<string, Question[]>;
const work = mkdtempSync(join(tmpdir(), "architrave-reach-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));

const node = ["--experimental-strip-types", "--no-warnings"];
const kinds: ServerKind[] = [
  architrave(program, node),
  ...values.adrkit ? [adrkit(values.adrkit.split(" "))] : [],
  ...values["docs-mcp-server"]
    ? [docsMcpServer(values["docs-mcp-server"].split(" "), work)]
    : [],
];

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
const round = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value)
    ? ""
    : Math.round(value).toLocaleString("en");
const share = (answers: readonly boolean[]): string =>
  answers.length === 0
    ? ""
    : `${answers.filter(Boolean).length} of ${answers.length}`;
const linesOf = (text: string): string[] =>
  text.split("\n").filter((line) => /^- /.test(line));

/** A repository of its own with a copy of the documents, as a team has them. */
function toFolder(name: string): Folder {
  const into = join(work, name);
  const isOwn = name === "architrave";
  const documents = join(into, isOwn ? "mcp" : "docs/adr");
  cpSync(isOwn ? join(repository, "mcp") : join(root!, name), documents, {
    recursive: true,
  });
  // A copy of what we ship is no sample.
  rmSync(join(documents, "SAMPLE.md"), { force: true });
  execFileSync("git", ["init", "--quiet", into]);
  return {
    name,
    repository: into,
    documents: isOwn ? join(documents, "resources") : documents,
    options: isOwn ? ["--root", documents] : ["--mount", `adr=${documents}`],
    toUri: (document) =>
      `architecture://${isOwn ? "" : "adr/"}${document.replace(/\.md$/, "")}`,
  };
}

/** What `export` writes: the index, and the rules that it makes of `applies-to`. */
function exported(
  { repository, options }: Folder,
): { index: string; rules: Rule[] } {
  const write = (assistant: string): void => {
    const command = [
      ...node,
      program,
      "export",
      assistant,
      "--into",
      repository,
      "--write",
      ...options,
    ];
    execFileSync(process.execPath, command, {
      stdio: ["ignore", "ignore", "inherit"],
    });
  };
  for (const assistant of ["agents", "claude"]) write(assistant);
  const folder = join(repository, ".claude/rules");
  const rules = existsSync(folder)
    ? readdirSync(folder).map((name) =>
      readFileSync(join(folder, name), "utf8")
    )
    : [];
  return {
    index: readFileSync(join(repository, "AGENTS.md"), "utf8"),
    rules: rules.map((text) => ({
      text,
      globs: Array.from(
        text.split("\n---\n")[0]!.matchAll(/^ {2}- (".*")$/gm),
        ([, glob]) => JSON.parse(glob!) as string,
      ),
    })),
  };
}

/** Asks a server all questions about a folder. */
async function ask(
  kind: ServerKind,
  folder: Folder,
  questions: readonly Question[],
): Promise<Reading> {
  const { command, args } = kind.start(folder);
  const server = new ServerProcess(command, args);
  try {
    await server.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "reach", version: "1" },
    });
    server.notify("notifications/initialized");
    const { tools } = await server.request<
      { tools: Record<string, unknown>[] }
    >("tools/list", {});
    const reading: Reading = {
      // Clients give the model these three members of a tool.
      tools: countTokens(JSON.stringify(
        tools.map(({ name, description, inputSchema }) => ({
          name,
          description,
          inputSchema,
        })),
      )),
      skills: await kind.skills?.(server).then((list) =>
        list === undefined ? undefined : countTokens(list)
      ),
      search: [],
      read: [],
      found: [],
    };
    const call = async (params: { name: string; arguments: unknown }) => {
      const result = await server.request<Record<string, unknown>>(
        "tools/call",
        params,
      );
      return {
        result,
        tokens: countTokens(JSON.stringify(params)) +
          countTokens(kind.shown(result)),
      };
    };
    for (const { question, document, path } of questions) {
      let found = false;
      for (const query of kind.queries(question)) {
        const { result, tokens } = await call(
          kind.search(query, folder, values.paths ? path : undefined),
        );
        const hits = kind.hits(result, folder).slice(0, TOP);
        if (hits.length > 0 || query === question) reading.search.push(tokens);
        found ||= hits.includes(kind.nameOf(document, folder));
        if (found) break;
      }
      reading.found.push(found);
      reading.read.push((await call(kind.read(document, folder))).tokens);
    }
    return reading;
  } finally {
    await server.stop();
  }
}

/** Whether a line names a document: by its file, below the folder that the lines before it name. */
function isLineOf(line: string, document: string): boolean {
  // A line has the name of the file, with its folder where that is not in the heading; for the page of a folder, only the folder.
  const path = document.replace(/\.md$/, ""),
    [name, folder] = path.split("/").reverse();
  const names = [
    name,
    `${name}.md`,
    `${folder}/${name}`,
    `${folder}/${name}.md`,
  ];
  if (/^(?:readme|index)$/i.test(name!)) names.push(folder!);
  return names.some((file) =>
    line.startsWith(`- ${file}`) &&
    /^(?:$| \(| \[|: )/.test(line.slice(2 + file.length))
  );
}

/** Whether the patterns at the end of a line of the index fit a file. */
function namesFile(line: string, path: string): boolean {
  const patterns = / \[([^[\]]*)\]$/.exec(line)?.[1]?.split(", ") ?? [];
  return patterns.some((pattern) => matchesGlob(path, pattern));
}

// --- A simple overlap of words, which stands for what a model recognises at the least: it knows no synonyms.

/** English words that say nothing of a subject. */
const COMMON = new Set(
  ("a about after again all also am an and any are as at away back be because been before being but by can could did do " +
    "does done each for from get gets go goes had has have he her here him his how i if in into is it its just may me more " +
    "must my no not now of off on once one only or other our out own place same she should so some somebody still such take " +
    "takes than that the their them then there they this those to too up us use used uses using was way we were what when " +
    "where which while who whole why will with without would you your").split(
      " ",
    ),
);

/** The words of a text; forms of one word are taken for one by their first five letters. */
function wordsOf(text: string): Set<string> {
  const words = text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().match(
    /[\p{L}\p{N}]+/gu,
  ) ?? [];
  return new Set(
    words.filter((word) => !COMMON.has(word)).map((word) =>
      word.replace(/s$/, "").slice(0, 5)
    ),
  );
}

/**
 * The place of a line among all lines, by the words of a question that they hold; rare words count for more. Lines that
 * hold as much as the right one are placed before it; a line without a word of the question has no place.
 */
function rankOf(
  question: string,
  lines: readonly string[],
  isRight: (line: string) => boolean,
): number {
  const words = lines.map(wordsOf);
  const weights = new Map(
    Array.from(wordsOf(question), (word): [string, number] => {
      const holders = words.filter((line) => line.has(word)).length;
      return [word, Math.log(1 + lines.length / Math.max(1, holders))];
    }),
  );
  const score = (line: Set<string>): number =>
    Array.from(weights).reduce(
      (sum, [word, weight]) => sum + (line.has(word) ? weight : 0),
      0,
    );
  const scores = words.map(score);
  const right = Math.max(
    0,
    ...scores.filter((_, index) => isRight(lines[index]!)),
  );
  if (right === 0) return Infinity;
  return 1 +
    scores.filter((value, index) => value >= right && !isRight(lines[index]!))
      .length;
}

const costs: string[][] = [];
const reaches: string[][] = [];
const totals = new Map<string, boolean[]>();
/** What is known of each server, by its name and whether adrkit serves the folder, too. */
const perServer = new Map<string, Reading[]>();
const add = (
  way: string,
  folder: string,
  questions: readonly Question[],
  answers: readonly boolean[],
): string => {
  totals.set(way, [...totals.get(way) ?? [], ...answers]);
  for (const [index, { question, document }] of questions.entries()) {
    if (values.misses && !answers[index]) {
      console.error(`${way}, ${folder}: ${question} (${document})`);
    }
  }
  return share(answers);
};

for (const [name, questions] of Object.entries(all)) {
  console.error(name);
  const folder = toFolder(name);
  const { index, rules } = exported(folder);
  const lines = linesOf(index);
  const count =
    readdirSync(folder.documents, { recursive: true }).filter((file) =>
      String(file).endsWith(".md")
    ).length;
  const rulesFor = (path: string) =>
    rules.filter(({ globs }) => globs.some((glob) => matchesGlob(path, glob)));

  const files = name === "architrave"
    ? execFileSync("git", ["-C", repository, "ls-files", "lib", "mod.ts"], {
      encoding: "utf8",
    }).trim().split("\n")
    : [];
  const perFile = files.map((path) =>
    rulesFor(path).reduce((sum, { text }) => sum + countTokens(text), 0)
  );

  const byWords = questions.map(({ question, document }) =>
    rankOf(question, lines, (line) => isLineOf(line, document)) <= TOP
  );
  // The index tells to read the documents that name a file in brackets.
  const inIndex = questions.map(({ path, document }, place) =>
    byWords[place]! ||
    path !== undefined &&
      lines.some((line) => isLineOf(line, document) && namesFile(line, path))
  );
  const withPath = rules.length > 0
    ? questions.filter(({ path }) => path !== undefined)
    : [];
  const inRules = withPath.map(({ path, document }) =>
    rulesFor(path!).some(({ text }) =>
      text.includes(document.replace(/\.md$/, ""))
    )
  );
  const cells = [
    add("words", name, questions, byWords),
    add("index", name, questions, inIndex),
    add("rules", name, withPath, inRules),
  ];

  const [own, ...others] = kinds;
  for (const kind of kinds) {
    if (!kind.serves(folder)) {
      cells.push("");
      continue;
    }
    const reading = await ask(kind, folder, questions);
    cells.push(add(`search: ${kind.name}`, name, questions, reading.found));
    const isShared = name === "adrkit" && others.length > 0;
    for (
      const title of isShared
        ? [kind.name, `${kind.name}, records of adrkit`]
        : [kind.name]
    ) {
      perServer.set(title, [...perServer.get(title) ?? [], reading]);
    }
    if (kind !== own) continue;
    const { skills, tools, search, read } = reading;
    const perRule = perFile.length > 0 ? mean(perFile) : undefined;
    const tokens = [
      countTokens(index),
      perRule,
      skills,
      tools,
      mean(search),
      mean(read),
    ];
    costs.push([
      name,
      String(count),
      String(lines.length),
      ...tokens.map(round),
    ]);
  }
  reaches.push([name, ...cells]);
}
const ways = [
  "words",
  "index",
  "rules",
  ...kinds.map(({ name }) => `search: ${name}`),
];
reaches.push(["all", ...ways.map((way) => share(totals.get(way) ?? []))]);

const servers = Array.from(perServer, ([title, readings]) => [
  title,
  round(mean(readings.map(({ tools }) => tools))),
  round(mean(readings.flatMap(({ search }) => search))),
  round(mean(readings.flatMap(({ read }) => read))),
  share(readings.flatMap(({ found }) => found)),
]).filter(([title]) => title !== "adrkit");

const COSTS = [
  "folder",
  "files",
  "lines of the index",
  "index",
  "rules of a file",
  "skills list",
  "tools list",
  "a search",
  "a read",
];
const REACHES = [
  "folder",
  "index, by words",
  "index",
  "scoped rules",
  ...kinds.map(({ name }) => `search of ${name}`),
];
console.log("Tokens, counted with o200k_base of gpt-tokenizer:\n");
console.log(table(COSTS, costs));
console.log("Questions whose document is named:\n");
console.log(table(REACHES, reaches));
console.log(
  "Tokens of servers, and questions with the document among the first three hits:\n",
);
console.log(
  table(["server", "tools list", "a search", "a read", "found"], servers),
);
