/** Can the prompts be filled in with the documents that are there? What depends on no argument is known beforehand. */

import type { Finding } from "../documents/finding.ts";
import type { PromptDefinition } from "./definition.ts";
import type { PromptSet } from "./folder.ts";
import type { DocumentSource } from "./render.ts";
import type { TemplatePart } from "./template.ts";
import { findInvisible } from "../base/text.ts";
import { sectionText } from "../documents/sections.ts";
import { PromptError, renderMessages } from "./render.ts";

/** Looks at all prompts of a set. What kept a file from being served is among the findings of the set, not here. */
export function lintPrompts(set: PromptSet, source: DocumentSource): Finding[] {
  return [...set.files].flatMap(([file, { prompt }]) => {
    const parts = prompt.messages.flatMap(({ template }) => template);
    const missing = parts.flatMap((part) => lintPart(file, part, source));
    const isWhole = !missing.some(({ severity }) => severity === "error");
    return [...missing, ...(isWhole ? lintLimits(file, prompt, source) : []), ...lintCharacters(file, parts)];
  });
}

function lintPart(file: string, part: TemplatePart, source: DocumentSource): Finding[] {
  if (part.kind === "documents") {
    return source.catalogue.match(part.pattern).length > 0 ? [] : [noMatch(file, part.uri)];
  }
  if (part.kind !== "document") return [];
  const found = source.catalogue.find(part.uri);
  if (found.kind === "ambiguous") {
    const labels = found.candidates.map(({ label }) => label).join(" and ");
    return [missing(file, `The prompt embeds ${part.uri}, which names ${labels}`)];
  }
  const section = found.kind === "document" ? found.address.section : undefined;
  const text = found.kind === "document" ? source.text(found.document) : undefined;
  const isThere = text !== undefined && (section === undefined || sectionText(text, section) !== undefined);
  return isThere ? [] : [missing(file, `The prompt embeds ${part.uri}, which is not there`)];
}

/** Fills the prompt in without arguments, since the limits are on documents alone. */
function lintLimits(file: string, prompt: PromptDefinition, source: DocumentSource): Finding[] {
  try {
    renderMessages(prompt, new Map(), source);
    return [];
  } catch (cause) {
    if (!(cause instanceof PromptError)) throw cause;
    return [{
      file,
      severity: "error",
      rule: "prompt-over-limit",
      message: cause.message,
      help: "Embed single documents or sections in place of a whole category, or make several prompts.",
    }];
  }
}

function lintCharacters(file: string, parts: readonly TemplatePart[]): Finding[] {
  const text = parts.map((part) => part.kind === "text" ? part.text : "").join("\n");
  const invisible = findInvisible(text);
  if (!invisible) return [];
  return [{
    file,
    severity: "warning",
    rule: "invisible-characters",
    message:
      `The text has characters that nobody sees: ${invisible.count}, the first of them ${invisible.first}`,
    help: "Remove them: an assistant reads what no reviewer saw.",
  }];
}

function missing(file: string, message: string): Finding {
  return {
    file,
    severity: "error",
    rule: "prompt-document-missing",
    message,
    help: "Mend the URI, or use a pattern with * where the document may be missing.",
  };
}

function noMatch(file: string, uri: string): Finding {
  return {
    file,
    severity: "warning",
    rule: "prompt-glob-empty",
    message: `No document matches ${uri}, and the prompt says so in its place`,
    help: "Mend the pattern, or write a document that it matches.",
  };
}
