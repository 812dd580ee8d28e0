/** What does a root with documents and prompts look like in a test? */

import type { TestContext } from "node:test";
import type { FileSystem } from "../../deps.ts";
import type { PromptDefinition } from "../../lib/prompts/definition.ts";
import type { DocumentSource } from "../../lib/prompts/render.ts";
import { loadPlatform } from "../../deps.ts";
import { Shelf } from "../../lib/documents/shelf.ts";
import { readDefinition } from "../../lib/prompts/definition.ts";
import { checkArguments, renderMessages } from "../../lib/prompts/render.ts";
import { makeFolder } from "../harness/folder.ts";

/** The file system of the runtime that runs the tests. */
export const files: FileSystem = (await loadPlatform()).files;

/** One message of a prompt that is filled in. */
export interface Message {
  readonly role: string;
  readonly content: { readonly type: string; readonly text: string };
}

/** A definition file with one message, or several. */
export function definition(texts: string | readonly string[], change: Record<string, unknown> = {}): string {
  const messages = [texts].flat().map((text) => ({ role: "user", content: { type: "text", text } }));
  return JSON.stringify({ name: "p", messages, ...change });
}

/** A shelf with these files under `resources/`, ready to be looked into. */
export async function makeShelf(
  test: Pick<TestContext, "after">,
  contents: Readonly<Record<string, string | Uint8Array>>,
): Promise<Shelf> {
  const inner = Object.entries(contents).map(([name, text]) => [`resources/${name}`, text] as const);
  const shelf = new Shelf(files, { root: makeFolder(test, Object.fromEntries(inner)) });
  await shelf.ready();
  return shelf;
}

/** What a prompt says, as a client gets it. */
export function render(
  prompt: PromptDefinition,
  given?: unknown,
  source?: DocumentSource,
): readonly Message[] {
  const decoder = new TextDecoder();
  const pieces = renderMessages(prompt, checkArguments(prompt, given), source);
  return JSON.parse(
    pieces.map((piece) => typeof piece === "string" ? piece : decoder.decode(piece)).join(""),
  );
}

/** What a text with these arguments says. */
export function say(
  text: string,
  given?: Readonly<Record<string, unknown>>,
  source?: DocumentSource,
): string {
  const names = Object.keys(given ?? {}).map((name) => ({ name }));
  const [message] = render(readDefinition(definition(text, { arguments: names })), given, source);
  return message!.content.text;
}
