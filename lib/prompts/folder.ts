/** Which prompts are there? Reads a folder of definition files; a file that cannot be used is reported, not fatal. */

import type { FileStatus, FileSystem } from "../../deps.ts";
import type { Finding } from "../documents/finding.ts";
import type { ReadFile } from "../documents/contain.ts";
import type { Unsettled } from "../documents/unsettled.ts";
import type { Look } from "../documents/watch.ts";
import type { PromptDefinition } from "./definition.ts";
import { isUnchanged, readInside } from "../documents/contain.ts";
import { decodeDocument } from "../documents/index_files.ts";
import { statusOf } from "../documents/unsettled.ts";
import { DefinitionError, readDefinition } from "./definition.ts";

/** The largest definition file, in bytes: a prompt is written by people. */
export const MAX_DEFINITION_BYTES: number = 1024 * 1024;

/** A definition file that was read. */
interface ReadPrompt {
  readonly prompt: PromptDefinition;
  /** The text it was made from: the same text is the same prompt. */
  readonly text: string;
  /** What the file was when it was read. */
  readonly status: FileStatus;
}

/** The prompts of a folder at one moment. */
export interface PromptSet extends Look {
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
 * @param previous What was there before: a file that did not change is not read again, and one that cannot be used now
 * keeps what it had.
 * @param unsettled Knows which files are being written just now, so that they keep what they had too.
 */
export function readPrompts(
  files: FileSystem,
  root: string,
  previous?: PromptSet,
  unsettled?: Unsettled,
): PromptSet {
  const findings: Finding[] = [];
  const read = new Map<string, ReadPrompt>();
  const owners = new Map<string, string>();
  const prompts: PromptDefinition[] = [];
  const folders = new Set<string>();
  let isSettled = true;
  const listed = definitionFiles(files, root, folders, findings);
  for (const name of [...listed, ...beingReplaced(root, listed, previous, unsettled)]) {
    const label = `prompts/${name}`;
    const last = previous?.files.get(label);
    const outcome = readPrompt(files, root, name, last, previous && unsettled);
    if (outcome === "unsettled") isSettled = false;
    else if (outcome instanceof DefinitionError) findings.push(unusable(label, outcome.message));
    let now = outcome === "unsettled" || outcome instanceof DefinitionError ? last : outcome;
    const owner = now && owners.get(now.prompt.name);
    if (now && owner !== undefined) {
      if (outcome !== "unsettled") findings.push(duplicate(label, now.prompt.name, owner));
      now = last && !owners.has(last.prompt.name) ? last : undefined;
    }
    if (!now) continue;
    owners.set(now.prompt.name, label);
    read.set(label, now);
    prompts.push(now.prompt);
  }
  prompts.sort((left, right) => left.name < right.name ? -1 : 1);
  return Object.freeze({
    prompts: Object.freeze(prompts),
    files: read,
    findings: Object.freeze(findings),
    folders,
    isSettled,
  });
}

/** No folder, no prompts: a shelf of documents alone is a whole shelf. A folder that cannot be read is another thing. */
function definitionFiles(
  files: FileSystem,
  root: string,
  folders: Set<string>,
  findings: Finding[],
): string[] {
  try {
    const real = files.realPath(root);
    // Where the folder may come to be.
    folders.add(real);
    const entries = files.list(`${real}/prompts`);
    folders.add(`${real}/prompts`);
    return entries.filter(({ name }) => name.endsWith(".json") && !name.startsWith("."))
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

/** The files that are gone, but perhaps only for a moment. */
function beingReplaced(
  root: string,
  listed: readonly string[],
  previous: PromptSet | undefined,
  unsettled: Unsettled | undefined,
): string[] {
  if (!unsettled) return [];
  return [...previous?.files ?? []].flatMap(([label, { status }]) => {
    const name = label.slice("prompts/".length);
    return !listed.includes(name) && unsettled.has(`${root}/${label}`, status, undefined) ? [name] : [];
  });
}

/** What a file holds, why it cannot be used, or that it is being written. */
function readPrompt(
  files: FileSystem,
  root: string,
  name: string,
  last: ReadPrompt | undefined,
  unsettled: Unsettled | undefined,
): ReadPrompt | DefinitionError | "unsettled" {
  const path = `${root}/prompts/${name}`;
  const found = statusOf(files, path);
  if (last && found && isUnchanged(last.status, found)) return last;
  if (unsettled?.has(path, last?.status, found)) return "unsettled";
  const file = readInRoot(files, root, path);
  const isAsFound = file && file.bytes.length === found?.size;
  if (!isAsFound && unsettled?.has(path, last?.status, statusOf(files, path))) return "unsettled";
  if (!file) {
    return new DefinitionError(
      "The file cannot be read, or it is too large, or a link leads out of the root",
    );
  }
  const text = decodeDocument(file.bytes);
  if (text === undefined) return new DefinitionError("The file is not UTF-8 text");
  const { status } = file;
  if (text === last?.text) return { ...last, status };
  try {
    return { prompt: readDefinition(text), text, status };
  } catch (cause) {
    if (cause instanceof DefinitionError) return cause;
    throw cause;
  }
}

function readInRoot(files: FileSystem, root: string, path: string): ReadFile | undefined {
  try {
    return readInside(files, path, files.realPath(root), MAX_DEFINITION_BYTES);
  } catch {
    // The root itself has just gone.
    return undefined;
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
