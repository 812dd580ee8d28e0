/** The command decisions: the documents that apply to files. */

import type { Platform } from "../platform/platform.ts";
import type { DocumentEntry } from "./entries.ts";
import type { Options } from "./options.ts";
import { compact } from "../base/json.ts";
import { attempt, uriDecoded } from "../base/text.ts";
import { rankOf } from "../documents/applying.ts";
import { readCode } from "../documents/check_code.ts";
import { isInside } from "../documents/files.ts";
import { foundText } from "./entries.ts";
import { levelsOf } from "./find_folder.ts";
import { requireFolder } from "./folders.ts";
import { callDocumentTool, show } from "./in_memory.ts";
import { readInput } from "./io.ts";

type Applying = DocumentEntry & { matched: string; paths: readonly string[]; morePaths?: number };

/** Maximum number of files in one call of the tool. */
const MAX_PATHS = 100;

export async function decisions(platform: Platform, options: Options): Promise<number> {
  const { operands } = options;
  const read = operands.includes("-") ? readPaths(await readInput(platform)) : [];
  const code = options.get("code");
  // With --code, paths start at that folder.
  const named = code === undefined ? fromRoot(platform) : (path: string) => path;
  const all = [...new Set(operands.flatMap((path) => path === "-" ? read : [named(path)]))];
  return await show(platform, options, async (client) => {
    const found: Applying[] = [];
    if (code !== undefined) requireFolder(platform, code, "--code");
    const within = code === undefined ? undefined : platform.files.realPath(code);
    // A text is that of one file.
    const step = within === undefined ? MAX_PATHS : 1;
    for (let start = 0; start < all.length; start += step) {
      const paths = all.slice(start, start + step);
      const text = within === undefined ? undefined : readCode(platform.files, within, paths[0]!);
      let page: { documents: readonly Applying[]; nextCursor?: string } = { documents: [] };
      do {
        page = await callDocumentTool(client, "decisions_for", { paths, text, cursor: page.nextCursor });
        found.push(...page.documents);
      } while (page.nextCursor !== undefined);
    }
    if (found.length === 0) {
      const guess = code === undefined ? "; --code DIR also guesses by the text of a file" : "";
      const way = `add it to the front matter of one, such as applies-to: ["src/db/**"]${guess}`;
      platform.print("error", `architrave: No document names these files in applies-to: ${way}.\n`);
    }
    // The order that the tool gives the documents of one call.
    const documents = Array.from(Map.groupBy(found, ({ uri }) => uri).values(), joined).sort((one, two) =>
      Number("notice" in one) - Number("notice" in two) || bySpecificity(one, two)
    );
    return { documents };
  }, ({ documents }, style) => {
    const places = documents.map((document) => {
      const { matched, paths, morePaths } = document;
      const more = morePaths === undefined ? "" : ` and ${morePaths} more`;
      return { ...document, place: matched, text: paths.join(", ") + more };
    });
    return foundText(places, style);
  });
}

/** Makes a path from the working directory one from the root of the repository, if there is such a file. Git prints the latter. */
function fromRoot({ files }: Platform): (path: string) => string {
  const levels = levelsOf(files, "."), root = levels.at(-1)!;
  return (path) => {
    const real = levels.length > 1 ? attempt(() => files.realPath(path)) : undefined;
    return real !== undefined && isInside(real, root, files.separator)
      ? real.slice(root.length + 1).replaceAll(files.separator, "/")
      : path;
  };
}

/** Joins the results of several calls for one document. The most specific pattern is kept. */
function joined(parts: readonly Applying[]): Applying {
  const [best] = parts.toSorted(bySpecificity);
  const more = parts.reduce((sum, { morePaths = 0 }) => sum + morePaths, 0);
  const paths = parts.flatMap(({ paths }) => paths);
  return { ...best!, paths, ...compact({ morePaths: more || undefined }) };
}

const bySpecificity = (one: Applying, two: Applying): number => rankOf(two.matched) - rankOf(one.matched);

/** The paths in a text, separated by newlines or NULs. */
function readPaths(text: string): string[] {
  const paths = text.includes("\0") ? text.split("\0") : text.split(/\r?\n/).map(unquoted);
  return paths.filter((path) => path !== "");
}

/** Git quotes unusual names, and writes their bytes outside of ASCII in octal. */
function unquoted(line: string): string {
  const inner = /^"(.*)"$/.exec(line)?.[1];
  if (inner === undefined) return line;
  const toHex = (_: string, octal: string) => `%${parseInt(octal, 8).toString(16).padStart(2, "0")}`;
  const name = uriDecoded(encodeURIComponent(inner).replace(/%5C([0-7]{3})/g, toHex)) ?? inner;
  return name.replace(/\\(.)/g, "$1");
}
