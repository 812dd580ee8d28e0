/** The rules of check for code: it breaks the rules of a document, or cites a decision that is over or missing. */

import type { FileSystem } from "../platform/platform.ts";
import type { Catalogue } from "./catalogue.ts";
import type { DocumentRule } from "./edit_breaks.ts";
import type { Finding } from "./finding.ts";
import type { Scheme } from "./uri.ts";
import { attempt, quoted } from "../base/text.ts";
import { Code } from "./code/code.ts";
import { describeBreak, findBreaks } from "./code/code_rules.ts";
import { citationsIn, mayCite } from "./citations.ts";
import { decodeText, readInside } from "./files.ts";
import { currentStatus, isOver } from "./records/status.ts";
import { problem } from "./rules.ts";
import { toUri } from "./uri.ts";

/** The maximum size of a file of code, in bytes. Larger ones are generated, as a rule. */
const MAX_CODE_BYTES = 1024 * 1024;
/** Checks the files of the code, given as paths from its root, in steps: one for each file. Links are not followed. */
export function* checkCode(
  { documents }: Catalogue,
  rules: readonly DocumentRule[],
  files: FileSystem,
  root: string,
  paths: readonly string[],
  scheme: Scheme = "architecture",
): Generator<void, Finding[]> {
  const findings: Finding[] = [];
  const records = Map.groupBy(documents, ({ record }) => record?.number);
  const hasNumbers = [...records.keys()].some((number) => number !== undefined);
  const nameOf = ({ title, key }: typeof documents[0]) => `"${quoted(title, 100)}" (${toUri(key, scheme)})`;
  const within = attempt(() => files.realPath(root)) ?? root;
  for (const path of paths) {
    const own = rules.filter((rule) => rule.appliesTo(path));
    const isCiting = hasNumbers && mayCite(path);
    if (own.length === 0 && !isCiting) continue;
    yield;
    const text = readCode(files, within, path);
    if (text === undefined) continue;
    const code = new Code(path, text);
    for (const one of findBreaks(own, code)) {
      const { rule, line } = one;
      const name = rule.kind === "forbids" ? "code-forbidden" : "code-required";
      findings.push(problem(name, path, `The code ${describeBreak(one, nameOf(rule.document))}`, line));
    }
    for (const { name, number, isSure, line } of isCiting ? citationsIn(code) : []) {
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
