/** Does a server answer correctly? Asked before anything is measured, which also fills the caches of the runtimes. */
import { ask, listAll, open, PING, promptCall, readCall } from "./dialogue.ts";
import { promptText } from "./documents.ts";
import type { Corpus, Document, Root } from "./documents.ts";
import { ServerProcess } from "./process.ts";

/** How many of the ordinary documents are compared, spread evenly; all of them would only take longer. */
const COMPARED = 10;

/** An argument that goes wrong when it is not escaped, is taken for a marker, or for a replacement pattern. */
const AWKWARD_TOPIC = 'a "topic" with \\ and $& and {"id":1} and naïve →';

/** Starts a server on each kind of root and compares its answers; gives the revision it speaks, else throws. */
export async function verify(start: (root: Root) => ServerProcess, corpus: Corpus): Promise<string> {
  const { documents } = corpus.ordinary;
  const step = Math.max(1, Math.floor(documents.length / COMPARED));
  const revision = await verifyRoot(
    start(corpus.ordinary),
    documents,
    documents.filter((_, at) => at % step === 0),
  );
  await verifyRoot(start(corpus.large), corpus.large.documents, corpus.large.documents);
  return revision;
}

async function verifyRoot(server: ServerProcess, all: Document[], compared: Document[]): Promise<string> {
  try {
    const revision = await open(server);
    expectSame("The list of resources", (await listAll(server)).sort().join("\n"), uris(all));
    for (const { uri, text } of compared) {
      const result = await ask<{ contents: { uri: string; text: string }[] }>(server, readCall(uri));
      expectSame(`The text of ${uri}`, result.contents[0]?.text, text);
      expectSame("The URI of a content", result.contents[0]?.uri, uri);
    }
    const prompt = await ask<{ messages: { content: { text: string } }[] }>(
      server,
      promptCall(AWKWARD_TOPIC),
    );
    expectSame("The text of the prompt", prompt.messages[0]?.content.text, promptText(AWKWARD_TOPIC));
    expectSame("The answer to ping", JSON.stringify(await ask(server, PING)), "{}");
    return revision;
  } finally {
    await server.stop();
  }
}

function uris(documents: Document[]): string {
  return documents.map(({ uri }) => uri).sort().join("\n");
}

function expectSame(what: string, actual: unknown, expected: string): void {
  if (actual === expected) return;
  const shown = String(actual);
  const at = [...expected].findIndex((character, index) => character !== shown[index]);
  throw new Error(
    `${what} is wrong from character ${at} on: ${JSON.stringify(shown.slice(Math.max(0, at), at + 60))}`,
  );
}
