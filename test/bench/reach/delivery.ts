/**
 * Which facts each way of delivery gives to an assistant without a question, and how many tokens it costs (4 characters each).
 *
 *     node --experimental-strip-types --no-warnings test/bench/reach/delivery.ts PATHRULE [FOLDERS] [--misses]
 *
 * PATHRULE is `fixtures/hard` of the repository pathrule/benchmarks (commit 5655625): `git archive 5655625 fixtures | tar -x`.
 * FOLDERS holds the folders of records that `delivery.json` names; `../records/folders.json` has the repository, commit and path
 * of each. Both stay outside this repository. `PROGRAM` names another `mod.ts`. `--misses` lists the facts that a way does not give.
 *
 * Each item of PATHRULE becomes a record whose `applies-to` is its paths (a path without an extension is a folder); each prompt
 * with facts that only the records know becomes an edit of the first path of its first item (`errors.js` in a folder).
 * `delivery.json` gives the records of FOLDERS their `applies-to`, and has edits with facts. A fact is given if its text is in
 * what the assistant has in its context at that edit. Of a way that differs by edit, the tokens are the mean and the maximum.
 */
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { extname, join, matchesGlob, resolve } from "node:path";
import { parseArgs } from "node:util";

interface Edit {
  path: string;
  facts: string[];
}

/** A folder of records, by their file names, and edits of files that they are about. */
interface Folder {
  name: string;
  records: Map<string, string>;
  edits: Edit[];
  /** All records as one file of instructions. */
  monolithic: string;
}

interface Item {
  id: string;
  kind: string;
  title: string;
  body: string;
  node_paths: string[];
  case_ids: string[];
}

interface Session {
  prompts: { id: string; knowledge_only_facts?: string[] }[];
}

/** What an assistant has in its context at an edit. */
type Way = (edit: Edit) => string;

const { values, positionals: [pathrule, root] } = parseArgs({
  allowPositionals: true,
  options: { misses: { type: "boolean", default: false } },
});
if (pathrule === undefined) throw new Error("name the folder fixtures/hard of pathrule/benchmarks");
const program = resolve(process.env["PROGRAM"] ?? join(import.meta.dirname, "../../../mod.ts"));
const work = mkdtempSync(join(tmpdir(), "architrave-delivery-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
const quoted = (patterns: readonly string[]): string => `[${patterns.map((one) => JSON.stringify(one)).join(", ")}]`;

function run(into: string, command: readonly string[], input = ""): { text: string; failed: boolean } {
  const args = ["--experimental-strip-types", "--no-warnings", program, ...command, "--mount", "adr=docs/adr"];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: into, input, encoding: "utf8" });
  if (stderr !== "") console.error(stderr.trim());
  return { text: stdout, failed: status !== 0 };
}

/** The fixture of pathrule: each item as a record. */
function toPathrule(folder: string): Folder {
  const { items } = readJson<{ items: Item[] }>(join(folder, "knowledge/knowledge.json"));
  const toGlob = (path: string): string => path.slice(1) + (extname(path) === "" ? "/**" : "");
  const records = new Map(items.map(({ id, title, body, node_paths }) => [
    `${id}.md`,
    `---\nstatus: accepted\napplies-to: ${quoted(node_paths.map(toGlob))}\n---\n\n# ${title}\n\n${body}\n`,
  ]));
  const edits = readJson<Session[]>(join(folder, "sessions.json")).flatMap(({ prompts }) => prompts)
    .flatMap(({ id, knowledge_only_facts: facts = [] }) => {
      const path = items.find(({ case_ids }) => case_ids.includes(id))?.node_paths[0]?.slice(1);
      if (path === undefined || facts.length === 0) return [];
      return [{ path: extname(path) === "" ? `${path}/errors.js` : path, facts }];
    });
  const kinds = ["rule", "memory", "skill"].flatMap((kind) => items.filter((item) => item.kind === kind));
  const monolithic = kinds.map(({ title, node_paths, body }) =>
    `### ${title}\nApplies to: ${node_paths.join(", ")}\n${body}\n`
  ).join("\n");
  return { name: "pathrule", records, edits, monolithic };
}

/** A folder of public records, with `applies-to` added to their front matter. */
function toFolder(name: string, applies: Record<string, string[]>, edits: Edit[]): Folder {
  const folder = join(root!, name);
  const records = new Map<string, string>();
  for (const file of readdirSync(folder).filter((file) => /^\d.*\.md$/.test(file)).sort()) {
    const text = readFileSync(join(folder, file), "utf8");
    const line = applies[file] === undefined ? "" : `applies-to: ${quoted(applies[file])}\n`;
    records.set(file, text.startsWith("---\n") ? text.replace("---\n", `---\n${line}`) : `---\n${line}---\n${text}`);
  }
  for (const file of Object.keys(applies)) if (!records.has(file)) throw new Error(`no ${file} in ${folder}`);
  return { name, records, edits, monolithic: [...records.values()].join("\n") };
}

/** A repository with the records of a folder. */
function toRepository({ name, records }: Folder): string {
  const into = join(work, name);
  mkdirSync(join(into, "docs/adr"), { recursive: true });
  for (const [file, text] of records) writeFileSync(join(into, "docs/adr", file), text);
  return into;
}

/** The rules that `export claude` writes: the files with `paths`, and what they apply to. */
function rulesOf(into: string): { text: string; globs: string[] }[] {
  const folder = join(into, ".claude/rules");
  return readdirSync(folder).map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    const head = text.split("\n---\n")[0]!;
    return { text, globs: Array.from(head.matchAll(/^ {2}- (".*")$/gm), ([, glob]) => JSON.parse(glob!) as string) };
  });
}

/** The text that a hook gives to the model; "" if it gives none. */
function contextOf(text: string): string {
  if (text.trim() === "") return "";
  const { hookSpecificOutput } = JSON.parse(text) as { hookSpecificOutput: { additionalContext: string } };
  return hookSpecificOutput.additionalContext;
}

function waysOf(folder: Folder): Map<string, Way> {
  const into = toRepository(folder);
  run(into, ["export", "claude", "--into", ".", "--write"]);
  const index = readFileSync(join(into, "CLAUDE.md"), "utf8");
  const rules = rulesOf(into);
  const ruleWay: Way = ({ path }) =>
    rules.filter(({ globs }) => globs.some((glob) => matchesGlob(path, glob))).map(({ text }) => text).join("\n");
  const ways = new Map<string, Way>([
    ["all records in one file", () => folder.monolithic],
    ["index (`export claude`)", () => index],
    ["rules of the file", ruleWay],
    ["index and rules", (edit) => `${index}\n${ruleWay(edit)}`],
  ]);
  if (run(into, ["hook", "--help"]).failed) return ways;
  const common = { session_id: "1", transcript_path: "/t", cwd: into };
  const hookWay: Way = ({ path }) => {
    const tool_input = { file_path: join(into, path), old_string: "a", new_string: "b" };
    const input = { ...common, hook_event_name: "PreToolUse", tool_name: "Edit", tool_input, tool_use_id: "1" };
    return contextOf(run(into, ["hook", "claude-code"], JSON.stringify(input)).text);
  };
  const start = contextOf(
    run(
      into,
      ["hook", "claude-code", "--start"],
      JSON.stringify({ ...common, hook_event_name: "SessionStart", source: "startup" }),
    ).text,
  );
  ways.set("hook", hookWay);
  ways.set("hook, and `--start`", (edit) => `${start}\n${hookWay(edit)}`);
  ways.set("hook, and index", (edit) => `${index}\n${hookWay(edit)}`);
  return ways;
}

/** A text on one line, because records break their lines anywhere. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ");
const number = (value: number): string => Math.round(value).toLocaleString("en");

const folders = [
  toPathrule(pathrule),
  ...root === undefined
    ? []
    : Object.entries(
      readJson<Record<string, { applies: Record<string, string[]>; edits: Edit[] }>>(
        join(import.meta.dirname, "delivery.json"),
      ),
    ).map(([name, { applies, edits }]) => toFolder(name, applies, edits)),
];
for (const folder of folders) {
  const facts = folder.edits.flatMap((edit) => edit.facts);
  console.log(`\n${folder.name}: ${folder.records.size} records, ${folder.edits.length} edits, ${facts.length} facts\n`);
  console.log("| way | facts, unasked | tokens an edit | at most |\n| --- | ---: | ---: | ---: |");
  for (const [name, way] of waysOf(folder)) {
    const given = folder.edits.map((edit) => ({ edit, text: way(edit) }));
    const missing = given.flatMap(({ edit, text }) =>
      edit.facts.filter((fact) => !oneLine(text).includes(fact)).map((fact) => `${edit.path}: ${fact}`)
    );
    const tokens = given.map(({ text }) => text.length / 4);
    const mean = tokens.reduce((sum, one) => sum + one, 0) / tokens.length;
    console.log(
      `| ${name} | ${facts.length - missing.length} of ${facts.length} | ${number(mean)} | ${number(Math.max(...tokens))} |`,
    );
    if (values.misses) for (const line of missing) console.error(`${name}: ${line}`);
  }
}
