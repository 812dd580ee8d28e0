/** Where an edit breaks the rules for code of documents in force. */

import type { Catalogue } from "./catalogue.ts";
import type { CodeBreak, CodeRule } from "./code/code_rules.ts";
import type { Document } from "./document.ts";
import type { DocumentStore } from "./store.ts";
import { cutInline } from "../formats/markdown/cut.ts";
import { Code } from "./code/code.ts";
import { languageOf } from "./code/languages.ts";
import { describeBreak, findBreaks, readCodeRules } from "./code/code_rules.ts";
import { isInForce } from "./records/status.ts";
import { safeLine } from "./summary.ts";

/** A rule, and the document that has it. */
export type DocumentRule = CodeRule & { readonly document: Document };
type Found = readonly CodeBreak<DocumentRule>[];

/** The text of a file, or of a part of it. */
export interface Edit {
  /** From the root of the repository. */
  readonly file: string;
  readonly after: string;
  /** Undefined if it is not known: then all of the text counts as added. */
  readonly before?: string | undefined;
}

/** The maximum length of the text of an edit that is read, in UTF-16 units: it takes up to 50 ms. */
export const MAX_EDIT: number = 256 * 1024;
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

interface EditBreak {
  /** A sentence. */
  readonly text: string;
  /** Whether it is certain that the edit adds what is forbidden. */
  readonly isAdded: boolean;
  readonly document: Document;
}

/** What edits break, in steps: one for each rule and text. */
export function* editBreaks(
  store: DocumentStore,
  catalogue: Catalogue,
  edits: readonly Edit[],
): Generator<void, EditBreak[]> {
  const rules = codeRulesOf(catalogue, (document) => store.textOnce(document)), breaks: EditBreak[] = [];
  // Several files may get one text, which is read once in each language.
  const read = new Map<unknown, { code: Code; old: Code | undefined; found: Map<DocumentRule, Found> }>();
  let last: Edit | undefined;
  for (const edit of edits) {
    const { file, after, before } = edit;
    if (last?.after !== after || last.before !== before) read.clear();
    last = edit;
    const isPart = before !== undefined;
    // What a part of a file lacks may be in the rest of it.
    const own = rules.filter((rule) => (!isPart || rule.kind === "forbids") && rule.appliesTo(file));
    if (own.length === 0) continue;
    const language = languageOf(file),
      known = read.get(language) ??
        { code: new Code(file, after), old: isPart ? new Code(file, before) : undefined, found: new Map() };
    read.set(language, known);
    const { code, old, found } = known;
    for (const rule of own) {
      if (!found.has(rule)) yield void found.set(rule, findBreaks([rule], code, old));
      for (const one of found.get(rule)!) {
        const { rule: { document, kind }, line } = one;
        const place = line === undefined
          ? file
          : `${file}: ${cutInline(code.lines[line - 1]!.trim(), MAX_LINE)}`;
        const text = safeLine(`${place} – ${describeBreak(one, `"${document.title}"`)}`);
        breaks.push({ text, isAdded: isPart && kind === "forbids", document });
      }
    }
  }
  return breaks;
}
