/** What edits records takes time in proportion to their text. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { findRecord } from "../../lib/cli/find_record.ts";
import { checkTitle, nextName } from "../../lib/cli/record_name.ts";
import { fillLike, fillTemplate, layoutOf } from "../../lib/cli/record_template.ts";
import { RecordText } from "../../lib/cli/record_text.ts";
import { attempt } from "../../lib/base/text.ts";
import { cpuNow } from "../harness/process.ts";
import { IS_COMPLETE } from "../harness/runtime.ts";

const VALUES = { number: "0009", title: "Use queues", date: "2026-07-28" };
const LINK = { id: "ADR-0002", title: "2. B", target: "0002-b.md" };

/** Everything that takes a text, by the name of what is exported. */
const CALLS: Readonly<Record<string, (text: string) => unknown>> = {
  "RecordText.title": (text) => [record(text).title, record(text).form, record(text).skeleton()],
  "RecordText.stated": (text) => [record(text).stated, record(text).edited],
  "RecordText.setTitle": (text) => record(text).setTitle("X", "1. X"),
  "RecordText.setDate": (text) => record(text).setDate("2026-07-28"),
  "RecordText.setStatus": (text) => confirmed(text, (one) => one.setStatus("accepted")),
  "RecordText.dropSuccessors": (text) => confirmed(text, (one) => one.dropSuccessors()),
  "RecordText.supersededBy": (text) => confirmed(text, (one) => one.supersededBy(LINK, "Superseded")),
  "RecordText.supersedes": (text) => confirmed(text, (one) => one.supersedes(LINK, "Supersedes")),
  fillTemplate: (text) => fillTemplate(text, "0009-x.md", VALUES),
  fillLike: (text) => fillLike(record(text), "0009-x.md", VALUES, () => text),
};
const NAMES: Readonly<Record<string, (text: string) => unknown>> = {
  checkTitle,
  findRecord: (text) => findRecord([{ label: `adr/${text}` }, { label: "adr/0001-a.md" }], text),
  nextName: (text) => nextName([text, `0001-${text}.md`], text, "2026-07-28"),
  layoutOf: (text) => layoutOf([new RecordText(`${text}.md`, ""), new RecordText(`0001-a/${text}.md`, "")]),
};

const record = (text: string) => new RecordText("0001-a.md", text);

function confirmed(text: string, change: (one: RecordText) => void): void {
  const one = record(text);
  change(one);
  one.confirm("x", [], () => true);
}

/** What is repeated, and where. */
const PARTS: readonly string[] = [
  ..." |\t|#|# |~|~~a |<!--|]<!--|[|](|[a](b) |*|_|a |- |: |Status: |superseded by |, |\"|'|{|→ |- [ ]".split(
    "|",
  ),
  ...[
    "|",
    " | ",
    "| a | b |\n",
    "| Status | x |\n",
    "- [ ] Accepted\n",
    "- [x] a\n\n",
    "\n",
    "## Status\n\n",
  ],
  ...["Superseded by [a](b.md)\n", "Superseded by\n", "by\n", "Accepted\n", "Amends [a](b.md)\n\n", "---\n"],
  ...["- Supersedes [a](b.md)\n", "status: x\n", "**Status:** accepted\n", "Status: a | ", "> "],
];
const PLACES: readonly (readonly [before: string, after: string])[] = [
  ["", ""],
  ["# 1. a", "b\n\n## Status\n\nAccepted\n"],
  ["# A\n\n- Status:", "x\n- Date: 2026-01-02\n"],
  ["# A\n\n- Status: accepted", "x\n- Superseded by: none\n"],
  ["# A\n\n| Status |", "accepted |\n|---|---|\n| Date | x |\n"],
  ["# A\n\n| Status | Date |\n|---|---|\n| Accepted", "| x |\n"],
  ["# A\n\n## Status\n\nAccepted", "x\n\n## Context\n"],
  ["# A\n\n## Status\n\n", "\n\n## Context\n"],
  ["---\nstatus: accepted", "x\nsuperseded-by: 7\n---\n# A\n"],
  ["---\nsuperseded-by: [", "]\nstatus: accepted # x\n---\n# A\n"],
  ['+++\nstatus = "accepted"', "\n+++\n# A\n"],
  ["# A\n\n## Links\n\n- x", "\n"],
];

/** Sizes in UTF-16 units, and how much more time four times as much may take: a quadratic function takes 16 times as long. */
const SIZE = 2000, GROWTH = 4, MAX_RATIO = 9;
/** Times under this are noise, in milliseconds. */
const NOISE_MS = 60;

function timeOf(call: (text: string) => unknown, text: string): number {
  const start = cpuNow();
  attempt(() => call(text));
  return cpuNow() - start;
}

for (const [name, call] of Object.entries({ ...CALLS, ...NAMES })) {
  test(`${name} is linear in its text`, () => {
    const places = Object.hasOwn(NAMES, name) ? [["", ""], ["a", "b"], ["0001-", "-b"]] as const : PLACES;
    for (const [index, [before, after]] of places.entries()) {
      for (const part of IS_COMPLETE ? PARTS : PARTS.filter((_, at) => (at + index) % 24 === 0)) {
        const text = (size: number) => before + part.repeat(Math.ceil(size / part.length)) + after;
        const large = timeOf(call, text(GROWTH * SIZE));
        if (large < NOISE_MS) continue;
        const small = Math.min(timeOf(call, text(SIZE)), timeOf(call, text(SIZE)));
        const again = Math.min(large, timeOf(call, text(GROWTH * SIZE)));
        assert.ok(
          again < NOISE_MS || again < MAX_RATIO * small,
          `${JSON.stringify([before, part, after])}: ${small} ms, then ${again} ms`,
        );
      }
    }
  });
}
