/** Prompts as files: reads definition files, parses their templates once, fills them in, and checks them. */

import type { FileSystem } from "../../platform/platform.ts";
import type { Awaitable } from "../../base/async.ts";
import type { Catalogue, Document } from "../catalogue.ts";
import type { FileContent } from "../files.ts";
import type { Finding, Report } from "../findings.ts";
import type { FoundFile, Keyed } from "../folder_store.ts";
import type { DocumentStore } from "../store.ts";
import type { Access } from "../../mcp/server/access.ts";
import type { Change } from "../../mcp/server/provider.ts";
import type { Prompt } from "../../mcp/protocol/types.ts";
import type { PromptOptions } from "./provider.ts";
import { allOf, andThen } from "../../base/async.ts";
import { toMatcher } from "../../formats/glob.ts";
import { compact, isObject, own } from "../../base/json.ts";
import { describeInvisible, findInvisible } from "../../base/invisible.ts";
import { attempt, compare, quoted } from "../../base/text.ts";
import { decodeText } from "../files.ts";
import { problem } from "../findings.ts";
import { FolderStore } from "../folder_store.ts";
import { markedTitle } from "../metadata.ts";
import { canonical, inScheme, parseUri, toUri } from "../uri.ts";
import { RawJson } from "../../jsonrpc/message.ts";
import { invalidParams } from "../../mcp/protocol/errors.ts";
import { checkType } from "../../mcp/server/shapes.ts";

/** The largest definition file, and the most document text in one prompt (of UTF-8), in bytes. */
const MAX_DEFINITION_BYTES = 1024 * 1024, MAX_PROMPT_BYTES = 1024 * 1024;
/** The most documents in one prompt. */
const MAX_PROMPT_DOCUMENTS = 50;
/** The longest argument that a definition may allow (the default for `code`), and the default for others, in code points. */
const MAX_ARGUMENT_LENGTH = 10_000, DEFAULT_ARGUMENT_LENGTH = 2_000;

const PROMPT_NAME = /^[a-z0-9-]+$/, ARGUMENT_NAME = /^[A-Za-z_][\w-]*$/;
/** A placeholder between its marks, with the backslash that may stand before them. */
const PLACEHOLDER = /(\\?)(?:<<([^<>{}\r\n]{1,1000})>>|\{\{([^<>{}\r\n]{1,1000})\}\})/g;

/** One part of a template. A text is also kept as JSON without quotes. */
type TemplatePart =
  | { readonly kind: "text"; readonly text: string; readonly json: Uint8Array }
  | { readonly kind: "argument"; readonly name: string }
  | EmbeddedPart;

/** One document, or all whose keys a pattern matches: `*` within a segment, `**` across segments. */
interface EmbeddedPart {
  readonly kind: "documents";
  readonly uri: string;
  readonly section: string | undefined;
  readonly isPattern: boolean;
  /** Several documents for one URI are an error. */
  find(catalogue: Catalogue): readonly Document[];
}

interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  /** Whether it must be given, and not be empty. */
  readonly required: boolean;
  /** In Unicode code points. */
  readonly maxLength: number;
  /** Suggested values; others are allowed. */
  readonly values: readonly string[];
}

interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly template: readonly TemplatePart[];
}

export interface PromptDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly PromptArgument[];
  readonly messages: readonly PromptMessage[];
  /** Members without a meaning, probably mistyped: "arguments[0].requird". */
  readonly unknown: readonly string[];
}

/** A prompt and its file: "prompts/review.json". */
interface PromptFile extends Keyed, PromptDefinition {
  readonly file: string;
  readonly isFallback: boolean;
}

/** A definition as it is written, when its shape has been checked. */
interface WrittenPrompt extends Pick<PromptDefinition, "name" | "title" | "description"> {
  readonly arguments?: readonly (Pick<PromptArgument, "name"> & Partial<PromptArgument>)[];
  readonly messages: readonly { readonly role: PromptMessage["role"]; readonly content: { text: string } }[];
}

/** Begins the keys and labels of the files of the fallback, so that both folders can have a file of one name. */
const FALLBACK = "fallback:";

/** The prompts of a root. Nothing is read before `ready`. */
export class PromptStore extends FolderStore<FoundFile, PromptFile> {
  protected override readonly duplicateRule = "prompt-duplicate";
  list: readonly Prompt[] | undefined;
  readonly #options: PromptOptions;
  readonly #tell: ((change: Change) => void) | undefined;
  definitions: readonly PromptFile[] = [];
  #findings: readonly Finding[] = [];

  constructor(files: FileSystem, options: PromptOptions, tell?: (change: Change) => void) {
    super(files, MAX_DEFINITION_BYTES, options.onfinding);
    this.#options = options;
    this.#tell = tell;
  }

  protected override *findFiles(report: Report): Generator<string | FoundFile> {
    const { root, fallback } = this.#options;
    if (root !== undefined) yield* this.#findIn(root, "", report);
    if (fallback !== undefined) yield* this.#findIn(fallback, FALLBACK, report);
  }

  *#findIn(root: string, label: string, report: Report): Generator<string | FoundFile> {
    const { files } = this;
    const within = attempt(() => files.realPath(root));
    if (within === undefined) return;
    // Watched, because `prompts/` may be created in there.
    yield within;
    const folder = `${within}/prompts`;
    const names = attempt(() => files.list(folder))?.map(({ name }) => name);
    if (names) yield folder;
    else if (attempt(() => files.list(within))?.some(({ name }) => name === "prompts")) {
      report(problem("unreadable", "prompts", "The folder cannot be read, so there are no prompts"));
    }
    for (const name of names?.sort() ?? []) {
      if (!name.endsWith(".json") || name.startsWith(".")) continue;
      const path = `${folder}/${name}`;
      yield { label: `${label}prompts/${name}`, path, within, status: attempt(() => files.status(path)) };
    }
  }

  protected override load(
    { label: file }: FoundFile,
    content: FileContent | undefined,
    last: PromptFile | undefined,
    report: Report,
  ): PromptFile | undefined {
    try {
      const definition = readDefinition(content);
      const isFallback = file.startsWith(FALLBACK);
      return { key: (isFallback ? FALLBACK : "") + definition.name, file, isFallback, ...definition };
    } catch (cause) {
      if (!(cause instanceof DefinitionError)) throw cause;
      report(problem("prompt-definition", file, `The prompt cannot be used as it is: ${cause.message}`));
      return last;
    }
  }

  protected override update(prompts: readonly PromptFile[], findings: readonly Finding[]): void {
    const keys = new Set(prompts.map(({ key }) => key));
    this.definitions = prompts.filter(({ isFallback, name }) => !isFallback || !keys.has(name));
    this.#findings = findings;
    const before = this.list;
    const list = this.definitions.map(toPrompt).sort((one, other) => compare(one.name, other.name));
    if (JSON.stringify(list) === JSON.stringify(before)) return;
    this.list = list;
    if (before) this.#tell?.({ listChanged: true });
  }

  find(name: string): PromptFile | undefined {
    return this.definitions.find((prompt) => prompt.name === name);
  }

  /** Fills in a prompt. @throws {RpcError} When an argument or an embedded document is not as it must be. */
  get(name: string, given: unknown, access?: Access): Awaitable<RawJson | undefined> {
    const prompt = this.find(name);
    if (!prompt) return undefined;
    const documents = this.#options.documents?.store;
    const catalogue = documents?.visibleTo(access);
    const embedded = partsOf(prompt).filter((part) => part.kind === "documents");
    // What a pattern matches is left out in silence, as in lists.
    const named = embedded.filter(({ isPattern }) => !isPattern);
    access?.demand("categories", named.flatMap(({ uri }) => documents?.categoryOf(uri) ?? []));
    const writing = embedded.flatMap((part) => catalogue ? part.find(catalogue) : [])
      .slice(0, MAX_PROMPT_DOCUMENTS).flatMap((document) => documents!.readable(document) ?? []);
    return andThen(allOf(writing), () => {
      const values = checkArguments(prompt, given);
      const messages = renderMessages(prompt, values, documents, catalogue, (rule, message) => {
        if (rule !== "prompt-glob-empty") throw invalidParams(message);
      });
      const { description } = prompt;
      const start = description === undefined ? "" : `"description":${JSON.stringify(description)},`;
      return new RawJson([`${start}"messages":`, ...messages]);
    });
  }

  /** Everything that is wrong with the files, with what the prompts embed, and with the characters of their texts. */
  lint(documents: DocumentStore): Finding[] {
    const findings = [...this.#findings];
    for (const prompt of this.definitions) {
      const messages = new Set<string>();
      const report = (rule: string, message: string) => {
        if (!messages.has(message)) findings.push(problem(rule, prompt.file, message));
        messages.add(message);
      };
      renderMessages(prompt, new Map(), documents, documents.catalogue, report);
      for (const name of prompt.unknown) {
        report("prompt-key-unknown", `The member "${quoted(name, 100)}" means nothing in a prompt`);
      }
      const texts = partsOf(prompt).map((part) => part.kind === "text" ? part.text : "");
      const hidden = findInvisible(texts.join("\n"));
      if (hidden) report("invisible-characters", describeInvisible(hidden));
    }
    return findings;
  }
}

/** A definition file is not valid; the message says where, such as in `messages[0].content.text`, and why. */
class DefinitionError extends Error {}

function fail(message: string): never {
  throw new DefinitionError(message);
}

function ensure(holds: unknown, message: string): asserts holds {
  if (!holds) fail(message);
}

function requireName(name: string, place: string, pattern: RegExp): void {
  ensure(pattern.test(name), `${place} must match ${pattern.source}, and "${name}" does not`);
}

/** @throws {DefinitionError} */
function readDefinition(content: FileContent | undefined): PromptDefinition {
  ensure(content, "The file cannot be read, is too large, or a link leads out of the root");
  const text = decodeText(content.bytes);
  ensure(text !== undefined, "The file is not UTF-8 text");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    fail(`The file is not valid JSON: ${(cause as Error).message}`);
  }
  ensure(isObject(value), "the file must be an object");
  const unknown: string[] = [];
  checkType(value, "prompt file", "", fail, unknown);
  const { name, title, description, arguments: args = [], messages } = value as unknown as WrittenPrompt;
  requireName(name, "name", PROMPT_NAME);
  const names = new Set<string>();
  const parameters = args.map(({ name, ...rest }, index) => {
    const usual = name === "code" ? MAX_ARGUMENT_LENGTH : DEFAULT_ARGUMENT_LENGTH;
    const { description, required = false, maxLength = usual, values = [] } = rest;
    const place = `arguments[${index}]`;
    requireName(name, `${place}.name`, ARGUMENT_NAME);
    const isLength = Number.isInteger(maxLength) && maxLength >= 1 && maxLength <= MAX_ARGUMENT_LENGTH;
    ensure(isLength, `${place}.maxLength must be an integer from 1 to ${MAX_ARGUMENT_LENGTH}`);
    ensure(!names.has(name), `arguments names "${name}" twice`);
    names.add(name);
    return compact({ name, description, required, maxLength, values });
  });
  ensure(messages.length > 0, "messages is empty");
  const read = messages.map(({ role, content: { text } }, index) => {
    return { role, template: parseTemplate(text, names, `messages[${index}].content.text`) };
  });
  return compact({ name, title, description, arguments: parameters, messages: read, unknown });
}

/** Parses a text once, so that nothing in an argument or a document can insert another placeholder. */
function parseTemplate(text: string, names: ReadonlySet<string>, place: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  const addText = (text: string) => {
    const json = new TextEncoder().encode(JSON.stringify(text)).subarray(1, -1);
    if (text !== "") parts.push({ kind: "text", text, json });
  };
  let end = 0;
  for (const { 0: mark, 1: escape = "", 2: angled, 3: braced, index } of text.matchAll(PLACEHOLDER)) {
    const part = escape === "" ? readPlaceholder((angled ?? braced)!.trim(), names, place) : undefined;
    addText(text.slice(end, index) + (part ? "" : mark.slice(escape.length)));
    if (part) parts.push(part);
    end = index + mark.length;
  }
  addText(text.slice(end));
  return parts;
}

/** Reads what stands between the marks; undefined when that is mere text. */
function readPlaceholder(inner: string, names: ReadonlySet<string>, place: string): TemplatePart | undefined {
  const uri = /^resource:\s*(.*)$/.exec(inner)?.[1];
  if (uri !== undefined) return readResource(uri, place);
  if (!ARGUMENT_NAME.test(inner)) return undefined;
  const advice = "declare it, or write a backslash before the marks to mean the text";
  ensure(names.has(inner), `${place}: "${inner}" is not among the arguments; ${advice}`);
  return { kind: "argument", name: inner };
}

function readResource(uri: string, place: string): EmbeddedPart {
  const [, own, file, fragment] = /^(?:architecture:\/\/([^#]*)|file:\/\/\/([^#]*))(#.*)?$/i.exec(uri) ?? [];
  const path = own ?? file?.replace(/\.md$/i, "") ?? "", isPattern = path.includes("*");
  const address = parseUri(uri);
  const forms = "write architecture://{category}/{path} or file:///{category}/{path}.md";
  ensure(address || isPattern, `${place}: "${uri}" is no document; ${forms}`);
  ensure(!isPattern || fragment === undefined, `${place}: "${uri}" asks for a section of many documents`);
  const matches = toMatcher(path.replace(/[^*]+/g, canonical));
  const find = (catalogue: Catalogue) =>
    isPattern ? catalogue.documents.filter(({ key }) => matches(key)) : catalogue.find(uri).documents;
  return { kind: "documents", uri, section: address?.section, isPattern, find };
}

function partsOf({ messages }: PromptDefinition): TemplatePart[] {
  return messages.flatMap(({ template }) => template);
}

function toPrompt({ name, title, description, arguments: args }: PromptFile): Prompt {
  const shown = args.map(({ name, description, required }) => compact({ name, description, required }));
  return compact({ name, title, description, arguments: shown.length === 0 ? undefined : shown });
}

function checkArguments(prompt: PromptDefinition, given: unknown = {}): ReadonlyMap<string, string> {
  if (!isObject(given)) throw invalidParams("The arguments must be an object");
  const names = prompt.arguments.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const takes = `the prompt "${prompt.name}" takes ${names.join(", ") || "none"}`;
    throw invalidParams(`Unknown argument "${quoted(unknown, 100)}"; ${takes}`);
  }
  return new Map(prompt.arguments.map((argument) => {
    const value = own(given, argument.name);
    const fault = faultOf(value, argument);
    if (fault !== undefined) throw invalidParams(`The argument "${argument.name}" ${fault}`);
    return [argument.name, value as string ?? ""];
  }));
}

function faultOf(value: unknown, { required, maxLength }: PromptArgument): string | undefined {
  if (value === undefined) return required ? "is missing" : undefined;
  if (typeof value !== "string") return "must be a text";
  if (value === "") return required ? "is required and must not be empty" : undefined;
  // A string has at most as many code points as UTF-16 units, so most need no counting.
  const isTooLong = value.length > maxLength && Array.from(value).length > maxLength;
  return isTooLong ? `is longer than ${maxLength} characters` : undefined;
}

/** Writes the messages of a prompt as pieces of a JSON array. If `report` does not throw, the rest is written. */
function renderMessages(
  { name, messages, isFallback }: PromptFile,
  values: ReadonlyMap<string, string>,
  documents: DocumentStore | undefined,
  catalogue: Catalogue | undefined,
  report: (rule: string, message: string) => void,
): (string | Uint8Array)[] {
  const pieces: (string | Uint8Array)[] = [];
  const texts: Uint8Array[] = [];
  const write = (text: string) => void pieces.push(JSON.stringify(text).slice(1, -1));
  const skip = (rule: string, what: string) => {
    if (isFallback) write(`\n\n(Left out: ${what}.)`);
    else report(rule, `The prompt "${name}" embeds ${what}`);
  };
  /** Writes documents, each below a line that names its source. */
  const embed = (part: EmbeddedPart) => {
    const { section, isPattern } = part;
    const found = catalogue ? part.find(catalogue) : [], scheme = documents?.scheme ?? "architecture";
    const uri = inScheme(part.uri, scheme);
    const fragment = section === undefined ? "" : `#${section}`;
    const sources = found.map(({ key }) => toUri(key, scheme) + fragment);
    if (!isPattern && found.length !== 1) {
      const what = found.length === 0 ? "is not there" : `names ${sources.join(" and ")}`;
      return skip("prompt-document-missing", `${uri}, which ${what}`);
    }
    if (found.length === 0) {
      write(`(No document matches ${uri}.)`);
      report("prompt-glob-empty", `No document matches ${uri}, and the prompt says so in its place`);
    }
    for (const [index, document] of found.entries()) {
      const source = sources[index]!;
      const json = documents!.json(document, section);
      if (!json) return skip("prompt-document-missing", `${isPattern ? source : uri}, which is not there`);
      texts.push(json);
      const isTooMany = texts.length > MAX_PROMPT_DOCUMENTS;
      if (isTooMany || isTooMuch(texts)) {
        const limit = isTooMany ? `${MAX_PROMPT_DOCUMENTS}` : `${MAX_PROMPT_BYTES} bytes of`;
        const from = isFallback ? `, here from ${source} on` : "";
        return skip("prompt-over-limit", `more than ${limit} documents${from}`);
      }
      write(`${index === 0 ? "" : "\n\n"}[${source}] ${markedTitle(document)}\n\n`);
      pieces.push(json.subarray(1, -1));
    }
  };
  for (const [index, { role, template }] of messages.entries()) {
    pieces.push(`${index === 0 ? "[" : ","}{"role":"${role}","content":{"type":"text","text":"`);
    for (const part of template) {
      if (part.kind === "text") pieces.push(part.json);
      else if (part.kind === "argument") write(values.get(part.name) ?? "");
      else embed(part);
    }
    pieces.push('"}}');
  }
  return [...pieces, "]"];
}

/** Whether texts, given as JSON strings, exceed the limit. No JSON is shorter than its text, so most need no decoding. */
function isTooMuch(texts: readonly Uint8Array[]): boolean {
  const exceeds = (sizeOf: (json: Uint8Array) => number) =>
    texts.reduce((sum, json) => sum + sizeOf(json), 0) > MAX_PROMPT_BYTES;
  return exceeds((json) => json.length - 2) &&
    exceeds((json) => new TextEncoder().encode(JSON.parse(new TextDecoder().decode(json))).length);
}
