/**
 * How often the guess for a file that no document names is right: files that cite a proposal, from which the citations were cut.
 *
 *     node --experimental-strip-types test/bench/search/guess.ts FOLDER [--half tuning|test] [--errors]
 *
 * FOLDER has the collections of `make.ts`. A guess is right if the file cites that proposal. `--errors` prints the wrong ones.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadPlatform } from "../../../deps.ts";
import { guessDocument } from "../../../lib/documents/guess.ts";
import { documentProvider } from "../../../lib/documents/provider.ts";

const { values, positionals: [folder] } = parseArgs({
  allowPositionals: true,
  options: { half: { type: "string", default: "tuning" }, errors: { type: "boolean", default: false } },
});
if (folder === undefined) throw new Error("Cannot measure guesses: name the folder of the collections");
const platform = await loadPlatform();
console.log(`| collection (half: ${values.half}) | files | guesses | right | precision |\n| --- | ---: | ---: | ---: | ---: |`);
for (const name of ["code-peps", "code-eips"]) {
  const documents = documentProvider(platform, { mounts: [{ name: "adr", path: join(folder, name, "files") }], watch: false });
  await documents.ready();
  const { catalogue } = documents.store;
  const files = (JSON.parse(readFileSync(join(folder, name, "code.json"), "utf8")) as {
    path: string;
    text: string;
    half: string;
    right: string[];
  }[]).filter(({ half }) => half === values.half);
  let guesses = 0, right = 0;
  for (const { path, text, right: cited } of files) {
    const guess = await guessDocument(documents, catalogue, { file: path, text }, { timeoutMs: Infinity });
    if (!guess) continue;
    guesses++;
    const isRight = cited.includes(`${guess.document.name}.md`);
    if (isRight) right++;
    else if (values.errors) console.error(path, guess.document.title, guess.matched, cited);
  }
  console.log(`| ${name} | ${files.length} | ${guesses} | ${right} | ${(right / guesses).toFixed(2)} |`);
}
