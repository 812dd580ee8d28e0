/** Logs why calls of the file system fail. Their callers learn only that they do. */

import type { FileSystem } from "../platform/platform.ts";
import type { Log } from "./log.ts";

/** Maximum number of different reasons that are logged. */
const MAX_REASONS = 1000;

/** The same files; the system's reasons why their calls fail are logged, each once. */
export function tracedFiles(files: FileSystem, log: Log): FileSystem {
  const reasons = new Set<string>();
  return traced(files, ({ code, name, message }) => {
    const text = `A file cannot be read (${code ?? name}): ${message}`;
    if (reasons.size >= MAX_REASONS || reasons.has(text)) return;
    reasons.add(text);
    log.write("debug", text);
  });
}

function traced<T extends object>(object: T, report: (cause: Error & { readonly code?: string }) => void): T {
  const get = (target: T, name: string | symbol): unknown => {
    const member: unknown = Reflect.get(target, name);
    return typeof member !== "function" ? member : (...args: unknown[]) => {
      try {
        const result = member.apply(target, args);
        return name === "open" ? traced(result, report) : result;
      } catch (cause) {
        report(cause as Error);
        throw cause;
      }
    };
  };
  return new Proxy(object, { get });
}
