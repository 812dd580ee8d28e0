/** The content of a file that an option names, read again when the file changes. */

import type { Platform } from "../platform/platform.ts";
import type { Log } from "./log.ts";
import { attempt, reasonOf } from "../base/text.ts";
import { ConfigurationError, UsageError } from "./options.ts";
import { readTextFile } from "./io.ts";

/** Uses the value of an option. Throws a `ConfigurationError` that does not quote the value, which may be a secret. */
export function usable<T>(flag: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const isSyntax = cause instanceof SyntaxError;
    const reason = isSyntax
      ? "it is not JSON"
      : reasonOf(cause).replace(/^Cannot (?:check tokens: |\w+ )/, "");
    throw new ConfigurationError(`Cannot use ${flag}: ${reason}`, { cause });
  }
}

/** Time for which a file must be stable, and between two checks of it, in milliseconds. */
const FOLLOW_MS = 1000;

/**
 * Gives the content of a file. A changed file is read again once it has been stable for a second, so that half a token is never
 * used. If the new content cannot be used, the old content stays in use.
 */
export function followed<T>(
  platform: Platform,
  flag: string,
  path: string,
  log: Log,
  read: (text: string) => T,
): () => T {
  const current = () => {
    const status = attempt(() => platform.files.status(path));
    isStable = Date.now() - (status?.modified ?? Infinity) > FOLLOW_MS;
    return JSON.stringify(status);
  };
  const load = () => usable(flag, () => read(readTextFile(platform, path, flag)));
  let isStable = false, version = current(), seen = version, checkedAt = performance.now(), value = load();
  return () => {
    const now = performance.now(), before = seen;
    if (now - checkedAt < FOLLOW_MS) return value;
    checkedAt = now;
    seen = current();
    // A file that changed long ago is read at once: the next request must not get its old content.
    if (seen === version || (seen !== before && !isStable)) return value;
    version = seen;
    try {
      value = load();
      log.write("info", `${flag} has changed and was read again`);
    } catch (cause) {
      log.write("error", `${reasonOf(cause)}; the old content stays in use`);
    }
    return value;
  };
}
