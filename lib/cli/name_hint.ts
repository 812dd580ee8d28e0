/** What a message about an unknown name suggests. */

import { nearest } from "../base/nearest.ts";
import { didYouMean } from "../base/text.ts";

export function hintFor(word: string, names: readonly string[]): string {
  if (/^--allow-(?:read|write|net|run|env|all|fs)/.test(word)) {
    return " (a flag of the runtime comes before mod.ts)";
  }
  if (/^--(?:port|host(?:name)?)$/.test(word) && names.includes("--listen")) {
    return " (use --listen HOST:PORT)";
  }
  return didYouMean(nearest(word, names));
}
