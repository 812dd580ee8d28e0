/** The rules of `check` for prompts. */

import type { Finding } from "../finding.ts";
import type { DocumentStore } from "../store.ts";
import type { PromptStore } from "./store.ts";
import { describeInvisible, findInvisible } from "../../base/invisible.ts";
import { quoted } from "../../base/text.ts";
import { problem } from "../rules.ts";
import { templateParts } from "./definition.ts";
import { renderMessages } from "./fill.ts";
import { unexpandedMarks } from "./marks.ts";

/** All problems of the files, of the documents that prompts embed, and of the marks and characters in their texts. */
export async function checkPrompts(prompts: PromptStore, documents: DocumentStore): Promise<Finding[]> {
  const findings = [...prompts.findings];
  for (const prompt of prompts.definitions) {
    const messages = new Set<string>();
    const report = (rule: string, message: string) => {
      if (!messages.has(message)) findings.push(problem(rule, prompt.file, message));
      messages.add(message);
    };
    for (const part of templateParts(prompt)) {
      if (part.kind !== "documents" || part.section === undefined) continue;
      for (const document of part.find(documents.catalogue)) await documents.readable(document, part.section);
    }
    renderMessages(prompt, new Map(), documents, documents.catalogue, report);
    for (const name of prompt.unknown) {
      report("prompt-key-unknown", `The member "${quoted(name, 100)}" is not a member of prompts`);
    }
    const names = new Set(prompt.arguments.map(({ name }) => name));
    for (const [index, { text }] of prompt.messages.entries()) {
      for (const [mark, reason] of unexpandedMarks(text, names)) {
        report(
          "prompt-mark",
          `messages[${index}].content.text: "${mark}" is not expanded, because ${reason}`,
        );
      }
    }
    const texts = templateParts(prompt).map((part) => part.kind === "text" ? part.text : "");
    const hidden = findInvisible(texts.join("\n"));
    if (hidden) report("invisible-characters", describeInvisible(hidden));
  }
  return findings;
}
