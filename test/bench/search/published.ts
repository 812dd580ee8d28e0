/**
 * Puts the ranking of CACM beside published figures: those of Lucene's BM25 with a stemmer and stop words, in Anserini.
 *
 *     node --experimental-strip-types test/bench/search/published.ts FOLDER
 *
 * FOLDER holds CACM (see `collections.ts`). At most 100 hits are ranked, which makes our MAP a little too low.
 *
 * @see https://github.com/castorini/anserini cacm.yaml
 */
import { readCollections } from "./collections.ts";
import { CONTENDERS } from "./contenders.ts";
import { table } from "../report.ts";

const PUBLISHED = [["Anserini, BM25", "0.3123", "0.1942"], [
  "Anserini, BM25 with RM3 feedback",
  "0.3648",
  "0.2224",
]];
const HITS = 100, FIRST = 30;

const collection = readCollections(process.argv[2]!).find(({ name }) => name === "cacm")!;
const { questions } = collection;
const searcher = await (await CONTENDERS[0]!.prepare(collection))();
let [precisionSum, averageSum] = [0, 0];
for (const { text, gains } of questions) {
  let found = 0;
  for (const [rank, id] of (await searcher.search(text, HITS)).entries()) {
    if (!gains.has(id)) continue;
    found++;
    averageSum += found / (rank + 1) / gains.size;
    if (rank < FIRST) precisionSum += 1 / FIRST;
  }
}
const [map, precision] = [averageSum, precisionSum].map((sum) => (sum / questions.length).toFixed(4));
process.stdout.write(table(["CACM", "MAP", "P@30"], [...PUBLISHED, ["Architrave", map!, precision!]]));
