/** The command check: problems in the documents and prompts, for people and for continuous integration. */

import type { Platform } from "../platform/platform.ts";
import type { Document } from "../documents/catalogue.ts";
import type { Finding, Severity } from "../documents/findings.ts";
import type { Scheme } from "../documents/uri.ts";
import type { FromSchema, Schema } from "../formats/schema/mod.ts";
import type { Folders, Options } from "./main.ts";
import { inSlices } from "../base/async.ts";
import { textHash } from "../base/bytes.ts";
import { toGlob } from "../formats/glob.ts";
import { compact } from "../base/json.ts";
import { attempt, compare, count, printable, problemLines, reasonOf } from "../base/text.ts";
import { walkFiles } from "../documents/files.ts";
import { RULES } from "../documents/findings.ts";
import { lintInSteps } from "../documents/lint.ts";
import { readMarkdown } from "../formats/markdown/document.ts";
import { DocumentStore } from "../documents/store.ts";
import { PromptStore } from "../documents/prompts/store.ts";
import { compileSchema } from "../formats/schema/mod.ts";
import { SkillStore } from "../documents/skills/folder.ts";
import { readTextFile, toJson } from "./io.ts";
import {
  adviceOf,
  ConfigurationError,
  foldersOf,
  foldersText,
  noteSample,
  placeOf,
  requireFolder,
  unknownName,
  VERSION,
} from "./main.ts";
import { readTemplate, TEMPLATES } from "./record_text.ts";

/** How many places of a rule are shown, the most files of the code, and the largest settings or baseline, in bytes. */
const SHOWN_PLACES = 3, MAX_CODE_FILES = 500_000, MAX_SETTINGS_BYTES = 16 * 1024 * 1024;

/** What is wrong with documents, prompts and skills by the settings, sorted by file: all, and what the baseline does not have. */
export async function findProblems(
  platform: Platform,
  options: Options,
  documents: DocumentStore,
  { root, mounts }: Folders,
): Promise<{ all: readonly Finding[]; findings: readonly Finding[]; prompts: number; isEmpty: boolean }> {
  const { files } = platform;
  const settings = readSettings(platform, options, [...mounts.map(({ path }) => path), root ?? []].flat());
  const { rules: levels = {}, exclude = [], code, baseline, sections = {} } = settings;
  const rules = options.list("rule");
  const ignored = [...options.list("ignore"), ...exclude];
  // What cannot be the name of a rule is a pattern of files.
  const names = ignored.filter((text) => !/[./*]/.test(text));
  const excluded = ignored.filter((text) => !names.includes(text)).map((pattern) => toGlob(pattern).matches);
  for (const name of [...rules, ...names]) if (!RULES.includes(name)) throw unknownName("rule", name, RULES);
  const prompts = new PromptStore(files, { root });
  const skills = new SkillStore(files, { root });
  for (const store of [documents, prompts, skills]) await store.ready();
  const found = await inSlices(lintInSteps(documents, {
    code: code === undefined ? undefined : listCode(platform, code),
    required: requiredSections(platform, options, documents, sections),
    strict: Object.keys(levels),
    scheme: options.get<Scheme>("scheme"),
  }));
  const problems = [
    ...documents.catalogue.findings,
    ...found,
    ...prompts.lint(documents),
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
  // It may be about to be made, or be open for writing.
  const isUsed = baseline !== undefined && options.get("format") !== "baseline";
  const known = isUsed ? readJson(platform, baseline, "the baseline", BASELINE).known : [];
  const left = Map.groupBy(known, keyOf);
  // Each known finding is left out as often as it is in the baseline.
  const findings = all.filter((finding) => !left.get(keyOf(finding))?.pop());
  const lists = [problems, documents.catalogue.documents, prompts.list ?? [], skills.skills];
  const isEmpty = lists.every(({ length }) => length === 0);
  return { all, findings, prompts: prompts.list?.length ?? 0, isEmpty };
}

/** Checks everything that the server would serve; the exit code is 1 when there is an error. */
export async function check(platform: Platform, options: Options): Promise<number> {
  const folders = foldersOf(platform, options);
  noteSample(platform, folders);
  const documents = new DocumentStore(platform.files, folders);
  const { all, findings, prompts, isEmpty } = await findProblems(platform, options, documents, folders);
  const { documents: { length }, recordFolders } = documents.catalogue;
  // A wrong path must not pass.
  if (isEmpty) {
    throw new ConfigurationError(`There is nothing to check in ${foldersText(folders)}: name another folder`);
  }
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  const more = all.length === findings.length ? "" : `; ${all.length - findings.length} in the baseline`;
  const problems = `${count(errors, "error")}, ${count(warnings, "warning")}${more}`;
  const summary = `${count(length, "document")} and ${count(prompts, "prompt")}: ${problems}\n`;
  const guesses = recordFolders.filter(({ isForced }) => !isForced).map(({ folder, isRecords, reason }) => {
    const what = isRecords ? "decision records" : `no decision records without --records ${folder}`;
    return `${printable(`${folder}: ${what}: ${reason}`)}\n`;
  });
  const pathOf = pathsOf(platform, folders);
  const formats: Readonly<Record<string, () => string>> = {
    text: () => toText(findings, options.has("rule") ? Infinity : SHOWN_PLACES) + guesses.join("") + summary,
    json: () => toJson({ findings, errors, warnings, documents: length, prompts, records: recordFolders }),
    github: () => toAnnotations(findings, pathOf) + summary,
    sarif: () => toJson(toSarif(findings, pathOf)),
    baseline: () => toJson({ known: all.map(({ file, rule, message }) => ({ file, rule, message })) }),
  };
  const format = options.get("format") ?? "text";
  platform.print("output", formats[format]!());
  return errors > 0 && format !== "baseline" ? 1 : 0;
}

/** Gives the path of a file of a finding: with slashes, from the working directory where it lies below it. */
function pathsOf({ files }: Platform, { root, mounts }: Folders): (file: string) => string {
  const here = attempt(() => `${files.realPath(".").replaceAll("\\", "/")}/`);
  return (file) => {
    const mount = mounts.find(({ name }) => file.startsWith(`${name}/`));
    const isOther = /^(?:prompts(?:$|\/.*\.json$)|skills\/.*\bSKILL\.md$)/.test(file);
    const folder = isOther ? root : `${root}/resources`;
    const path = mount ? mount.path + file.slice(mount.name.length) : `${folder}/${file}`;
    const plain = path.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
    return here !== undefined && plain.startsWith(here) ? plain.slice(here.length) : plain;
  };
}

const TEXT = { type: "string" } as const, TEXTS = { type: "array", items: TEXT } as const;
const object = <const P, const R extends readonly string[]>(properties: P, ...required: R) =>
  ({ type: "object", properties, required, additionalProperties: false }) as const;
const dictionary = <const S>(additionalProperties: S) => ({ type: "object", additionalProperties } as const);
const SETTINGS = object({
  $schema: TEXT,
  check: object({
    rules: dictionary({ enum: ["off", "warning", "error"] }),
    exclude: TEXTS,
    sections: dictionary({ anyOf: [TEXT, TEXTS] }),
    code: TEXT,
    baseline: TEXT,
  }),
});
const KNOWN = object({ file: TEXT, rule: TEXT, message: TEXT }, "file", "rule", "message");
const BASELINE = object({ known: { type: "array", items: KNOWN } }, "known");

type Settings = NonNullable<FromSchema<typeof SETTINGS>["check"]>;
type Sections = NonNullable<Settings["sections"]>;
type Known = FromSchema<typeof KNOWN>;

/** Reads the settings beside the documents. Their paths are relative to their file, those of options to the working directory. */
function readSettings(platform: Platform, options: Options, folders: readonly string[]): Settings {
  const beside = folders.map((folder) => `${folder}/architrave.json`)
    .filter((path) => attempt(() => platform.files.status(path).kind) === "file");
  const file = options.get("config") ?? beside[0];
  if (beside.length > 1 && options.get("config") === undefined) {
    throw new ConfigurationError(`Cannot choose between ${beside.join(" and ")}: name one with --config`);
  }
  const { check = {} } = file === undefined ? {} : readJson(platform, file, "the settings", SETTINGS);
  for (const name of Object.keys(check.rules ?? {})) {
    if (!RULES.includes(name)) throw unknownName(`rule in ${file}:`, name, RULES);
  }
  const pathOf = (name: "code" | "baseline"): string | undefined =>
    options.get(name) ?? check[name]?.replace(/^(?![\\/]|[A-Za-z]:)/, () => file!.replace(/[^\\/]*$/, ""));
  return compact({ ...check, code: pathOf("code"), baseline: pathOf("baseline") });
}

function readJson<const S extends Schema>(platform: Platform, path: string, what: string, schema: S) {
  const text = readTextFile(platform, path, what, MAX_SETTINGS_BYTES);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ConfigurationError(`Cannot read "${path}": it is not JSON: ${reasonOf(cause)}`, { cause });
  }
  const [problem] = problemLines(compileSchema(schema)(value));
  if (problem === undefined) return value as FromSchema<S>;
  throw new ConfigurationError(`Cannot use "${path}": ${problem}`);
}

/** Identifies a finding in a baseline: its line may change. */
const keyOf = ({ file, rule, message }: Known): string => JSON.stringify([file, rule, message]);

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

function requiredSections(platform: Platform, options: Options, store: DocumentStore, sections: Sections) {
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

/** The sections of the second level; a comment above or in a heading can say that it is optional. */
function templateSections(text: string): string[] {
  const { lines, sections } = readMarkdown(text);
  const isOptional = (line: number): boolean => /optional/i.test(`${lines[line - 1]} ${lines[line]}`);
  return sections.filter(({ level, line }) => level === 2 && !isOptional(line)).map(({ title }) => title);
}

/** The findings by rule, errors and frequent ones first, with at most so many places of each. */
function toText(findings: readonly Finding[], maxPlaces: number): string {
  const groups = [...Map.groupBy(findings, ({ severity, rule }) => `${severity} ${rule}`)]
    .sort(([left, { length }], [right, { length: other }]) => compare(left[0]!, right[0]!) || other - length);
  return groups.flatMap(([name, found]) => {
    const [{ help, rule }] = found as [Finding];
    const shown = found.slice(0, maxPlaces);
    const places = shown.map((finding) => `  ${placeOf(finding)}: ${finding.message}`);
    const more = found.length - shown.length;
    const rest = more > 0 ? [`  and ${more} more: --rule ${rule} shows all`] : [];
    return [`${name} (${found.length}): ${help}`, ...places, ...rest, ""];
  }).map((line) => `${printable(line)}\n`).join("");
}

/** Workflow commands of GitHub Actions: an annotation for each finding. */
function toAnnotations(findings: readonly Finding[], pathOf: (file: string) => string): string {
  const data = (text: string) => printable(text).replaceAll("%", "%25");
  const property = (text: string) => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
  return findings.map(({ severity, file, line = 1, rule, message, help }) => {
    const place = `file=${property(pathOf(file))},line=${line}`;
    return `::${severity} ${place},title=${rule}::${data(`${message}. ${help}`)}\n`;
  }).join("");
}

/** @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
function toSarif(findings: readonly Finding[], pathOf: (file: string) => string): unknown {
  const helps = new Map(findings.map(({ rule, help }) => [rule, help]));
  const ids = [...helps.keys()].sort();
  const rules = ids.map((id) => ({ id, help: { text: helps.get(id) } }));
  const results = findings.map((finding) => {
    const { rule, severity, message, help, file, line = 1 } = finding;
    const artifactLocation = { uri: toUriPath(pathOf(file)) };
    return {
      ruleId: rule,
      ruleIndex: ids.indexOf(rule),
      level: severity,
      message: { text: `${message}. ${help}` },
      locations: [{ physicalLocation: { artifactLocation, region: { startLine: line } } }],
      partialFingerprints: { "architrave/v1": textHash(keyOf(finding)) },
    };
  });
  return {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver: { name: "architrave", version: VERSION, rules } }, results }],
  };
}

function toUriPath(path: string): string {
  const encoded = path.split("/").map((segment) => encodeURIComponent(segment.toWellFormed())).join("/");
  const isAbsolute = /^(?:\/|[A-Za-z]%3A\/)/.test(encoded);
  return isAbsolute ? `file://${encoded.startsWith("/") ? "" : "/"}${encoded}` : encoded;
}
