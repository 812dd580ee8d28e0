/** The rules of check for code: it breaks the rules of a document, or cites a decision that is over or missing. */

import type { FileSystem } from "../platform/platform.ts";
import type { Finding } from "./finding.ts";
import type { DocumentStore } from "./store.ts";
import type { Scheme } from "./uri.ts";
import { attempt, quoted } from "../base/text.ts";
import { Code } from "./code/code.ts";
import { describeBreak, findBreaks } from "./code/code_rules.ts";
import { codeRulesOf } from "./edit_breaks.ts";
import { decodeText } from "./files.ts";
import { currentStatus, isOver } from "./records/status.ts";
import { problem } from "./rules.ts";
import { toUri } from "./uri.ts";

/** The files of the code. */
export interface CodeFiles {
  /** The folder that contains them, which links do not lead out of. */
  readonly root: string;
  /** From the folder. */
  readonly paths: readonly string[];
}

/** The maximum size of a file of code, in bytes. Larger ones are generated, as a rule. */
const MAX_CODE_BYTES = 1024 * 1024;
/** The maximum number of citations in a file that are reported. */
const MAX_CITATIONS = 100;
/** Files in which a citation may be about another project: vendored code, test data, generated files; and those without comments. */
const OTHERS =
  /(?:^|\/)(?:vendor|third[-_]party|testdata|fixtures|__fixtures__|dist|build|target)\/|\.(?:md|markdown|mdx|txt|rst|adoc|asciidoc|jsonl?|csv|tsv|lock|svg|xml|html?|ipynb|snap|map|log|patch|diff|min\.\w+)$/i;
/** `ADR-12`, `adr/0012`, `@adr 12`. Without its hyphen, `ADR12` may be another name. */
const CITATION =
  /\bADR(?:-(\d{1,4})|[ ]?(\d{1,4}))(?!\w|[-.]\d)|\badr\/(\d{3,4})(?!\w)|@adr[ \t]{1,9}(\d{1,4})(?!\w|[-.]\d)/g;

/** Checks the code, in steps: one for each file. */
export function* checkCode(
  source: Pick<DocumentStore, "catalogue" | "text">,
  files: FileSystem,
  { root, paths }: CodeFiles,
  scheme: Scheme = "architecture",
): Generator<void, Finding[]> {
  const { documents } = source.catalogue, findings: Finding[] = [];
  const rules = codeRulesOf(source.catalogue, (document) => source.text(document));
  const numbered = Map.groupBy(documents.filter(({ record }) => record), ({ record }) => record!.number);
  numbered.delete(undefined);
  const nameOf = ({ title, key }: { title: string; key: string }) =>
    `"${quoted(title, 100)}" (${toUri(key, scheme)})`;
  const within = attempt(() => files.realPath(root)) ?? root;
  for (const path of paths) {
    const own = rules.filter((rule) => rule.appliesTo(path)),
      mayCite = numbered.size > 0 && !OTHERS.test(path);
    if (own.length === 0 && !mayCite) continue;
    yield;
    const text = readCode(files, within, path);
    if (text === undefined) continue;
    const code = new Code(path, text);
    for (const one of findBreaks(own, code)) {
      const { kind, document } = one.rule, rule = kind === "forbids" ? "code-forbidden" : "code-required";
      findings.push(problem(rule, path, `The code ${describeBreak(one, nameOf(document))}`, one.line));
    }
    if (!mayCite) continue;
    for (const { name, number, isSure, line } of citations(code)) {
      const cited = numbered.get(number) ?? [], [first] = cited;
      if (!first) {
        const message = `The code cites "${name}", and no record has that number`;
        if (isSure) findings.push(problem("code-cites-missing", path, message, line));
      } else if (cited.every(isOver)) {
        const message = `The code cites "${name}", which is ${currentStatus(first)}: ${nameOf(first)}`;
        findings.push(problem("code-cites-over", path, message, line));
      }
    }
  }
  return findings;
}

/** The text of a file of code; undefined for a link, a binary file, and one that is too large. */
export function readCode(files: FileSystem, within: string, path: string): string | undefined {
  return attempt(() => {
    const whole = [within, ...path.split("/")].join(files.separator), { kind, size } = files.status(whole);
    if (kind !== "file" || size > MAX_CODE_BYTES || files.realPath(whole) !== whole) return undefined;
    const file = files.open(whole);
    try {
      return decodeText(file.read(size));
    } finally {
      file.close();
    }
  });
}

/** The records that comments and texts of the code cite. */
function* citations(code: Code) {
  const seen = new Set<string>();
  for (const { 0: name, 1: hyphen, 2: bare, 3: path, 4: mark, index } of code.text.matchAll(CITATION)) {
    const digits = hyphen ?? bare ?? path ?? mark, line = code.lineAt(index);
    const before = code.line(line).slice(0, 1000);
    // An address on the web is that of any project.
    if (!code.isComment(index) || before.includes("://") || seen.has(`${line} ${digits}`)) continue;
    if (seen.add(`${line} ${digits}`).size > MAX_CITATIONS) return;
    yield { name, number: Number(digits), isSure: bare === undefined, line };
  }
}
