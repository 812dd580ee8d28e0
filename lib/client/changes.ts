/**
 * What has changed at the server? The same events in both eras: told unasked and resource by resource up to 2025-11-25,
 * in streams that are asked for since.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */

import type { Members } from "./value.ts";
import { isObject } from "../base/json.ts";
import { textIn, textsOf } from "./value.ts";

/** What is to be told. */
export interface ChangeFilter {
  /** Whether there are other tools. */
  readonly tools?: boolean;
  /** Whether there are other prompts. */
  readonly prompts?: boolean;
  /** Whether there are other resources. */
  readonly resources?: boolean;
  /** The resources whose contents are watched. */
  readonly uris?: readonly string[];
}

/** Something that has changed. */
export type ChangeEvent =
  | {
    /** A list of things: ask for it again. */
    readonly type: "tools" | "prompts" | "resources";
    /** Never there: it is about a list. */
    readonly uri?: never;
  }
  | {
    /** The content of one resource: read it again. */
    readonly type: "resource";
    /** Which one. */
    readonly uri: string;
  };

/** The lists, and the methods that tell of each. */
const LISTS: ReadonlyMap<string, "tools" | "prompts" | "resources"> = new Map([
  ["notifications/tools/list_changed", "tools"],
  ["notifications/prompts/list_changed", "prompts"],
  ["notifications/resources/list_changed", "resources"],
]);

/** What a notification tells of; undefined for one that is about something else. */
export function toEvent(method: string, params: Members): ChangeEvent | undefined {
  const list = LISTS.get(method);
  if (list) return { type: list };
  const uri = method === "notifications/resources/updated" ? textIn(params, "uri") : undefined;
  return uri === undefined ? undefined : { type: "resource", uri };
}

/** A filter in the words of the protocol. */
export function toNotifications({ tools, prompts, resources, uris }: ChangeFilter): Members {
  return {
    ...(tools ? { toolsListChanged: true } : {}),
    ...(prompts ? { promptsListChanged: true } : {}),
    ...(resources ? { resourcesListChanged: true } : {}),
    ...(uris && uris.length > 0 ? { resourceSubscriptions: [...uris] } : {}),
  };
}

/** A filter from the words of the protocol: what the server has agreed to tell. */
export function fromNotifications(notifications: Members): ChangeFilter {
  return {
    tools: notifications["toolsListChanged"] === true,
    prompts: notifications["promptsListChanged"] === true,
    resources: notifications["resourcesListChanged"] === true,
    uris: textsOf(notifications["resourceSubscriptions"]),
  };
}

/** As much of a filter as a server with a handshake tells of. */
export function servedOf(filter: ChangeFilter, capabilities: Members): ChangeFilter {
  const has = (room: string, what: string) => {
    const capability = capabilities[room];
    return isObject(capability) && capability[what] === true;
  };
  return {
    tools: filter.tools === true && has("tools", "listChanged"),
    prompts: filter.prompts === true && has("prompts", "listChanged"),
    resources: filter.resources === true && has("resources", "listChanged"),
    uris: has("resources", "subscribe") ? filter.uris ?? [] : [],
  };
}

/** Whether a resource is the one that is watched, or a part of it: servers may tell of parts. */
function isWithin(uri: string, watched: string): boolean {
  return uri === watched || uri.startsWith(watched.endsWith("/") ? watched : `${watched}/`);
}

/** The most that waits to be taken, in events: more of the same kind and URI are one. */
const MAX_WAITING = 10_000;

/** Changes as they come. Iterate over it, and close it when you have seen enough; it ends when the server ends it. */
export class Changes implements AsyncIterable<ChangeEvent> {
  /** What the server has agreed to tell of what was asked for. */
  readonly served: ChangeFilter;
  readonly #close: () => void;
  /** What nobody has taken yet. The same thing twice is told once: it is a hint to look again. */
  readonly #waiting = new Map<string, ChangeEvent>();
  #wake: PromiseWithResolvers<void> = Promise.withResolvers();
  #isOver = false;
  #failure: { readonly cause: unknown } | undefined;

  /**
   * Made by the client.
   *
   * @param close Tells the server that nobody listens any more.
   */
  constructor(served: ChangeFilter, close: () => void) {
    this.served = Object.freeze(served);
    this.#close = close;
  }

  /** Whether a change is one of those that are told here. */
  covers(event: ChangeEvent): boolean {
    return event.type === "resource"
      ? this.served.uris?.some((uri) => isWithin(event.uri, uri)) ?? false
      : this.served[event.type] === true;
  }

  /**
   * Takes a change.
   *
   * @internal
   */
  push(event: ChangeEvent): void {
    if (this.#isOver || this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.set(`${event.type} ${event.uri ?? ""}`, event);
    this.#wake.resolve();
  }

  /**
   * Ends it; what was not taken yet can still be.
   *
   * @internal
   * @param failure What ended it, where it was no end in order.
   */
  end(failure?: { readonly cause: unknown }): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#wake.resolve();
  }

  /** Listens no more, and tells the server so. May be called again. */
  close(): void {
    if (this.#isOver) return;
    this.end();
    this.#close();
  }

  /**
   * The changes, as they come. Leaving the loop closes it.
   *
   * @throws {unknown} What it broke with, when neither the server has ended it in order nor the client was closed.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<ChangeEvent, void, undefined> {
    try {
      while (true) {
        for (const [key, event] of this.#waiting) {
          this.#waiting.delete(key);
          yield event;
        }
        if (this.#waiting.size > 0) continue;
        if (this.#failure) throw this.#failure.cause;
        if (this.#isOver) return;
        this.#wake = Promise.withResolvers();
        await this.#wake.promise;
      }
    } finally {
      this.close();
    }
  }
}
