/** Reads the values of front matter that need a reader of YAML. It is loaded for the first document that has one. */

import { asArray, asObject, asString, isObject } from "../../base/json.ts";
import { readYaml, YamlError } from "../yaml.ts";
import { COMMENT_OR_BLANK, ITEM, PAIR } from "./front_matter.ts";

/** The maximum number of members of an object that are read. */
const MAX_MEMBERS = 50;

/**
 * The texts of a key's value; if it is not YAML, the reason, with the line counted from 1 at the key; and of an object, the texts of
 * its members.
 */
export function readYamlValue(
  key: string,
  text: string,
  lines: readonly string[],
): readonly [
  texts: readonly string[],
  fault?: YamlError | undefined,
  members?: Readonly<Record<string, readonly string[]>>,
] {
  try {
    const [value] = Object.values(readYaml(lines.join("\n"), { verbatim: true }) as object);
    if (key === "affects") {
      // The form of adrkit: what a decision affects. Only paths are file patterns.
      const paths = asArray(value).map(asObject).filter(({ type }) => type === "path");
      return [paths.flatMap(({ pattern }) => asString(pattern) ?? [])];
    }
    // In templates, a text is written in braces.
    if (!isObject(value)) return [asTexts(value)];
    const members = Object.entries(value).slice(0, MAX_MEMBERS).filter(([, member]) => !isObject(member))
      .map(([name, member]) => [name, asTexts(member)]);
    return [verbatim(text, lines), undefined, Object.fromEntries(members)];
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause;
    return [verbatim(text, lines), cause];
  }
}

/** The texts of a value. Of an object in a list, its first member. */
function asTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(asTexts);
  // The line end of a block is not part of its text.
  if (typeof value === "string") return [value.endsWith("\n") ? value.trimEnd() : value];
  const first = Object.entries(asObject(value)).slice(0, 1);
  return first.map(([key, member]) => `${key}: ${asTexts(member).join(", ")}`);
}

/** The values of text that is an object or not valid YAML: the items of a list, else the text. `lines` begins with its own line. */
function verbatim(text: string, lines: readonly string[]): string[] {
  const below = lines.slice(1).filter((line) => !COMMENT_OR_BLANK.test(line)).map((line) => line.trim());
  if (text === "" && PAIR.test(below[0] ?? "")) return [];
  const items = text === "" ? below.filter((line) => ITEM.test(line)) : [];
  const unquoted = (raw = "") => raw.trim().replace(/[ \t]#.*$/s, "").replace(/^(["'])(.*)\1$/s, "$2");
  if (items.length > 0) return items.map((item) => unquoted(ITEM.exec(item)![1]));
  const whole = [text, ...below].join(" ").trim();
  const list = /^\[(.*)\]$/s.exec(whole)?.[1]?.split(",");
  return (list ?? [whole]).map(unquoted);
}
