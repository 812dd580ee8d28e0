/** How does a folder of definition files become MCP prompts? The room of prompts is loaded when it is first asked for. */

import type { Platform } from "../../deps.ts";
import type { Finding } from "../documents/finding.ts";
import type { DocumentProvider } from "../documents/provider.ts";
import type { PromptRoom } from "./prompts.ts";
import type { PromptProvider } from "../server/provider.ts";
import { onceDone } from "../base/async.ts";
import { Watching } from "../server/watching.ts";

/** Which prompts are served, and what they may embed. */
export interface PromptOptions {
  /** A folder with `prompts/` in it. */
  readonly root: string;
  /** The documents that prompts may embed. @default {none} */
  readonly documents?: DocumentProvider | undefined;
  /** Takes each thing found wrong with a file, once. @default {nobody} */
  readonly onfinding?: ((finding: Finding) => void) | undefined;
  /** Whether to look for changes while anybody is connected. @default {true} */
  readonly watch?: boolean | undefined;
  /** Looks this often, in milliseconds, in place of having the system report changes. @default {the system reports} */
  readonly pollMs?: number | undefined;
  /** Takes the one warning that the system cannot report changes here, so that they are looked for. @default {nobody} */
  readonly onwarning?: ((message: string) => void) | undefined;
}

/** Something that was read from files and can be read again. */
export interface Reloadable {
  /** Looks at the files again, if they were ever looked at; waits for those that are being written. */
  reload(): Promise<void>;
}

/**
 * Serves a folder of prompt definitions. Nothing is loaded or read before the first request that needs it.
 *
 * Needs read permission for the folder, and nothing else.
 *
 * @example
 * ```ts
 * import { createServer, loadPlatform, promptProvider, stdioTransport } from "@architrave/architrave";
 *
 * const platform = await loadPlatform();
 * const server = createServer({
 *   info: { name: "team-prompts", version: "1.0.0" },
 *   prompts: [promptProvider(platform, { root: "mcp" })],
 * });
 * await server.connect(stdioTransport(platform));
 * ```
 */
export function promptProvider(
  platform: Pick<Platform, "files">,
  options: PromptOptions,
): PromptProvider & Reloadable {
  let room: PromptRoom | undefined;
  const watching = new Watching(() => room?.watch());
  const open = onceDone(async () => {
    const { PromptRoom } = await import("./prompts.ts");
    await options.documents?.ready();
    room = new PromptRoom(platform.files, options, watching.tell);
    watching.begin();
  });
  const entered = (): PromptRoom => {
    if (!room) throw new Error("Cannot serve prompts: wait for ready() first");
    return room;
  };
  return {
    ready: open,
    ...(options.watch === false ? {} : { watch: watching.add }),
    reload: async () => await room?.reload(),
    list: () => entered().list(),
    get: (name, given) => entered().get(name, given),
    values: (name, argument) => entered().values(name, argument),
  };
}
