/** The syntax of the places in which a record states something: headings, lines with fields, YAML and TOML. */

/** What separates two fields in a line, after spaces. */
const NEXT = /[|·•][ \t]{1,20}(?=[*_]{0,2}\p{L}[\p{L} -]{0,30}[*_]{0,2}:)/gu;

/** Adds a record to a text that names others. Next to links, a name without a link would not be read. */
export function withName(text: string, id: string, link: string): string {
  return `${text}, ${text.includes("](") ? link : id}`;
}

/** One name, or a list of names. */
export function toYaml(names: readonly string[]): string {
  // A zero in front makes a number octal for some readers.
  const all = names.map((name) => /^(?!0\d)[\w.-]+$/.test(name) ? name : JSON.stringify(name));
  return all.length === 1 ? all[0]! : `[${all.join(", ")}]`;
}

/** The text of a heading without its number signs. */
export function headingText(line: string): string {
  const text = line.replace(/^ {0,3}#{1,6}/, "").trim();
  let end = text.length;
  while (text[end - 1] === "#") end--;
  return end === 0 || /[ \t]/.test(text[end - 1]!) ? text.slice(0, end).trimEnd() : text;
}

/** A line as its fields, with the text between them: every second one. */
export function splitFields(line: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const { index, 0: mark } of line.matchAll(NEXT)) {
    const field = line.slice(start, index), text = field.trimEnd();
    if (text === field) continue;
    parts.push(text, field.slice(text.length) + mark);
    start = index + mark.length;
  }
  return [...parts, line.slice(start)];
}

/** The comment at the end of a line of front matter, with the spaces before it; empty without one. */
export function commentOf(row: string): string {
  const quoted = Math.max(...['"', "'", "{", "}"].map((mark) => row.lastIndexOf(mark)));
  const at = [" #", "\t#"].map((mark) => row.indexOf(mark, quoted + 1)).filter((at) => at >= 0);
  if (at.length === 0) return "";
  const comment = Math.min(...at);
  return row.slice(row.slice(0, comment).trimEnd().length);
}

/** A text, or a list of names. */
export function toToml(value: string | readonly string[]): string {
  if (typeof value !== "string") {
    return value.length === 1
      ? JSON.stringify(value[0])
      : `[${value.map((name) => JSON.stringify(name)).join(", ")}]`;
  }
  return value.startsWith('"') ? value : JSON.stringify(value);
}
