/** Prompts for tests. */

import type { DocumentSource, PromptDefinition } from "../../lib/prompts/mod.ts";
import { checkArguments, readDefinition, renderMessages } from "../../lib/prompts/mod.ts";

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
