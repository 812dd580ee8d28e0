/** Words of command lines that users paste into a shell. */

/** A word, quoted for the shell if it has to be. */
export function quotedWord(word: string, onWindows: boolean): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return onWindows ? `"${word.replaceAll('"', '\\"')}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
