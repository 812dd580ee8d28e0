/** Tables in a text. */

/**
 * The rows of a table, one a line, each with up to four cells between vertical bars, or between arrows where there are any,
 * with spaces around these. Lines that begin with two slashes are comments.
 */
export function table(text: string): [string, string, string, string][] {
  const between = text.includes(" => ") ? /(?<=^|\s)=>(?=$|\s)/ : /(?<=^|\s)\|(?=$|\s)/;
  const rows = text.trim().split("\n").map((row) => row.trim()).filter((row) => !row.startsWith("//"));
  return rows.map((row) => row.split(between).map((cell) => cell.trim()) as [string, string, string, string]);
}

/** A text of a table: escapes are those of JSON, and quotes stand for themselves. */
export const unescaped = (cell: string): string => JSON.parse(`"${cell.replaceAll('"', '\\"')}"`);
