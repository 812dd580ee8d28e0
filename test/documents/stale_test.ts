import assert from "node:assert/strict";
import { test } from "node:test";
import type { LintOptions } from "../../lib/documents/mod.ts";
import { cpuNow } from "../harness/process.ts";
import { brief, lintOf } from "./stores.ts";

const TODAY = "2026-11-28";

/** A record with these texts in place of its status and its decision, and these lines of front matter. */
function record(status: string, decision = "We use queues.", ...front: readonly string[]): string {
  const head = front.length > 0 ? `---\n${front.join("\n")}\n---\n\n` : "";
  return `${head}# Use queues\n\n## Status\n\n${status}\n\n## Context\n\nWe send mail.\n\n## Decision\n\n${decision}\n\n## Consequences\n\nFewer failures.\n`;
}

/** A record without a section for its status. */
const inFront = (...front: readonly string[]): string =>
  `---\n${
    front.join("\n")
  }\n---\n\n# Use queues\n\n## Context\n\nC.\n\n## Decision\n\nWe use queues.\n\n## Consequences\n\nE.\n`;

/** What a rule finds in records, one a line: "3 phrase". The records have the numbers of their rows. */
async function foundIn(rule: string, texts: readonly string[], options: LintOptions = {}): Promise<string[]> {
  const name = (at: number) => `adr/${String(at + 1).padStart(4, "0")}-x.md`;
  const findings = await lintOf(Object.fromEntries(texts.map((text, at) => [name(at), text])), {
    today: TODAY,
    ...options,
  });
  return texts.map((_, at) => {
    const own = findings.filter((finding) => finding.file === name(at) && finding.rule === rule);
    return own.map(({ line, message }) => `${line} ${/"([^"]*)"/.exec(message)?.[1]}`).join("; ");
  });
}

/** Records with the line and the words that are reported, or "" for none. */
type Rows = readonly (readonly [text: string, found: string])[];

async function assertFound(rule: string, rows: Rows, options?: LintOptions): Promise<void> {
  const found = await foundIn(rule, rows.map(([text]) => text), options);
  for (const [at, [text, expected]] of rows.entries()) assert.equal(found[at], expected, text);
}

const EXPIRED_STATUS: Rows = [
  [record("Accepted, provisional until 2026-01-17"), "5 until 2026-01-17"],
  [record("**PROVISIONAL** (2026-01-03 to 2026-01-17)"), "5 PROVISIONAL (2026-01-03 to 2026-01-17"],
  [record("Accepted\n\nValid until 2026-03-31."), "7 until 2026-03-31"],
  [record("Accepted (temporary until 31 March 2026)"), "5 until 31 March 2026"],
  [record("Accepted. It expires on March 31, 2026."), "5 expires on March 31, 2026"],
  [record("Accepted until the end of October 2026"), "5 until the end of October 2026"],
  [record("Accepted, valid until: 2026-10"), "5 until: 2026-10"],
  [record("Akzeptiert, befristet bis 31.03.2026"), "5 bis 31.03.2026"],
  [record("Accepté, valable jusqu'au 2026-03-31"), "5 jusqu'au 2026-03-31"],
  [record("Trial, 2026-01-03 – 2026-02-03"), "5 Trial, 2026-01-03 – 2026-02-03"],
  // In another place.
  [inFront("status: accepted", "valid-until: 2026-03-31"), "3 until: 2026-03-31"],
  [inFront("status: accepted", 'expires: "2026-03-31"'), "3 expires: "],
  [inFront("status: provisional until 2026-01-17"), "2 until 2026-01-17"],
  [inFront("status: accepted", "validUntil: 2026-03-31"), "3 validUntil: 2026-03-31"],
  [
    "# X\n\n- Status: accepted\n- **Expires**: 2026-03-31\n\n## Decision\n\nWe do.\n",
    "4 Expires: 2026-03-31",
  ],
  [
    "# X\n\n| Status | accepted |\n|---|---|\n| Valid until | 2026-03-31 |\n\n## Decision\n\nD.\n",
    "5 until | 2026-03-31",
  ],
];
const NOT_EXPIRED_STATUS: readonly string[] = [
  record("Accepted, provisional until 2026-11-28"),
  record("Accepted until November 2026"),
  record("Accepted (was provisional until 2026-01-17)"),
  record("Accepted. Formerly valid until 2025-01-17."),
  record("Provisional until 2026-01-17, confirmed 2026-01-20"),
  record("Proposed until 2026-01-17, accepted since"),
  record("Accepted; comments are open until 2026-01-17"),
  record("Superseded by ADR-99. Provisional until 2026-01-17."),
  record("Rejected\n\nValid until 2026-01-17"),
  record("~~Provisional until 2026-01-17~~ Accepted"),
  record("Accepted 2026-01-17"),
  record("Accepted until we have version 2026-01"),
  inFront("status: accepted", "date: 2026-01-17", "title: Node 18 until 2025-04-30"),
  inFront("status: accepted", "valid-until: 2027-03-31"),
  inFront("status: deprecated", "valid-until: 2026-03-31"),
  "# X\n\nStatus: accepted\n\nWe used Travis until 2021-03-01.\n\n## Decision\n\nWe do.\n",
  "# X\n\nStatus: accepted\n\n## Context\n\nExpires: 2021-03-01\n\n## Decision\n\nWe do.\n",
];

test("check reports a status or a field with a limit of time that has passed", async () => {
  await assertFound("adr-expired", EXPIRED_STATUS);
  await assertFound("adr-expired", NOT_EXPIRED_STATUS.map((text) => [text, ""]));
});

const EXPIRED_DECISIONS: readonly (readonly [decision: string, found: string])[] = [
  ["We keep Jenkins until 2026-06-30.", "13 until 2026-06-30"],
  ["Use queues.\n\nServices must not call each other\nuntil 2026-06-30.", "16 until 2026-06-30"],
  ["This decision is valid until 30 June 2026.", "13 until 30 June 2026"],
  ["The acceptance expires on 2026-10-31. After that date the gate fails.", "13 expires on 2026-10-31"],
  ["Until 2026-06-30, new services may use HTTP.", "13 Until 2026-06-30"],
  [
    "- We use queues.\n- Version 1 stays in place until the end of June 2026.",
    "14 until the end of June 2026",
  ],
  ["HTTP without TLS is tolerated until 2026-06-30, for the old tills.", "13 until 2026-06-30"],
  ["Wir bleiben bis zum 30.06.2026 bei Jenkins.", "13 bis zum 30.06.2026"],
];
const NOT_EXPIRED_DECISIONS: readonly string[] = [
  "We keep Jenkins until 2027-06-30.",
  "Jenkins was used until 2021-03-01.",
  "We used Jenkins until 2021-03-01, and it was slow.",
  "Until 2021-03-01, the team ran Jenkins.",
  "We stay on Node 18, which is maintained until 2025-04-30.",
  "Node 18 is supported until 2025-04-30.",
  "The certificate expires on 2026-02-23.",
  "The feature will not be available until 2026-03-01.",
  "We wait until 2026-03-01 with the migration.",
  "We postponed it until 2026-03-01.",
  "We decided this on 2026-03-01.",
  "```\nWe keep it until 2026-03-01.\n```\n\nWe use queues.",
  "~~We keep Jenkins until 2026-06-30.~~ We use queues.",
  "We keep Jenkins until the move is done, see the minutes of 2026-03-01.",
];

test("check reports a decision whose own sentence limits it to a time that has passed", async () => {
  const rows = EXPIRED_DECISIONS.map(([decision, found]) => [record("Accepted", decision), found] as const);
  await assertFound("adr-expired", rows);
  await assertFound("adr-expired", NOT_EXPIRED_DECISIONS.map((text) => [record("Accepted", text), ""]));
  // In the context, such a sentence tells what was.
  const context = record("Accepted").replace("We send mail.", "We keep Jenkins until 2026-06-30.");
  await assertFound("adr-expired", [[context, ""]]);
});

test("check reports what was proposed long ago and not decided", async () => {
  const dated = (status: string, date: string) => inFront(`status: ${status}`, `date: ${date}`);
  const late: Rows = [
    [dated("proposed", "2026-05-31"), "2 proposed"],
    [dated("draft", "2025-01-01"), "2 draft"],
    [dated("in review", "2026-01-01"), "2 in review"],
    [dated("pending", "2020-02-29"), "2 pending"],
    [
      "# X\n\nDate: 2026-01-01\n\n## Status\n\nProposed\n\n## Context\n\nC.\n\n## Decision\n\nD.\n",
      "7 proposed",
    ],
    [record("Vorgeschlagen", "Wir nutzen Queues.", "date: 2026-01-01"), "9 proposed"],
  ];
  const fine: readonly string[] = [
    dated("proposed", "2026-06-01"),
    dated("proposed", "2027-01-01"),
    inFront("status: proposed"),
    dated("proposed", "last spring"),
    dated("accepted", "2020-01-01"),
    dated("on hold", "2020-01-01"),
    dated("in progress", "2020-01-01"),
    dated("rejected", "2020-01-01"),
    inFront("status: proposed", "date: 2020-01-01", "superseded-by: 0001-x.md"),
  ];
  await assertFound("adr-proposed-long", late);
  await assertFound("adr-proposed-long", fine.map((text) => [text, ""]));
  await assertFound("adr-proposed-long", [
    [dated("proposed", "2026-11-07"), "2 proposed"],
    [dated("proposed", "2026-11-08"), ""],
  ], { proposedDays: 20 });
});

const CODE = [
  "README.md",
  "src/db/pool.ts",
  "src/db/query.ts",
  "src/http/server.ts",
  "packages/api/src/index.ts",
  "packages/api/package.json",
  "docs/setup.md",
  ".github/workflows/ci.yml",
];

test("check reports the files that a record cites and that are not in the code", async () => {
  const rows: readonly (readonly [decision: string, found: string])[] = [
    ["Pools are in `src/db/pools.ts`.", "13 src/db/pools.ts"],
    ["See [the pool](../src/db/pools.ts) and `src/db/pool.ts`.", "13 src/db/pools.ts"],
    ["Pools:\n\n- `./src/db/pool.ts`\n- `src/db/old.ts:12-20`", "16 src/db/old.ts"],
    ["It runs in `.github/workflows/release.yml`.", "13 .github/workflows/release.yml"],
    ["Use `src/db/a.ts` and `src/db/pool.ts`.\n\nThen `src/db/a.ts` again.", "13 src/db/a.ts"],
    ["`packages/api/src/main.ts` starts it, `docs/setup.md` says how.", "13 packages/api/src/main.ts"],
    ["The guide is `docs/pools.md`; `src/index.ts` exports them.", "13 docs/pools.md"],
    ["Use `src/db/a.ts`, `src/db/b.ts`, `src/db/a.ts`; not in\n\n`src/db/pool.ts`.", ""],
    [
      "We use `src/db/a.ts`, `src/db/b.ts`, `src/db/a.ts` and `src/db/pool.ts`.",
      "13 src/db/a.ts; 13 src/db/b.ts",
    ],
  ];
  const code = { code: CODE };
  await assertFound("adr-path-gone", rows.map(([text, found]) => [record("Accepted", text), found]), code);
  const fine: readonly string[] = [
    "Pools are in `src/db/pool.ts#L3` and `db/query.ts`, the server in [http](../../src/http/server.ts).",
    "We answer with `application/json` on `/api/v1/users` and `GET/POST`.",
    "As in `pkg/net/pool.go` of another project, and `lodash/fp.js`.",
    "As `src/kernel/pool.ts` of another project does.",
    "We remove `src/db/legacy.ts`.",
    "`src/db/pools.ts` was split.",
    "We will create `src/db/pools.ts`.",
    "- [ ] `src/db/pools.ts`",
    "Name it `src/db/XXX.ts`, such as `src/db/my-pool.ts`, or `src/db/*.ts`.",
    "Pools are in src/db/pools.ts.",
    "```\nimport `src/db/pools.ts`\n```\n\nWe do.",
    "It is in `src/cache/`, `pools.ts` and <https://example.org/src/db/pools.ts>.",
    "The file that we had for it,\n`src/db/pools.ts`, moved.",
    "For this, we removed\n`src/db/pools.ts`.",
    "See [the guide](../docs/pools.md).",
    "`src/db/pools.ts` and what it needs\nwas split.",
    "Name it `src/db/XXX.ts`.",
  ];
  const rules = ["adr-path-gone", "adr-paths-gone"];
  for (const rule of rules) await assertFound(rule, fine.map((text) => [record("Accepted", text), ""]), code);
  const cited = "Pools are in `src/db/pools.ts`.";
  await assertFound("adr-path-gone", [
    // Not in force, or not yet; history; what was considered; about the removal itself.
    [record("Superseded by ADR-99", cited), ""],
    [record("Rejected", cited), ""],
    [record("Proposed", cited), ""],
    [record("Accepted").replace("We send mail.", cited), ""],
    [`${record("Accepted")}\n## Considered options\n\n${cited}\n`, ""],
    [record("Accepted", cited).replace("# Use queues", "# Remove the pools"), ""],
  ], code);
  await assertFound("adr-path-gone", [[record("Accepted", cited), ""]]);
});

test("check reports a record of whose files none is left, once", async () => {
  const rows: readonly (readonly [decision: string, found: string])[] = [
    ["Pools are in `src/db/a.ts` and `src/db/b.ts`.", "13 src/db/a.ts"],
    ["Pools are in [a](../src/db/a.ts).\n\nQueries are in [b](../src/db/b.ts).", "13 src/db/a.ts"],
    ["- `src/db/a.ts`\n- `src/http/b.ts`\n- `docs/c.md`\n- `docs/d.md`", "13 src/db/a.ts"],
    ["As `lib/x/a.ts` does elsewhere, in `src/db/a.ts` and `packages/api/src/b.ts`.", "13 src/db/a.ts"],
    ["`packages/api/a.json` and `packages/api/b.json` configure it.", "13 packages/api/a.json"],
    // One is left; one is cited; none may be of this code.
    ["Pools are in `src/db/a.ts`, `src/db/b.ts` and `src/db/pool.ts`.", ""],
    ["Pools are in `src/db/a.ts`.", ""],
    ["Pools are in `lib/db/a.ts` and `lib/db/b.ts`.", ""],
    ["Pools are in `src/db/a.ts` twice: `src/db/a.ts`.", ""],
    ["Pools were in `src/db/a.ts` and `src/db/b.ts`.", ""],
  ];
  const texts = rows.map(([decision, found]) => [record("Accepted", decision), found] as const);
  await assertFound("adr-paths-gone", texts, { code: CODE });
  const found = await lintOf({ "adr/0001-x.md": texts[2]![0] }, { today: TODAY, code: CODE });
  assert.deepEqual(found.map(({ message }) => message), [
    'None of the 4 files that the record cites is in the code: "src/db/a.ts", "src/http/b.ts", "docs/c.md"',
  ]);
});

test("check reports every pattern that fits no file, with its own line", async () => {
  const about = (...lines: readonly string[]) => `---\ntitle: T\n${lines.join("\n")}\n---\n`;
  const found = async (text: string) =>
    (await lintOf({ "docs/a.md": text }, { code: CODE })).map(({ line, rule, message }) =>
      `${line} ${rule === "applies-to-unmatched" ? /"([^"]*)"/.exec(message)?.[1] : rule}`
    );
  const rows: readonly (readonly [text: string, ...found: readonly string[]])[] = [
    [about("applies-to:", "  - src/**", "  - lib/**", "  - src/old/*.ts"), "5 lib/**", "6 src/old/*.ts"],
    [about("applies-to:", '  - "lib/**"', "  - 'lib/**/*.ts'"), "4 lib/**", "5 lib/**/*.ts"],
    [about("applies-to: [lib/**, src/**, old/**]"), "3 lib/**", "3 old/**"],
    [about("applies-to: [", "  lib/**,", "  old/**", "]"), "4 lib/**", "5 old/**"],
    [about("affects:", "  - type: path", "    pattern: lib/**"), "3 lib/**"],
    [about("applies-to:", "  - lib/**", "  - lib/**"), "4 lib/**"],
    // One fits; another rule says more.
    [about("applies-to:", "  - src/**", "  - '*.md'", "  - packages/{api,web}/**")],
    [about("applies-to:", "  - '!lib/**'", "  - src/**"), "4 applies-to-negated"],
    [about("applies-to:", "  - 'lib/{a,{b,c}}'"), "4 applies-to-nested"],
    [about("applies-to: []")],
    [`${about("tags: [a]")}\nlib/**\n`],
  ];
  for (const [text, ...expected] of rows) assert.deepEqual((await found(text)).sort(), expected, text);
});

const AMENDS = "adr-amends-one-sided", SUPERSEDES = "adr-supersedes-one-sided";

test("check reports a relation that only one of two records states; that of amends only on request", async () => {
  /** The front matter of two records, and what is reported of which. */
  const rows: readonly (readonly [first: string, second: string, ...found: readonly string[]])[] = [
    ["", "amends: 1", `1 ${AMENDS}`],
    ["amended-by: 2", "", `2 ${AMENDS}`],
    ["", "amends: '[x](0001-x.md)'", `1 ${AMENDS}`],
    ["partly-superseded-by: 2", "", `2 ${AMENDS}`],
    ["", "partly-supersedes: ADR-1", `1 ${AMENDS}`],
    ["", "status: Accepted. Amends [1. X](0001-x.md)", `1 ${AMENDS}`],
    ["", "supersedes: 1", `1 ${SUPERSEDES}`],
    ["superseded-by: 2", "", `2 ${SUPERSEDES}`],
    ["", "status: Accepted (supersedes ADR-1)", `1 ${SUPERSEDES}`],
    // Both state it, in the same words or not.
    ["amended-by: 2", "amends: 1"],
    ["partly-superseded-by: 2", "supersedes: 1"],
    ["superseded-by: 2", "supersedes: 1"],
    ["amended-by: 2", "partly-supersedes: 1"],
    // It takes effect when it is accepted, and does not if it was rejected.
    ["", "status: proposed\nsupersedes: 1"],
    ["", "status: rejected\namends: 1"],
    ["relates-to: 2", ""],
    ["amends: 1", ""],
  ];
  for (const [first, second, ...expected] of rows) {
    const text = (front: string) => inFront(/^status/m.test(front) ? "" : "status: accepted", front);
    const contents = { "adr/0001-x.md": text(first), "adr/0002-y.md": text(second) };
    const found = (await lintOf(contents, { today: TODAY, strict: [AMENDS] }))
      .map(({ file, rule }) => `${Number(file.slice(4, 8))} ${rule}`);
    assert.deepEqual(found, expected, JSON.stringify([first, second]));
    const byDefault = (await lintOf(contents, { today: TODAY })).map(({ rule }) => rule);
    assert.ok(!byDefault.includes(AMENDS));
  }
  const [finding] = await lintOf({
    "adr/0001-x.md": inFront("status: accepted"),
    "adr/0002-y.md": inFront("status: accepted", "partly-supersedes: 1"),
  }, { strict: [AMENDS] });
  assert.equal(
    finding?.message,
    'adr/0002-y.md says that it partly supersedes this record, which lacks "partly-superseded-by: 2"',
  );
});

test("check finds the stale records that public teams have reported, each as they wrote it", async () => {
  const section = (status: string) => record(status);
  const found = brief(
    await lintOf({
      // A decision for two weeks, and the one that it replaced for that time.
      "models/ADR-002-selection.md": section(
        "Provisionally Superseded by ADR-039 (2026-01-03 to 2026-01-17)",
      ),
      "models/ADR-039-cost.md": section("**PROVISIONAL** (2026-01-03 to 2026-01-17)"),
      // Supersessions that only the newer record states, one of them not yet accepted.
      "runners/ADR-024-selection.md": section("Accepted"),
      "runners/ADR-025-arm.md": section("Accepted"),
      "runners/ADR-055-selection.md": record("Accepted (supersedes ADR-024, ADR-025)"),
      "templates/ADR-036-two-sources.md": section("Accepted"),
      "templates/ADR-052-strategy.md": record("Proposed. Supersedes ADR-036.", undefined, "date: 2026-03-01"),
      // A date of review in the spelling of the team's tool.
      "reviews/0001-stack.md": inFront("status: accepted", "reviewBy: 2026-08-09"),
      // Drafts whose code shipped long ago.
      "drafts/ADR-129-events.md": inFront("status: Proposed", "date: 2026-02-02"),
      "drafts/ADR-161-sensors.md": inFront("status: Draft", "date: 2025-11-02"),
      // Paths that moved, and a record of which nothing is left.
      "moved/0001-domains.md": record(
        "Accepted",
        "Domains are in `src/domains/user.ts`, beside `src/db/pool.ts`.",
      ),
      "moved/0002-castle.md": record(
        "Accepted",
        "The engine is in `src/db/castle.ts`, its tests in `src/db/castle_test.ts`.",
      ),
      // A plan that a later record overturned, which only the later one says.
      "scores/0028-shadow.md": section("Accepted"),
      "scores/0031-graduation.md": record("Accepted\n\nAmends [ADR-0028](0028-shadow.md)"),
    }, { today: TODAY, code: [...CODE, "src/domains/users.ts"], strict: [AMENDS] }),
  );
  assert.deepEqual(found.sort(), [
    "drafts/ADR-129-events.md:2 adr-proposed-long",
    "drafts/ADR-161-sensors.md:2 adr-proposed-long",
    "models/ADR-039-cost.md adr-amends-one-sided",
    "models/ADR-039-cost.md:5 adr-expired",
    "moved/0001-domains.md:13 adr-path-gone",
    "moved/0002-castle.md:13 adr-paths-gone",
    "reviews/0001-stack.md:3 review-overdue",
    "runners/ADR-024-selection.md adr-supersedes-one-sided",
    "runners/ADR-025-arm.md adr-supersedes-one-sided",
    "scores/0028-shadow.md adr-amends-one-sided",
    "templates/ADR-052-strategy.md:9 adr-proposed-long",
  ]);
});

test("the time to look for what is stale grows with the text, not with its square", async () => {
  const texts: readonly ((count: number) => string)[] = [
    (count) => record("Accepted", "We keep it until 2027-01-01. ".repeat(count)),
    (count) => record("Accepted", "`a/".repeat(count)),
    (count) => record("Accepted", `\`${"src/db/".repeat(count)}\``),
    (count) => record("Accepted", "`src/db/a.ts` ".repeat(count)),
    (count) => record("valid ".repeat(count)),
    (count) => record(`valid until${" ".repeat(1900)}x\n\n`.repeat(count / 50)),
    (count) => record(`${"a".repeat(1900)}9 valid until: 2020-01-01\n\n`.repeat(count / 50)),
    (count) => record("Accepted", `${"## Options\n\n`a/b.ts`\n\n".repeat(count / 5)}`),
    (count) => record("Accepted", "\n \t".repeat(count)),
    (count) => record("Accepted", "expires on ".repeat(count)),
    (count) => inFront("status: accepted", `applies-to: [${"lib/**, ".repeat(count)}]`),
    (count) => inFront("status: accepted", `valid-until:${" ".repeat(10 * count)}x`),
    (count) => `# X\n\nStatus: accepted\n\n${"Valid until: 2027-01-01\n".repeat(count)}`,
  ];
  for (const text of texts) {
    const spent = async (count: number) => {
      const contents = { "adr/0001-x.md": text(count) }, start = cpuNow();
      await lintOf(contents, { today: TODAY, code: CODE });
      return cpuNow() - start;
    };
    await spent(200);
    const few = Math.max(await spent(500), 5);
    assert.ok(await spent(8000) < 64 * few, text(1));
  }
});
