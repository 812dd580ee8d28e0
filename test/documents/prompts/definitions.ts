/** Prompts for tests: definition files in memory or on disk, served by a provider, and filled in as for a client. */

import type { FileSystem } from "../../../deps.ts";
import type { DocumentProvider, DocumentStore, Finding } from "../../../lib/documents/mod.ts";
import type { RawJson } from "../../../lib/jsonrpc/mod.ts";
import { promptProvider } from "../../../lib/documents/prompts/mod.ts";
import { MemoryFiles } from "../stores.ts";

/** One message of a prompt that is filled in. */
export interface Message {
  readonly role: string;
  readonly content: { readonly type: string; readonly text: string };
}

export type Provider = ReturnType<typeof promptProvider>;
/** Prompts do not depend on the context of a request. */
export const CONTEXT = {} as never;

/** A definition file with one message, or several. */
export function definition(texts: string | readonly string[], change: Record<string, unknown> = {}): string {
  const messages = [texts].flat().map((text) => ({ role: "user", content: { type: "text", text } }));
  return JSON.stringify({ name: "p", messages, ...change });
}

/** Serves the prompts of a root. */
export async function openPrompts(
  system: FileSystem,
  root: string,
  documents?: DocumentStore,
): Promise<{ provider: Provider; findings: Finding[] }> {
  const findings: Finding[] = [];
  const source = documents && { ready: () => undefined, store: documents } as unknown as DocumentProvider;
  const onfinding = (finding: Finding) => void findings.push(finding);
  const provider = promptProvider({ files: system }, { root, onfinding, pollMs: 1, documents: source });
  await provider.ready!();
  return { provider, findings };
}

/** Serves definition files by name. */
export function memoryPrompts(
  texts: Readonly<Record<string, string>>,
  documents?: DocumentStore,
): ReturnType<typeof openPrompts> {
  const files = Object.entries(texts).map(([name, text]) => [`${name}.json`, text]);
  return openPrompts(new MemoryFiles(Object.fromEntries(files), "/root/prompts/").system, "/root", documents);
}

/** The messages of a prompt that is filled in. */
export async function fill(provider: Provider, name: string, given?: unknown): Promise<readonly Message[]> {
  const result = await provider.get(name, given, CONTEXT) as RawJson;
  return (result.toJSON() as { messages: Message[] }).messages;
}

/** The messages that a definition file makes. */
export async function render(
  text: string,
  given?: unknown,
  documents?: DocumentStore,
): Promise<readonly Message[]> {
  const { provider, findings } = await memoryPrompts({ p: text }, documents);
  if (findings[0]) throw new Error(findings[0].message);
  return await fill(provider, JSON.parse(text).name, given);
}

/** What a text with these arguments says. */
export async function say(
  text: string,
  given?: Readonly<Record<string, unknown>>,
  documents?: DocumentStore,
): Promise<string> {
  const names = Object.keys(given ?? {}).map((name) => ({ name }));
  const [message] = await render(definition(text, { arguments: names }), given, documents);
  return message!.content.text;
}
