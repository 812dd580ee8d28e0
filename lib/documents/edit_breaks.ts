/** Where an edit breaks the rules for code of documents in force. */

import type { Catalogue } from "./catalogue.ts";
import type { CodeRule } from "./code/code_rules.ts";
import type { Document } from "./document.ts";
import type { DocumentStore } from "./store.ts";
import { cutInline } from "../formats/markdown/cut.ts";
import { Code } from "./code/code.ts";
import { describeBreak, findBreaks, readCodeRules } from "./code/code_rules.ts";
import { isInForce } from "./records/status.ts";
import { safeLine } from "./summary.ts";

/** A rule, and the document that has it. */
export type DocumentRule = CodeRule & { readonly document: Document };

/** The text of a file, or of a part of it. */
export interface Edit {
  /** From the root of the repository. */
  readonly file: string;
  readonly after: string;
  /** Undefined if it is not known: then all of the text counts as added. */
  readonly before?: string | undefined;
}

/** The maximum length of a line of code in a message, in UTF-16 units. */
const MAX_LINE = 80;

/** The rules of all documents in force. `read` gives the text of one. */
export function codeRulesOf(
  { documents }: Catalogue,
  read: (document: Document) => string | undefined,
): DocumentRule[] {
  return documents.filter((one) => one.hasCodeRules && isInForce(one)).flatMap((document) =>
    readCodeRules(read(document) ?? "", document.appliesTo).rules.map((rule) => ({ ...rule, document }))
  );
}

/** What edits break, as sentences. `isAdded` says whether it is certain that the edit adds what is forbidden. */
export function editBreaks(
  store: DocumentStore,
  catalogue: Catalogue,
  edits: readonly Edit[],
): { text: string; isAdded: boolean; document: Document }[] {
  const rules = codeRulesOf(catalogue, (document) => store.textOnce(document));
  if (rules.length === 0) return [];
  return edits.flatMap(({ file, after, before }) => {
    const code = new Code(file, after), old = before === undefined ? undefined : new Code(file, before);
    const isPart = before !== undefined;
    // What a part of a file lacks may be in the rest of it.
    const own = isPart ? rules.filter(({ kind }) => kind === "forbids") : rules;
    return findBreaks(own, code, old).map((one) => {
      const { rule: { document, kind }, line } = one;
      const place = line === undefined
        ? file
        : `${file}: ${cutInline(code.lines[line - 1]!.trim(), MAX_LINE)}`;
      const text = safeLine(`${place} – ${describeBreak(one, `"${document.title}"`)}`);
      return { text, isAdded: isPart && kind === "forbids", document };
    });
  });
}
