/**
 * Makes collections that look like what users ask: known items in folders of proposals, and code to decision.
 *
 *     node --experimental-strip-types test/bench/search/make.ts OUT --git FOLDER --python LIBRARY
 *
 * FOLDER holds a clone of each repository that `make_known.ts` and `make_code.ts` name, as `OWNER+NAME`. LIBRARY is the folder
 * of the standard library of CPython 3.11. OUT gets a folder for each collection; `run.ts OUT` reads them.
 */
import { parseArgs } from "node:util";
import { makeCode } from "./make_code.ts";
import { makeKnown } from "./make_known.ts";

const { values, positionals: [out] } = parseArgs({
  allowPositionals: true,
  options: { git: { type: "string" }, python: { type: "string" } },
});
if (out === undefined || values.git === undefined || values.python === undefined) {
  throw new Error("Cannot make collections: name OUT, --git FOLDER and --python LIBRARY");
}
makeKnown(values.git, out);
makeCode(values.git, out, values.python);
