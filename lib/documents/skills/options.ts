/** Which skills are served. */

import type { DocumentProvider } from "../document_provider.ts";
import type { Report } from "../finding.ts";
import type { PromptFolder } from "../prompts/provider.ts";

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
