/** Unified diffs of texts. */

/** Number of unchanged lines that are shown before and after a change. */
const CONTEXT = 3;
/** Maximum number of pairs of lines that are compared. In larger texts, the diff replaces all lines. */
const MAX_PAIRS = 16_000_000;

/** The unified diff of two texts; undefined is a file that does not exist. Empty when the texts are equal. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const rows = rowsOf(linesOf(before ?? ""), linesOf(after ?? ""));
  const isNear = (row: number): boolean =>
    rows.slice(Math.max(0, row - CONTEXT), row + CONTEXT + 1).some(([mark]) => mark !== " ");
  // An absolute path is shown relative to the root.
  const name = path.replace(/^(?:\.?\/)+/, "");
  const from = before === undefined ? "/dev/null" : `a/${name}`;
  const text = [`--- ${from}\n+++ ${after === undefined ? "/dev/null" : `b/${name}`}\n`];
  const shown = { "-": 0, "+": 0 };
  for (let start = 0, end = 0; start < rows.length; start = end) {
    const isHunk = isNear(start);
    while (end < rows.length && isNear(end) === isHunk) end++;
    const part = rows.slice(start, end);
    const range = (side: "-" | "+"): string => {
      const count = part.filter(([mark]) => mark === " " || mark === side).length;
      // An empty range is named by the line before it.
      const first = shown[side] + (count === 0 ? 0 : 1);
      shown[side] += count;
      return `${side}${first}${count === 1 ? "" : `,${count}`}`;
    };
    const head = `@@ ${range("-")} ${range("+")} @@\n`;
    const ends = (line: string) => line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`;
    if (isHunk) text.push(head, ...part.map(([mark, line]) => mark + ends(line)));
  }
  return text.join("");
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

type Row = readonly [mark: " " | "-" | "+", line: string];

/** The lines of both texts, as few as possible with "-" or "+": " " marks a common line, "-" a removed one, "+" an added one. */
function rowsOf(old: readonly string[], now: readonly string[]): Row[] {
  const most = Math.min(old.length, now.length);
  let start = 0, end = 0;
  while (start < most && old[start] === now[start]) start++;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const same = (line: string): Row => [" ", line];
  const changed = changedRows(old.slice(start, old.length - end), now.slice(start, now.length - end));
  return [...old.slice(0, start).map(same), ...changed, ...old.slice(old.length - end).map(same)];
}

/** The same for the lines between those that both texts begin and end with. */
function changedRows(old: readonly string[], now: readonly string[]): Row[] {
  if (old.length * now.length > MAX_PAIRS) {
    return [...old.map((line): Row => ["-", line]), ...now.map((line): Row => ["+", line])];
  }
  const width = now.length + 1;
  /** By place in both texts: the maximum number of lines that the rests have in common. */
  const common = new Uint16Array((old.length + 1) * width);
  for (let x = old.length - 1; x >= 0; x--) {
    for (let y = now.length - 1; y >= 0; y--) {
      const at = x * width + y;
      const longest = Math.max(common[at + 1]!, common[at + width]!);
      common[at] = old[x] === now[y] ? common[at + width + 1]! + 1 : longest;
    }
  }
  const rows: Row[] = [];
  for (let x = 0, y = 0; x < old.length || y < now.length;) {
    const at = x * width + y, isCommon = x < old.length && old[x] === now[y];
    const isRemoved = y === now.length || (x < old.length && common[at + width]! >= common[at + 1]!);
    rows.push(isCommon ? [" ", old[x]!] : isRemoved ? ["-", old[x]!] : ["+", now[y]!]);
    if (isCommon || isRemoved) x++;
    if (isCommon || !isRemoved) y++;
  }
  return rows;
}
