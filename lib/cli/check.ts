/** The command check: problems in the documents and prompts, for people and for continuous integration. */

import type { FileSystem, Platform } from "../../deps.ts";
import type { Document } from "../documents/catalogue.ts";
import type { Finding, Severity } from "../documents/folder_store.ts";
import type { Schema } from "../schema/mod.ts";
import type { Options } from "./main.ts";
import { textHash } from "../base/bytes.ts";
import { toGlob } from "../base/glob.ts";
import { own } from "../base/json.ts";
import { didYouMean, nearest, printable, problemLines } from "../base/text.ts";
import { attempt } from "../documents/files.ts";
import { lint, LINT_RULES } from "../documents/lint.ts";
import { readMarkdown } from "../documents/markdown.ts";
import { FILE_RULES } from "../documents/scanner.ts";
import { DocumentStore } from "../documents/store.ts";
import { PROMPT_RULES, PromptStore } from "../prompts/store.ts";
import { compileSchema } from "../schema/mod.ts";
import {
  adviceOf,
  ConfigurationError,
  foldersOf,
  noteSample,
  placeOf,
  readTextFile,
  toJson,
  UsageError,
  VERSION,
} from "./program.ts";

/** How many places of a rule are shown; `--rule` shows all. */
const SHOWN_PLACES = 3;
/** The most files of the code that are listed, and the largest settings or baseline, in bytes. */
const MAX_CODE_FILES = 500_000, MAX_SETTINGS_BYTES = 16 * 1024 * 1024;
const ALL_RULES: readonly string[] = [...new Set([...LINT_RULES, ...FILE_RULES, ...PROMPT_RULES])].sort();

/** The sections of the templates that are known by name; any other template is a document. */
const MADR = ["Context and Problem Statement", "Considered Options", "Decision Outcome"];
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  "nygard": ["Status", "Context", "Decision", "Consequences"],
  "madr": MADR,
  "madr-minimal": MADR,
};

/** Checks everything that the server would serve; the exit code is 1 when there is an error. */
export async function check(platform: Platform, options: Options): Promise<number> {
  const { files } = platform;
  const named = foldersOf(platform, options);
  noteSample(platform, named);
  const { root, mounts, records } = named;
  const folders = [...mounts.map(({ path }) => path), ...root === undefined ? [] : [root]];
  const { rules: levels = {}, exclude = [], ...settings } = readSettings(platform, options, folders);
  const rules = options.list("rule");
  rules.forEach(requireRule);
  const documents = new DocumentStore(files, { root, mounts, records });
  await documents.ready();
  const { catalogue } = documents;
  const prompts = new PromptStore(files, { root });
  await prompts.ready();
  const code = settings.code === undefined ? undefined : listCode(files, settings.code);
  const required = requiredSections(documents, settings);
  const ignored = [...options.list("ignore"), ...exclude];
  const isIgnored = ignored.filter((text) => !isRule(text)).map((pattern) => toGlob(pattern).matches);
  const all = [...catalogue.findings, ...lint(documents, { code, required }), ...prompts.lint(documents)]
    .filter(({ file, rule }) => {
      const isChosen = rules.length === 0 || rules.includes(rule);
      const isOff = levels[rule] === "off" || ignored.includes(rule) || isIgnored.some((fits) => fits(file));
      return isChosen && !isOff;
    })
    .map((finding) => ({
      ...finding,
      severity: levels[finding.rule] as Severity ?? finding.severity,
      help: adviceOf(finding, platform),
    }))
    .filter(({ severity }) => severity === "error" || !options.has("errors-only"))
    .sort((left, right) =>
      left.file === right.file ? (left.line ?? 0) - (right.line ?? 0) : left.file < right.file ? -1 : 1
    );
  const format = options.get("format") ?? "text";
  const { known } = settings.baseline === undefined
    ? { known: [] }
    : readJson<{ known: readonly Finding[] }>(platform, settings.baseline, BASELINE);
  const findings = format === "baseline" ? all : withoutKnown(all, known);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const counts = {
    errors,
    warnings: findings.length - errors,
    documents: catalogue.documents.length,
    prompts: prompts.list?.length ?? 0,
  };
  const count = (name: keyof typeof counts) =>
    `${counts[name]} ${counts[name] === 1 ? name.slice(0, -1) : name}`;
  const more = all.length === findings.length ? "" : `; ${all.length - findings.length} in the baseline`;
  const [served, found] = [["documents", "prompts"], ["errors", "warnings"]] as const;
  const summary = `${served.map(count).join(" and ")}: ${found.map(count).join(", ")}${more}\n`;
  const guesses = catalogue.recordFolders.filter(({ isForced }) => !isForced)
    .map(({ folder, isRecords, reason }) => {
      const what = isRecords ? "decision records" : `no decision records without --records ${folder}`;
      return printable(`${folder}: ${what}: ${reason}`) + "\n";
    });
  const pathOf = (file: string): string => {
    const mount = mounts.find(({ name }) => file.startsWith(`${name}/`));
    const path = mount
      ? mount.path + file.slice(mount.name.length)
      : `${root}/${/^prompts(?:$|\/.*\.json$)/.test(file) ? "" : "resources/"}${file}`;
    return fromHere(files, path);
  };
  const formats: Readonly<Record<string, () => string>> = {
    text: () => toText(findings, rules.length > 0) + guesses.join("") + summary,
    json: () => toJson({ findings, ...counts, records: catalogue.recordFolders }),
    github: () => toAnnotations(findings, pathOf) + summary,
    sarif: () => toJson(toSarif(findings, pathOf)),
    baseline: () => toJson({ known: findings.map(({ file, rule, message }) => ({ file, rule, message })) }),
  };
  platform.print("output", formats[format]!());
  return errors > 0 && format !== "baseline" ? 1 : 0;
}

const TEXTS = { type: "array", items: { type: "string" } } as const;
const SETTINGS = {
  type: "object",
  properties: {
    $schema: { type: "string" },
    check: {
      type: "object",
      properties: {
        rules: {
          type: "object",
          propertyNames: { enum: ALL_RULES },
          additionalProperties: { type: "string", enum: ["off", "warning", "error"] },
        },
        exclude: TEXTS,
        sections: { type: "object", additionalProperties: { anyOf: [{ type: "string" }, TEXTS] } },
        code: { type: "string" },
        baseline: { type: "string" },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;
const BASELINE = {
  type: "object",
  properties: { known: { type: "array", items: { type: "object", required: ["file", "rule", "message"] } } },
  required: ["known"],
} as const;

/** What the settings beside the documents say, and the options that go before them. */
interface Settings {
  readonly rules?: Readonly<Record<string, Severity | "off">>;
  /** Patterns of files whose findings are left out. */
  readonly exclude?: readonly string[];
  /** By pattern of files: the sections that they must have, or the template that has them. */
  readonly sections?: Readonly<Record<string, string | readonly string[]>>;
  /** The folder of the code that `applies-to` is about. */
  readonly code?: string | undefined;
  /** The file of the findings that are known. */
  readonly baseline?: string | undefined;
}

/** Paths in the settings are relative to their file, those of options to the working directory. */
function readSettings(platform: Platform, options: Options, folders: readonly string[]): Settings {
  const beside = folders.map((folder) => `${folder}/architrave.json`)
    .filter((path) => attempt(() => platform.files.status(path).kind) === "file");
  const file = options.get("config") ?? beside[0];
  if (beside.length > 1 && options.get("config") === undefined) {
    throw new ConfigurationError(`Cannot choose between ${beside.join(" and ")}: name one with --config`);
  }
  const { check = {} } = file === undefined ? {} : readJson<{ check?: Settings }>(platform, file, SETTINGS);
  const folder = file?.slice(0, /[^\\/]*$/.exec(file)!.index) ?? "";
  const path = (name: "code" | "baseline"): string | undefined => {
    const stated = check[name];
    const isAbsolute = stated === undefined || /^(?:[\\/]|[A-Za-z]:)/.test(stated);
    return options.get(name) ?? (isAbsolute ? stated : folder + stated);
  };
  return { ...check, code: path("code"), baseline: path("baseline") };
}

/** Reads a JSON file that fits a schema. */
function readJson<T>(platform: Platform, path: string, schema: Schema): T {
  let value: unknown;
  try {
    value = JSON.parse(readTextFile(platform, path, "the settings or the baseline", MAX_SETTINGS_BYTES));
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new ConfigurationError(`Cannot read "${path}": it is not JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
  const [problem] = problemLines(compileSchema(schema)(value));
  if (problem === undefined) return value as T;
  throw new ConfigurationError(`Cannot use "${path}": ${problem}`);
}

/** What a finding is known by in a baseline: its line may change. */
function keyOf({ file, rule, message }: Finding): string {
  return JSON.stringify([file, rule, message]);
}

/** Leaves out the findings of the baseline, each as often as it is in there. */
function withoutKnown(findings: readonly Finding[], known: readonly Finding[]): readonly Finding[] {
  const left = new Map<string, number>();
  for (const key of known.map(keyOf)) left.set(key, (left.get(key) ?? 0) + 1);
  return findings.filter((finding) => {
    const key = keyOf(finding);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

/** Whether an ignored text is a rule; what cannot be the name of one is a pattern of files. */
function isRule(text: string): boolean {
  if (/[./*]/.test(text)) return false;
  requireRule(text);
  return true;
}

function requireRule(name: string): void {
  if (ALL_RULES.includes(name)) return;
  const meant = didYouMean(nearest(name, ALL_RULES));
  throw new UsageError(`Unknown rule "${name}"${meant}: use one of ${ALL_RULES.join(", ")}`);
}

/** The files below a folder, as paths from it; what version control and package managers keep is no code. */
function listCode(files: FileSystem, root: string): readonly string[] {
  const found: string[] = [];
  const folders = [""];
  if (!attempt(() => files.list(root))) {
    throw new ConfigurationError(`Cannot read the code: "${root}" is not a folder or must not be read`);
  }
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // A folder that must not be read has no files to apply to.
    const entries = attempt(() => files.list(`${root}/${folder}`)) ?? [];
    for (const { name, kind } of entries) {
      if (kind !== "directory") found.push(folder + name);
      else if (name !== ".git" && name !== "node_modules") folders.push(`${folder}${name}/`);
      if (found.length <= MAX_CODE_FILES) continue;
      throw new ConfigurationError(
        `Cannot list the code: "${root}" has more than ${MAX_CODE_FILES} files; name a smaller folder`,
      );
    }
  }
  return found;
}

/** Which sections a document must have, by the first pattern that matches it. */
function requiredSections(
  store: DocumentStore,
  { sections = {} }: Settings,
): ((document: Document) => readonly string[] | undefined) | undefined {
  const rows = Object.entries(sections).map(([pattern, template]) => {
    if (typeof template !== "string") return { ...toGlob(pattern), titles: template };
    const document = store.catalogue.documents.find(({ label }) => label === template);
    const titles = own(TEMPLATES, template) as readonly string[] | undefined ??
      (document && templateSections(store.text(document) ?? ""));
    if (titles) return { ...toGlob(pattern), titles };
    const names = Object.keys(TEMPLATES).join(", ");
    throw new ConfigurationError(
      `Unknown template "${template}": use ${names}, or a document such as adr/template.md`,
    );
  });
  return rows.length === 0 ? undefined : ({ label }) => rows.find(({ matches }) => matches(label))?.titles;
}

/** The sections of the second level; a comment above or in a heading can say that it is optional. */
function templateSections(text: string): string[] {
  const { lines, sections } = readMarkdown(text);
  const isOptional = (line: number): boolean => /optional/i.test(`${lines[line - 1]} ${lines[line]}`);
  return sections.filter(({ level, line }) => level === 2 && !isOptional(line)).map(({ title }) => title);
}

/** A path from the working directory where it lies below it, with slashes. */
function fromHere(files: FileSystem, path: string): string {
  const plain = path.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  const here = attempt(() => `${files.realPath(".").replaceAll("\\", "/")}/`);
  return here !== undefined && plain.startsWith(here) ? plain.slice(here.length) : plain;
}

/** The findings by rule, errors and frequent ones first, with the first places of each. */
function toText(findings: readonly Finding[], all: boolean): string {
  const groups = [...Map.groupBy(findings, ({ severity, rule }) => `${severity} ${rule}`)]
    .sort(([left, { length }], [right, { length: other }]) =>
      left[0] !== right[0] ? (left < right ? -1 : 1) : other - length
    );
  return groups.map(([name, found]) => {
    const shown = all ? found : found.slice(0, SHOWN_PLACES);
    const lines = shown.map((finding) => `  ${placeOf(finding)}: ${finding.message}`);
    if (found.length > shown.length) {
      lines.push(`  and ${found.length - shown.length} more: --rule ${found[0]!.rule} shows all`);
    }
    return [`${name} (${found.length}): ${found[0]!.help}`, ...lines].map((line) => `${printable(line)}\n`)
      .join("");
  }).map((text) => `${text}\n`).join("");
}

/** Workflow commands of GitHub Actions: an annotation for each finding. */
function toAnnotations(findings: readonly Finding[], pathOf: (file: string) => string): string {
  const data = (text: string) => printable(text).replaceAll("%", "%25");
  const property = (text: string) => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
  return findings.map(({ severity, file, line = 1, rule, message, help }) =>
    `::${severity} file=${property(pathOf(file))},line=${line},title=${rule}::${
      data(`${message}. ${help}`)
    }\n`
  ).join("");
}

/** @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
function toSarif(findings: readonly Finding[], pathOf: (file: string) => string): unknown {
  const helps = new Map(findings.map(({ rule, help }) => [rule, help]));
  const ids = [...helps.keys()].sort();
  return {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [{
      tool: {
        driver: {
          name: "architrave",
          version: VERSION,
          rules: ids.map((id) => ({ id, help: { text: helps.get(id) } })),
        },
      },
      results: findings.map((finding) => ({
        ruleId: finding.rule,
        ruleIndex: ids.indexOf(finding.rule),
        level: finding.severity,
        message: { text: `${finding.message}. ${finding.help}` },
        locations: [{
          physicalLocation: {
            artifactLocation: { uri: toUriPath(pathOf(finding.file)) },
            region: { startLine: finding.line ?? 1 },
          },
        }],
        partialFingerprints: { "architrave/v1": textHash(keyOf(finding)) },
      })),
    }],
  };
}

/** A path as a URI: relative, or of a file when it is absolute. */
function toUriPath(path: string): string {
  const encoded = path.split("/").map((segment) => encodeURIComponent(segment.toWellFormed())).join("/");
  const isAbsolute = /^(?:\/|[A-Za-z]%3A\/)/.test(encoded);
  return isAbsolute ? `file://${encoded.startsWith("/") ? "" : "/"}${encoded}` : encoded;
}
