/** What the peers borrow from Node: their root, its files, lines in and text out. */
import { readdirSync, readFileSync } from "node:fs";

/** The folder given by `--root`. */
export const root = process.argv[process.argv.indexOf("--root") + 1];

/** Reads every document and prompt of a root into memory. */
export function readFiles() {
  const documents = readdirSync(`${root}/resources/guidelines`).map((file) => ({
    name: file.slice(0, -".md".length),
    text: readFileSync(`${root}/resources/guidelines/${file}`, "utf8"),
  }));
  const prompts = readdirSync(`${root}/prompts`).map((file) =>
    readFileSync(`${root}/prompts/${file}`, "utf8")
  );
  return { documents, prompts };
}

/** Calls back with each line of stdin, without its newline. */
export function eachLine(callback) {
  let pending = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    const lines = (pending + chunk).split("\n");
    pending = lines.pop();
    for (const line of lines) callback(line);
  });
}

/** Writes text to stdout. */
export function write(text) {
  process.stdout.write(text);
}
