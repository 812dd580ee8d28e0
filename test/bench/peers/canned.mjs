/**
 * The answers of the bare loops, as JSON that is made once.
 *
 * Nothing here checks anything: this is the least a server can do for an answer, and therefore the unit that all
 * others are measured in. The JSON of a text is made when it is first asked for and takes the place of the text: made
 * at the start, it would make the bare loop the slowest one to start.
 */
import { serverInfo } from "./shelf.mjs";

/** Functions that give the JSON of each kind of result. */
export function cannedResults({ documents, prompts }) {
  const capabilities = { resources: {}, prompts: {} };
  const initialize = JSON.stringify({ protocolVersion: "2025-11-25", capabilities, serverInfo });
  const resources = documents.map(({ uri, name, title }) => ({
    uri,
    name,
    title,
    mimeType: "text/markdown",
  }));
  return {
    initialize: () => initialize,
    list: once(() => JSON.stringify({ resources })),
    reads: new Map(documents.map(({ uri, text }) => [uri, once(() => readResult(uri, text))])),
    prompts: new Map(prompts.map((prompt) => [prompt.name, once(() => cutPrompt(prompt))])),
  };
}

/** A function that makes its value at the first call, and then lets go of what it was made from. */
export function once(make) {
  let value;
  return () => {
    if (make !== undefined) {
      value = make();
      make = undefined;
    }
    return value;
  };
}

function readResult(uri, text) {
  return JSON.stringify({ contents: [{ uri, mimeType: "text/markdown", text }] });
}

/** The JSON of a prompt's result before and after its one argument. */
function cutPrompt({ description, before, after }) {
  const open = JSON.stringify({ description, messages: [] }).slice(0, -2);
  return [
    `${open}{"role":"user","content":{"type":"text","text":"${inJson(before)}`,
    `${inJson(after)}"}}]}`,
  ];
}

/** Text as it stands between the quotation marks of a JSON string. */
export function inJson(text) {
  return JSON.stringify(text).slice(1, -1);
}

/** The JSON of the result for one parsed request; `undefined` for a notification. */
export function resultOf(results, { id, method, params }) {
  if (id === undefined) return undefined;
  switch (method) {
    case "initialize":
      return results.initialize();
    case "resources/list":
      return results.list();
    case "resources/read":
      return results.reads.get(params.uri)();
    case "prompts/get": {
      const [before, after] = results.prompts.get(params.name)();
      return before + inJson(params.arguments.topic) + after;
    }
    default:
      return "{}";
  }
}
