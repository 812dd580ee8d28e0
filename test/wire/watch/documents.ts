import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import process from "node:process";
import { makeFolder } from "../../harness/folder.ts";
import type { Group, Picture } from "../../harness/watched.ts";
import { ALWAYS_MS, Watched } from "../../harness/watched.ts";

const NOT_LINUX = process.platform === "linux" ? false : "sed -i has another form here";
/** For changes that nobody who only knows the list has to learn. */
const UNTOLD = { told: [] } as const;

/** Writes aside and renames, as careful editors do. */
function saveAside(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}

/** Moves the old file out of the way, writes a new one, and removes the old one. */
function saveAsVim(path: string, text: string): void {
  renameSync(path, `${path}~`);
  const file = openSync(path, "wx");
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  rmSync(`${path}~`);
}

/** Puts a file in its place that is older, as restoring a copy does. */
function saveAsOld(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text);
  utimesSync(`${path}.tmp`, 1, 1);
  renameSync(`${path}.tmp`, path);
}

/** Empties the file and writes it anew. */
function saveAsCode(path: string, text: string): void {
  const file = openSync(path, "r+");
  ftruncateSync(file, 0);
  writeSync(file, text, 0);
  closeSync(file);
}

export const DOCUMENTS: readonly Group[] = [
  {
    name: "one file after the other",
    run: async (t) => {
      const a = "resources/docs/a.md";
      const shelf = await Watched.start(t, { [a]: "# A\n\nOld.\n", "resources/docs/b.md": "# B\n" });
      const path = shelf.path(a);
      const c = "resources/docs/c.md";
      const b = { "docs/b": "# B\n" };
      const old = { ...b, "docs/a": "# A\n\nOld.\n" };
      await shelf.becomes(t, "create", () => shelf.write(c, "# C\n"), { ...old, "docs/c": "# C\n" });
      await shelf.becomes(t, "delete", () => shelf.remove(c), old);
      await shelf.becomes(t, "modify", () => shelf.write(a, "# N\n\nNew.\n"), {
        ...b,
        "docs/a": "# N\n\nNew.\n",
      });
      const text = "# N\n\nNew.\n\nMore than is listed.\n";
      const same = { ...b, "docs/a": text };
      await shelf.becomes(t, "modify what is not listed", () => shelf.write(a, text), same, UNTOLD);
      await shelf.becomes(t, "touch", () => utimesSync(path, 1, 1), same, UNTOLD);
      assert.deepEqual(await timesOf(shelf, "docs/a"), {
        size: text.length,
        lastModified: "1970-01-01T00:00:01.000Z",
      });
      await shelf.becomes(t, "the same text again", () => shelf.write(a, text), same, UNTOLD);
      await shelf.becomes(t, "rename", () => renameSync(path, shelf.path("resources/docs/z.md")), {
        ...b,
        "docs/z": text,
      });
      await shelf.close();
    },
  },

  {
    name: "the ways of editors",
    run: async (t) => {
      const a = "resources/docs/a.md";
      const shelf = await Watched.start(t, { [a]: "# A\n\nOld.\n", "resources/docs/b.md": "# B\n" });
      const path = shelf.path(a);
      const b = { "docs/b": "# B\n" };
      await shelf.becomes(t, "save aside", () => saveAside(path, "# 1\n"), { ...b, "docs/a": "# 1\n" });
      await shelf.becomes(t, "save as vim does", () => saveAsVim(path, "# 2\n"), { ...b, "docs/a": "# 2\n" });
      await shelf.becomes(t, "save as VS Code does", () => saveAsCode(path, "# 3\n"), {
        ...b,
        "docs/a": "# 3\n",
      });
      await shelf.becomes(t, "an older file in its place", () => {
        saveAsOld(path, "# 4\n");
      }, { ...b, "docs/a": "# 4\n" });
      await shelf.close();
    },
  },

  {
    name: "what was told can be read",
    run: async (t) => {
      const a = "resources/docs/a.md";
      const shelf = await Watched.start(t, { [a]: "# A\n" });
      await shelf.program.ask("resources/subscribe", { uri: "architecture://docs/a" });
      const changes: ((text: string) => void)[] = [
        (text) => shelf.write(a, text),
        (text) => saveAside(shelf.path(a), text),
        (text) => saveAsOld(shelf.path(a), text),
        (text) => saveAsCode(shelf.path(a), text),
      ];
      for (const [number, change] of changes.entries()) {
        await shelf.read("docs/a");
        change(`# ${number}\n`);
        while ((await shelf.program.notice()).method !== "notifications/resources/updated");
        assert.equal(await shelf.read("docs/a"), `# ${number}\n`);
        assert.deepEqual(await shelf.titles(), { "list docs/a": String(number) });
      }
      await shelf.close();
    },
  },
  {
    name: "sed -i",
    skip: NOT_LINUX,
    run: async (t) => {
      const shelf = await Watched.start(t, { "resources/docs/a.md": "# A\n\nOld.\n" });
      const sed = () => void execFileSync("sed", ["-i", "s/Old/New/", shelf.path("resources/docs/a.md")]);
      await shelf.becomes(t, "sed -i", sed, { "docs/a": "# A\n\nNew.\n" });
      await shelf.close();
    },
  },

  {
    name: "folders",
    run: async (t) => {
      const shelf = await Watched.start(t, {
        "resources/docs/1/a.md": "# A\n",
        "resources/docs/b.md": "# B\n",
      });
      const b = { "docs/b": "# B\n" };
      const two = { ...b, "docs/2/a": "# A\n" };
      const deep = "resources/docs/x/y/z/c.md";
      const rename = () => renameSync(shelf.path("resources/docs/1"), shelf.path("resources/docs/2"));
      await shelf.becomes(t, "rename of a folder", rename, two);
      await shelf.becomes(t, "nested folders with a file, at once", () => shelf.write(deep, "# C\n"), {
        ...two,
        "docs/x/y/z/c": "# C\n",
      });
      await shelf.becomes(t, "modify in the folder that was new", () => shelf.write(deep, "# D\n"), {
        ...two,
        "docs/x/y/z/c": "# D\n",
      });
      await shelf.becomes(t, "folders vanish", () => {
        shelf.remove("resources/docs/x");
        shelf.remove("resources/docs/2");
      }, b);
      await shelf.becomes(t, "a category appears", () => shelf.write("resources/more/m.md", "# M\n"), {
        ...b,
        "more/m": "# M\n",
      });
      await shelf.row(t, "an empty category appears", {
        change: () => void mkdirSync(shelf.path("resources/empty")),
        see: () => categories(shelf),
        after: { categories: "docs empty more" },
        told: ["resources"],
      });
      await shelf.becomes(t, "categories vanish", () => {
        shelf.remove("resources/more");
        shelf.remove("resources/empty");
      }, b);
      await shelf.close();
    },
  },

  {
    name: "front matter",
    run: async (t) => {
      const file = "resources/adr/1-x.md";
      const good = "---\ntitle: Good\nstatus: accepted\n---\n# X\n";
      const shelf = await Watched.start(t, { [file]: good });
      const row = (name: string, text: string, title: string) =>
        shelf.becomes(t, name, () => shelf.write(file, text), {}, {
          after: { "list adr/1-x": title, "read adr/1-x": text },
        });
      await row("front matter breaks", "---\ntitle: Bad\nodd\n---\n# X\n", "Bad");
      await row("front matter vanishes", "# X\n", "X");
      await row("front matter is mended", good, "Good");
      await shelf.close(/^architrave: warning: adr\/1-x\.md:3: .*\n$/);
    },
  },

  {
    name: "a mounted folder",
    run: async (t) => {
      const mounted = `${makeFolder(t, { "mounted/1-a.md": "# A\n" })}/mounted`;
      const shelf = await Watched.start(
        t,
        { "resources/docs/b.md": "# B\n" },
        (folder) => ["--root", folder, "--mount", `adr=${mounted}`],
      );
      const b = { "docs/b": "# B\n" };
      const both = { ...b, "adr/1-a": "# A\n" };
      const c = `${mounted}/2-c.md`;
      await shelf.becomes(t, "mounted: create", () => writeFileSync(c, "# C\n"), {
        ...both,
        "adr/2-c": "# C\n",
      });
      await shelf.becomes(t, "mounted: modify", () => writeFileSync(c, "# D\n"), {
        ...both,
        "adr/2-c": "# D\n",
      });
      await shelf.becomes(t, "mounted: save aside", () => saveAside(c, "# E\n"), {
        ...both,
        "adr/2-c": "# E\n",
      });
      await shelf.becomes(t, "mounted: delete", () => rmSync(c), both);
      await shelf.becomes(t, "mounted: the folder vanishes", () => rmSync(mounted, { recursive: true }), b);
      await shelf.becomes(
        t,
        "mounted: the folder comes back",
        () => {
          mkdirSync(mounted);
          writeFileSync(`${mounted}/1-a.md`, "# A\n");
        },
        both,
        { promised: ALWAYS_MS },
      );
      await shelf.becomes(
        t,
        "mounted: modify after that",
        () => writeFileSync(`${mounted}/1-a.md`, "# F\n"),
        {
          ...b,
          "adr/1-a": "# F\n",
        },
      );
      await shelf.close(/^architrave: error: adr: The folder is not there or cannot be read\. .*\n$/);
    },
  },
];

/** What is listed of the file of a document. */
async function timesOf(shelf: Watched, key: string): Promise<{ size: number; lastModified: string }> {
  const { result } = await shelf.program.ask("resources/list");
  const resources = result!["resources"] as {
    uri: string;
    size: number;
    annotations: { lastModified: string };
  }[];
  const { size, annotations } = resources.find(({ uri }) => uri === `architecture://${key}`)!;
  return { size, lastModified: annotations.lastModified };
}

/** The categories, which are listed as templates. */
async function categories(shelf: Watched): Promise<Picture> {
  const { result } = await shelf.program.ask("resources/templates/list");
  const names = (result!["resourceTemplates"] as { name: string }[]).map(({ name }) => name);
  return { categories: names.join(" ") };
}
