/** The command vendor with `--check`: compares a copy with its manifest. A copy of a part of the program has this file too. */

import type { Platform } from "../../platform/platform.ts";
import type { Options } from "../options.ts";
import { count, printable } from "../../base/text.ts";
import { ConfigurationError } from "../options.ts";
import { requireFolder } from "../folders.ts";
import { emit } from "../io.ts";
import { compareFile, COPY_MANIFEST, readCopyManifest, visibleFiles } from "./manifest.ts";

/** Documents that a team adds to a copy. */
const DOCUMENTS = /^mcp\//;

/** Prints a line for each file that was changed, is missing, or is extra. The exit code is 1 when there is one. */
export async function verify(platform: Platform, options: Options, folder: string): Promise<number> {
  const { files } = platform;
  requireFolder(platform, folder, "the copy");
  const manifest = readCopyManifest(platform, folder);
  if (!manifest) {
    throw new ConfigurationError(
      `Cannot check "${folder}": it has no ${COPY_MANIFEST}, so vendor did not make it`,
    );
  }
  const { version, commit, parts } = manifest;
  const found: [state: string, name: string][] = [];
  for (const [name, hash] of Object.entries(manifest.files)) {
    found.push([(await compareFile(files, folder, name, hash)).state, name]);
  }
  for (const name of visibleFiles(files, folder)) {
    const isKnown = name === COPY_MANIFEST || Object.hasOwn(manifest.files, name);
    if (!isKnown && !DOCUMENTS.test(name)) found.push(["extra", name]);
  }
  const problems = found.filter(([state]) => state !== "same").sort();
  const namesOf = (wanted: string) => problems.filter(([state]) => state === wanted).map(([, name]) => name);
  const [changed, missing, extra] = ["changed", "missing", "extra"].map(namesOf);
  emit(platform, options, { version, commit, parts, changed, missing, extra }, () => {
    if (problems.length > 0) return problems.map(([state, name]) => `${state} ${printable(name)}\n`).join("");
    const what = `architrave ${version}${commit === undefined ? "" : `, commit ${commit}`}, ${
      parts.join(", ")
    }`;
    return printable(`${count(found.length, "file")} as copied: ${what}`) + "\n";
  });
  return problems.length > 0 ? 1 : 0;
}
