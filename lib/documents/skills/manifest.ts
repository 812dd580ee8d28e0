/** Reads the front matter of `SKILL.md` as JSON, and checks it (https://agentskills.io/specification). */

import type { JsonObject } from "../../base/json.ts";
import { isObject, isTooDeep } from "../../base/json.ts";
import { readYaml, YamlError } from "../../formats/yaml.ts";
import { decodeText } from "../files.ts";

/** The file that makes a folder a skill. */
export const MANIFEST = "SKILL.md";
/** The maximum length of the front matter with its two lines of `---`, in UTF-16 units. */
const MAX_LENGTH = 64 * 1024;
/** The maximum depth of nesting. */
const MAX_DEPTH = 32;

/** The front matter of a `SKILL.md` in a folder of that name, with all fields; or the reason why it is not valid. */
export function readManifest(bytes: Uint8Array, folder: string): JsonObject | string {
  const text = decodeText(bytes) ?? "";
  const lines = text.slice(0, MAX_LENGTH).split("\n").map((line) => line.replace(/\r$/, ""));
  // The last line may be cut.
  if (text.length > MAX_LENGTH) lines.pop();
  const isFence = (line: string) => /^---[ \t]*$/.test(line);
  const end = lines.findIndex((line, index) => index > 0 && isFence(line));
  if (end < 0 || !isFence(lines[0]!)) {
    return `it must be UTF-8 and begin with front matter of at most ${MAX_LENGTH} characters`;
  }
  try {
    const fields = readYaml(lines.slice(1, end).join("\n"), { exact: true });
    return isObject(fields) ? faultOf(fields, folder) ?? fields : "its front matter has no keys";
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause;
    return `line ${cause.line + 1} of its front matter: ${cause.reason}`;
  }
}

/** Whether a text can be the name of a skill and of its folder. */
export function isName(text: string): boolean {
  return text.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text);
}

/** What is wrong with the fields of a skill in a folder of that name; undefined when nothing is. */
export function faultOf(fields: JsonObject, folder: string): string | undefined {
  const { name, description, compatibility = "-", metadata = {} } = fields;
  const isText = (value: unknown, most: number) =>
    typeof value === "string" && value.trim() !== "" && Array.from(value).length <= most;
  if (name !== folder || !isName(folder)) {
    return "its name must be that of its folder, 1 to 64 lower-case letters, digits and single dashes";
  }
  if (isTooDeep(fields, MAX_DEPTH)) return `its values are nested more than ${MAX_DEPTH} deep`;
  if (/"(?:__proto__|constructor)":/.test(JSON.stringify(fields))) {
    return 'it has a field "constructor" or "__proto__", which cannot be sent: rename it';
  }
  if (!isText(description, 1024)) return "its description must have 1 to 1024 characters";
  const isFlat = isObject(metadata) && Object.values(metadata).every((value) => typeof value === "string");
  return isFlat && isText(compatibility, 500) ? undefined : "its metadata and compatibility must be texts";
}
