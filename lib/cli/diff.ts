/**
 * Unified diffs. Memory grows with the number of lines, and not with that of the differences.
 *
 * @see E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", section 4b
 */

/** Lines of context around a change. */
const CONTEXT = 3;
/** The most edits that are compared line by line; texts that differ in more are shown as replaced. */
const MAX_EDITS = 2000;
/** Marks a diagonal that has no point in the box. */
const NONE: number = -(2 ** 30);

/** Lines of `old` from `start` to `end` are replaced by those of `now`. */
interface Edit {
  readonly old: readonly [start: number, end: number];
  readonly now: readonly [start: number, end: number];
}

/**
 * The unified diff of two texts; empty when they are equal.
 *
 * @param before Undefined for a file that is created.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string): string {
  const [old, now] = [linesOf(before ?? ""), linesOf(after)];
  const edits = editsBetween(old, now);
  if (edits.length === 0 && before !== undefined) return "";
  // An absolute path is that of a tree at the root.
  const name = path.replace(/^(?:\.?\/)+/, "");
  const text = [`--- ${before === undefined ? "/dev/null" : `a/${name}`}\n+++ b/${name}\n`];
  for (let first = 0, last = 0; first < edits.length; first = ++last) {
    // Edits that share context are one hunk.
    while (last + 1 < edits.length && edits[last + 1]!.old[0] - edits[last]!.old[1] <= 2 * CONTEXT) last++;
    text.push(hunk(old, now, edits.slice(first, last + 1)));
  }
  return text.join("");
}

function hunk(old: readonly string[], now: readonly string[], edits: readonly Edit[]): string {
  const [first, last] = [edits[0]!, edits.at(-1)!];
  const before = Math.min(CONTEXT, first.old[0]);
  const after = Math.min(CONTEXT, old.length - last.old[1]);
  const range = (start: number, end: number): string => {
    const count = end + after - (start - before);
    // An empty range is named by the line before it.
    return `${start - before + (count === 0 ? 0 : 1)}${count === 1 ? "" : `,${count}`}`;
  };
  const text = [`@@ -${range(first.old[0], last.old[1])} +${range(first.now[0], last.now[1])} @@\n`];
  const add = (mark: string, lines: readonly string[], start: number, end: number): void => {
    for (const line of lines.slice(start, end)) {
      text.push(mark, line, line.endsWith("\n") ? "" : "\n\\ No newline at end of file\n");
    }
  };
  let shown = first.old[0] - before;
  for (const edit of edits) {
    add(" ", old, shown, edit.old[0]);
    add("-", old, ...edit.old);
    add("+", now, ...edit.now);
    shown = edit.old[1];
  }
  add(" ", old, shown, shown + after);
  return text.join("");
}

/** The lines of a text with their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function editsBetween(old: readonly string[], now: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  const size = old.length + now.length + 3;
  const fronts = [new Int32Array(size), new Int32Array(size)] as const;
  const compare = (oldStart: number, oldEnd: number, nowStart: number, nowEnd: number): void => {
    while (oldStart < oldEnd && nowStart < nowEnd && old[oldStart] === now[nowStart]) oldStart++, nowStart++;
    while (oldStart < oldEnd && nowStart < nowEnd && old[oldEnd - 1] === now[nowEnd - 1]) oldEnd--, nowEnd--;
    if (oldStart === oldEnd && nowStart === nowEnd) return;
    const [width, height] = [oldEnd - oldStart, nowEnd - nowStart];
    const isEqual = (x: number, y: number) => old[oldStart + x] === now[nowStart + y];
    const split = width > 0 && height > 0 ? middle(width, height, isEqual, fronts) : undefined;
    if (split) {
      compare(oldStart, oldStart + split[0], nowStart, nowStart + split[1]);
      return compare(oldStart + split[0], oldEnd, nowStart + split[1], nowEnd);
    }
    const last = edits.at(-1);
    // Both halves of a box may end in the same edit.
    const isNext = last?.old[1] === oldStart && last.now[1] === nowStart;
    if (isNext) edits.pop();
    const start = isNext ? [last.old[0], last.now[0]] as const : [oldStart, nowStart] as const;
    edits.push({ old: [start[0], oldEnd], now: [start[1], nowEnd] });
  };
  compare(0, old.length, 0, now.length);
  return edits;
}

/**
 * A point in the middle of a shortest path from (0, 0) to (width, height), where a step in one direction is an edit and a
 * diagonal one an equal line; undefined when there are too many edits. Searches from both ends until the two meet.
 */
function middle(
  width: number,
  height: number,
  isEqual: (x: number, y: number) => boolean,
  fronts: readonly [Int32Array, Int32Array],
): readonly [number, number] | undefined {
  const delta = width - height;
  // A front holds the furthest x of each diagonal x - y; the second one counts from the far corner.
  for (const front of fronts) front.fill(NONE, 0, width + height + 3);
  const at = height + 1;
  for (let cost = 0; cost <= MAX_EDITS / 2; cost++) {
    for (const [side, front] of fronts.entries()) {
      const other = fronts[1 - side]!;
      const lowest = -(cost - 2 * Math.max(0, cost - height));
      const highest = cost - 2 * Math.max(0, cost - width);
      for (let diagonal = lowest; diagonal <= highest; diagonal += 2) {
        const down = front[at + diagonal + 1]!;
        const right = front[at + diagonal - 1]! + 1;
        let x = cost === 0
          ? 0
          : Math.max(down - diagonal <= height ? down : NONE, right <= width ? right : NONE);
        if (x < 0) continue;
        let y = x - diagonal;
        while (x < width && y < height && (side ? isEqual(width - 1 - x, height - 1 - y) : isEqual(x, y))) {
          x++, y++;
        }
        front[at + diagonal] = x;
        const reached = other[at + delta - diagonal]!;
        if (reached >= 0 && x + reached >= width) return side ? [width - x, height - y] : [x, y];
      }
    }
  }
  return undefined;
}
