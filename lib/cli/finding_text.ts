/** How a finding is shown: its place, and how to fix it. */

import type { Finding } from "../documents/mod.ts";
import type { Platform } from "../platform/platform.ts";

export const placeOf = ({ file, line }: Finding): string => line === undefined ? file : `${file}:${line}`;

/** How to fix a finding. A sandbox may be the reason why a file seems to be missing. */
export function adviceOf({ rule, help }: Finding, { sandboxed }: Platform): string {
  const isHidden = sandboxed && (rule === "unreadable" || rule === "folder-missing");
  return isHidden ? `${help} The sandbox must allow reading it.` : help;
}
