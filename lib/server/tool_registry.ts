/** Which tools has a server? Fixed when it is built: no name twice, and no way in afterwards. */

import type { Tool, ToolSet } from "./tool.ts";
import type { OutputSide, Side } from "./tool_schema.ts";
import { freeze } from "./freeze.ts";

/** A tool that is ready to be listed and called. */
export interface RegisteredTool {
  readonly tool: Tool;
  readonly input: Side;
  readonly output: OutputSide | undefined;
}

/** The tools of one server, frozen. */
export class ToolRegistry {
  readonly #sources: readonly (Tool | ToolSet)[];
  #byName: ReadonlyMap<string, RegisteredTool> | undefined;
  #opening: Promise<void> | undefined;
  /** All tools, sorted by name; the same array always. */
  #all: readonly RegisteredTool[] = Object.freeze([]);

  /**
   * Takes note of all names; nothing is loaded.
   *
   * @throws {TypeError} When two tools have the same one.
   */
  constructor(sources: readonly (Tool | ToolSet)[]) {
    this.#sources = Object.freeze(sources.map(fixed));
    const names = new Set<string>();
    for (const name of this.#sources.flatMap(namesOf)) {
      if (names.has(name)) throw new TypeError(`Cannot build a server with two tools called "${name}"`);
      names.add(name);
    }
    Object.freeze(this);
  }

  /** Whether there is any tool. */
  get isEmpty(): boolean {
    return this.#sources.length === 0;
  }

  /** Whether there are tools that were given as they are, whose mistakes should be known at the start. */
  get hasOwn(): boolean {
    return this.#sources.some((source) => !("names" in source));
  }

  /** All tools, sorted by name; the same array always. Empty before `ready`. */
  get all(): readonly RegisteredTool[] {
    return this.#all;
  }

  /** The tool of a name; undefined before `ready`. */
  get(name: string): RegisteredTool | undefined {
    return this.#byName?.get(name);
  }

  /**
   * Loads what is to be loaded and compiles the schemas, once; undefined when that is done.
   *
   * @throws {ToolDefinitionError} When a schema cannot be used, or a set has other tools than it says.
   */
  ready(): Promise<void> | undefined {
    if (this.#byName || this.isEmpty) return undefined;
    return this.#opening ??= this.#open();
  }

  async #open(): Promise<void> {
    const { inputSide, outputSide } = await import("./tool_schema.ts");
    const tools = (await Promise.all(this.#sources.map(load))).flat();
    const all = tools.map((tool) => freeze({ tool, input: inputSide(tool), output: outputSide(tool) }));
    all.sort((left, right) => left.tool.name < right.tool.name ? -1 : 1);
    this.#all = Object.freeze(all);
    this.#byName = new Map(all.map((registered) => [registered.tool.name, registered]));
  }
}

/** The names of a set are those that it has now. */
function fixed(source: Tool | ToolSet): Tool | ToolSet {
  if (!("names" in source)) return source;
  return Object.freeze({ names: Object.freeze([...source.names]), load: () => source.load() });
}

function namesOf(source: Tool | ToolSet): readonly string[] {
  return "names" in source ? source.names : [source.name];
}

async function load(source: Tool | ToolSet): Promise<readonly Tool[]> {
  if (!("names" in source)) return [source];
  const tools = await source.load();
  const names = tools.map(({ name }) => name);
  if (names.toSorted().join() === source.names.toSorted().join()) return tools;
  throw new TypeError(`A set of tools has other tools than it says: ${names.join(", ")}`);
}
