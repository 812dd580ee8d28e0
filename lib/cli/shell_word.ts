/** Command lines that users paste into a shell, or that clients give to one. */

/** The characters that a shell of Windows expands in double quotes. PowerShell takes typographic quotes for plain ones. */
const EXPANDED = /[`$\u201c-\u201e]/;
/** The characters that end a command, or begin another, where the quotes in a word have ended those around it. */
const SPECIAL = /[^\p{L}\p{N}\s_@%+=:,.\/\\{}[\]"-]/u;

/** The words of a command, quoted. Undefined on Windows, whose shells have no quotes in common, if one of them could run a part of a word. */
export function commandLine(words: readonly string[], onWindows: boolean): string | undefined {
  const isUnsafe = (word: string) => (word.includes('"') ? SPECIAL : EXPANDED).test(word);
  return onWindows && words.some(isUnsafe) ? undefined : words.map((one) => quoted(one, onWindows)).join(" ");
}

/** The words of a command in PowerShell, which has no variables before it. */
export function powershellLine(words: readonly string[]): string {
  const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const toWord = (word: string) =>
    /^[\w+=:./-]+$/.test(word) ? word : `'${word.replace(/['\u2018-\u201b]/g, "$&$&")}'`;
  return `& ${words.slice(start).map(toWord).join(" ")}`;
}

/** A word, quoted for the shell if it has to be. Of "NAME=value", only the value is quoted, so that it can set a variable. */
function quoted(word: string, onWindows: boolean): string {
  const [, name = "", value] = /^([A-Z_]+=)(.+)$/s.exec(word) ?? [];
  if (value !== undefined && !onWindows) return name + quoted(value, onWindows);
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return onWindows ? `"${word.replaceAll('"', '\\"')}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
