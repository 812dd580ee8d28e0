/** What can be wrong with a file. */

/** An error keeps a file from being served or a record from being found; a warning does not. */
export type Severity = "error" | "warning";

/** A problem of one file. */
export interface Finding {
  /** The file as its author knows it: "adr/007-use-x.md", never a path of this machine. */
  readonly file: string;
  /** Counted from 1, if the problem has a place in the file. */
  readonly line?: number;
  /** How bad it is. */
  readonly severity: Severity;
  /** The kind of problem: "adr-number-duplicate". */
  readonly rule: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** How to fix it, in one sentence. */
  readonly help: string;
}

/** What a scan reports. The rule implies the members of its finding that are missing. */
export interface Problem {
  /** The kind of problem. */
  readonly rule: string;
  /** The file as its author knows it. */
  readonly file: string;
  /** What is wrong. @default {the message of the rule} */
  readonly message?: string | undefined;
  /** Counted from 1. @default {the problem has no line} */
  readonly line?: number | undefined;
}

/** Takes the problems of a scan; a finding is one, too. */
export type ReportProblem = (problem: Problem) => void;

/** Takes findings. */
export type Report = (finding: Finding) => void;
