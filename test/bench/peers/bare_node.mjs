/** The bare loop on Node: parse the line, put the id before a ready-made result, write. The unit of every Node row. */
import { cannedResults, resultOf } from "./canned.mjs";
import { eachLine, readFiles, write } from "./platform_node.mjs";
import { shelfOf } from "./shelf.mjs";

const results = cannedResults(shelfOf(readFiles()));

eachLine((line) => {
  const message = JSON.parse(line);
  const result = resultOf(results, message);
  if (result !== undefined) {
    write(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}\n`);
  }
});
