/** What a decision record states. */

/** What a decision record states; a member is missing when the record does not state it. */
export interface DecisionRecord {
  /** From the name: 7 of "007-use-x.md". */
  readonly number?: number;
  /** One lower-case word, or two that belong together, as stated: "accepted", "on hold". */
  readonly status?: string;
  /** Verbatim, by convention "2026-07-28". */
  readonly date?: string;
  /** What this record replaces: file names, numbers or titles, verbatim. */
  readonly supersedes: readonly string[];
  /** What replaces this record. */
  readonly supersededBy: readonly string[];
  /** What this record changes in part. */
  readonly amends?: readonly string[];
  /** What changes a part of this record. */
  readonly amendedBy?: readonly string[];
  /** What it is related to in another way. */
  readonly relatesTo?: readonly string[];
}
