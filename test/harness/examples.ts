/** The fenced blocks of a document, and its programs, written so that they can be run from the source. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { REPOSITORY } from "./program.ts";

/** One fenced block. */
export interface Example {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a file of this repository. */
export function examplesOf(file: string): Example[] {
  const text = readFileSync(join(REPOSITORY, file), "utf8");
  return Array.from(
    text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm),
    ([, language = "", code = ""]) => ({ language, text: code }),
  );
}

/** The programs that a file shows. */
export function programsOf(file: string): string[] {
  return examplesOf(file).filter(({ language }) => language === "ts").map(({ text }) => text);
}

/** Writes a program into a folder so that it imports this repository instead of the package. Returns its path. */
export function writeExample(folder: string, program: string): string {
  const path = join(folder, "example.ts");
  const { exports } = JSON.parse(readFileSync(join(REPOSITORY, "deno.json"), "utf8")) as {
    exports: Record<string, string>;
  };
  writeFileSync(
    path,
    program.replaceAll(/"@architrave\/architrave(\/\w+)?"/g, (_, subpath = "") => {
      const file = exports[`.${subpath}`];
      if (file === undefined) throw new Error(`An example imports ${subpath}, which is not exported`);
      return JSON.stringify(pathToFileURL(join(REPOSITORY, file)).href);
    }),
  );
  return path;
}
