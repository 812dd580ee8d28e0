/** The documents for a command that answers once: files are not watched, only errors are logged, and the sample is noted. */

import type { Platform } from "../platform/platform.ts";
import type { DocumentsServer } from "./documents_server.ts";
import type { Options } from "./options.ts";
import { assemble } from "./documents_server.ts";
import { noteSample } from "./folder_text.ts";
import { createLog } from "./log.ts";

/** Throws a `UsageError` for a folder that cannot be used. */
export async function assembleOnce(platform: Platform, options: Options): Promise<DocumentsServer> {
  const log = createLog(platform, options, "error");
  const assembled = await assemble(platform, options, log, { watch: false, limitsTools: false });
  noteSample(platform, assembled.folders);
  return assembled;
}
