/**
 * The bare loop: parse the line, put the id before a ready-made result, write. It checks nothing: this is the least a
 * server can do for an answer, and the unit that all others of the runtime are measured in.
 *
 * With `--bytes` (Node) large results are kept as encoded bytes, and the answers to one chunk of input are written
 * together: how far below the plain loop a server that encodes beforehand can get.
 */
import { args, eachLine, readContent, serverInfo, write } from "./platform.mjs";

const inBytes = args.includes("--bytes");
const kept = inBytes ? (json) => Buffer.from(json) : (json) => json;
const { documents, prompts } = readContent();

const initialize = JSON.stringify({
  protocolVersion: "2025-11-25",
  capabilities: { resources: {}, prompts: {} },
  serverInfo,
});
// The JSON of a text is made when it is first asked for: at the start it would make this the slowest loop to start.
const list = once(() =>
  JSON.stringify({
    resources: documents.map(({ uri, name, title }) => ({ uri, name, title, mimeType: "text/markdown" })),
  })
);
const reads = new Map(documents.map(({ uri, text }) => [
  uri,
  once(() => kept(JSON.stringify({ contents: [{ uri, mimeType: "text/markdown", text }] }))),
]));
/** The JSON of a prompt's result before and after its one argument. */
const cuts = new Map(prompts.map(({ name, description, before, after }) => [
  name,
  once(() => {
    const open = JSON.stringify({ description, messages: [] }).slice(0, -2);
    const text = `${open}{"role":"user","content":{"type":"text","text":"${inJson(before)}`;
    return [kept(text), kept(`${inJson(after)}"}}]}`)];
  }),
]));

/** Makes its value at the first call, and drops what it was made from. */
function once(make) {
  let value;
  return () => {
    if (make !== undefined) {
      value = make();
      make = undefined;
    }
    return value;
  };
}

/** Text as it stands between the quotation marks of a JSON string. */
function inJson(text) {
  return JSON.stringify(text).slice(1, -1);
}

/** The JSON of the result for one parsed request, in one piece or several. */
function resultOf({ method, params }) {
  switch (method) {
    case "initialize":
      return initialize;
    case "resources/list":
      return list();
    case "resources/read":
      return reads.get(params.uri)();
    case "prompts/get": {
      const [before, after] = cuts.get(params.name)();
      const topic = inJson(params.arguments.topic);
      return inBytes ? [before, topic, after] : before + topic + after;
    }
    default:
      return "{}";
  }
}

let corked = false;

await eachLine((line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`;
  const result = resultOf(message);
  if (!inBytes) return write(`${head}${result}}\n`);
  if (!corked) {
    corked = true;
    process.stdout.cork();
    process.nextTick(() => {
      corked = false;
      process.stdout.uncork();
    });
  }
  for (const piece of [head, result, "}\n"].flat()) write(piece);
});
