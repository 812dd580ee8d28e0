/** What is wrong with a file, where, and what to do about it? */

/** An error keeps a file from being served or a record from being found; a warning only makes it worse. */
export type Severity = "error" | "warning";

/** One thing found in one file. */
export interface Finding {
  /** The file as its owner knows it: "adr/007-use-x.md", never a path of this machine. */
  readonly file: string;
  /** Counted from 1, where the finding has a place in the file. */
  readonly line?: number;
  /** How bad it is. */
  readonly severity: Severity;
  /** Names the kind of finding, for filters: "adr-number-duplicate". */
  readonly rule: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** What to do, in one sentence. */
  readonly help: string;
}
