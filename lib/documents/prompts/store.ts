/** The prompts of a folder: finds their files, follows them, and answers requests for them. */

import type { FileSystem } from "../../platform/platform.ts";
import type { Awaitable } from "../../base/async.ts";
import type { FileContent } from "../files.ts";
import type { Finding, ReportProblem } from "../finding.ts";
import type { FoundFile } from "../file.ts";
import type { Access } from "../../mcp/server/access.ts";
import type { Change } from "../../mcp/server/changes.ts";
import type { Prompt } from "../../mcp/protocol/types.ts";
import type { PromptFile } from "./prompt.ts";
import type { PromptOptions } from "./options.ts";
import { allOf, andThen } from "../../base/async.ts";
import { compact } from "../../base/json.ts";
import { attempt, compare } from "../../base/text.ts";
import { FolderStore } from "../folder_store.ts";
import { RawJson } from "../../jsonrpc/message.ts";
import { invalidParams } from "../../mcp/protocol/errors.ts";
import { readDefinition, templateParts } from "./definition.ts";
import { checkArguments, MAX_PROMPT_DOCUMENTS, renderMessages } from "./fill.ts";
import { DefinitionError } from "./template.ts";

/** The maximum size of a definition file, in bytes. */
const MAX_DEFINITION_BYTES = 1024 * 1024;

/** The prefix of keys and labels in the fallback folder, so that both folders can have a file of the same name. */
const FALLBACK = "fallback:";

/** The prompts of a root. Nothing is read before `ready`. */
export class PromptStore extends FolderStore<FoundFile, PromptFile> {
  protected override readonly duplicateRule = "prompt-duplicate";
  list: readonly Prompt[] | undefined;
  readonly #options: PromptOptions;
  readonly #tell: ((change: Change) => void) | undefined;
  definitions: readonly PromptFile[] = [];
  /** The problems of the files. */
  findings: readonly Finding[] = [];

  constructor(files: FileSystem, options: PromptOptions, tell?: (change: Change) => void) {
    super(files, MAX_DEFINITION_BYTES, options.onfinding);
    this.#options = options;
    this.#tell = tell;
  }

  protected override *findFiles(report: ReportProblem): Generator<string | FoundFile> {
    const { root, fallback } = this.#options;
    if (root !== undefined) yield* this.#findIn(root, "", report);
    if (fallback !== undefined) yield* this.#findIn(fallback, FALLBACK, report);
  }

  *#findIn(root: string, label: string, report: ReportProblem): Generator<string | FoundFile> {
    const { files } = this;
    const within = attempt(() => files.realPath(root));
    if (within === undefined) return;
    // Watched, because `prompts/` may be created in it.
    yield within;
    const folder = `${within}/prompts`;
    const names = attempt(() => files.list(folder))?.map(({ name }) => name);
    if (names) yield folder;
    else if (attempt(() => files.list(within))?.some(({ name }) => name === "prompts")) {
      report({
        rule: "unreadable",
        file: "prompts",
        message: "The folder cannot be read, so there are no prompts",
      });
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
    report: ReportProblem,
  ): PromptFile | undefined {
    try {
      const definition = readDefinition(content);
      const isFallback = file.startsWith(FALLBACK);
      return { key: (isFallback ? FALLBACK : "") + definition.name, file, isFallback, ...definition };
    } catch (cause) {
      if (!(cause instanceof DefinitionError)) throw cause;
      report({
        rule: "prompt-definition",
        file,
        message: `The prompt is not valid: ${cause.message}`,
      });
      return last;
    }
  }

  protected override update(prompts: readonly PromptFile[], findings: readonly Finding[]): void {
    const keys = new Set(prompts.map(({ key }) => key));
    this.definitions = prompts.filter(({ isFallback, name }) => !isFallback || !keys.has(name));
    this.findings = findings;
    const before = this.list;
    const list = this.definitions.map(toPrompt).sort((one, other) => compare(one.name, other.name));
    if (JSON.stringify(list) === JSON.stringify(before)) return;
    this.list = list;
    if (before) this.#tell?.({ listChanged: true });
  }

  find(name: string): PromptFile | undefined {
    return this.definitions.find((prompt) => prompt.name === name);
  }

  /** Fills in a prompt. @throws {RpcError} When an argument or an embedded document does not fit. */
  get(name: string, given: unknown, access?: Access): Awaitable<RawJson | undefined> {
    const prompt = this.find(name);
    if (!prompt) return undefined;
    const documents = this.#options.documents?.store;
    const catalogue = documents?.visibleTo(access);
    const embedded = templateParts(prompt).filter((part) => part.kind === "documents");
    // A pattern silently omits documents that the client must not see, as lists do.
    const named = embedded.filter(({ isPattern }) => !isPattern);
    access?.demand("categories", named.flatMap(({ uri }) => documents?.categoryOf(uri) ?? []));
    // Rendering reads one document more than the limit allows before it fails.
    const reading = embedded.flatMap((part) =>
      catalogue ? part.find(catalogue).map((one) => [one, part] as const) : []
    )
      .slice(0, MAX_PROMPT_DOCUMENTS + 1)
      .flatMap(([document, { section }]) => documents!.readable(document, section) ?? []);
    return andThen(allOf(reading), () => {
      const values = checkArguments(prompt, given);
      const messages = renderMessages(prompt, values, documents, catalogue, (rule, message) => {
        if (rule !== "prompt-glob-empty") throw invalidParams(message);
      });
      const { description } = prompt;
      const start = description === undefined ? "" : `"description":${JSON.stringify(description)},`;
      return new RawJson([`${start}"messages":`, ...messages]);
    });
  }
}

function toPrompt({ name, title, description, arguments: args }: PromptFile): Prompt {
  const shown = args.map(({ name, description, required }) => compact({ name, description, required }));
  return compact({ name, title, description, arguments: shown.length === 0 ? undefined : shown });
}
