/**
 * Unified diffs, as `diff -u` writes them.
 *
 * @see E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", section 4
 */

const CONTEXT = 3;
/** The most lines that are removed and added one by one; memory grows with its square. Beyond it, all lines are replaced. */
const MAX_EDITS = 1000;

/** The unified diff of two texts, undefined for a file that is not there; empty when they are equal. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const rows = rowsOf(linesOf(before ?? ""), linesOf(after ?? ""));
  const isNear = (row: number): boolean =>
    rows.slice(Math.max(0, row - CONTEXT), row + CONTEXT + 1).some(([mark]) => mark !== " ");
  // An absolute path is that of a tree at the root.
  const name = path.replace(/^(?:\.?\/)+/, "");
  const old = before === undefined ? "/dev/null" : `a/${name}`;
  const now = after === undefined ? "/dev/null" : `b/${name}`;
  const text = [`--- ${old}\n+++ ${now}\n`];
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
    if (isHunk) text.push(head, part.map(([mark, line]) => mark + ends(line)).join(""));
  }
  return text.join("");
}

/** The lines of a text with their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** All lines of both texts: " " for one of both, "-" for one that is removed, "+" for one that is added. */
function rowsOf(old: readonly string[], now: readonly string[]): (readonly [" " | "-" | "+", string])[] {
  let [x, y] = [0, 0];
  return [...commonLines(old, now), [old.length, now.length] as const].flatMap(([nextX, nextY]) => {
    const removed = old.slice(x, nextX).map((line) => ["-", line] as const);
    const added = now.slice(y, nextY).map((line) => ["+", line] as const);
    const common = old.slice(nextX, nextX + 1).map((line) => [" ", line] as const);
    [x, y] = [nextX + 1, nextY + 1];
    return [...removed, ...added, ...common];
  });
}

/** The places of a longest common subsequence in both texts; none when it takes too many edits to find it. */
function commonLines(old: readonly string[], now: readonly string[]): (readonly [number, number])[] {
  const middle = MAX_EDITS + 1;
  /** By diagonal x - y, how far into the old text the edits so far lead. */
  const front = new Int32Array(2 * middle + 1);
  const fronts: Int32Array[] = [];
  /** The end of the edits that the last one is added to, and its diagonal; an added line leads down, a removed one right. */
  const previous = (front: Int32Array, diagonal: number, cost: number): [x: number, diagonal: number] => {
    const [left, right] = [front[middle + diagonal - 1]!, front[middle + diagonal + 1]!];
    const isDown = diagonal === -cost || (diagonal !== cost && left < right);
    return isDown ? [right, diagonal + 1] : [left, diagonal - 1];
  };
  for (let cost = 0; cost <= MAX_EDITS; cost++) {
    fronts.push(front.slice());
    for (let diagonal = -cost; diagonal <= cost; diagonal += 2) {
      const [from, other] = previous(front, diagonal, cost);
      let x = other > diagonal ? from : from + 1;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++;
      front[middle + diagonal] = x;
      if (diagonal !== old.length - now.length || x < old.length) continue;
      return fronts.toReversed().flatMap((before, index) => {
        const [from, other] = previous(before, diagonal, cost - index);
        const common = Array.from({ length: x - (other > diagonal ? from : from + 1) }, () => {
          return [--x, x - diagonal] as const;
        });
        [x, diagonal] = [from, other];
        return common;
      }).reverse();
    }
  }
  return [];
}
