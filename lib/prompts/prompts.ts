/** Prompts as MCP prompts: the list, the messages, and completions of arguments. */

import type { FileSystem } from "../../deps.ts";
import type { Awaitable } from "../base/async.ts";
import type { Catalogue, Document } from "../documents/catalogue.ts";
import type { Change, Prompt } from "../server/provider.ts";
import type { PromptDefinition } from "./definition.ts";
import type { PromptOptions } from "./provider.ts";
import { allOf, andThen } from "../base/async.ts";
import { compact } from "../base/json.ts";
import { RawJson } from "../jsonrpc/message.ts";
import { invalidParams } from "../protocol/errors.ts";
import { checkArguments, MAX_PROMPT_DOCUMENTS, PromptError, PromptStore, renderMessages } from "./store.ts";

/** The prompts of one provider. */
export class Prompts {
  readonly store: PromptStore;
  readonly #options: PromptOptions;
  /** By name; the same array while the list is the same. */
  list: readonly Prompt[] | undefined;

  /** @param tell Takes each change of the list after the first scan. */
  constructor(files: FileSystem, options: PromptOptions, tell: (change: Change) => void) {
    this.#options = options;
    this.store = new PromptStore(files, options.root, {
      onfinding: options.onfinding,
      onchange: () => {
        const list = this.store.prompts.map(toPrompt).sort((a, b) => a.name < b.name ? -1 : 1);
        const isFirst = this.list === undefined;
        if (JSON.stringify(list) === JSON.stringify(this.list)) return;
        this.list = list;
        if (!isFirst) tell({ listChanged: true });
      },
    });
  }

  watch(): { close(): void } {
    return this.store.watch(this.#options);
  }

  get(name: string, given: unknown): Awaitable<RawJson | undefined> {
    const prompt = this.#find(name);
    if (!prompt) return undefined;
    const documents = this.#options.documents?.store;
    const writing = documents && embeddedDocuments(prompt, documents.catalogue)
      .slice(0, MAX_PROMPT_DOCUMENTS).flatMap((document) => documents.readable(document) ?? []);
    return andThen(allOf(writing ?? []), () => {
      try {
        const messages = renderMessages(prompt, checkArguments(prompt, given), documents);
        const { description } = prompt;
        const start = description === undefined ? "" : `"description":${JSON.stringify(description)},`;
        return new RawJson([`${start}"messages":`, ...messages]);
      } catch (cause) {
        if (cause instanceof PromptError) throw invalidParams(cause.message);
        throw cause;
      }
    });
  }

  /** The values that a definition suggests for an argument. */
  values(name: string, argument: string): readonly string[] | undefined {
    return this.#find(name)?.arguments.find((candidate) => candidate.name === argument)?.values;
  }

  #find(name: string): PromptDefinition | undefined {
    return this.store.prompts.find((prompt) => prompt.name === name);
  }
}

function toPrompt({ name, title, description, arguments: args }: PromptDefinition): Prompt {
  const shown = args.map(({ name, description, required }) => compact({ name, description, required }));
  return compact({ name, title, description, arguments: shown.length === 0 ? undefined : shown });
}

/** The documents that a prompt embeds, as far as they exist. */
function embeddedDocuments({ messages }: PromptDefinition, catalogue: Catalogue): Document[] {
  return messages.flatMap(({ template }) => template).flatMap((part) => {
    if (part.kind === "documents") return catalogue.match(part.pattern);
    const documents = part.kind === "document" ? catalogue.find(part.uri).documents : [];
    return documents.length === 1 ? documents : [];
  });
}
