import { renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import process from "node:process";
import { makeFolder, writeFiles } from "../../harness/folder.ts";
import type { Group } from "../../harness/watched.ts";
import { ALWAYS_MS, Watched } from "../../harness/watched.ts";

const ON_WINDOWS = process.platform === "win32" ? "no links, and no renames of what is watched" : false;
/** For what is not reported, because nothing that is watched changes. */
const UNREPORTED = { promised: ALWAYS_MS } as const;
const A = { "docs/a": "# A\n" };
const B = { "docs/b": "# B\n" };

/** Makes a link, or leads an existing one elsewhere in one step. */
function link(target: string, path: string): void {
  symlinkSync(target, `${path}.new`);
  renameSync(`${path}.new`, path);
}

export const ROOTS: readonly Group[] = [
  {
    name: "the root vanishes and comes back",
    skip: ON_WINDOWS,
    run: async (t) => {
      const root = `${makeFolder(t, { "root/resources/docs/a.md": "# A\n" })}/root`;
      const shelf = await Watched.start(t, {}, () => ["--root", root]);
      const file = (name: string, text: string) => () =>
        writeFiles(root, { [`resources/docs/${name}.md`]: text });
      const remove = (path: string) => () => rmSync(path, { recursive: true });
      await shelf.becomes(t, "resources/ vanishes", remove(`${root}/resources`), {});
      await shelf.becomes(t, "resources/ comes back", file("a", "# A\n"), A);
      await shelf.becomes(t, "the root vanishes", remove(root), {});
      await shelf.becomes(t, "the root comes back", file("b", "# B\n"), B, UNREPORTED);
      await shelf.becomes(t, "modify after that", file("b", "# C\n"), { "docs/b": "# C\n" });
      await shelf.becomes(
        t,
        "the root vanishes and comes back at once",
        () => {
          remove(root)();
          file("b", "# B\n")();
        },
        B,
        // There was nothing for a moment.
        { ...UNREPORTED, between: (_, value) => value === undefined },
      );
      await shelf.becomes(t, "create after that", file("a", "# A\n"), { ...A, ...B });
      await shelf.close(
        /^(architrave: error: resources: The folder is not there or cannot be read\. .*\n){2,3}$/,
      );
    },
  },

  {
    name: "the root is moved",
    skip: ON_WINDOWS,
    run: async (t) => {
      const folder = makeFolder(t, {
        "root/resources/docs/a.md": "# A\n",
        "other/resources/docs/b.md": "# B\n",
      });
      const shelf = await Watched.start(t, {}, () => ["--root", `${folder}/root`]);
      const move = (from: string, to: string) => renameSync(`${folder}/${from}`, `${folder}/${to}`);
      await shelf.becomes(t, "the root is renamed away", () => move("root", "away"), {});
      await shelf.becomes(t, "the root is renamed back", () => move("away", "root"), A, UNREPORTED);
      await shelf.becomes(
        t,
        "another root takes its place",
        () => {
          move("root", "away");
          move("other", "root");
        },
        B,
        UNREPORTED,
      );
      const modify = () => writeFiles(folder, { "root/resources/docs/b.md": "# C\n" });
      await shelf.becomes(t, "modify after that", modify, { "docs/b": "# C\n" });
      // A rescan that has found the category before the root moved reports the category as well.
      await shelf.close(/^(architrave: error: (resources|docs): .*\n){1,4}$/);
    },
  },

  {
    name: "the root is a link",
    skip: ON_WINDOWS,
    run: async (t) => {
      const folder = makeFolder(t, {
        "one/resources/docs/a.md": "# A\n",
        "two/resources/docs/b.md": "# B\n",
      });
      link("one", `${folder}/root`);
      const shelf = await Watched.start(t, {}, () => ["--root", `${folder}/root`]);
      await shelf.becomes(t, "the root leads elsewhere", () => link("two", `${folder}/root`), B, UNREPORTED);
      const modify = () => writeFiles(folder, { "two/resources/docs/b.md": "# C\n" });
      await shelf.becomes(t, "modify after that", modify, { "docs/b": "# C\n" });
      await shelf.becomes(t, "the root leads back", () => link("one", `${folder}/root`), A, UNREPORTED);
      await shelf.close();
    },
  },

  {
    name: "links",
    skip: ON_WINDOWS,
    run: async (t) => {
      const shelf = await Watched.start(t, {
        "store/one/x.md": "# One\n",
        "store/two/x.md": "# Two\n",
        "resources/docs/a.md": "# A\n",
      });
      const file = shelf.path("resources/docs/file.md");
      const folder = shelf.path("resources/docs/folder");
      const lead = (target: string, path: string) => () => link(target, path);
      await shelf.becomes(t, "a link to a file", lead("../../store/one/x.md", file), {
        ...A,
        "docs/file": "# One\n",
      });
      await shelf.becomes(t, "it leads elsewhere", lead("../../store/two/x.md", file), {
        ...A,
        "docs/file": "# Two\n",
      });
      const modify = () => shelf.write("store/two/x.md", "# New\n");
      const changed = { ...A, "docs/file": "# New\n" };
      await shelf.becomes(
        t,
        "what it leads to is modified, where nothing is watched",
        modify,
        changed,
        UNREPORTED,
      );
      await shelf.becomes(t, "it leads out", lead("../../../..", file), A);
      await shelf.becomes(t, "it vanishes", () => unlinkSync(file), A, { told: [] });
      await shelf.becomes(t, "a link to a folder", lead("../../store/one", folder), {
        ...A,
        "docs/folder/x": "# One\n",
      });
      const two = { ...A, "docs/folder/x": "# New\n" };
      await shelf.becomes(t, "that leads elsewhere", lead("../../store/two", folder), two);
      const again = () => shelf.write("store/two/x.md", "# Two\n");
      await shelf.becomes(t, "modify in the folder that it leads to", again, {
        ...A,
        "docs/folder/x": "# Two\n",
      });
      await shelf.close(/^architrave: error: docs\/file\.md: The link leads out .*\n$/);
    },
  },
];
