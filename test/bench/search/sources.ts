/** Public repositories that collections are made from, and what is read of them. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A question of a collection that is made here, before it is written as JSON. */
export interface Made {
  text: string;
  /** "words", "number", "commit"; "short" or "long" for code. */
  kind: string;
  /** The half that it belongs to: questions of the test half are only asked for a report. */
  half: "tuning" | "test";
  /** The paths of the documents that are right. */
  right: string[];
}

/** Which half a thing belongs to: by its hash, so that it stays there when others are added. */
export function halfOf(key: string): Made["half"] {
  return createHash("sha256").update(key).digest()[0]! % 2 === 0 ? "tuning" : "test";
}

/** A repository with its history, which another program has cloned. */
export class Repository {
  readonly #git: string;

  /** @param folder Holds `OWNER+NAME`, a clone, or `OWNER+NAME/repo`. */
  constructor(folder: string, name: string) {
    const clone = join(folder, name.replace("/", "+"));
    const found = [join(clone, "repo"), join(clone, ".git"), clone].find((path) => existsSync(join(path, "HEAD")));
    if (found === undefined) throw new Error(`Cannot read ${name}: clone it as ${clone}`);
    this.#git = found;
  }

  /** What git prints. */
  git(...args: string[]): string {
    return execFileSync("git", [`--git-dir=${this.#git}`, ...args], { encoding: "utf8", maxBuffer: 2 ** 30 });
  }

  /** The texts of the files that a pattern matches, by path. */
  texts(pattern: RegExp): Map<string, string> {
    const paths = this.git("ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0").filter((path) => pattern.test(path));
    const input = paths.map((path) => `HEAD:${path}\n`).join("");
    const output = execFileSync("git", [`--git-dir=${this.#git}`, "cat-file", "--batch"], { input, maxBuffer: 2 ** 30 });
    const texts = new Map<string, string>();
    let place = 0;
    for (const path of paths) {
      const end = output.indexOf(10, place);
      const size = Number(/ blob (\d+)$/.exec(output.toString("utf8", place, end))?.[1] ?? NaN);
      place = end + 1;
      // Links and missing files have no text.
      if (Number.isNaN(size)) continue;
      texts.set(path, output.toString("utf8", place, place + size));
      place += size + 1;
    }
    return texts;
  }
}

/** Writes a collection: its documents below `files/`, and `questions.json`. */
export function writeCollection(folder: string, documents: ReadonlyMap<string, string>, questions: readonly Made[]): void {
  if (existsSync(folder)) for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  for (const [path, text] of documents) {
    const file = join(folder, "files", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  writeFileSync(join(folder, "questions.json"), JSON.stringify(questions, undefined, 1));
}
