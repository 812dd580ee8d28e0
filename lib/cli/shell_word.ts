/** Words of command lines that users paste into a shell. */

/** A word, quoted for the shell if it has to be. Of "NAME=value", only the value is quoted, so that it can set a variable. */
export function quotedWord(word: string, onWindows: boolean): string {
  const [, name = "", value] = /^([A-Z_]+=)(.+)$/s.exec(word) ?? [];
  if (value !== undefined && !onWindows) return name + quotedWord(value, onWindows);
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return onWindows ? `"${word.replaceAll('"', '\\"')}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
