/** The tools of a server, fixed when it is built, and the rate limit of their calls. */

import type { ClientFacts } from "../protocol/revisions.ts";
import type { Access } from "./access.ts";
import type { Tool, ToolSet } from "./tool.ts";
import type { RegisteredTool } from "./tool_schema.ts";
import { onceDone } from "../../base/async.ts";
import { repeated } from "../../base/text.ts";
import { showsApps } from "../protocol/methods.ts";
import { definedTools } from "./defined_tools.ts";

/** The tools of a server. */
export class ToolRegistry {
  readonly isEmpty: boolean;
  /** Loads the sets, once. Undefined when that is done. After a failure, the next call tries again. */
  readonly ready: () => Promise<void> | undefined;
  /** The tool with a name; undefined before `ready`. */
  readonly get: (name: string) => RegisteredTool | undefined;
  #all: readonly RegisteredTool[] = Object.freeze([]);
  #forModels: readonly RegisteredTool[] = this.#all;

  /** Loads nothing. @throws {TypeError} When two tools have the same name, or `defineTool` did not make one. */
  constructor(sources: readonly (Tool | ToolSet)[], access?: Access) {
    // Copied: later changes have no effect.
    const sets = sources.filter(isSet).map((set) => ({ set, names: set.names && [...set.names] }));
    const own = sources.filter((source): source is Tool => !isSet(source));
    requireDefined(own, sets.flatMap(({ names = [] }) => names));
    const byName = new Map<string, RegisteredTool>();
    this.get = byName.get.bind(byName);
    this.isEmpty = sources.length === 0;
    this.ready = onceDone(async () => {
      const loaded = await Promise.all(sets.map(async ({ set, names }) => {
        const tools = await set.load(access);
        const found = tools.map((tool) => tool?.name);
        if (!names || found.toSorted().join() === names.toSorted().join()) return tools;
        throw new TypeError(`Cannot use a set of tools: it names ${names}, but loads ${found.join(", ")}`);
      }));
      const tools = [...own, ...loaded.flat()];
      requireDefined(tools);
      const all = tools.map((tool) => definedTools.get(tool)!);
      all.sort((left, right) => left.tool.name < right.tool.name ? -1 : 1);
      for (const registered of all) byName.set(registered.tool.name, registered);
      this.#all = Object.freeze(all);
      this.#forModels = Object.freeze(all.filter(({ isForViews }) => !isForViews));
    });
    Object.freeze(this);
  }

  /** All tools for a client, sorted by name: one of two arrays, so that pages are cached. Empty before `ready`. */
  allFor(client: ClientFacts): readonly RegisteredTool[] {
    return showsApps(client) ? this.#all : this.#forModels;
  }
}

function isSet(source: Tool | ToolSet): source is ToolSet {
  return typeof source === "object" && source !== null && "names" in source;
}

/** The rate limit of the tool calls of a client. */
export interface Rate {
  /** The number of calls that can be made at once: at least 1. */
  readonly burst: number;
  /** The number of calls per second after that: more than 0. */
  readonly perSecond: number;
}

/** A frozen copy of a rate. @throws {TypeError} When it would allow no call. */
export function fixedRate({ burst, perSecond }: Rate): Rate {
  const areNumbers = typeof burst === "number" && typeof perSecond === "number";
  if (areNumbers && burst >= 1 && perSecond > 0) return Object.freeze({ burst, perSecond });
  throw new TypeError(
    `Cannot build a server whose toolCalls have a burst of ${burst} and ${perSecond} perSecond: ` +
      "the burst must be a number of at least 1, perSecond a number above 0",
  );
}

/** Checks that the names of what a server has of a kind differ. @throws {TypeError} When two are the same. */
export function requireUnique(kind: string, names: readonly string[]): void {
  const name = repeated(names);
  if (name !== undefined) throw new TypeError(`Cannot build a server with two ${kind} called "${name}"`);
}

/** Checks that `defineTool` made all tools, and that their names differ. @throws {TypeError} When that is not so. */
function requireDefined(tools: readonly Tool[], others: readonly string[] = []): void {
  const names = [...tools.map((tool) => tool?.name), ...others];
  const unknown = tools.findIndex((tool) => !definedTools.has(tool));
  if (unknown >= 0) {
    const reason = "defineTool did not make it; pass its definition through defineTool first";
    throw new TypeError(`Cannot serve the tool "${names[unknown]}": ${reason}`);
  }
  requireUnique("tools", names);
}
