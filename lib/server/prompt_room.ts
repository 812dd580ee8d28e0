/** What do clients see of the prompts? Definitions and rendered messages in the terms of MCP. */

import type { FileSystem } from "../../deps.ts";
import type { PromptDefinition } from "../prompts/definition.ts";
import type { PromptSet } from "../prompts/folder.ts";
import type { DocumentProvider } from "./document_provider.ts";
import type { PromptOptions } from "./prompt_provider.ts";
import type { Prompt } from "./provider.ts";
import { WrittenObject } from "../jsonrpc/encode.ts";
import { readPrompts } from "../prompts/folder.ts";
import { checkArguments, PromptError, renderMessages } from "../prompts/render.ts";
import { invalidParams } from "./errors.ts";

/** The prompts of one provider, read when the room is opened and whenever it is told to. */
export class PromptRoom {
  readonly #files: FileSystem;
  readonly #options: PromptOptions;
  #set: PromptSet;
  #listed: readonly Prompt[];

  constructor(files: FileSystem, options: PromptOptions) {
    this.#files = files;
    this.#options = options;
    this.#set = readPrompts(files, options.root, undefined);
    this.#listed = this.#set.prompts.map(toPrompt);
    for (const finding of this.#set.findings) options.onfinding?.(finding);
  }

  /** Reads the folder again; a definition that cannot be used any more keeps its last good version. */
  reload(): void {
    const before = this.#set;
    const set = readPrompts(this.#files, this.#options.root, before);
    const known = new Set(before.findings.map(({ file, message }) => `${file} ${message}`));
    for (const finding of set.findings) {
      if (!known.has(`${finding.file} ${finding.message}`)) this.#options.onfinding?.(finding);
    }
    this.#set = set;
    const same = set.prompts.length === before.prompts.length &&
      set.prompts.every((prompt, index) => prompt === before.prompts[index]);
    if (!same) this.#listed = set.prompts.map(toPrompt);
  }

  list(): readonly Prompt[] {
    return this.#listed;
  }

  get(name: string, given: unknown): WrittenObject | undefined {
    const prompt = this.#find(name);
    return prompt && render(prompt, given, this.#options.documents?.room);
  }

  /** The values that the definition suggests for an argument. */
  values(name: string, argument: string): readonly string[] | undefined {
    return this.#find(name)?.arguments.find((candidate) => candidate.name === argument)?.values;
  }

  #find(name: string): PromptDefinition | undefined {
    return this.#set.prompts.find((prompt) => prompt.name === name);
  }
}

function render(
  prompt: PromptDefinition,
  given: unknown,
  room: DocumentProvider["room"] | undefined,
): WrittenObject {
  try {
    const messages = renderMessages(prompt, checkArguments(prompt, given), room?.shelf);
    const description = prompt.description === undefined
      ? ""
      : `"description":${JSON.stringify(prompt.description)},`;
    return new WrittenObject([`${description}"messages":`, ...messages]);
  } catch (cause) {
    if (cause instanceof PromptError) throw invalidParams(cause.message);
    throw cause;
  }
}

function toPrompt(prompt: PromptDefinition): Prompt {
  return Object.freeze({
    name: prompt.name,
    ...(prompt.title === undefined ? {} : { title: prompt.title }),
    ...(prompt.description === undefined ? {} : { description: prompt.description }),
    ...(prompt.arguments.length === 0 ? {} : {
      arguments: prompt.arguments.map(({ name, description, required }) => ({
        name,
        ...(description === undefined ? {} : { description }),
        required,
      })),
    }),
  });
}
