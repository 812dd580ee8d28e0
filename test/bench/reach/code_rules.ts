/**
 * How many breaks of decisions `check --code` finds, and how many false alarms it gives.
 *
 *     node --experimental-strip-types test/bench/reach/code_rules.ts FOLDERS
 *
 * FOLDERS holds the repositories that `code_rules.json` names, at their commits, as OWNER+NAME. The file has `forbids` for decision
 * records of these repositories, written from what each record says, and at least three breaks for each. What a repository has in
 * spite of its decision is in `except`, with the reason. The measure checks each repository as it is, which must find nothing, then
 * puts each break into a file of the repository that the rules apply to, after its imports or in its middle, and checks that file.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readCodeRules } from "../../../lib/documents/code/code_rules.ts";
import { table } from "../report.ts";

interface Row {
  repository: string;
  commit: string;
  /** The record below the repository. */
  record: string;
  title: string;
  /** Lines of the front matter. */
  front: string[];
  /** Code that breaks the decision: a line, or several. */
  plants: (string | string[])[];
}

interface Finding {
  file: string;
  line: number;
}

const [folders] = process.argv.slice(2);
if (folders === undefined) {
  throw new Error("Name the folder of the repositories");
}
const MODULE = join(import.meta.dirname, "../../../mod.ts");
const rows: Row[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "code_rules.json"), "utf8"),
);
const IMPORT = /^(?:import|from|using|(?:pub )?use|require|const .*= require|package)\b/;
const CODE = /\.(?:[cm]?[jt]sx?|vue|py|go|java|scala|kts?|cs|rs|rb|php)$/;
const CODE_OR_TEMPLATE = new RegExp(`${CODE.source}|\\.twig$`);

const work = mkdtempSync(join(tmpdir(), "code-rules-"));
process.on("exit", () => rmSync(work, { recursive: true, force: true }));

/** What a check of a folder finds with the rules of some records. */
function check(records: readonly Row[], code: string): Finding[] {
  const adr = join(work, "adr");
  rmSync(adr, { recursive: true, force: true });
  mkdirSync(adr);
  for (const [index, { title, front }] of records.entries()) {
    const text = [
      "---",
      "status: accepted",
      ...front,
      "---",
      "",
      `# ${title}`,
      "",
    ].join("\n");
    writeFileSync(
      join(adr, `${String(index + 1).padStart(4, "0")}-record.md`),
      text,
    );
  }
  const options = [
    "--mount",
    `adr=${adr}`,
    "--code",
    code,
    "--rule",
    "code-forbidden",
    "--format",
    "json",
  ];
  const output = execFileSync(process.execPath, [
    "--no-warnings",
    MODULE,
    "check",
    ...options,
  ], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  return JSON.parse(output).findings;
}

/** The files of a repository to which all rules of a record apply. */
function filesOf(root: string, { front }: Row, isImport: boolean): string[] {
  const [line = ""] = front.filter((line) => line.startsWith("applies-to:"));
  const patterns = Array.from(
    line.matchAll(/"([^"]+)"/g),
    ([, pattern]) => pattern!,
  );
  const { rules } = readCodeRules(
    ["---", ...front, "---"].join("\n"),
    patterns,
  );
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => (isImport ? CODE : CODE_OR_TEMPLATE).test(name))
    .filter((name) => rules.every((rule) => rule.appliesTo(name))).sort();
}

/** Where a break is put: after the imports, or in the middle. */
function placeFor(lines: readonly string[], plant: string): number {
  if (!IMPORT.test(plant)) return Math.floor(lines.length / 2);
  let at = lines.findLastIndex((line) => IMPORT.test(line));
  // A list of imports may have several lines.
  while (at >= 0 && at < lines.length - 1 && /[({,]\s*$/.test(lines[at]!)) at++;
  return at + 1;
}

const results: string[][] = [];
const missed: string[] = [];
let alarms = 0, all = 0, found = 0;
for (
  const [repository, records] of Map.groupBy(
    rows,
    ({ repository }) => repository,
  )
) {
  const root = join(folders, repository.replace("/", "+"));
  const start = performance.now(),
    own = check(records, root),
    time = performance.now() - start;
  alarms += own.length;
  for (const { file, line } of own) {
    console.log(`false alarm: ${repository} ${file}:${line}`);
  }
  for (const record of records) {
    let count = 0;
    for (const [index, plant] of record.plants.entries()) {
      const planted = [plant].flat();
      const files = filesOf(root, record, IMPORT.test(planted[0]!));
      const name = files[Math.floor((index + 0.5) / record.plants.length * files.length)]!;
      const lines = readFileSync(join(root, name), "utf8").split(/\r?\n/);
      const at = placeFor(lines, planted[0]!);
      const code = join(work, "code");
      rmSync(code, { recursive: true, force: true });
      mkdirSync(dirname(join(code, name)), { recursive: true });
      writeFileSync(
        join(code, name),
        lines.toSpliced(at, 0, ...planted).join("\n"),
      );
      const isFound = check([record], code).some(({ line }) => line > at && line <= at + planted.length);
      count += Number(isFound);
      if (!isFound) {
        missed.push(`${record.title}: ${planted.join(" ")} (${name})`);
      }
    }
    all += record.plants.length;
    found += count;
    results.push([
      repository,
      record.title,
      `${count} of ${record.plants.length}`,
      `${Math.round(time)} ms`,
    ]);
  }
}
const titles = [
  "repository",
  "record",
  "found",
  "time of the whole repository",
];
console.log(table(titles, results));
console.log(
  `${found} of ${all} breaks found (${(100 * found / all).toFixed(0)} %), ${alarms} false alarms`,
);
for (const one of missed) console.log(`missed: ${one}`);
