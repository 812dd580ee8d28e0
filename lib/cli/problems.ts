/** Finds the problems of documents, prompts and skills, as the settings of check say. */

import type { Document, Finding, Scheme, Severity } from "../documents/mod.ts";
import type { Platform } from "../platform/platform.ts";
import type { Settings } from "./check_settings.ts";
import type { Folders } from "./folders.ts";
import type { Options } from "./options.ts";
import { inSlices } from "../base/async.ts";
import { compare } from "../base/text.ts";
import { walkFiles } from "../documents/walk.ts";
import { OFF_BY_DEFAULT, RULES } from "../documents/rules.ts";
import { lintInSteps } from "../documents/check.ts";
import { checkCode } from "../documents/check_code.ts";
import { codeRulesOf } from "../documents/edit_breaks.ts";
import { checkPrompts } from "../documents/prompts/check.ts";
import { findImage } from "../documents/images.ts";
import { PromptStore } from "../documents/prompts/store.ts";
import { SkillStore } from "../documents/skills/folder.ts";
import type { DocumentStore } from "../documents/store.ts";
import { toGlob } from "../formats/glob.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { findingKey, readBaseline, readSettings } from "./check_settings.ts";
import { ConfigurationError, unknownName } from "./options.ts";
import { adviceOf } from "./log.ts";
import { requireFolder } from "./folders.ts";
import { readTemplate, TEMPLATES } from "./record_template.ts";

/** Maximum number of files of the code. */
const MAX_CODE_FILES = 500_000;

/** The problems, sorted by file: all, and those that are not in the baseline. */
interface Problems extends Readonly<Record<"all" | "findings", readonly Finding[]>> {
  readonly prompts: number;
  readonly isEmpty: boolean;
  /** The folder of the code, and the number of rules for it. */
  readonly code: string | undefined;
  readonly codeRules: number;
}

/** Finds the problems. */
export async function findProblems(
  platform: Platform,
  options: Options,
  documents: DocumentStore,
  { root, mounts }: Folders,
): Promise<Problems> {
  const { files } = platform;
  const settings = readSettings(platform, options, [...mounts.map(({ path }) => path), root ?? []].flat());
  const { rules: levels = {}, exclude = [], code, baseline, sections = {}, proposedDays } = settings;
  const rules = options.list("rule");
  const ignored = [...options.list("ignore"), ...exclude];
  // A text that cannot be the name of a rule is a pattern of files.
  const names = ignored.filter((text) => !/[./*]/.test(text));
  const excluded = ignored.filter((text) => !names.includes(text)).map((pattern) => toGlob(pattern).matches);
  for (const name of [...rules, ...names]) {
    if (!RULES.includes(name)) throw unknownName("rule", name, RULES);
  }
  const prompts = new PromptStore(files, { root });
  const skills = new SkillStore(files, { root });
  for (const store of [documents, prompts, skills]) await store.ready();
  const paths = code === undefined ? undefined : listCode(platform, code);
  const scheme = options.get<Scheme>("scheme");
  const found = await inSlices(lintInSteps(documents, {
    code: paths,
    required: requiredSections(platform, options, documents, sections),
    strict: [...Object.keys(levels), ...rules.filter((rule) => OFF_BY_DEFAULT.includes(rule))],
    proposedDays,
    scheme,
    hasImage: (document, target) => findImage(files, document, target) !== undefined,
  }));
  const { catalogue } = documents;
  const codeRules = paths ? codeRulesOf(catalogue, (document) => documents.text(document)) : [];
  const inCode = await inSlices(checkCode(catalogue, codeRules, files, code ?? "", paths ?? [], scheme));
  const problems = [
    ...catalogue.findings,
    ...found,
    ...inCode,
    ...await checkPrompts(prompts, documents),
    ...skills.findings,
  ];
  const all = problems
    .filter(({ file, rule }) =>
      (rules.length === 0 || rules.includes(rule)) && levels[rule] !== "off" && !names.includes(rule) &&
      !excluded.some((excludes) => excludes(file))
    )
    .map((finding) => ({
      ...finding,
      severity: levels[finding.rule] as Severity ?? finding.severity,
      help: adviceOf(finding, platform),
    }))
    .filter(({ severity }) => severity === "error" || !options.has("errors-only"))
    .sort((left, right) => compare(left.file, right.file) || (left.line ?? 0) - (right.line ?? 0));
  // With --format baseline, this file may not exist yet, or may be open for writing.
  const isUsed = baseline !== undefined && options.get("format") !== "baseline";
  const known = isUsed ? readBaseline(platform, baseline) : [];
  const left = Map.groupBy(known, findingKey);
  // Each known finding is left out as often as it is in the baseline.
  const findings = all.filter((finding) => !left.get(findingKey(finding))?.pop());
  const lists = [problems, catalogue.documents, prompts.list ?? [], skills.skills];
  const isEmpty = lists.every(({ length }) => length === 0);
  return { all, findings, prompts: prompts.list?.length ?? 0, isEmpty, code, codeRules: codeRules.length };
}

function listCode(platform: Platform, root: string): readonly string[] {
  requireFolder(platform, root, "the code");
  const found: string[] = [];
  for (const path of walkFiles(platform.files, root, (name) => name === ".git" || name === "node_modules")) {
    if (found.push(path) <= MAX_CODE_FILES) continue;
    throw new ConfigurationError(
      `Cannot list the code: "${root}" has more than ${MAX_CODE_FILES} files; name a smaller folder`,
    );
  }
  return found;
}

function requiredSections(
  platform: Platform,
  options: Options,
  store: DocumentStore,
  sections: NonNullable<Settings["sections"]>,
) {
  const rows = Object.entries(sections).map(([pattern, stated]) => {
    const { matches } = toGlob(pattern);
    if (typeof stated !== "string") return { matches, titles: stated };
    const document = store.catalogue.documents.find(({ label }) => label === stated);
    if (!document && !TEMPLATES.includes(stated)) {
      const known = `${TEMPLATES.join(", ")}, or a document such as adr/template.md`;
      throw new ConfigurationError(`Unknown template "${stated}": use ${known}`);
    }
    const text = document ? store.text(document) ?? "" : readTemplate(platform, options, stated);
    return { matches, titles: templateSections(text) };
  });
  return ({ label }: Document) => rows.find(({ matches }) => matches(label))?.titles;
}

/** The sections that a template requires: those of the second level, unless a comment in or above one calls it optional. */
function templateSections(text: string): string[] {
  const { lines, sections } = readMarkdown(text);
  const isOptional = (line: number): boolean => /optional/i.test(`${lines[line - 1]} ${lines[line]}`);
  return sections.filter(({ level, line }) => level === 2 && !isOptional(line)).map(({ title }) => title);
}
