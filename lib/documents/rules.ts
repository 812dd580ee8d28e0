/** The rules that files can break: what is wrong, and how to fix it. They are loaded for the first problem. */

import type { Finding, Problem, Severity } from "./finding.ts";
import { compact } from "../base/json.ts";
import { MAX_DOCUMENT_BYTES } from "./files.ts";
import { MAX_DOCUMENTS, MAX_FOLDER_DEPTH } from "./scanner.ts";

type ByRule = Readonly<Record<string, string>>;

/** How to fix errors, by rule. */
const ERRORS: ByRule = {
  "adr-number-duplicate": "Give one of the two the next free number.",
  "adr-reference-dangling": "Write the number or the file name of the other record, or a link to it.",
  "adr-supersedes-circle": "Decide which one is in force, and let the others name it as successor.",
  "document-too-large": "Split it into several documents.",
  "folder-missing": "Check the path that --root or --mount names.",
  "folder-too-deep": "Move it up, or serve it with --mount NAME=DIR.",
  "link-dead": "Fix the link.",
  "link-leads-out": "Serve the folder that it leads to with --mount NAME=DIR, or copy the file.",
  "link-section-dead": "Write the heading in lower case, hyphens for spaces, without other marks.",
  "not-text": "Save it as UTF-8, or give it another ending than .md.",
  "prompt-definition": "Fix the file; the guideline writing-prompts has the format.",
  "prompt-document-missing": "Fix the URI, or use a pattern with * where the document may be missing.",
  "prompt-duplicate": "Give one of the two another name.",
  "prompt-over-limit": "Embed single documents or sections, not a whole category, or make several prompts.",
  "skill-invalid":
    "Begin SKILL.md, in a folder of skills/, with that folder's name and a description as YAML.",
  "skill-name":
    "Rename it: a skill's folder has 1 to 64 lower-case letters, digits and single dashes, and no name has control characters.",
  "skill-too-large": "Hosts load at most 512 files and 16 MiB of a skill: keep the rest elsewhere.",
  "too-many-documents": "Mount a folder of documents, not a whole disk.",
  "unreadable": "Check its permissions, and where its links lead.",
  "uri-duplicate": "Rename one of the two.",
};
/** How to fix warnings, by rule. */
const WARNINGS: ByRule = {
  "adr-amends-one-sided": 'Write it in its front matter, or in a line under "## Status".',
  "adr-expired": "Decide again: extend the limit, make the decision permanent, or supersede the record.",
  "adr-field-empty": "Write the value after the label, or remove the label.",
  "adr-file-name":
    "Name it NNN-kebab-case-title.md; if it has no number, with the next free one, or move it elsewhere.",
  "adr-path-gone": "Write where the file is now, or supersede the record if its decision is gone with it.",
  "adr-paths-gone": "Supersede or deprecate the record if its code is gone, or write where it is now.",
  "adr-proposed-long": "Accept, reject or withdraw it, or set proposedDays in architrave.json.",
  "adr-section-missing": "Write at least one sentence: decisions without it are hard to judge later.",
  "adr-status-missing": 'Write "status: accepted" in its front matter, or a section "## Status".',
  "adr-status-unknown": "Use proposed, accepted, rejected, deprecated or superseded.",
  "adr-superseded-by-proposal": "Decide on the successor, or put the status of the record back until then.",
  "adr-supersedes-one-sided": 'Write it in its front matter, or in a line under "## Status".',
  "adr-unwritten": "Write what was decided; until then, export gives assistants only the title.",
  "applies-to-negated": "Write patterns for just the files that the document is about.",
  "applies-to-nested": "Write all alternatives in one pair of braces, or a pattern for each.",
  "applies-to-unmatched": "Correct the pattern, or remove it if the code is gone.",
  "byte-order-mark": "Save it as UTF-8 without one; other readers take it for text.",
  "code-cites-missing": "Correct the number, or write the record.",
  "code-cites-over": "Cite the decision that replaces it, and check that the code follows it.",
  "code-forbidden": "Do what the document says, or name the file under except of its rule.",
  "code-required": "Add it, or name the file under except of the document's rule.",
  "code-rule-invalid": "Correct the rule; the guideline writing-documents has the form.",
  "description-long": "Say what the document decides in one short sentence.",
  "file-outside-category": "Move it into a folder such as guidelines/, patterns/ or adr/.",
  "front-matter": 'Write "key: value", "key: [a, b]" or a list of "- item" lines between two lines of ---.',
  "heading-repeated": "Give each section of a part its own name, so that a link can name it.",
  "invisible-characters": "Remove or spell them out: an assistant reads what no reviewer saw.",
  "key-misspelt": "Correct the key: applies-to names files, forbids names code.",
  "ending-not-served": "Convert them to markdown, with the ending .md, .markdown or .mdx.",
  "line-ends": "Save files with LF alone; in git, `*.md text eol=lf` in .gitattributes does it.",
  "link-leaves": "Link to its address on the web, or serve its folder with --mount NAME=DIR.",
  "name-case-only": "Rename one of the two.",
  "prompt-glob-empty": "Fix the pattern, or write a document that it matches.",
  "prompt-key-unknown": "Correct the name or remove it; the guideline writing-prompts has the format.",
  "prompt-mark":
    "Write <<name>> or <<resource:URI>>, or the same in {{ }}; write a backslash before marks that are literal text.",
  "records-missing": "Check the name that --records gives; it is that of a category, or of a folder in one.",
  "review-overdue": "Review the document, and write the date of the next review as review-by: 2026-07-28.",
  "section-missing": "Add the sections that the settings require of such documents.",
  "title-missing": 'Begin it with a line "# Title", or write a title in its front matter.',
  "title-repeated": "Give the others the second level, or split the document.",
};
/** The messages of rules with only one. */
const MESSAGES: ByRule = {
  "document-too-large": `The document is larger than ${MAX_DOCUMENT_BYTES} bytes and is not served`,
  "folder-missing": "The folder is missing or cannot be read",
  "folder-too-deep": `The folder is more than ${MAX_FOLDER_DEPTH} folders deep and is not scanned`,
  "link-leads-out": "The link leads out of the root and is not followed",
  "not-text": "The file is not UTF-8 text and is not served",
  "too-many-documents": `There are more than ${MAX_DOCUMENTS} documents; the rest is not served`,
  "unreadable": "The file or folder cannot be read",
  "file-outside-category": "The file is directly in resources/, so it has no category and is not served",
  "records-missing": "There is no folder of that name for decision records",
};

/** The names of all rules, sorted. */
export const RULES: readonly string[] = Object.keys({ ...ERRORS, ...WARNINGS }).sort();

/** The rules that apply only where the settings or --rule name them. */
export const OFF_BY_DEFAULT: readonly string[] = ["adr-amends-one-sided"];

/** The rules whose findings depend on the day. */
export const DATED_RULES: readonly string[] = ["adr-expired", "adr-proposed-long", "review-overdue"];

/** Makes a finding. Lines are counted from 1; 0 means that there is no line. */
export function problem(
  rule: string,
  file: string,
  message: string = MESSAGES[rule]!,
  line: number = 0,
  severity: Severity = ERRORS[rule] ? "error" : "warning",
): Finding {
  const help = ERRORS[rule] ?? WARNINGS[rule]!;
  return compact({ file, line: line || undefined, severity, rule, message, help });
}

/** Makes findings of problems. */
export function toFindings(problems: readonly Problem[]): Finding[] {
  return problems.map((one) =>
    "help" in one ? one as Finding : problem(one.rule, one.file, one.message, one.line)
  );
}
