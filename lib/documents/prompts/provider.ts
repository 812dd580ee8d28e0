/** Serves a folder of prompt definitions as MCP prompts. The implementation is loaded on first use. */

import type { Platform } from "../../platform/platform.ts";
import type { DocumentProvider } from "../document_provider.ts";
import type { PromptProvider } from "../../mcp/server/provider.ts";
import type { PromptOptions } from "./options.ts";
import type { PromptDefinition } from "./prompt.ts";
import { lazyStore } from "../provider.ts";

/** The prompts of a folder, with the methods that all providers of files have. */
export interface PromptFolder extends PromptProvider, Pick<DocumentProvider, "reload"> {
  /** @internal All prompts. Throws an error before `ready`. */
  readonly definitions: readonly PromptDefinition[];
}

/**
 * Serves a folder of prompt definitions; `/documents` has an example. Nothing is loaded or read before the first request
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
    checksArguments: true,
    get: (name, given, { access }) => lazy.value.get(name, given, access),
    values: (name, argument) =>
      lazy.value.find(name)?.arguments.find(({ name }) => name === argument)?.values,
  };
}
