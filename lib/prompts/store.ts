/** Prompts as files: follows definition files, checks arguments, writes messages with embedded documents, and lints. */

import type { FileSystem } from "../../deps.ts";
import type { Catalogue, Document } from "../documents/catalogue.ts";
import type { FileContent } from "../documents/files.ts";
import type { Finding, FoundFile, Report, WatchOptions } from "../documents/folder_store.ts";
import type { PromptArgument, PromptDefinition, TemplatePart } from "./definition.ts";
import { isObject, own } from "../base/json.ts";
import { findInvisible, quoted } from "../base/text.ts";
import { attempt, decodeText } from "../documents/files.ts";
import { FolderStore } from "../documents/folder_store.ts";
import { currentStatus, isOver } from "../documents/record.ts";
import { toUri } from "../documents/uri.ts";
import { DefinitionError, readDefinition } from "./definition.ts";

/** The largest definition file, in bytes. */
const MAX_DEFINITION_BYTES: number = 1024 * 1024;
/** The most documents in one prompt. */
export const MAX_PROMPT_DOCUMENTS = 50;
/** The most document text in one prompt, in bytes of UTF-8. */
const MAX_PROMPT_BYTES: number = 1024 * 1024;

/** A prompt and its file: "prompts/review.json". */
interface PromptFile {
  readonly file: string;
  readonly prompt: PromptDefinition;
}

/** What is wrong with prompts: by rule, how to fix it. Patterns without a match and invisible characters are warnings. */
const HELP: Readonly<Record<string, string>> = {
  "invisible-characters": "Remove them: an assistant reads what no reviewer saw.",
  "prompt-definition": "Fix the file; the guideline writing-prompts has the format.",
  "prompt-document-missing": "Fix the URI, or use a pattern with * where the document may be missing.",
  "prompt-duplicate": "Give one of the two another name.",
  "prompt-glob-empty": "Fix the pattern, or write a document that it matches.",
  "prompt-over-limit":
    "Embed single documents or sections in place of a whole category, or make several prompts.",
  "unreadable": "Check that it is a folder, its permissions, and the paths that the sandbox allows.",
};

function problem(rule: string, file: string, message: string): Finding {
  const isWarning = rule === "prompt-glob-empty" || rule === "invisible-characters";
  return { file, severity: isWarning ? "warning" : "error", rule, message, help: HELP[rule]! };
}

/** Yields the folder and the definition files under `prompts/` of a root. */
function* scanPrompts(files: FileSystem, root: string, report: Report): Generator<string | FoundFile> {
  const within = attempt(() => files.realPath(root));
  if (within === undefined) return;
  // The folder may be created in there.
  yield within;
  const folder = `${within}/prompts`;
  const entries = attempt(() => files.list(folder));
  if (!entries) {
    const isThere = attempt(() => files.list(within))?.some(({ name }) => name === "prompts");
    if (isThere) {
      report(problem("unreadable", "prompts", "The folder cannot be read, so there are no prompts"));
    }
    return;
  }
  yield folder;
  for (const name of entries.map(({ name }) => name).sort()) {
    if (!name.endsWith(".json") || name.startsWith(".")) continue;
    const path = `${folder}/${name}`;
    yield { label: `prompts/${name}`, path, within, status: attempt(() => files.status(path)) };
  }
}

/** A file that cannot be used keeps its last good version. */
function load(
  { label: file }: FoundFile,
  content: FileContent | undefined,
  last: PromptFile | undefined,
  report: Report,
): PromptFile | undefined {
  const text = content && decodeText(content.bytes);
  try {
    if (text !== undefined) return { file, prompt: readDefinition(text) };
    throw new DefinitionError(
      content
        ? "The file is not UTF-8 text"
        : "The file cannot be read, or it is too large, or a link leads out of the root",
    );
  } catch (cause) {
    if (!(cause instanceof DefinitionError)) throw cause;
    report(problem("prompt-definition", file, `The prompt cannot be used as it is: ${cause.message}`));
    return last;
  }
}

/** What a prompt store tells. */
export interface PromptEvents {
  /** Takes each finding when it is first met, and again when it was gone meanwhile. @default {none} */
  readonly onfinding?: Report | undefined;
  /** Called after each scan that found a difference, the first one included. @default {none} */
  readonly onchange?: (() => void) | undefined;
}

/** Follows the definition files under `prompts/` of a root. Nothing is read before `ready`. Needs read permission for it. */
export class PromptStore {
  readonly #store: FolderStore<FoundFile, PromptFile>;
  #files: readonly PromptFile[] = [];
  #findings: readonly Finding[] = [];

  /** Takes note of the root. */
  constructor(files: FileSystem, root: string, { onfinding, onchange }: PromptEvents = {}) {
    this.#store = new FolderStore(files, {
      maxBytes: MAX_DEFINITION_BYTES,
      scan: (report) => scanPrompts(files, root, report),
      load,
      keyOf: ({ prompt }) => prompt.name,
      duplicate({ label }, { prompt }, other) {
        const message = `The prompt is not served: ${other} has the name "${prompt.name}" too`;
        return problem("prompt-duplicate", label, message);
      },
      update: (prompts, findings) => {
        this.#files = prompts;
        this.#findings = findings;
        onchange?.();
      },
    }, onfinding);
  }

  /** The prompts, in the order of their files. */
  get prompts(): PromptDefinition[] {
    return this.#files.map(({ prompt }) => prompt);
  }

  /** Scans the folder, the first time. */
  ready(): Promise<void> {
    return this.#store.ready();
  }

  /** Scans the folder again, until no file is being written. */
  reload(): Promise<void> {
    return this.#store.reload();
  }

  /** Rescans whenever that is due, until the result is closed. */
  watch(options: WatchOptions = {}): { close(): void } {
    return this.#store.watch(options);
  }

  /** Everything that is wrong with the files, and with what the prompts embed. */
  lint(documents: DocumentSource): Finding[] {
    return [...this.#findings, ...this.#files.flatMap((file) => [...lint(file, documents)])];
  }
}

/** A prompt cannot be filled in as asked: an argument is wrong, or a document is missing or too much. */
export class PromptError extends Error {
  /** Names the class in logs. */
  override readonly name = "PromptError";
}

/**
 * Checks the arguments that a client sent.
 *
 * @returns The value of each argument; "" for one that was not given.
 * @throws {PromptError} Naming the first argument that is unknown, missing, empty though required, not a text, or too
 * long, and the limit.
 */
export function checkArguments(prompt: PromptDefinition, given: unknown): ReadonlyMap<string, string> {
  const values = given === undefined ? {} : given;
  if (!isObject(values)) throw new PromptError("The arguments must be an object");
  const names = prompt.arguments.map(({ name }) => name);
  const unknown = Object.keys(values).find((name) => !names.includes(name));
  if (unknown === undefined) {
    return new Map(
      prompt.arguments.map((
        argument,
      ) => [argument.name, checkArgument(argument, own(values, argument.name))]),
    );
  }
  const known = names.join(", ") || "none";
  throw new PromptError(
    `Unknown argument "${quoted(unknown, 100)}"; the prompt "${prompt.name}" takes ${known}`,
  );
}

function checkArgument({ name, required, maxLength }: PromptArgument, value: unknown): string {
  if (value === undefined && required) throw new PromptError(`The argument "${name}" is missing`);
  if (value === undefined) return "";
  if (typeof value !== "string") throw new PromptError(`The argument "${name}" must be a text`);
  if (value === "" && required) {
    throw new PromptError(`The argument "${name}" is required and must not be empty`);
  }
  // A string has at most as many code points as UTF-16 units, so most need no counting.
  if (value.length > maxLength && Array.from(value).length > maxLength) {
    throw new PromptError(`The argument "${name}" is longer than ${maxLength} characters`);
  }
  return value;
}

/** Where embedded documents come from; a `DocumentStore` that is ready. */
export interface DocumentSource {
  /** The documents that can be embedded. */
  readonly catalogue: Catalogue;
  /** The text of a document, or of a section, as a JSON string in UTF-8, quotes included; undefined when it is gone. */
  json(document: Document, section?: string): Uint8Array | undefined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** The fixed parts of templates as JSON without quotes, encoded once. */
const encodedTexts = new WeakMap<TemplatePart, Uint8Array>();

/**
 * Writes the messages of a prompt as pieces of JSON text: a list, brackets included.
 *
 * @param values The value of each argument; see `checkArguments`.
 * @throws {PromptError} When a named document is missing, or the documents exceed a limit.
 */
export function renderMessages(
  { name, messages }: Pick<PromptDefinition, "name" | "messages">,
  values: ReadonlyMap<string, string>,
  source: DocumentSource | undefined,
): (string | Uint8Array)[] {
  const pieces: (string | Uint8Array)[] = [];
  const embedded: Uint8Array[] = [];
  const write = (text: string): void => void pieces.push(JSON.stringify(text).slice(1, -1));
  const fail = (what: string): never => {
    throw new PromptError(`The prompt "${name}" embeds ${what}`);
  };
  /** Writes a document, or a section of it, below a line that names its source. */
  const embed = (uri: string, document: Document, section: string | undefined): void => {
    const json = source!.json(document, section);
    if (!json) return fail(`${uri}, which is not there`);
    embedded.push(json);
    if (embedded.length > MAX_PROMPT_DOCUMENTS) fail(`more than ${MAX_PROMPT_DOCUMENTS} documents`);
    if (isTooMuch(embedded)) fail(`more than ${MAX_PROMPT_BYTES} bytes of documents`);
    const canonical = toUri(document.key, "architecture") + (section === undefined ? "" : `#${section}`);
    const state = isOver(document) ? ` (${currentStatus(document)}: no longer in force)` : "";
    write(`[${canonical}] ${document.title}${state}\n\n`);
    pieces.push(json.subarray(1, -1));
  };
  const add = (part: TemplatePart): void => {
    if (part.kind === "text") {
      const bytes = encodedTexts.get(part) ?? encoder.encode(JSON.stringify(part.text)).subarray(1, -1);
      encodedTexts.set(part, bytes);
      pieces.push(bytes);
    } else if (part.kind === "argument") write(values.get(part.name) ?? "");
    else if (part.kind === "documents") {
      const documents = source?.catalogue.match(part.pattern) ?? [];
      if (documents.length === 0) write(`(No document matches ${part.uri}.)`);
      for (const [index, document] of documents.entries()) {
        if (index > 0) write("\n\n");
        embed(toUri(document.key, "architecture"), document, undefined);
      }
    } else {
      const { documents = [], address } = source?.catalogue.find(part.uri) ?? {};
      const uris = documents.map(({ key }) => toUri(key, "architecture"));
      if (documents.length !== 1) {
        fail(`${part.uri}, which ${uris.length === 0 ? "is not there" : `names ${uris.join(" and ")}`}`);
      }
      embed(part.uri, documents[0]!, address?.section);
    }
  };
  for (const [index, { role, template }] of messages.entries()) {
    pieces.push(`${index === 0 ? "[" : ","}{"role":"${role}","content":{"type":"text","text":"`);
    template.forEach(add);
    pieces.push('"}}');
  }
  pieces.push("]");
  return pieces;
}

/** Whether texts, given as JSON strings, exceed the limit. JSON is never shorter than its text, so most need no decoding. */
function isTooMuch(embedded: readonly Uint8Array[]): boolean {
  const sizeOf = (json: Uint8Array): number => encoder.encode(JSON.parse(decoder.decode(json))).length;
  const total = (size: (json: Uint8Array) => number): number =>
    embedded.reduce((sum, json) => sum + size(json), 0);
  return total((json) => json.length - 2) > MAX_PROMPT_BYTES && total(sizeOf) > MAX_PROMPT_BYTES;
}

/** What is wrong with a prompt that can be served: the documents that it embeds, and its characters. */
function* lint({ file, prompt }: PromptFile, source: DocumentSource): Generator<Finding> {
  const { name } = prompt;
  const parts = prompt.messages.flatMap(({ template }) => template);
  // Without arguments, because only documents can be wrong.
  const failure = (messages: PromptDefinition["messages"]): string | undefined => {
    try {
      renderMessages({ name, messages }, new Map(), source);
    } catch (cause) {
      if (cause instanceof PromptError) return cause.message;
      throw cause;
    }
    return undefined;
  };
  let isWhole = true;
  for (const part of parts) {
    if (part.kind === "documents" && source.catalogue.match(part.pattern).length === 0) {
      const message = `No document matches ${part.uri}, and the prompt says so in its place`;
      yield problem("prompt-glob-empty", file, message);
    }
    const message = part.kind === "document" ? failure([{ role: "user", template: [part] }]) : undefined;
    if (message === undefined) continue;
    isWhole = false;
    yield problem("prompt-document-missing", file, message);
  }
  const message = isWhole ? failure(prompt.messages) : undefined;
  if (message !== undefined) yield problem("prompt-over-limit", file, message);
  const invisible = findInvisible(parts.map((part) => part.kind === "text" ? part.text : "").join("\n"));
  if (!invisible) return;
  const { count, first } = invisible;
  yield problem(
    "invisible-characters",
    file,
    `The text has ${count} invisible characters, the first of them ${first}`,
  );
}
