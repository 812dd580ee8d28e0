/** The settings of the command check: architrave.json, and the baseline. */

import type { Finding, Severity } from "../documents/mod.ts";
import type { Platform } from "../platform/platform.ts";
import type { FromSchema, Schema } from "../formats/schema/mod.ts";
import type { Options } from "./options.ts";
import { compact } from "../base/json.ts";
import { attempt, problemLines, reasonOf } from "../base/text.ts";
import { RULES } from "../documents/rules.ts";
import { compileSchema } from "../formats/schema/mod.ts";
import { ConfigurationError, unknownName } from "./options.ts";
import { readTextFile } from "./io.ts";

/** Maximum size of the settings and of a baseline, in bytes. */
const MAX_SETTINGS_BYTES = 16 * 1024 * 1024;

const TEXT = { type: "string" } as const, TEXTS = { type: "array", items: TEXT } as const;
const object = <const P, const R extends readonly string[]>(properties: P, ...required: R) =>
  ({ type: "object", properties, required, additionalProperties: false }) as const;
const dictionary = <const S>(additionalProperties: S) => ({ type: "object", additionalProperties } as const);
const SETTINGS = object({
  $schema: TEXT,
  words: object({ status: dictionary(TEXTS), labels: dictionary(TEXTS) }),
  check: object({
    rules: dictionary({ enum: ["off", "warning", "error"] }),
    exclude: TEXTS,
    proposedDays: { type: "integer", minimum: 1 },
    sections: dictionary({ anyOf: [TEXT, TEXTS] }),
    code: TEXT,
    baseline: TEXT,
  }),
});
const KNOWN = object({ file: TEXT, rule: TEXT, message: TEXT }, "file", "rule", "message");
const BASELINE = object({ known: { type: "array", items: KNOWN } }, "known");

/** What `architrave.json` says of check. Here, its paths are relative to the working directory. */
export interface Settings {
  readonly rules?: Readonly<Record<string, "off" | Severity>>;
  readonly exclude?: readonly string[];
  readonly proposedDays?: number;
  readonly sections?: Readonly<Record<string, string | readonly string[]>>;
  readonly code?: string;
  readonly baseline?: string;
}

/** What identifies a finding in a baseline: its line may change. */
export type Known = Pick<Finding, "file" | "rule" | "message">;

/** Reads the file that `--config` names, else the one next to the documents. `--code` and `--baseline` replace its members. */
export function readSettings(platform: Platform, options: Options, folders: readonly string[]): Settings {
  const nearby = folders.map((folder) => `${folder}/architrave.json`)
    .filter((path) => attempt(() => platform.files.status(path).kind) === "file");
  const file = options.get("config") ?? nearby[0];
  if (nearby.length > 1 && options.get("config") === undefined) {
    throw new ConfigurationError(`Cannot choose between ${nearby.join(" and ")}: name one with --config`);
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
    // Without the part of the text that the runtime quotes: a link can lead to a secret.
    const reason = reasonOf(cause).replace(/, (?:\.{3})?"[^]*/, "");
    throw new ConfigurationError(`Cannot read "${path}": it is not JSON: ${reason}`, { cause });
  }
  const [problem] = problemLines(compileSchema(schema)(value));
  if (problem === undefined) return value as FromSchema<S>;
  throw new ConfigurationError(`Cannot use "${path}": ${problem}`);
}

/** The findings that a baseline leaves out. */
export function readBaseline(platform: Platform, path: string): readonly Known[] {
  return readJson(platform, path, "the baseline", BASELINE).known;
}

/** Identifies a finding in a baseline. */
export const findingKey = ({ file, rule, message }: Known): string => JSON.stringify([file, rule, message]);
