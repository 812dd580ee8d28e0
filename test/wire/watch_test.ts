/** The table of what can happen to files, in groups that each have a program of their own. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import process from "node:process";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { pause } from "../harness/process.ts";
import type { Following, Group } from "../harness/watched.ts";
import { ALWAYS_MS, documents, SLOWLY, testGroups, UNTOLD, Watched } from "../harness/watched.ts";
import { definition } from "../prompts/definitions.ts";

const ON_WINDOWS = process.platform === "win32" && "not on Windows";
const MAY_ALL = (process.platform === "win32" || process.getuid?.() === 0) && "nothing is forbidden here";

const A = "resources/docs/a.md";
const B = "resources/docs/b.md";
const C = "resources/docs/c.md";
const OLD = "# Old\n\nGröße, 設計 🏛.\n";
const NEW = "# New\n\nSomething else: größer, 設計 🏛.\n";
const UNREADABLE = "The file or folder cannot be read";
const MISSING = "The folder is not there or cannot be read";

/** The ways in which programs save a file. */
const SAVING: Readonly<Record<string, (path: string, text: string) => void>> = {
  "in one go": (path, text) => writeFileSync(path, text),
  "aside, and renamed": (path, text) => {
    writeFileSync(`${path}.tmp`, text);
    renameSync(`${path}.tmp`, path);
  },
  "as vim does": (path, text) => {
    renameSync(path, `${path}~`);
    const file = openSync(path, "wx");
    writeSync(file, text);
    fsyncSync(file);
    closeSync(file);
    rmSync(`${path}~`);
  },
  "as VS Code does": (path, text) => {
    const file = openSync(path, "r+");
    ftruncateSync(file, 0);
    writeSync(file, text, 0);
    closeSync(file);
  },
  "as an older file in its place": (path, text) => {
    writeFileSync(`${path}.tmp`, text);
    utimesSync(`${path}.tmp`, 1, 1);
    renameSync(`${path}.tmp`, path);
  },
};

/** Writes in pieces, and knows whether this machine let it do so without a rest: after one, every piece counts. */
class SteadyWriter implements Following {
  #isSteady = true;
  #last = performance.now();
  readonly between = (): boolean => !this.#isSteady;

  async pause(milliseconds: number): Promise<void> {
    await pause(milliseconds);
    const now = performance.now();
    if (now - this.#last > 30) this.#isSteady = false;
    this.#last = now;
  }
}

const DOCUMENTS: readonly Group[] = [
  ["one file after the other", async (t) => {
    const w = await Watched.start(t, { [A]: "# A\n\nOld.\n", [B]: "# B\n" });
    await w.document("create", () => w.write(C, "# C\n"), { "docs/c": "# C\n" });
    await w.document("delete", () => w.remove(C), { "docs/c": null });
    await w.document("modify", () => w.write(A, "# N\n\nNew.\n"), { "docs/a": "# N\n\nNew.\n" });
    const text = "# N\n\nNew.\n\nMore than is listed.\n";
    await w.document("modify what is not listed", () => w.write(A, text), { "docs/a": text }, UNTOLD);
    await w.document("touch", () => utimesSync(w.path(A), 1, 1), {}, UNTOLD);
    const { result } = await w.program.ask("resources/list");
    const [{ size, annotations }] = result!["resources"] as [{ size: number; annotations: unknown }];
    assert.deepEqual([size, annotations], [text.length, { lastModified: "1970-01-01T00:00:01.000Z" }]);
    await w.document("the same text again", () => w.write(A, text), {}, UNTOLD);
    await w.document("rename", () => w.rename(A, "resources/docs/z.md"), { "docs/a": null, "docs/z": text });
    await w.close();
  }],
  ["the ways of saving", async (t) => {
    const w = await Watched.start(t, { [A]: "# A\n\nOld.\n", [B]: "# B\n" });
    for (const [way, save] of Object.entries(SAVING)) {
      await w.document(`saved ${way}`, () => save(w.path(A), `# ${way}\n`), { "docs/a": `# ${way}\n` });
    }
    const sed = () => execFileSync("sed", ["-i", "s/# .*/# sed/", w.path(A)]);
    if (process.platform === "linux") await w.document("saved by sed -i", sed, { "docs/a": "# sed\n" });
    await w.close();
  }],
  ["what was told can be read", async (t) => {
    const w = await Watched.start(t, { [A]: "# A\n" });
    await w.program.ask("resources/subscribe", { uri: "architecture://docs/a" });
    for (const [way, save] of Object.entries(SAVING)) {
      await w.texts(["docs/a"]);
      save(w.path(A), `# ${way}\n`);
      while ((await w.program.notice()).method !== "notifications/resources/updated");
      assert.deepEqual(await w.documents(), documents({ "docs/a": `# ${way}\n` }));
    }
    await w.close();
  }],
  ["folders", async (t) => {
    const w = await Watched.start(t, { "resources/docs/1/a.md": "# A\n", [B]: "# B\n" });
    const deep = "resources/docs/x/y/z/c.md";
    await w.document("a folder is renamed", () => w.rename("resources/docs/1", "resources/docs/2"), {
      "docs/1/a": null,
      "docs/2/a": "# A\n",
    });
    await w.document("nested folders with a file", () => w.write(deep, "# C\n"), { "docs/x/y/z/c": "# C\n" });
    await w.document("modify in the new folder", () => w.write(deep, "# D\n"), { "docs/x/y/z/c": "# D\n" });
    await w.document("folders vanish", () => w.remove("resources/docs/x", "resources/docs/2"), {
      "docs/x/y/z/c": null,
      "docs/2/a": null,
    });
    await w.document("a category appears", () => w.write("resources/more/m.md", "# M\n"), {
      "more/m": "# M\n",
    });
    await w.follow("an empty category appears", () => mkdirSync(w.path("resources/empty")), {
      see: async () => {
        const { result } = await w.program.ask("resources/templates/list");
        const names = (result!["resourceTemplates"] as { name: string }[]).map(({ name }) => name);
        return { categories: names.join(" ") };
      },
      after: { categories: "docs empty more" },
    });
    await w.document("categories vanish", () => w.remove("resources/more", "resources/empty"), {
      "more/m": null,
    });
    await w.close();
  }],
  ["front matter", async (t) => {
    const file = "resources/adr/1-x.md";
    const good = "---\ntitle: Good\nstatus: accepted\n---\n# X\n";
    const w = await Watched.start(t, { [file]: good });
    for (
      const [name, text, title] of [
        ["front matter breaks", "---\ntitle: Bad\nodd\n---\n# X\n", "Bad"],
        ["front matter vanishes", "# X\n", "X"],
        ["front matter is right again", good, "Good"],
      ] as const
    ) {
      const after = { "list adr/1-x": title, "read adr/1-x": text };
      await w.follow(name, () => w.write(file, text), { after });
    }
    await w.close(/^architrave: warning: adr\/1-x\.md:3: .*\n$/);
  }],
  ["a mounted folder", async (t) => {
    const mounted = `${makeFolder(t, { "mounted/1-a.md": "# A\n" })}/mounted`;
    const args = (folder: string) => ["--root", folder, "--mount", `adr=${mounted}`];
    const w = await (await Watched.start(t, { [B]: "# B\n" }, args)).adopt();
    const c = `${mounted}/2-c.md`;
    const appear = () => writeFiles(mounted, { "1-a.md": "# A\n" });
    await w.document("create", () => writeFileSync(c, "# C\n"), { "adr/2-c": "# C\n" });
    await w.document("save aside", () => SAVING["aside, and renamed"]!(c, "# E\n"), { "adr/2-c": "# E\n" });
    await w.document("delete", () => rmSync(c), { "adr/2-c": null });
    await w.document("the folder vanishes", () => rmSync(mounted, { recursive: true }), { "adr/1-a": null });
    await w.document("the folder comes back", appear, { "adr/1-a": "# A\n" }, SLOWLY);
    await w.document("modify after that", () => writeFileSync(`${mounted}/1-a.md`, "# F\n"), {
      "adr/1-a": "# F\n",
    });
    await w.close(new RegExp(`^architrave: error: adr: ${MISSING}\\. .*\\n$`));
  }],
];

const WRITING: readonly Group[] = [
  ["emptied and filled again", async (t) => {
    const w = await Watched.start(t, { [A]: OLD, [B]: "# B\n" });
    const refill = (text: string) => async () => {
      truncateSync(w.path(A));
      await pause(200);
      w.write(A, text);
    };
    await w.document("filled after 200 ms, never read before", refill(NEW), { "docs/a": NEW }, {
      see: () => w.texts(["docs/a"]),
      before: {},
      after: { "read docs/a": NEW },
    });
    await w.document("filled after 200 ms, read before", refill(OLD), { "docs/a": OLD });
    await w.document("the same when its text was not read for a while", refill(NEW), { "docs/a": NEW });
    await w.document("emptied for good", () => truncateSync(w.path(A)), { "docs/a": "" }, SLOWLY);
    await w.document("filled after that", () => w.write(A, OLD), { "docs/a": OLD });
    const writer = new SteadyWriter();
    await w.document(
      "a new one, filled after 20 ms",
      async () => {
        w.write(C, "");
        await writer.pause(20);
        w.write(C, "# C\n");
      },
      { "docs/c": "# C\n" },
      writer,
    );
    await w.close();
  }],
  ["emptied for good, never read before, and a link that leads nowhere", async (t) => {
    const w = await Watched.start(t, { [A]: OLD });
    await w.document("emptied for good, never read before", () => truncateSync(w.path(A)), { "docs/a": "" }, {
      see: () => w.texts(["docs/a"]),
      before: {},
      after: { "read docs/a": "" },
      ...SLOWLY,
    });
    await w.document("its list", () => {}, {}, UNTOLD);
    if (!ON_WINDOWS) {
      await w.document("a link that leads nowhere", () => symlinkSync("x", w.path(C)), {}, UNTOLD);
      await w.document("it leads somewhere", () => w.write("resources/docs/x", NEW), { "docs/c": NEW });
      await w.document("it leads nowhere again", () => unlinkSync(w.path("resources/docs/x")), {
        "docs/c": null,
      });
    }
    await w.close(/^(architrave: error: docs\/c\.md: .* cannot be read.*\n){0,2}$/);
  }],
  ["written in pieces", async (t) => {
    const w = await Watched.start(t, { [A]: OLD });
    const bytes = new TextEncoder().encode(NEW);
    const writer = new SteadyWriter();
    await w.document(
      "byte by byte",
      async () => {
        const file = openSync(w.path(A), "w");
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
    await w.document("half a character, for as long as it is half", () => w.write(A, half), {}, UNTOLD);
    await w.document("the rest of it", () => w.write(A, `${NEW}\n`), { "docs/a": `${NEW}\n` }, UNTOLD);
    await w.close(
      /^(architrave: error: docs\/a\.md: The file is not UTF-8 text and its last good version is served\. .*\n)+$/,
    );
  }],
  ["appended to without end", async (t) => {
    const w = await Watched.start(t, { [A]: "# Log\n\n" });
    const { program } = w;
    const start = performance.now();
    const times: number[] = [];
    let isOver = false;
    const appending = (async () => {
      for (; !isOver; await pause(10)) {
        appendFileSync(w.path(A), `Line ${times.length}.\n`);
        times.push(performance.now());
      }
    })();
    // Several at once, of what was never read before.
    const params = { uri: "architecture://docs/a" };
    program.send(
      ...[1, 2, 3, 4, 5].map((id) => ({
        jsonrpc: "2.0",
        id: `first ${id}`,
        method: "resources/read",
        params,
      })),
    );
    await program.answers(5);
    const first = performance.now() - start;
    let [lines, longest, lag, versions] = [0, 0, 0, 0];
    while (performance.now() - start < 2500 || versions < 2) {
      const asked = performance.now();
      const { "read docs/a": text = "" } = await w.texts(["docs/a"]);
      assert.match(text, /^# Log\n\n(?:Line \d+\.\n)+$/);
      const seen = text.split("\n").length - 3;
      assert.ok(seen >= lines, `${seen} lines after ${lines}`);
      if (seen > lines) versions++;
      lines = seen;
      longest = Math.max(longest, performance.now() - asked);
      lag = Math.max(lag, asked - (times[seen] ?? asked));
      assert.ok(lag < 10 * ALWAYS_MS, `a read is ${lag} ms behind`);
      await pause(15);
    }
    isOver = true;
    await appending;
    t.diagnostic(`first answers after ${first} ms, longest ${longest} ms, at most ${lag} ms behind`);
    assert.ok(first < 10 * ALWAYS_MS && longest < 10 * ALWAYS_MS);
    await program.notices();
    const text = readFileSync(w.path(A), "utf8");
    await w.document("after that", () => {}, { "docs/a": text }, {
      before: {},
      between: () => true,
      ...UNTOLD,
    });
    await w.close();
  }],
  ["no text at all", async (t) => {
    const unread = "resources/docs/unread.md";
    const w = await Watched.start(t, { [A]: OLD, [unread]: "# Unread\n" });
    const binary = Uint8Array.of(0x23, 0, 1, 2);
    await w.texts(["docs/a"]);
    await w.document("a document that was never read becomes binary", () => w.write(unread, binary), {
      "docs/unread": null,
    }, {
      see: () => w.titles(),
      before: { "list docs/a": "Old", "list docs/unread": "Unread" },
      after: { "list docs/a": "Old" },
    });
    await w.document("it is text again", () => w.write(unread, "# B\n"), { "docs/unread": "# B\n" });
    await w.document("it vanishes", () => w.remove(unread), { "docs/unread": null });
    const errors = w.program.errors.length;
    await w.document("a document that was read becomes binary", () => w.write(A, binary), {}, UNTOLD);
    await w.document("other bytes", () => w.write(A, Uint8Array.of(0xff, 0xfe, 1)), {}, UNTOLD);
    assert.match(
      w.program.errors.slice(errors),
      /^architrave: error: docs\/a\.md: .* last good version .*\n$/,
    );
    await w.document("it is text again, too", () => w.write(A, NEW), { "docs/a": NEW });
    await w.close(/^(architrave: error: docs\/(unread|a)\.md: The file is not UTF-8 text .*\n){2}$/);
  }],
  ["a file that may not be read", async (t) => {
    const w = await Watched.start(t, { [A]: OLD, [B]: "# B\n" });
    await w.document("unreadable", () => {
      w.write(A, NEW);
      chmodSync(w.path(A), 0);
    }, { "docs/a": null });
    await w.document("readable", () => chmodSync(w.path(A), 0o644), { "docs/a": NEW });
    await w.close(new RegExp(`^architrave: error: docs/a\\.md: ${UNREADABLE}.*\\n$`));
  }, MAY_ALL],
];

/** A definition file with one message. */
function file(name: string, text: string, description = "Old"): string {
  return definition(text, { name, description });
}

const PROMPTS: readonly Group[] = [
  ["one prompt after the other", async (t) => {
    const [a, b] = ["prompts/a.json", "prompts/b.json"];
    const w = await Watched.start(t, { [a]: file("a", "A"), [A]: "# A\n" });
    const write = (path: string, text: string) => () => w.write(path, text);
    await w.prompt("create", write(b, file("b", "B")), { "prompt b": "Old", "get b": "B" });
    await w.prompt("modify what it says", write(a, file("a", "New")), { "get a": "New" }, UNTOLD);
    await w.prompt("modify what is listed", write(a, file("a", "New", "New")), { "prompt a": "New" });
    await w.prompt("touch", () => utimesSync(w.path(a), 1, 1), {}, UNTOLD);
    await w.prompt("broken", write(a, '{"name": "a", '), {}, UNTOLD);
    await w.prompt("broken again", write(a, '{"name": "a", '), {}, UNTOLD);
    await w.prompt("right again", write(a, file("a", "A")), { "prompt a": "Old", "get a": "A" });
    await w.prompt("half written for 200 ms", async () => {
      truncateSync(w.path(a));
      await pause(200);
      w.write(a, file("a", "Whole", "Whole"));
    }, { "prompt a": "Whole", "get a": "Whole" });
    await w.prompt("another name", write(a, file("c", "C")), {
      "prompt a": null,
      "get a": null,
      "prompt c": "Old",
      "get c": "C",
    });
    await w.prompt("delete", () => w.remove(a), { "prompt c": null, "get c": null });
    await w.close(/^architrave: error: prompts\/a\.json: The prompt cannot be used as it is: .*\n$/);
  }],
  ["the folder of prompts", async (t) => {
    const w = await Watched.start(t, { [A]: "# A\n" });
    const [one, other] = [{ "prompt a": "Old", "get a": "A" }, { "prompt b": "Old", "get b": "B" }];
    const none = { "prompt a": null, "get a": null };
    const write = () => w.write("prompts/a.json", file("a", "A"));
    await w.prompt("prompts/ appears", write, one);
    await w.prompt("prompts/ vanishes", () => w.remove("prompts"), none);
    await w.prompt("prompts/ appears again", write, one);
    await w.prompt("prompts/ vanishes and appears at once", () => {
      w.remove("prompts");
      w.write("prompts/b.json", file("b", "B"));
    }, { ...none, ...other });
    await w.prompt("modify after that", () => w.write("prompts/b.json", file("b", "C", "New")), {
      "prompt b": "New",
      "get b": "C",
    });
    w.write("prompts/b.json", file("b", "<<resource:architecture://docs/a>>", "New"));
    await w.prompt(
      "a document is embedded",
      () => {},
      { "get b": "[architecture://docs/a] A\n\n# A\n" },
      UNTOLD,
    );
    await w.prompt(
      "it is emptied, and filled after 200 ms",
      async () => {
        truncateSync(w.path(A));
        await pause(200);
        w.write(A, "# New\n");
      },
      { "get b": "[architecture://docs/a] New\n\n# New\n" },
      { told: ["resources"] },
    );
    await w.close();
  }],
];

testGroups("the program follows its files", [...WRITING, ...PROMPTS, ...DOCUMENTS]);
