/**
 * Agent Skills over MCP (SEP-2640): an extension that serves them, and a client that verifies them.
 *
 * @module
 */

import type { Platform } from "../../platform/platform.ts";
import type { Extension } from "../../mcp/server/provider.ts";
import type { SkillOptions } from "./options.ts";
import { SKILLS } from "../../mcp/protocol/methods.ts";

export type { Skill } from "./client.ts";
export type { SkillOptions } from "./options.ts";
export { SkillError, SkillsClient } from "./client.ts";

/** Serves skills. Nothing is loaded or read before the first request for one. Needs read permission for the root. */
export function skills({ files }: Pick<Platform, "files">, options: SkillOptions): Extension {
  return { ...SKILLS, load: async () => (await import("./store.ts")).skillHandlers(files, options) };
}
