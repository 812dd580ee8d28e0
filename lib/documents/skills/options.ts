/** Which skills are served. */

import type { DocumentProvider } from "../document_provider.ts";
import type { Report } from "../finding.ts";
import type { PromptFolder } from "../prompts/provider.ts";

/** Which skills are served. */
export interface SkillOptions {
  /** A folder with `skills/` in it. Each folder in `skills/` that has a `SKILL.md` is served verbatim. @default {none} */
  readonly root?: string | undefined;
  /** Each guideline and pattern becomes a skill. All decision records become one skill about how to use them. @default {none} */
  readonly documents?: DocumentProvider | undefined;
  /** Each prompt becomes a skill. @default {none} */
  readonly prompts?: PromptFolder | undefined;
  /** Receives each problem of a file below `skills/`, once. @default {none} */
  readonly onfinding?: Report | undefined;
}
