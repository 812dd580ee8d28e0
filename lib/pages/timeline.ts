/** The timeline: the decisions with a date, newest first, with lines from those that replace others to the replaced ones. */

import type { PageRequest, View } from "./components.ts";
import type { Part } from "./markup.ts";
import { currentStatus, standing } from "../documents/records/status.ts";
import { labelled, replacements } from "./components.ts";
import { markup } from "./markup.ts";
import { dayOf } from "./model.ts";

/** The maximum number of documents in the timeline. */
const MAX_DATED = 2000;
/** The maximum number of lines side by side, and of rows that a line crosses. Text names what has no line. */
const MAX_LANES = 5, MAX_SPAN = 60;

export function timelineView(request: PageRequest): View {
  const { newest, relations } = request.model, title = "Timeline";
  if (newest.length === 0) return { title, content: markup`<p>No document has a date.</p>` };
  const shown = newest.slice(0, MAX_DATED), places = new Map(shown.map(({ key }, place) => [key, place]));
  const spans: [first: number, last: number][] = [];
  for (const { kind, from, to } of relations) {
    if (kind !== "supersedes") continue;
    const [newer = -1, older = -1] = [places.get(from), places.get(to)];
    const first = Math.min(newer, older), last = Math.max(newer, older);
    if (first >= 0 && last > first && last - first <= MAX_SPAN) spans.push([first, last]);
  }
  /** The parts of lines in each row, and between it and the row before. By lane: the row where its last line ends. */
  const lines: Part[][] = shown.map(() => []), between: Part[][] = shown.map(() => []), ends: number[] = [];
  for (const [first, last] of spans.sort(([one, two], [other, next]) => one - other || two - next)) {
    const free = ends.findIndex((end) => end <= first), lane = free < 0 ? ends.length : free;
    if (lane >= MAX_LANES) continue;
    ends[lane] = last;
    for (let row = first; row <= last; row++) {
      const part = row === first ? " start" : row === last ? " end" : "";
      lines[row]!.push(markup`<i class="lane lane${lane}${part}"></i>`);
      if (row > first) between[row]!.push(markup`<i class="lane lane${lane}"></i>`);
    }
  }
  const rows = shown.map((document, row) => {
    const day = dayOf(document),
      year = day.slice(0, 4),
      isSame = row > 0 && dayOf(shown[row - 1]!).startsWith(year);
    const says = (["replaces", "replaced by"] as const)
      .flatMap((word) => replacements(request, document, word)).map((text) => markup`<p>${text}</p>`);
    return [
      !isSame && markup`<li class="year">${between[row]!}<h2>${year}</h2></li>\n`,
      markup`<li>${lines[row]!}<i class="node ${
        standing(currentStatus(document))
      }"></i><span class="date">${day}</span>
<span>${labelled(request, document)}</span>${says}</li>\n`,
    ];
  });
  const more = newest.length > MAX_DATED && markup`<p>and ${newest.length - MAX_DATED} more</p>`;
  return { title, content: markup`<ol class="timeline lanes${ends.length}">\n${rows}</ol>${more}` };
}
