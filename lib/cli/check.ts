/** The command check: problems in the documents and prompts, for people and for continuous integration. */

import type { Platform } from "../platform/platform.ts";
import type { Finding } from "../documents/mod.ts";
import type { Folders } from "./folders.ts";
import type { Options } from "./options.ts";
import { attempt, count, printable } from "../base/text.ts";
import { isInside } from "../documents/files.ts";
import { DocumentStore } from "../documents/store.ts";
import { toAnnotations, toSarif, toText } from "./check_output.ts";
import { ConfigurationError } from "./options.ts";
import { levelsOf } from "./find_folder.ts";
import { foldersText } from "./folder_text.ts";
import { foldersOf, NAME_A_FOLDER } from "./folders.ts";
import { toJsonText } from "./io.ts";
import { folderPaths } from "./paths.ts";
import { findProblems } from "./problems.ts";

/** Maximum number of places of a rule that are shown. */
const SHOWN_PLACES = 3;

/** Checks everything that the server would serve; the exit code is 1 when there is an error. */
export async function check(platform: Platform, options: Options): Promise<number> {
  const folders = foldersOf(platform, options);
  // A command that names no folder by mistake must not pass for ever.
  if (folders.isSample) throw new ConfigurationError(`Cannot check the sample: ${NAME_A_FOLDER}`);
  const documents = new DocumentStore(platform.files, folders);
  const found = await findProblems(platform, options, documents, folders);
  const { all, findings, prompts, isEmpty, code, codeRules } = found;
  const { documents: { length }, recordFolders } = documents.catalogue;
  // A wrong path must not look like a folder without problems.
  if (isEmpty) {
    throw new ConfigurationError(`There is nothing to check in ${foldersText(folders)}: name another folder`);
  }
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  const more = all.length === findings.length ? "" : `; ${all.length - findings.length} in the baseline`;
  const problems = `${count(errors, "error")}, ${count(warnings, "warning")}${more}`;
  if (code !== undefined) noteStart(platform, folders, code);
  const rules = code === undefined ? "" : `, ${count(codeRules, "rule")} for code`;
  const summary = `${count(length, "document")} and ${count(prompts, "prompt")}${rules}: ${problems}\n`;
  const guesses = recordFolders.filter(({ isForced }) => !isForced).map(({ folder, isRecords, reason }) => {
    const what = isRecords ? "decision records" : `no decision records without --records ${folder}`;
    return `${printable(`${folder}: ${what}: ${reason}`)}\n`;
  });
  const pathOf = pathsOf(platform, folders, code);
  const formats: Readonly<Record<string, () => string>> = {
    text: () => toText(findings, options.has("rule") ? Infinity : SHOWN_PLACES) + guesses.join("") + summary,
    json: () =>
      toJsonText({ findings, errors, warnings, documents: length, prompts, records: recordFolders }),
    github: () => toAnnotations(findings, pathOf) + summary,
    sarif: () => toJsonText(toSarif(findings, pathOf)),
    baseline: () => toJsonText({ known: all.map(({ file, rule, message }) => ({ file, rule, message })) }),
  };
  const format = options.get("format") ?? "text";
  platform.print("output", formats[format]!());
  return errors > 0 && format !== "baseline" ? 1 : 0;
}

/** Says where patterns of files start, if --code is a part of a repository whose documents are elsewhere. */
function noteStart({ files, print }: Platform, folders: Folders, code: string): void {
  const [within, ...above] = levelsOf(files, code), top = above.at(-1);
  const documents = attempt(() => files.realPath(folderPaths(folders)[0]!));
  if (within === undefined || top === undefined || documents === undefined) return;
  if (isInside(documents, within, files.separator) || !isInside(documents, top, files.separator)) return;
  const way = `if they start at the root of the repository, use --code ${top}`;
  print(
    "error",
    `architrave: ${printable(`Patterns of files start at ${within}, the folder of --code; ${way}`)}.\n`,
  );
}

/** The rules whose findings name a file of the code, as a path from the folder of the code. */
const ABOUT_CODE = /^code-(?:forbidden|required|cites)/;

/** Gives the path of the file of a finding, with slashes. Below the working directory, it is a relative path. */
function pathsOf(
  { files }: Platform,
  { root, mounts }: Folders,
  code: string | undefined,
): (finding: Finding) => string {
  const here = attempt(() => `${files.realPath(".").replaceAll("\\", "/")}/`);
  const base = code === undefined ? "" : attempt(() => files.realPath(code)) ?? code;
  return ({ file, rule }) => {
    const mount = mounts.find(({ name }) => file.startsWith(`${name}/`));
    const isOther = /^(?:prompts(?:$|\/.*\.json$)|skills\/.*\bSKILL\.md$)/.test(file);
    const folder = isOther ? root : `${root}/resources`;
    const path = ABOUT_CODE.test(rule)
      ? `${base}/${file}`
      : mount
      ? mount.path + file.slice(mount.name.length)
      : `${folder}/${file}`;
    const plain = path.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
    return here !== undefined && plain.startsWith(here) ? plain.slice(here.length) : plain;
  };
}
