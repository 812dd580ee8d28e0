/** What is known of the server's tools? What they take in header fields, and what their results must fit. */

import type { Request } from "../jsonrpc/message.ts";
import type { OutputCheck } from "./output_schema.ts";
import type { Mirrored } from "./parameter_headers.ts";
import type { Tool, ToolResult, ToolsPage } from "./results.ts";
import type { Members } from "./value.ts";
import { ProtocolError, reasonOf, TimeoutError } from "./errors.ts";
import { mirror, readMarks } from "./parameter_headers.ts";
import { isObject } from "../base/json.ts";
import { objectIn } from "./value.ts";

interface KnownTool {
  readonly marks: readonly Mirrored[];
  /** Why the tool cannot be used; undefined when it can. */
  readonly refusal: string | undefined;
  readonly outputSchema: unknown;
  /** Compiled when the first result comes. */
  check?: OutputCheck;
}

/** How many tools are remembered: no model can choose between more. */
const MAX_TOOLS = 10_000;

/** The tools that were listed. */
export class KnownTools {
  readonly #tools = new Map<string, KnownTool>();
  readonly #mirrors: boolean;
  readonly #onwarning: (message: string) => void;
  /**
   * Whether nothing new is to be found by listing them, as nothing has changed since: all were listed, or that has failed and
   * each call would have to wait for it again.
   */
  #isDone = false;

  /** @param mirrors Whether arguments travel in header fields, so that marks must be right. */
  constructor(mirrors: boolean, onwarning: (message: string) => void) {
    this.#mirrors = mirrors;
    this.#onwarning = onwarning;
  }

  /** Whether a tool was listed. */
  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** Takes note of listed tools; returns those that can be used. */
  note(tools: readonly Tool[]): readonly Tool[] {
    return tools.filter((tool) => {
      const marks = this.#mirrors ? readMarks(tool.inputSchema) : [];
      const refusal = typeof marks === "string" ? marks : undefined;
      if (refusal !== undefined) this.#onwarning(`The tool "${tool.name}" is left out: ${refusal}`);
      if (this.#tools.size < MAX_TOOLS) {
        this.#tools.set(tool.name, {
          marks: typeof marks === "string" ? [] : marks,
          refusal,
          // Some servers write null for what they leave out.
          outputSchema: tool.outputSchema ?? undefined,
        });
      }
      return refusal === undefined;
    });
  }

  /**
   * Takes note of a page of the list; returns it with those that can be used.
   *
   * @param isCurrent Whether nothing has changed since it was asked for.
   */
  notePage(page: ToolsPage, isCurrent: boolean): ToolsPage {
    const tools = this.note(page.tools.filter((tool) => typeof tool.name === "string"));
    if (page.nextCursor === undefined && isCurrent) this.#isDone = true;
    return { ...page, tools };
  }

  /** Forgets them all: they have changed. */
  forget(): void {
    this.#tools.clear();
    this.#isDone = false;
  }

  /** Has tools listed until one of them is known; that it cannot be found is for the server to say. */
  async lookUp(name: string, tools: AsyncIterable<Tool>, signal: AbortSignal | undefined): Promise<void> {
    if (this.#isDone || this.has(name)) return;
    try {
      for await (const _ of tools) {
        signal?.throwIfAborted();
        if (this.has(name)) return;
      }
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof ProtocolError || cause instanceof TimeoutError) this.#isDone = true;
      this.#onwarning(`Cannot look up the tool "${name}" before it is called: ${reasonOf(cause)}`);
    }
  }

  /**
   * The header fields of a request beside those that all have.
   *
   * @throws {ProtocolError} When it calls a tool that cannot be used.
   */
  headersOf({ method, params }: Request): Readonly<Record<string, string>> {
    if (method !== "tools/call" || !isObject(params)) return {};
    const name = String(params["name"]);
    const known = this.#tools.get(name);
    if (known?.refusal !== undefined) {
      throw new ProtocolError(`Cannot call the tool "${name}": ${known.refusal}`);
    }
    return known ? mirror(known.marks, objectIn(params, "arguments")) : {};
  }

  /**
   * Holds a result against what the tool has promised.
   *
   * @throws {ProtocolError} When it does not fit, is missing, or the promise cannot be understood.
   */
  async check(name: string, answer: Members): Promise<ToolResult> {
    if (!Array.isArray(answer["content"]) && answer["structuredContent"] === undefined) {
      throw new ProtocolError(`The tool "${name}" answered with no content`);
    }
    const result =
      (Array.isArray(answer["content"]) ? answer : { ...answer, content: [] }) as unknown as ToolResult;
    const known = this.#tools.get(name);
    if (known?.outputSchema === undefined || result.isError === true) return result;
    if (result.structuredContent === undefined) {
      throw new ProtocolError(
        `The tool "${name}" has an output schema, and its result has no structuredContent`,
      );
    }
    known.check ??= await this.#compile(name, known.outputSchema);
    const [first] = known.check.validate(result.structuredContent);
    if (first) {
      throw new ProtocolError(
        `The structuredContent of the tool "${name}" does not fit its output schema: ${
          first.path || "/"
        }: ${first.message}`,
      );
    }
    return result;
  }

  async #compile(name: string, schema: unknown): Promise<OutputCheck> {
    // Most servers promise nothing, and then nothing of this is loaded.
    const { compileOutputSchema } = await import("./output_schema.ts");
    try {
      const check = compileOutputSchema(schema);
      for (const expression of check.passedOver) {
        this.#onwarning(
          `The tool "${name}" has an expression that may take too long, which is not run: ${expression}`,
        );
      }
      return check;
    } catch (cause) {
      throw new ProtocolError(`The output schema of the tool "${name}" cannot be used: ${reasonOf(cause)}`, {
        cause,
      });
    }
  }
}
