/**
 * The bare loop on Node with its large results kept as encoded bytes, and the answers to one chunk of input written
 * together: how far below the plain bare loop a server that encodes beforehand can get.
 */
import { cannedResults, inJson, once, resultOf } from "./canned.mjs";
import { eachLine, readFiles, write } from "./platform_node.mjs";
import { shelfOf } from "./shelf.mjs";

const END = Buffer.from("}\n");

const { reads, prompts, ...small } = cannedResults(shelfOf(readFiles()));
const readBytes = encodedOnce(reads, (json) => Buffer.from(json));
const promptBytes = encodedOnce(prompts, (parts) => parts.map((part) => Buffer.from(part)));

/** The same map, each value encoded when it is first asked for. */
function encodedOnce(values, encode) {
  return new Map([...values].map(([key, value]) => [key, once(() => encode(value()))]));
}

let corked = false;

eachLine((line) => {
  if (!corked) {
    corked = true;
    process.stdout.cork();
    process.nextTick(uncork);
  }
  const message = JSON.parse(line);
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`;
  if (message.method === "resources/read") {
    write(head);
    write(readBytes.get(message.params.uri)());
    write(END);
  } else if (message.method === "prompts/get") {
    const [before, after] = promptBytes.get(message.params.name)();
    write(head);
    write(before);
    write(inJson(message.params.arguments.topic));
    write(after);
    write(END);
  } else {
    const result = resultOf(small, message);
    if (result !== undefined) write(`${head}${result}}\n`);
  }
});

/** Lets everything that was written since the first line of this chunk leave in one gathered write. */
function uncork() {
  corked = false;
  process.stdout.uncork();
}
