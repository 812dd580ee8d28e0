/** The status of a decision for people: with the word that its team uses. */

import type { Recorded } from "./status.ts";
import { printable, shortened } from "../../base/text.ts";
import { currentStatus } from "./status.ts";

/** The maximum length of a team's own word, in UTF-16 units. */
const MAX_WORD = 30;

/** The team's own word for the current status; undefined for English, and if only the successor says that it is superseded. */
export function currentWord({ record }: Recorded): string | undefined {
  return record?.status === currentStatus({ record }) ? record?.statusWord : undefined;
}

/** A status for people, with the team's own word: `accepted ("Akzeptiert")`. */
export function shownStatus(status: string, word?: string): string {
  return word === undefined ? status : `${status} ("${printable(shortened(word, MAX_WORD))}")`;
}

/** The current status of a decision for people. */
export function statusLabel(document: Recorded): string | undefined {
  const status = currentStatus(document);
  return status && shownStatus(status, currentWord(document));
}
