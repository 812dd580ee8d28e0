/** The tools of a server, fixed when it is built, and the rate limit of their calls. */

import type { Tool, ToolSet } from "./tool.ts";
import type { OutputSide, Side } from "./tool_schema.ts";
import { onceDone } from "../base/async.ts";
import { freeze } from "../base/json.ts";

/** A tool with its compiled schemas. */
export interface RegisteredTool {
  readonly tool: Tool;
  readonly input: Side;
  readonly output: OutputSide | undefined;
}

/** A frozen copy of a rate. @throws {TypeError} When it would allow no call. */
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
   * Registers the names; loads nothing.
   *
   * @throws {TypeError} When two tools have the same name, or something was not made by `defineTool`.
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
   * Compiles the schemas of the tools that are not in sets, so that mistakes show at the start; undefined when done.
   *
   * @throws {ToolDefinitionError} When a schema cannot be used.
   */
  check(): Promise<void> | undefined {
    return this.#own.length === 0 ? undefined : this.#check();
  }

  /**
   * Loads the sets and compiles all schemas, once; undefined when done. After a failure the next call tries again.
   *
   * @throws {ToolDefinitionError} When a schema cannot be used, or a set loads other tools than it names.
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

  /** Compiles the schemas of tools; the compiler is loaded on first use. */
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

/** A frozen copy of a set. */
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

/** A rate limit. */
export interface Rate {
  /** The burst: at least 1. */
  readonly burst: number;
  /** The sustained rate: more than 0. */
  readonly perSecond: number;
}

/** A token bucket: limits the rate of one kind of event. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #filled: number = performance.now();

  /** Starts full. */
  constructor(rate: Rate) {
    this.#rate = rate;
    this.#tokens = rate.burst;
  }

  /** Takes a token; false when there is none left. */
  take(): boolean {
    const now = performance.now();
    this.#tokens = Math.min(
      this.#rate.burst,
      this.#tokens + (now - this.#filled) / 1000 * this.#rate.perSecond,
    );
    this.#filled = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

/** The tools that were checked, copied and frozen. */
const tools = new WeakSet<object>();

/** Marks a tool as made by `defineTool`. */
export function defined<T extends object>(tool: T): T {
  tools.add(tool);
  return tool;
}

/**
 * Checks that a tool was made by `defineTool`, and so is frozen.
 *
 * @throws {TypeError} When it was not.
 */
function requireDefined(value: { readonly name: string }): void {
  if (tools.has(value)) return;
  const { name } = (value ?? {}) as { name?: unknown };
  throw new TypeError(
    `Cannot serve the tool "${name}": defineTool did not make it; pass its definition through defineTool first`,
  );
}
