/** The server's tools as they were listed: which arguments go into header fields, and what results must fit. */

import type { JsonObject } from "../base/json.ts";
import type { HeaderParameter } from "../protocol/headers.ts";
import type { OutputCheck } from "./output_schema.ts";
import type { Tool, ToolResult, ToolsPage } from "./results.ts";
import { argumentAt, headerParameters } from "../protocol/headers.ts";
import { Header } from "../protocol/methods.ts";
import { ProtocolError, reasonOf, TimeoutError } from "./options.ts";

interface ListedTool {
  readonly parameters: readonly HeaderParameter[];
  /** Why the tool cannot be used. */
  readonly fault: string | undefined;
  readonly outputSchema: unknown;
  /** Compiled for the first result. */
  check?: OutputCheck;
}

/** How many tools are remembered: more than any model can choose from. */
const MAX_TOOLS = 10_000;

/** The tools that were listed. */
export class ListedTools {
  readonly #tools = new Map<string, ListedTool>();
  readonly #hasHeaders: boolean;
  readonly #onwarning: (message: string) => void;
  /** Counts the calls of `clear`. */
  changes = 0;
  /** Whether listing them again is of no use: all are known, or listing has failed and would delay every call. */
  #isComplete = false;

  /** @param hasHeaders Whether the transport repeats arguments in header fields. */
  constructor(hasHeaders: boolean, onwarning: (message: string) => void) {
    this.#hasHeaders = hasHeaders;
    this.#onwarning = onwarning;
  }

  /**
   * Remembers the tools of a page; returns it without those that cannot be used.
   *
   * @param changes The count when the page was asked for.
   */
  add(page: ToolsPage, changes: number): ToolsPage {
    const tools = page.tools.filter((tool) => typeof tool.name === "string" && this.#add(tool));
    if (page.nextCursor === undefined && changes === this.changes) this.#isComplete = true;
    return { ...page, tools };
  }

  #add({ name, inputSchema, outputSchema }: Tool): boolean {
    let parameters: readonly HeaderParameter[] = [];
    let fault: string | undefined;
    try {
      if (this.#hasHeaders) parameters = headerParameters(inputSchema);
    } catch (cause) {
      fault = reasonOf(cause);
      this.#onwarning(`The tool "${name}" is left out: ${fault}`);
    }
    if (this.#tools.size < MAX_TOOLS) {
      // Some servers write null for what they leave out.
      this.#tools.set(name, { parameters, fault, outputSchema: outputSchema ?? undefined });
    }
    return fault === undefined;
  }

  /** Forgets them all: the list has changed. */
  clear(): void {
    this.changes++;
    this.#tools.clear();
    this.#isComplete = false;
  }

  /** Reads a list of tools until the named one is known. A failure is only a warning: the server may know the tool. */
  async lookUp(name: string, tools: AsyncIterable<Tool>, signal: AbortSignal | undefined): Promise<void> {
    if (this.#isComplete || this.#tools.has(name)) return;
    try {
      for await (const _ of tools) {
        signal?.throwIfAborted();
        if (this.#tools.has(name)) return;
      }
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof ProtocolError || cause instanceof TimeoutError) this.#isComplete = true;
      this.#onwarning(`Cannot look up the tool "${name}" before it is called: ${reasonOf(cause)}`);
    }
  }

  /**
   * The header fields for the arguments of a call, not encoded yet.
   *
   * @throws {ProtocolError} When the tool cannot be used.
   */
  headersOf({ name, arguments: args }: JsonObject): Readonly<Record<string, string>> {
    const tool = this.#tools.get(String(name));
    if (tool?.fault !== undefined) {
      throw new ProtocolError(`Cannot call the tool "${name}": ${tool.fault}`);
    }
    const fields: Record<string, string> = {};
    for (const parameter of tool?.parameters ?? []) {
      const value = argumentAt(parameter, args);
      const isPrimitive = typeof value === "string" || typeof value === "boolean" ||
        Number.isSafeInteger(value);
      if (isPrimitive) fields[Header.parameter + parameter.name] = String(value);
    }
    return fields;
  }

  /**
   * Checks the result of a call against the tool's output schema.
   *
   * @throws {ProtocolError} When it does not fit, is missing, or the schema cannot be used.
   */
  async check(name: string, answer: JsonObject): Promise<ToolResult> {
    const hasContent = Array.isArray(answer["content"]);
    if (!hasContent && answer["structuredContent"] === undefined) {
      throw new ProtocolError(`The tool "${name}" answered with no content`);
    }
    const result = (hasContent ? answer : { ...answer, content: [] }) as unknown as ToolResult;
    const tool = this.#tools.get(name);
    if (tool?.outputSchema === undefined || result.isError === true) return result;
    if (result.structuredContent === undefined) {
      throw new ProtocolError(`The tool "${name}" has an output schema, and its result no structuredContent`);
    }
    tool.check ??= await this.#compile(name, tool.outputSchema);
    const [issue] = tool.check.validate(result.structuredContent);
    if (!issue) return result;
    throw new ProtocolError(
      `The structuredContent of the tool "${name}" does not fit its output schema: ${
        issue.path || "/"
      }: ${issue.message}`,
    );
  }

  async #compile(name: string, schema: unknown): Promise<OutputCheck> {
    // Loaded when it is first needed: most tools have no output schema.
    const { compileOutputSchema } = await import("./output_schema.ts");
    try {
      const check = compileOutputSchema(schema);
      for (const pattern of check.skipped) {
        this.#onwarning(
          `The tool "${name}" has a pattern that may take too long, which is skipped: ${pattern}`,
        );
      }
      return check;
    } catch (cause) {
      const message = `The output schema of the tool "${name}" cannot be used: ${reasonOf(cause)}`;
      throw new ProtocolError(message, { cause });
    }
  }
}
