/** The content of a file that an option names, read again when the file changes. */

import type { Platform } from "../platform/platform.ts";
import type { Log } from "./log.ts";
import { attempt, reasonOf } from "../base/text.ts";
import { ConfigurationError, UsageError } from "./errors.ts";
import { readTextFile } from "./io.ts";

/** What is made of the value of an option. Throws a `ConfigurationError` that does not quote the value: it may be a secret. */
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

const FOLLOW_MS = 1000;

/**
 * What a file holds. It is read again when it has changed and then stayed the same for a second, by its time or between two
 * looks: half a token must not be taken for one. While it cannot be used, the version before stays in use.
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
    // It may have changed long ago: then the first request must not find what it held before.
    if (seen === version || (seen !== before && !isStable)) return value;
    version = seen;
    try {
      value = load();
      log.write("info", `${flag} has changed and was read again`);
    } catch (cause) {
      log.write("error", `${reasonOf(cause)}; what it held before stays in use`);
    }
    return value;
  };
}
