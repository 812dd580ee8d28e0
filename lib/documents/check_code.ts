/** The rules of check for code: it breaks the rules of a document, or cites a decision that is over or missing. */

import type { FileSystem } from "../platform/platform.ts";
import type { Finding } from "./finding.ts";
import type { DocumentStore } from "./store.ts";
import type { Scheme } from "./uri.ts";
import { attempt, quoted } from "../base/text.ts";
import { Code } from "./code/code.ts";
import { describeBreak, findBreaks } from "./code/code_rules.ts";
import { codeRulesOf } from "./edit_breaks.ts";
import { decodeText, readInside } from "./files.ts";
import { currentStatus, isOver } from "./records/status.ts";
import { problem } from "./rules.ts";
import { toUri } from "./uri.ts";

/** The maximum size of a file of code, in bytes. Larger ones are generated, as a rule. */
const MAX_CODE_BYTES = 1024 * 1024;
/** The maximum number of lines of a file that are reported for their citations. */
const MAX_CITATIONS = 100;
/** Files in which a citation may be about another project, or that have no comments. */
const UNCITED =
  /(?:^|\/)(?:vendor|third[-_]party|testdata|fixtures|__fixtures__|dist|build|target)\/|\.(?:md|markdown|mdx|txt|rst|adoc|asciidoc|jsonl?|csv|tsv|lock|svg|xml|html?|ipynb|snap|map|log|patch|diff|min\.\w+)$/i;
/** `ADR-12`, `adr/0012`, `@adr 12`. `ADR12` may be another name, and what follows an address may be of any project. */
const CITATION =
  /\bADR(?:-(\d{1,4})|[ ]?(\d{1,4}))(?!\w|[-.]\d)|\badr\/(\d{3,4})(?!\w)|@adr[ \t]{1,9}(\d{1,4})(?!\w|[-.]\d)|:\/\/.*/g;

/** Checks the files of the code, given as paths from its root, in steps: one for each file. Links are not followed. */
export function* checkCode(
  source: Pick<DocumentStore, "catalogue" | "text">,
  files: FileSystem,
  root: string,
  paths: readonly string[],
  scheme: Scheme = "architecture",
): Generator<void, Finding[]> {
  const { documents } = source.catalogue, findings: Finding[] = [];
  const rules = codeRulesOf(source.catalogue, (document) => source.text(document));
  const records = Map.groupBy(documents, ({ record }) => record?.number);
  const hasNumbers = [...records.keys()].some((number) => number !== undefined);
  const nameOf = ({ title, key }: typeof documents[0]) => `"${quoted(title, 100)}" (${toUri(key, scheme)})`;
  const within = attempt(() => files.realPath(root)) ?? root;
  for (const path of paths) {
    const own = rules.filter((rule) => rule.appliesTo(path));
    const mayCite = hasNumbers && !UNCITED.test(path);
    if (own.length === 0 && !mayCite) continue;
    yield;
    const text = readCode(files, within, path);
    if (text === undefined) continue;
    const code = new Code(path, text);
    for (const one of findBreaks(own, code)) {
      const { rule, line } = one;
      const name = rule.kind === "forbids" ? "code-forbidden" : "code-required";
      findings.push(problem(name, path, `The code ${describeBreak(one, nameOf(rule.document))}`, line));
    }
    for (const { name, number, isSure, line } of mayCite ? citationsIn(code) : []) {
      const cited = records.get(number) ?? [], [first] = cited;
      if (first && cited.every(isOver)) {
        const message = `The code cites "${name}", which is ${currentStatus(first)}: ${nameOf(first)}`;
        findings.push(problem("code-cites-over", path, message, line));
      } else if (!first && isSure) {
        const message = `The code cites "${name}", and no record has that number`;
        findings.push(problem("code-cites-missing", path, message, line));
      }
    }
  }
  return findings;
}

/** The text of a file of code; undefined for a link, a binary file, and one that is too large. */
export function readCode(files: FileSystem, within: string, path: string): string | undefined {
  const folder = [within, ...path.split("/").slice(0, -1)].join(files.separator);
  const content = readInside(files, `${within}/${path}`, folder, MAX_CODE_BYTES);
  return content && decodeText(content.bytes);
}

/** The records that comments and texts of the code cite, once for each line. */
function citationsIn({ text, bare, lines }: Code) {
  // Most files have none.
  if (!/adr[-\/ \t\d]/i.test(text)) return [];
  const bareLines = bare.split("\n");
  return lines.flatMap((line, index) => {
    const cited = [...line.matchAll(CITATION)].flatMap(
      ({ 0: name, 1: exact, 2: loose, 3: path, 4: mark, index: at }) => {
        const digits = exact ?? loose ?? path ?? mark, hidden = bareLines[index]?.[at];
        if (digits === undefined || hidden === line[at]) return [];
        // A text may be an example, and so may "ADR12".
        const isSure = loose === undefined && (hidden ?? " ") === " ";
        return { name, number: Number(digits), isSure, line: index + 1 };
      },
    );
    return [...new Map(cited.map((one) => [one.number, one])).values()];
  }).slice(0, MAX_CITATIONS);
}
