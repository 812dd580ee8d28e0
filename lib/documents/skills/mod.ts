/**
 * Agent Skills over MCP (SEP-2640): an extension that serves them, and a client that verifies them.
 *
 * @module
 */

import type { Platform } from "../../platform/platform.ts";
import type { DocumentProvider } from "../provider.ts";
import type { Report } from "../findings.ts";
import type { PromptFolder } from "../prompts/provider.ts";
import type { Extension } from "../../mcp/server/provider.ts";
import { SKILLS } from "../../mcp/protocol/methods.ts";

export type { Skill } from "./client.ts";
export { SkillError, SkillsClient } from "./client.ts";

/** Which skills are served. */
export interface SkillOptions {
  /** A folder with `skills/` in it; each folder in there that has a `SKILL.md` is served as it is. @default {none} */
  readonly root?: string | undefined;
  /** Each guideline and pattern becomes a skill, and the decision records one that says how to use them. @default {none} */
  readonly documents?: DocumentProvider | undefined;
  /** Each prompt becomes a skill. @default {none} */
  readonly prompts?: PromptFolder | undefined;
  /** Takes each problem of a file below `skills/`, once. @default {none} */
  readonly onfinding?: Report | undefined;
}

/** Serves skills. Nothing is loaded or read before the first request for one. Needs read permission for the root. */
export function skills({ files }: Pick<Platform, "files">, options: SkillOptions): Extension {
  return { ...SKILLS, load: async () => (await import("./store.ts")).skillHandlers(files, options) };
}
