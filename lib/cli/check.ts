/** The command check: problems in the documents and prompts, by file, on standard output. */

import type { Platform } from "../../deps.ts";
import type { Options } from "./main.ts";
import { printable } from "../base/text.ts";
import { lint } from "../documents/lint.ts";
import { DocumentStore } from "../documents/store.ts";
import { PromptStore } from "../prompts/store.ts";
import { adviceOf, foldersOf, placeOf, toJson } from "./program.ts";

/** Checks everything that the server would serve; the exit code is 1 when there is an error. */
export async function check(platform: Platform, options: Options): Promise<number> {
  const { root, mounts, records } = foldersOf(platform, options);
  const documents = new DocumentStore(platform.files, { root, mounts, records });
  await documents.ready();
  const { catalogue } = documents;
  const prompts = new PromptStore(platform.files, { root });
  await prompts.ready();
  const findings = [...catalogue.findings, ...lint(documents), ...prompts.lint(documents)]
    .sort((left, right) =>
      left.file === right.file ? (left.line ?? 0) - (right.line ?? 0) : left.file < right.file ? -1 : 1
    );
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const counts = {
    errors,
    warnings: findings.length - errors,
    documents: catalogue.documents.length,
    prompts: prompts.list?.length ?? 0,
  };
  if (options.get("format") === "json") {
    platform.print("output", toJson({ findings, ...counts, records: catalogue.recordFolders }));
  } else {
    const lines = findings.map((finding) => {
      const { severity, rule, message } = finding;
      return printable(`${placeOf(finding)} ${severity} ${rule}: ${message}. ${adviceOf(finding, platform)}`);
    });
    const count = (name: keyof typeof counts) =>
      `${counts[name]} ${counts[name] === 1 ? name.slice(0, -1) : name}`;
    const summary = `${count("documents")} and ${count("prompts")}: ${count("errors")}, ${count("warnings")}`;
    const guessed = catalogue.recordFolders.filter(({ isForced }) => !isForced);
    const records = guessed.map(({ folder, isRecords, reason }) => {
      const what = isRecords ? "decision records" : `no decision records without --records ${folder}`;
      return printable(`${folder}: ${what}: ${reason}`);
    });
    platform.print("output", [...lines, ...records, summary, ""].join("\n"));
  }
  return errors > 0 ? 1 : 0;
}
