import assert from "node:assert/strict";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  openSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import type { Group } from "../../harness/watched.ts";
import { ALWAYS_MS, Watched } from "../../harness/watched.ts";

const AS_ROOT = process.platform === "win32" || process.getuid?.() === 0
  ? "nothing is forbidden here"
  : false;
const ON_WINDOWS = process.platform === "win32" ? "not on Windows" : false;
const A = "resources/docs/a.md";
const OLD = "# Old\n\nGröße, 設計 🏛.\n";
const NEW = "# New\n\nSomething else: größer, 設計 🏛.\n";
const UNTOLD = { told: [] } as const;

/** Writes in pieces, and knows whether this machine let it do so without a rest: after one, what is there counts. */
class SteadyWriter {
  #isSteady = true;

  async pause(milliseconds: number): Promise<void> {
    const start = performance.now();
    await pause(milliseconds);
    if (performance.now() - start > 40) this.#isSteady = false;
  }

  readonly between = (): boolean => !this.#isSteady;
}

export const WRITING: readonly Group[] = [
  {
    name: "emptied and filled again",
    run: async (t) => {
      const shelf = await Watched.start(t, { [A]: OLD, "resources/docs/b.md": "# B\n" });
      const b = { "docs/b": "# B\n" };
      const rewrite = (text: string) => async () => {
        truncateSync(shelf.path(A));
        await pause(200);
        shelf.write(A, text);
      };
      await shelf.row(t, "emptied, filled after 200 ms, never read before", {
        change: rewrite(NEW),
        see: shelf.only("docs/a"),
        before: {},
        after: { "read docs/a": NEW },
        told: ["resources"],
      });
      await shelf.becomes(t, "emptied, filled after 200 ms, read before", rewrite(OLD), {
        ...b,
        "docs/a": OLD,
      });
      await pause(1100);
      await shelf.becomes(t, "the same when its text was not looked at for a while", rewrite(NEW), {
        ...b,
        "docs/a": NEW,
      });
      await shelf.becomes(
        t,
        "emptied for good",
        () => truncateSync(shelf.path(A)),
        { ...b, "docs/a": "" },
        {
          promised: ALWAYS_MS,
        },
      );
      await shelf.becomes(t, "filled after that", () => shelf.write(A, OLD), { ...b, "docs/a": OLD });
      const writer = new SteadyWriter();
      await shelf.becomes(
        t,
        "a new one, filled after 20 ms",
        async () => {
          shelf.write("resources/docs/c.md", "");
          await writer.pause(20);
          shelf.write("resources/docs/c.md", "# C\n");
        },
        { ...b, "docs/a": OLD, "docs/c": "# C\n" },
        writer,
      );
      await shelf.close();
    },
  },

  {
    name: "emptied for good, never read before",
    run: async (t) => {
      const shelf = await Watched.start(t, { [A]: OLD });
      await shelf.row(t, "emptied for good, never read before", {
        change: () => truncateSync(shelf.path(A)),
        see: shelf.only("docs/a"),
        before: {},
        after: { "read docs/a": "" },
        promised: ALWAYS_MS,
        told: ["resources"],
      });
      await shelf.becomes(t, "its list", () => {}, { "docs/a": "" }, UNTOLD);
      await shelf.close();
    },
  },

  {
    name: "written in pieces",
    run: async (t) => {
      const shelf = await Watched.start(t, { [A]: OLD });
      const bytes = new TextEncoder().encode(NEW);
      const writer = new SteadyWriter();
      await shelf.becomes(
        t,
        "byte by byte",
        async () => {
          const file = openSync(shelf.path(A), "w");
          for (const byte of bytes) {
            writeSync(file, Uint8Array.of(byte));
            await writer.pause(2);
          }
          closeSync(file);
        },
        { "docs/a": NEW },
        writer,
      );
      const half = bytes.subarray(0, bytes.indexOf(0xf0) + 2);
      await shelf.becomes(t, "half a character, for as long as it is half", () => shelf.write(A, half), {
        "docs/a": NEW,
      }, UNTOLD);
      await shelf.becomes(
        t,
        "the rest of it",
        () => shelf.write(A, `${NEW}\n`),
        { "docs/a": `${NEW}\n` },
        UNTOLD,
      );
      await shelf.close(
        /^(architrave: error: docs\/a\.md: The file is not UTF-8 text and its last good version is served\. .*\n)+$/,
      );
    },
  },

  {
    name: "appended to without end",
    run: async (t) => {
      const shelf = await Watched.start(t, { [A]: "# Log\n\n" });
      const program = shelf.program;
      const start = performance.now();
      const times: number[] = [];
      let isOver = false;
      const appending = (async () => {
        for (; !isOver; await pause(10)) {
          appendFileSync(shelf.path(A), `Line ${times.length}.\n`);
          times.push(performance.now());
        }
      })();
      const read = { method: "resources/read", params: { uri: "architecture://docs/a" } };
      // Several at once, of what was never read before.
      program.send(...[1, 2, 3, 4, 5].map((id) => ({ jsonrpc: "2.0", id: `first ${id}`, ...read })));
      let answers = 0;
      while (answers < 5) if ((await program.next()).method === undefined) answers++;
      const first = performance.now() - start;
      let [lines, longest, lag, news] = [0, 0, 0, 0];
      while (performance.now() - start < 3000 || news < 2) {
        const asked = performance.now();
        const text = (await shelf.read("docs/a"))!;
        assert.match(text, /^# Log\n\n(?:Line \d+\.\n)+$/);
        const seen = text.split("\n").length - 3;
        assert.ok(seen >= lines, `${seen} lines after ${lines}`);
        if (seen > lines) news++;
        lines = seen;
        longest = Math.max(longest, performance.now() - asked);
        lag = Math.max(lag, asked - (times[seen] ?? asked));
        assert.ok(lag < 10 * ALWAYS_MS, `a read is ${lag} ms behind`);
        await pause(5);
      }
      isOver = true;
      await appending;
      t.diagnostic(
        `appended to every 10 ms: first answers after ${Math.round(first)} ms, longest answer after that ` +
          `${Math.round(longest)} ms, at most ${Math.round(lag)} ms behind, ${news} versions seen after that`,
      );
      assert.ok(first < 10 * ALWAYS_MS && longest < 10 * ALWAYS_MS);
      await program.notices();
      const final = readFileSync(shelf.path(A), "utf8");
      await shelf.becomes(t, "after that", () => {}, { "docs/a": final }, {
        before: {},
        between: () => true,
        told: [],
      });
      await shelf.close();
    },
  },

  {
    name: "no text at all",
    run: async (t) => {
      const shelf = await Watched.start(t, { [A]: OLD, "resources/docs/unread.md": "# Unread\n" });
      const a = { "docs/a": OLD };
      const binary = Uint8Array.of(0x23, 0, 1, 2);
      await shelf.only("docs/a")();
      await shelf.row(t, "a document that was never read becomes binary", {
        change: () => shelf.write("resources/docs/unread.md", binary),
        see: () => shelf.titles(),
        after: { "list docs/a": "Old" },
        told: ["resources"],
      });
      await shelf.becomes(t, "it is mended", () => shelf.write("resources/docs/unread.md", "# B\n"), {
        ...a,
        "docs/unread": "# B\n",
      });
      await shelf.becomes(t, "it vanishes", () => shelf.remove("resources/docs/unread.md"), a);
      const errors = shelf.program.errors;
      await shelf.becomes(
        t,
        "a document that was read becomes binary",
        () => shelf.write(A, binary),
        a,
        UNTOLD,
      );
      await pause(1500);
      await shelf.becomes(t, "other bytes", () => shelf.write(A, Uint8Array.of(0xff, 0xfe, 1)), a, UNTOLD);
      assert.match(
        shelf.program.errors.slice(errors.length),
        /^architrave: error: docs\/a\.md: .* last good version .*\n$/,
      );
      await shelf.becomes(t, "it is mended too", () => shelf.write(A, NEW), { "docs/a": NEW });
      await shelf.close(/^(architrave: error: docs\/(unread|a)\.md: The file is not UTF-8 text .*\n){2}$/);
    },
  },

  {
    name: "a file that may not be read",
    skip: AS_ROOT,
    run: async (t) => {
      const shelf = await Watched.start(t, { [A]: OLD, "resources/docs/b.md": "# B\n" });
      const b = { "docs/b": "# B\n" };
      await shelf.becomes(t, "unreadable", () => {
        shelf.write(A, NEW);
        chmodSync(shelf.path(A), 0);
      }, b);
      await shelf.becomes(t, "readable", () => chmodSync(shelf.path(A), 0o644), { ...b, "docs/a": NEW });
      await shelf.close(/^architrave: error: docs\/a\.md: The file or folder cannot be read.*\n$/);
    },
  },

  {
    name: "a link that leads nowhere",
    skip: ON_WINDOWS,
    run: async (t) => {
      const shelf = await Watched.start(t, { "resources/docs/b.md": "# B\n" });
      const b = { "docs/b": "# B\n" };
      await shelf.becomes(t, "a link that leads nowhere", () => symlinkSync("x", shelf.path(A)), b, UNTOLD);
      await shelf.becomes(t, "it leads somewhere", () => shelf.write("resources/docs/x", NEW), {
        ...b,
        "docs/a": NEW,
      });
      await shelf.becomes(t, "it leads nowhere again", () => unlinkSync(shelf.path("resources/docs/x")), b);
      await shelf.close(/^(architrave: error: docs\/a\.md: .* cannot be read.*\n){2}$/);
    },
  },
];
