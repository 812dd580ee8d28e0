/** Which prompts are there? Reads a folder of definition files; a file that cannot be used is reported, not fatal. */

import type { FileSystem } from "../../deps.ts";
import type { Finding } from "../documents/finding.ts";
import type { PromptDefinition } from "./definition.ts";
import { readInside } from "../documents/contain.ts";
import { decodeDocument } from "../documents/index_files.ts";
import { DefinitionError, readDefinition } from "./definition.ts";

/** The largest definition file, in bytes: a prompt is written by people. */
export const MAX_DEFINITION_BYTES: number = 1024 * 1024;

/** A definition file that was read. */
interface ReadPrompt {
  readonly prompt: PromptDefinition;
  /** The text it was made from: the same text is the same prompt. */
  readonly text: string;
}

/** The prompts of a folder at one moment. */
export interface PromptSet {
  /** Sorted by name. */
  readonly prompts: readonly PromptDefinition[];
  /** What each file holds, by its label: "prompts/review.json". */
  readonly files: ReadonlyMap<string, ReadPrompt>;
  readonly findings: readonly Finding[];
}

/**
 * Reads all prompts under `prompts/` of a root. Needs read permission for it. A root without such a folder has none.
 *
 * @param root The folder with `prompts/` in it.
 * @param previous What was there before: a file that cannot be used now keeps what it had.
 */
export function readPrompts(files: FileSystem, root: string, previous: PromptSet | undefined): PromptSet {
  const findings: Finding[] = [];
  const read = new Map<string, ReadPrompt>();
  const owners = new Map<string, string>();
  const prompts: PromptDefinition[] = [];
  for (const name of definitionFiles(files, root, findings)) {
    const label = `prompts/${name}`;
    const last = previous?.files.get(label);
    const outcome = readPrompt(files, root, name, last);
    if (typeof outcome === "string") findings.push(unusable(label, outcome));
    let now = typeof outcome === "string" ? last : outcome;
    const owner = now && owners.get(now.prompt.name);
    if (now && owner !== undefined) {
      findings.push(duplicate(label, now.prompt.name, owner));
      now = last && !owners.has(last.prompt.name) ? last : undefined;
    }
    if (!now) continue;
    owners.set(now.prompt.name, label);
    read.set(label, now);
    prompts.push(now.prompt);
  }
  prompts.sort((left, right) => left.name < right.name ? -1 : 1);
  return Object.freeze({ prompts: Object.freeze(prompts), files: read, findings: Object.freeze(findings) });
}

/** No folder, no prompts: a shelf of documents alone is a whole shelf. A folder that cannot be read is another thing. */
function definitionFiles(files: FileSystem, root: string, findings: Finding[]): string[] {
  try {
    return files.list(`${root}/prompts`)
      .filter(({ name }) => name.endsWith(".json") && !name.startsWith("."))
      .map(({ name }) => name).sort();
  } catch {
    if (isListed(files, root)) findings.push(unreadable("prompts"));
    return [];
  }
}

function isListed(files: FileSystem, root: string): boolean {
  try {
    return files.list(root).some(({ name }) => name === "prompts");
  } catch {
    return false;
  }
}

/** What a file holds, or the reason why it cannot be used. */
function readPrompt(
  files: FileSystem,
  root: string,
  name: string,
  last: ReadPrompt | undefined,
): ReadPrompt | string {
  try {
    const file = readInside(files, `${root}/prompts/${name}`, files.realPath(root), MAX_DEFINITION_BYTES);
    if (!file) return "The file cannot be read, or it is too large, or a link leads out of the root";
    const text = decodeDocument(file.bytes);
    if (text === undefined) return "The file is not UTF-8 text";
    return text === last?.text ? last : { prompt: readDefinition(text), text };
  } catch (cause) {
    if (cause instanceof DefinitionError) return cause.message;
    throw cause;
  }
}

function unreadable(file: string): Finding {
  return {
    file,
    severity: "error",
    rule: "unreadable",
    message: "The folder cannot be read, so there are no prompts",
    help: "Check that it is a folder, its permissions, and the paths that the sandbox allows.",
  };
}

function unusable(file: string, reason: string): Finding {
  return {
    file,
    severity: "error",
    rule: "prompt-definition",
    message: `The prompt cannot be used as it is: ${reason}`,
    help: "Mend the file; the guideline writing-prompts has the format.",
  };
}

function duplicate(file: string, name: string, other: string): Finding {
  return {
    file,
    severity: "error",
    rule: "prompt-duplicate",
    message: `The prompt is not served: ${other} has the name "${name}" too`,
    help: "Give one of the two another name.",
  };
}
