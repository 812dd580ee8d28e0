import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { makeFolder, writeFiles } from "../../harness/folder.ts";
import type { Group, Picture } from "../../harness/watched.ts";
import { documents, Watched } from "../../harness/watched.ts";

/** A function that runs git in a folder, or undefined where there is none. */
async function gitIn(folder: string): Promise<((...args: string[]) => Promise<void>) | undefined> {
  const identity = ["-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"];
  const git = async (...args: string[]) => {
    await promisify(execFile)("git", ["-C", folder, ...identity, ...args]);
  };
  try {
    await git("init", "-b", "one");
  } catch {
    return undefined;
  }
  return git;
}

export const CHECKOUT: readonly Group[] = [{
  name: "a checkout of five hundred files",
  run: async (t) => {
    const folder = makeFolder(t);
    const git = await gitIn(folder);
    if (!git) return t.skip("there is no git");
    const texts = (title: string) =>
      Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`docs/${n}`, `# ${title} ${n}\n`]));
    const commit = async (title: string) => {
      const files = Object.entries(texts(title)).map(([key, text]) => [`resources/${key}.md`, text]);
      writeFiles(folder, Object.fromEntries(files));
      await git("add", ".");
      await git("commit", "-m", title);
    };
    await commit("One");
    await git("switch", "-c", "two");
    await commit("Two");
    const shelf = await Watched.start(t, {}, () => ["--root", folder]);
    // All of them are listed, and some are read.
    const some = Array.from({ length: 25 }, (_, n) => `docs/${20 * n}`);
    const see = async () => ({ ...await shelf.titles(), ...await shelf.only(...some)() });
    const seen = (title: string): Picture =>
      Object.fromEntries(
        Object.entries(documents(texts(title)))
          .filter(([thing]) => thing.startsWith("list ") || some.includes(thing.slice("read ".length))),
      );
    // On a busy machine git may rest for long after it has removed a file, before it writes it anew.
    const between = (_: string, value: string | undefined) => value === undefined;
    const row = { see, between };
    await shelf.becomes(t, "git switch", () => git("switch", "one"), {}, { ...row, after: seen("One") });
    await shelf.becomes(t, "git switch back", () => git("switch", "two"), {}, { ...row, after: seen("Two") });
    const one = seen("One");
    await shelf.row(t, "git switch to and fro", {
      see,
      change: async () => {
        await git("switch", "one");
        await git("switch", "two");
      },
      between: (thing, value) => value === undefined || value === one[thing],
      told: "perhaps",
    });
    await shelf.close(/^(architrave: error: docs\/\d+\.md: The file or folder cannot be read\. .*\n)*$/);
  },
}];
