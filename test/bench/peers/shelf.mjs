/**
 * What the peers serve: the documents and the prompt, held as plain values.
 *
 * Pure, so that the same code serves under Node and Deno; reading the files is the business of
 * `platform_node.mjs` and `platform_deno.ts`.
 */

/** Implementation facts every peer announces, so that their `initialize` answers have one size. */
export const serverInfo = { name: "bench-peer", version: "1.0.0" };

/**
 * Turns the files of a root into what a server needs to know about them.
 *
 * @param {{ documents: { name: string, text: string }[], prompts: string[] }} files Names without `.md`, texts as read.
 */
export function shelfOf(files) {
  const documents = files.documents
    .map(({ name, text }) => ({ uri: `architecture://guidelines/${name}`, name, title: titleOf(text), text }))
    .sort((a, b) => (a.uri < b.uri ? -1 : 1));
  const prompts = files.prompts.map((json) => {
    const { name, description, arguments: parameters, messages } = JSON.parse(json);
    const [before, after] = messages[0].content.text.split("<<topic>>");
    return { name, description, arguments: parameters, before, after };
  });
  return { documents, prompts };
}

/** The title of front matter, else the first heading: both stand within the first characters of a document. */
function titleOf(text) {
  const head = text.slice(0, 500);
  return (/^title: (.+)$/m.exec(head) ?? /^# (.+)$/m.exec(head))?.[1] ?? "";
}
