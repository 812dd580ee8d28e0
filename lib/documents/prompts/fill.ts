/** Fills in a prompt: checks the arguments, and writes the messages. */

import type { Catalogue } from "../catalogue.ts";
import type { DocumentStore } from "../store.ts";
import type { EmbeddedPart, PromptArgument, PromptDefinition, PromptFile } from "./prompt.ts";
import { isObject, own } from "../../base/json.ts";
import { quoted } from "../../base/text.ts";
import { invalidParams } from "../../mcp/protocol/errors.ts";
import { inScheme, toUri } from "../uri.ts";

/** The maximum size of all documents in one prompt, in bytes of UTF-8. */
const MAX_PROMPT_BYTES = 1024 * 1024;
/** The maximum number of documents in one prompt. */
export const MAX_PROMPT_DOCUMENTS = 50;

/** The arguments by name. Missing ones are empty. @throws {RpcError} When they do not fit the prompt. */
export function checkArguments(prompt: PromptDefinition, given: unknown = {}): ReadonlyMap<string, string> {
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

/** What is wrong with an argument; undefined when nothing is. */
function faultOf(value: unknown, { required, maxLength }: PromptArgument): string | undefined {
  if (value === undefined) return required ? "is missing" : undefined;
  if (typeof value !== "string") return "must be a string";
  if (value === "") return required ? "is required and must not be empty" : undefined;
  // A string has at most as many code points as UTF-16 units, so most need no counting.
  const isTooLong = value.length > maxLength && Array.from(value).length > maxLength;
  return isTooLong ? `is longer than ${maxLength} characters` : undefined;
}

/** Writes the messages of a prompt as pieces of a JSON array. Continues after a problem unless `report` throws. */
export function renderMessages(
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
  /** Writes documents, each after a line with its URI and title. */
  const embed = (part: EmbeddedPart) => {
    const { section, isPattern } = part;
    const found = catalogue ? part.find(catalogue) : [], scheme = documents?.scheme ?? "architecture";
    const uri = inScheme(part.uri, scheme);
    const fragment = section === undefined ? "" : `#${section}`;
    const sources = found.map(({ key }) => toUri(key, scheme) + fragment);
    if (!isPattern && found.length !== 1) {
      const what = found.length === 0 ? "does not exist" : `names ${sources.join(" and ")}`;
      return skip("prompt-document-missing", `${uri}, which ${what}`);
    }
    if (found.length === 0) {
      write(`(No document matches ${uri}.)`);
      report("prompt-glob-empty", `No document matches ${uri}; the prompt says so instead`);
    }
    for (const [index, document] of found.entries()) {
      const source = sources[index]!;
      const json = documents!.json(document, section);
      if (!json) return skip("prompt-document-missing", `${isPattern ? source : uri}, which does not exist`);
      texts.push(json);
      const isTooMany = texts.length > MAX_PROMPT_DOCUMENTS;
      if (isTooMany || isTooMuch(texts)) {
        const limit = isTooMany ? `${MAX_PROMPT_DOCUMENTS}` : `${MAX_PROMPT_BYTES} bytes of`;
        const from = isFallback ? `, here from ${source} on` : "";
        return skip("prompt-over-limit", `more than ${limit} documents${from}`);
      }
      write(`${index === 0 ? "" : "\n\n"}[${source}] ${documents!.titleOf(document)}\n\n`);
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

/** Whether texts, given as JSON strings, exceed the limit. JSON is never shorter than its text, so most need no decoding. */
function isTooMuch(texts: readonly Uint8Array[]): boolean {
  const exceeds = (sizeOf: (json: Uint8Array) => number) =>
    texts.reduce((sum, json) => sum + sizeOf(json), 0) > MAX_PROMPT_BYTES;
  return exceeds((json) => json.length - 2) &&
    exceeds((json) => new TextEncoder().encode(JSON.parse(new TextDecoder().decode(json))).length);
}
