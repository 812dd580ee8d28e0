/**
 * Which tools has a server, and how often may they be called? Fixed when it is built: no name twice, and no way in
 * afterwards.
 */

import type { Rate } from "./token_bucket.ts";
import type { Tool, ToolSet } from "./tool.ts";
import type { OutputSide, Side } from "./tool_schema.ts";
import { onceDone } from "../base/async.ts";
import { freeze } from "../base/json.ts";
import { requireDefined } from "./freeze.ts";

/** A tool that is ready to be listed and called. */
export interface RegisteredTool {
  readonly tool: Tool;
  readonly input: Side;
  readonly output: OutputSide | undefined;
}

/**
 * How often tools may be called, frozen.
 *
 * @throws {TypeError} When no call could be made with it, or its numbers are none.
 */
export function fixedRate({ burst, perSecond }: Rate): Rate {
  if (!(typeof burst === "number" && burst >= 1)) {
    throw new TypeError(
      `Cannot build a server whose toolCalls have a burst of ${burst}: it must be a number of at least 1`,
    );
  }
  if (!(typeof perSecond === "number" && perSecond > 0)) {
    throw new TypeError(
      `Cannot build a server whose toolCalls come to ${perSecond} perSecond: it must be a number above 0`,
    );
  }
  return Object.freeze({ burst, perSecond });
}

/** The tools of one server, frozen. */
export class ToolRegistry {
  readonly #sets: readonly ToolSet[];
  readonly #own: readonly Tool[];
  readonly #check: () => Promise<void> | undefined;
  readonly #open: () => Promise<void> | undefined;
  #checked: readonly RegisteredTool[] = Object.freeze([]);
  #byName: ReadonlyMap<string, RegisteredTool> = new Map();
  /** All tools, sorted by name; the same array always. */
  #all: readonly RegisteredTool[] = Object.freeze([]);
  #sides: typeof import("./tool_schema.ts") | undefined;

  /**
   * Takes note of all names; nothing is loaded.
   *
   * @throws {TypeError} When two tools have the same one, or something is no tool.
   */
  constructor(sources: readonly (Tool | ToolSet)[]) {
    this.#sets = Object.freeze(sources.filter(isSet).map(fixed));
    this.#own = Object.freeze(sources.filter((source): source is Tool => !isSet(source)));
    this.#own.forEach(requireDefined);
    this.#check = onceDone(async () => {
      this.#checked = await this.#compiled(this.#own);
    });
    this.#open = onceDone(() => this.#load());
    const names = new Set<string>();
    for (const name of [...this.#own.map(({ name }) => name), ...this.#sets.flatMap(({ names }) => names)]) {
      if (names.has(name)) throw new TypeError(`Cannot build a server with two tools called "${name}"`);
      names.add(name);
    }
    Object.freeze(this);
  }

  /** Whether there is any tool. */
  get isEmpty(): boolean {
    return this.#own.length + this.#sets.length === 0;
  }

  /** All tools, sorted by name; the same array always. Empty before `ready`. */
  get all(): readonly RegisteredTool[] {
    return this.#all;
  }

  /** The tool of a name; undefined before `ready`. */
  get(name: string): RegisteredTool | undefined {
    return this.#byName.get(name);
  }

  /**
   * Compiles the schemas of the tools that were given as they are, whose mistakes should be known at the start; undefined
   * when that is done. Nothing is loaded for it.
   *
   * @throws {ToolDefinitionError} When a schema cannot be used.
   */
  check(): Promise<void> | undefined {
    return this.#own.length === 0 ? undefined : this.#check();
  }

  /**
   * Loads what is to be loaded and compiles all schemas, once; undefined when that is done. When it fails, the next call
   * tries again.
   *
   * @throws {ToolDefinitionError} When a schema cannot be used, or a set has other tools than it says.
   */
  ready(): Promise<void> | undefined {
    return this.isEmpty ? undefined : this.#open();
  }

  async #load(): Promise<void> {
    await this.check();
    const loaded = (await Promise.all(this.#sets.map(load))).flat();
    const all = [...this.#checked, ...await this.#compiled(loaded)];
    all.sort((left, right) => left.tool.name < right.tool.name ? -1 : 1);
    this.#byName = new Map(all.map((registered) => [registered.tool.name, registered]));
    this.#all = Object.freeze(all);
  }

  /** Both sides of each tool; what that needs is loaded with the first one. */
  async #compiled(tools: readonly Tool[]): Promise<readonly RegisteredTool[]> {
    if (tools.length > 0) this.#sides ??= await import("./tool_schema.ts");
    return tools.map((tool) => this.#register(tool));
  }

  #register(tool: Tool): RegisteredTool {
    const { inputSide, outputSide } = this.#sides!;
    return freeze({ tool, input: inputSide(tool), output: outputSide(tool) });
  }
}

function isSet(source: Tool | ToolSet): source is ToolSet {
  return typeof source === "object" && source !== null && "names" in source;
}

/** The names of a set are those that it has now. */
function fixed(set: ToolSet): ToolSet {
  return Object.freeze({ names: Object.freeze([...set.names]), load: () => set.load() });
}

async function load(set: ToolSet): Promise<readonly Tool[]> {
  const tools = await set.load();
  tools.forEach(requireDefined);
  const names = tools.map(({ name }) => name);
  if (names.toSorted().join() === set.names.toSorted().join()) return tools;
  throw new TypeError(`A set of tools has other tools than it says: ${names.join(", ")}`);
}
