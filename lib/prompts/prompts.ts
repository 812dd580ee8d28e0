/** What do clients see of the prompts? Definitions and rendered messages in the terms of MCP. */

import type { FileSystem } from "../../deps.ts";
import type { Shelf } from "../documents/shelf.ts";
import type { PromptDefinition } from "./definition.ts";
import type { PromptSet } from "./folder.ts";
import type { Awaitable } from "../base/async.ts";
import type { PromptOptions } from "./provider.ts";
import type { Change, Prompt } from "../server/provider.ts";
import { Unsettled } from "../documents/unsettled.ts";
import { Watcher } from "../documents/watch.ts";
import { RawJson } from "../jsonrpc/message.ts";
import { readPrompts } from "./folder.ts";
import {
  checkArguments,
  embeddedDocuments,
  MAX_PROMPT_DOCUMENTS,
  PromptError,
  renderMessages,
} from "./render.ts";
import { allOf, andThen } from "../base/async.ts";
import { invalidParams } from "../protocol/errors.ts";

/** How often somebody who waits looks whether a file is whole by now, in milliseconds. */
const WAIT_MS = 20;

/** The prompts of one provider, read when the room is opened and whenever it is told to. */
export class PromptRoom {
  readonly #files: FileSystem;
  readonly #options: PromptOptions;
  readonly #tell: (change: Change) => void;
  readonly #unsettled: Unsettled;
  #set: PromptSet;
  /** The findings of the last look, by place and message. */
  #reported: ReadonlySet<string> = new Set();
  #listed: readonly Prompt[];

  constructor(files: FileSystem, options: PromptOptions, tell: (change: Change) => void) {
    this.#files = files;
    this.#options = options;
    this.#tell = tell;
    this.#unsettled = new Unsettled(files);
    this.#set = readPrompts(files, options.root);
    this.#listed = this.#set.prompts.map(toPrompt);
    this.#report(this.#set);
  }

  /** Looks for changes until the watcher is closed. */
  watch(): Watcher {
    const { onwarning, pollMs } = this.#options;
    return new Watcher(this.#files, this.#set, {
      onwarning,
      pollMs,
      look: () => {
        this.#look();
        return Promise.resolve(this.#set);
      },
    });
  }

  /** Reads the folder again, and until every file that is being written has come to rest. */
  async reload(): Promise<void> {
    for (this.#look(); !this.#set.isSettled; this.#look()) {
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }

  /** A definition that cannot be used any more keeps its last good version. */
  #look(): void {
    const before = this.#set;
    const set = readPrompts(this.#files, this.#options.root, before, this.#unsettled);
    this.#set = set;
    this.#report(set);
    const same = set.prompts.length === before.prompts.length &&
      set.prompts.every((prompt, index) => prompt === before.prompts[index]);
    if (same) return;
    const listed = set.prompts.map(toPrompt);
    const isListedAnew = JSON.stringify(listed) !== JSON.stringify(this.#listed);
    this.#listed = listed;
    if (isListedAnew) this.#tell({ isListedAnew });
  }

  /** Findings that were there before are not reported again. */
  #report({ findings, isSettled }: PromptSet): void {
    const known = this.#reported;
    // What is being written was not looked at, so its findings are not over.
    const names = new Set(isSettled ? [] : known);
    for (const finding of findings) {
      const name = `${finding.file}: ${finding.message}`;
      names.add(name);
      if (!known.has(name)) this.#options.onfinding?.(finding);
    }
    this.#reported = names;
  }

  list(): readonly Prompt[] {
    return this.#listed;
  }

  get(name: string, given: unknown): Awaitable<RawJson | undefined> {
    const prompt = this.#find(name);
    if (!prompt) return undefined;
    const shelf = this.#options.documents?.room.shelf;
    const writing = shelf &&
      embeddedDocuments(prompt, shelf)
        .slice(0, MAX_PROMPT_DOCUMENTS).flatMap((document) => shelf.settled(document) ?? []);
    return andThen(allOf(writing ?? []), () => render(prompt, given, shelf));
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
  shelf: Shelf | undefined,
): RawJson {
  try {
    const messages = renderMessages(prompt, checkArguments(prompt, given), shelf);
    const description = prompt.description === undefined
      ? ""
      : `"description":${JSON.stringify(prompt.description)},`;
    return new RawJson([`${description}"messages":`, ...messages]);
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
