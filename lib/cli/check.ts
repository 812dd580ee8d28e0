/** What is wrong with the documents and prompts? `check`: everything that is found, by place, on standard output. */

import type { Platform } from "../../deps.ts";
import type { Finding } from "../documents/finding.ts";
import type { Options } from "./options.ts";
import { lint } from "../documents/lint.ts";
import { Shelf } from "../documents/shelf.ts";
import { readPrompts } from "../prompts/folder.ts";
import { lintPrompts } from "../prompts/lint.ts";
import { requireFolders } from "./folders.ts";
import { oneLine } from "./log.ts";

/** What was looked at, and what was found. */
interface Report {
  readonly findings: readonly Finding[];
  readonly errors: number;
  readonly warnings: number;
  readonly documents: number;
  readonly prompts: number;
}

/** Checks everything that the server would serve; the exit code is 1 when there is an error. */
export async function check(platform: Platform, options: Options, root: string): Promise<number> {
  requireFolders(platform, options, root);
  const report = await inspect(platform, options, root);
  platform.print("output", options.format === "json" ? toJson(report) : toText(report));
  return report.errors > 0 ? 1 : 0;
}

async function inspect(platform: Platform, options: Options, root: string): Promise<Report> {
  const shelf = new Shelf(platform.files, { root, mounts: options.mounts });
  const catalogue = await shelf.ready();
  const prompts = readPrompts(platform.files, root, undefined);
  const findings = [
    ...catalogue.findings,
    ...lint(shelf),
    ...prompts.findings,
    ...lintPrompts(prompts, shelf),
  ].sort(byPlace);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return {
    findings,
    errors,
    warnings: findings.length - errors,
    documents: catalogue.documents.length,
    prompts: prompts.prompts.length,
  };
}

function byPlace(left: Finding, right: Finding): number {
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return (left.line ?? 0) - (right.line ?? 0);
}

function toJson(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

function toText({ findings, errors, warnings, documents, prompts }: Report): string {
  const lines = findings.map(({ file, line, severity, rule, message, help }) => {
    const place = line === undefined ? file : `${file}:${line}`;
    return oneLine(`${place} ${severity} ${rule}: ${message}. ${help}`);
  });
  const looked = `${count(documents, "document")} and ${count(prompts, "prompt")}`;
  const summary = `${looked}: ${count(errors, "error")}, ${count(warnings, "warning")}`;
  return [...lines, summary].map((line) => `${line}\n`).join("");
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
