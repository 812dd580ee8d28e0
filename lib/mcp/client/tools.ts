/**
 * The listed tools of a server: which arguments go into header fields, and which schemas the results must fit. The schemas
 * are not trusted: their references are not fetched, and patterns that may take too long are skipped.
 */

import type { JsonObject } from "../../base/json.ts";
import type { HeaderParameter } from "../protocol/headers.ts";
import type { Validator } from "../../formats/schema/mod.ts";
import type { ClientSession } from "./session.ts";
import type { ListedTool, Page, ToolCallResult } from "./types.ts";
import { withDeadline } from "../../base/deadline.ts";
import { isObject } from "../../base/json.ts";
import { reasonOf } from "../../base/text.ts";
import { argumentAt, Header, headerParameters } from "../protocol/headers.ts";
import { ProtocolError, TimeoutError } from "./errors.ts";

/** What is remembered of a listed tool. */
interface KnownTool {
  readonly parameters: readonly HeaderParameter[];
  /** Why the tool cannot be used; undefined if it can. */
  readonly fault: string | undefined;
  readonly outputSchema: unknown;
  /** The compiled output schema, once the tool was called. */
  validate?: Validator;
}

type ListTools = (signal: AbortSignal) => AsyncIterable<ListedTool>;

/** The maximum number of tools that are remembered. */
const MAX_TOOLS = 10_000;
const UNUSABLE = "its output schema cannot be used";
/** The maximum number of steps of a check. They take a few hundred milliseconds. */
const MAX_STEPS = 1_000_000;

/** The tools of a server, until their list changes. */
export class ListedTools {
  readonly #tools = new Map<string, KnownTool>();
  readonly #session: ClientSession;
  /** Whether calls need not list the tools: all are known, or the server lists them incorrectly or too slowly. */
  #isComplete = false;

  constructor(session: ClientSession) {
    this.#session = session;
  }

  /** Remembers the tools of a page. Returns the page without the tools that cannot be used. */
  add(page: Page<"tools", ListedTool>): Page<"tools", ListedTool> {
    const tools = page.tools.filter((tool) => typeof tool.name === "string" && this.#add(tool));
    this.#isComplete ||= page.nextCursor === undefined;
    return { ...page, tools };
  }

  #add({ name, inputSchema, outputSchema }: ListedTool): boolean {
    let parameters: readonly HeaderParameter[] = [];
    let fault: string | undefined;
    try {
      if (this.#session.transport.argumentHeaders) parameters = headerParameters(inputSchema);
    } catch (cause) {
      fault = reasonOf(cause);
      this.#session.warn(`The tool "${name}" is left out: ${fault}`);
    }
    if (this.#tools.size < MAX_TOOLS) this.#tools.set(name, { parameters, fault, outputSchema });
    return fault === undefined;
  }

  /**
   * Lists the tools until one is known, because a call needs its schemas. Returns whether this has found it. A failure only
   * leads to a warning, because the call may succeed nevertheless.
   */
  async lookUp(name: string, list: ListTools, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#isComplete || this.#tools.has(name)) return false;
    try {
      const late = new TimeoutError(`The server did not list its tools in ${timeoutMs} ms`);
      return await withDeadline(timeoutMs, late, signal, async (signal) => {
        for await (const _ of list(signal)) if (this.#tools.has(name)) return true;
        return false;
      });
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof ProtocolError || cause instanceof TimeoutError) this.#isComplete = true;
      this.#session.warn(`Cannot look up the tool "${name}" before it is called: ${reasonOf(cause)}`);
      return false;
    }
  }

  /** Returns the header fields for the arguments of a call, not encoded yet. Throws if the tool cannot be used. */
  headersOf({ name, arguments: args }: JsonObject): Readonly<Record<string, string>> {
    const tool = this.#tools.get(String(name));
    if (tool?.fault !== undefined) throw new ProtocolError(`Cannot call the tool "${name}": ${tool.fault}`);
    return Object.fromEntries((tool?.parameters ?? []).flatMap((parameter) => {
      const value = argumentAt(parameter, args);
      const isPrimitive = ["string", "boolean"].includes(typeof value) || Number.isSafeInteger(value);
      return isPrimitive ? [[Header.parameter + parameter.name, String(value)]] : [];
    }));
  }

  /** Compiles the output schema of a tool before a call. Throws a `ProtocolError` if it cannot be used. */
  async prepare(name: string): Promise<void> {
    await this.#validator(name).catch((cause) => {
      throw new ProtocolError(`The tool "${name}" is not called: ${UNUSABLE}: ${reasonOf(cause)}`, { cause });
    });
  }

  /** Returns what checks the results of a tool; undefined if it has no output schema. Throws if that cannot be used. */
  async #validator(name: string): Promise<Validator | undefined> {
    const tool = this.#tools.get(name);
    // Some servers send null for a missing outputSchema.
    if (!tool || (tool.outputSchema ?? undefined) === undefined) return undefined;
    return tool.validate ??= await this.#compile(name, tool.outputSchema);
  }

  /** Checks the result of a call. Throws a `ProtocolError` if it does not fit the output schema of the tool. */
  async check(name: string, answer: JsonObject): Promise<ToolCallResult> {
    const { content, structuredContent, isError } = answer;
    const fail = (problem: string) => new ProtocolError(problem, { result: answer });
    if (!Array.isArray(content) && structuredContent === undefined) {
      throw fail(`The tool "${name}" answered with no ${content === undefined ? "" : "list of "}content`);
    }
    const result = { ...answer, content: Array.isArray(content) ? content : [] } as ToolCallResult;
    // The list may have changed during the call. The tool has run, so a schema that cannot be used does not hide its result.
    const validate = await this.#validator(name).catch((cause) => {
      this.#session.warn(`The result of the tool "${name}" is not checked: ${UNUSABLE}: ${reasonOf(cause)}`);
    });
    if (!validate || isError === true) return result;
    if (structuredContent === undefined) {
      throw fail(`The tool "${name}" has an output schema, but its result has no structuredContent`);
    }
    const [issue] = validate(structuredContent);
    if (!issue) return result;
    const what = `The structuredContent of the tool "${name}" does not fit its output schema`;
    throw fail(`${what}: ${issue.path || "/"}: ${issue.message}`);
  }

  async #compile(name: string, outputSchema: unknown): Promise<Validator> {
    // Loaded on first use: most tools have no output schema.
    const { compileSchema, walkSchema } = await import("../../formats/schema/mod.ts");
    const schema = structuredClone(outputSchema);
    const isOlder = isObject(schema) && OLDER.test(String(schema["$schema"]));
    if (isOlder) walkSchema(schema, update);
    const what = `A pattern of the tool "${name}" may take too long and is skipped`;
    const onskip = (pattern: string) => this.#session.warn(`${what}: ${pattern}`);
    return compileSchema(schema, { maxSteps: MAX_STEPS, maxIssues: 10, onskip });
  }
}

/** The dialects that are converted to 2020-12. */
const OLDER = /^https?:\/\/json-schema\.org\/(?:draft-0[67]|draft\/2019-09)\/schema#?$/;

/** Converts the keywords of older dialects in one schema. */
function update(node: Record<string, unknown>): void {
  const { items, additionalItems, dependencies } = node;
  for (const name of ["$schema", "additionalItems", "dependencies"]) delete node[name];
  if (!isObject(node["definitions"])) delete node["definitions"];
  if (Array.isArray(items)) {
    node["prefixItems"] = items;
    if (additionalItems === undefined) delete node["items"];
    else node["items"] = additionalItems;
  }
  if (!isObject(dependencies)) return;
  const entries = Object.entries(dependencies);
  node["dependentRequired"] = Object.fromEntries(entries.filter(([, needs]) => Array.isArray(needs)));
  node["dependentSchemas"] = Object.fromEntries(entries.filter(([, needs]) => !Array.isArray(needs)));
}
