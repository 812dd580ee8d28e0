/** Serves a folder of prompt definitions as MCP prompts. The implementation is loaded on first use. */

import type { Platform } from "../../platform/platform.ts";
import type { DocumentProvider, FileOptions } from "../mod.ts";
import type { PromptProvider } from "../../mcp/server/provider.ts";
import type { PromptDefinition } from "./store.ts";
import { lazyStore } from "../provider.ts";

/** Which prompts are served, and what they may embed. */
export interface PromptOptions extends FileOptions {
  /** A folder with `prompts/` in it. @default {none} */
  readonly root?: string | undefined;
  /**
   * Another such folder. Its prompts are served whose names the root does not have; in place of a document that is missing or does
   * not fit, they have a line that says so. @default {none}
   */
  readonly fallback?: string | undefined;
  /** The documents that prompts may embed. @default {none} */
  readonly documents?: DocumentProvider | undefined;
}

/** The prompts of a folder, with the methods that all providers of files have. */
export interface PromptFolder extends PromptProvider, Pick<DocumentProvider, "reload"> {
  /** @internal Those of all prompts. Throws an error before `ready`. */
  readonly definitions: readonly PromptDefinition[];
}

/**
 * Serves a folder of prompt definitions; `documentProvider` has an example. Nothing is loaded or read before the first request
 * that needs it. Needs read permission for the folder, and nothing else.
 */
export function promptProvider(platform: Pick<Platform, "files">, options: PromptOptions): PromptFolder {
  const lazy = lazyStore(options, async (tell) => {
    const { PromptStore } = await import("./store.ts");
    await options.documents?.ready();
    return new PromptStore(platform.files, options, tell);
  });
  return {
    ...lazy.methods,
    get definitions() {
      return lazy.value.definitions;
    },
    list: () => lazy.value.list!,
    get: (name, given, { access }) => lazy.value.get(name, given, access),
    values: (name, argument) =>
      lazy.value.find(name)?.arguments.find(({ name }) => name === argument)?.values,
  };
}
