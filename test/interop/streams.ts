/**
 * Is a client told what it asked for, and nothing else? Follows one conversation in both directions: each notification
 * must belong to something that the client asked for, in the order that the specification wants.
 *
 * What was sent and what was received is compared where it was written and read, so a notification may still come for
 * something that was given up a moment ago.
 */

import type { Message } from "./checks.ts";
import { META_PREFIX, streamOf } from "./checks.ts";

/** What one id was used for, by all the requests that came under it. */
interface Stream {
  /** How many requests for a stream came under the id. */
  asked: number;
  acknowledged: number;
  /** How many of them were answered: by the end of the stream, or by an error before it began. */
  answered: number;
  ended: number;
  /** What was ever acknowledged: the members of the filters, and the URIs. */
  readonly served: Set<string>;
  /** What was ever asked for. */
  readonly wanted: Set<string>;
}

/** Which lists a member of a filter is about. */
const LISTS: Readonly<Record<string, string>> = {
  "notifications/prompts/list_changed": "promptsListChanged",
  "notifications/resources/list_changed": "resourcesListChanged",
};

/** The notifications of one conversation. */
export class Streams {
  readonly #streams = new Map<unknown, Stream>();
  /** What was ever subscribed to one by one. */
  readonly #uris = new Set<unknown>();
  /** How far each piece of work has come whose progress was asked for, by the token and by the id of the request. */
  readonly #progress = new Map<unknown, { id: unknown; told: number }>();
  /** Whether a level of log messages was ever asked for. */
  #wantsLogs = false;
  #isInitialized = false;

  /** Takes note of what the client sends. */
  sent(message: Message): void {
    const { id, method, params } = message as {
      id?: unknown;
      method?: unknown;
      params?: Message;
    };
    if (method === "notifications/initialized") this.#isInitialized = true;
    if (method === "resources/subscribe") this.#uris.add(params?.["uri"]);
    const meta = params?.["_meta"] as Message | undefined;
    const token = meta?.["progressToken"];
    if (token !== undefined) this.#progress.set(token, { id, told: -Infinity });
    if (method === "logging/setLevel" || meta?.[`${META_PREFIX}logLevel`] !== undefined) {
      this.#wantsLogs = true;
    }
    if (method !== "subscriptions/listen") return;
    const stream = this.#streams.get(id) ??
      {
        asked: 0,
        acknowledged: 0,
        answered: 0,
        ended: 0,
        served: new Set(),
        wanted: new Set(),
      };
    stream.asked++;
    for (const one of membersOf(params?.["notifications"])) {
      stream.wanted.add(one);
    }
    this.#streams.set(id, stream);
  }

  /** What is wrong with a message that the client gets. */
  received(message: Message): string[] {
    const problems = "method" in message ? this.#notified(message) : this.#answered(message);
    return problems.map((problem) => `${problem}: ${JSON.stringify(message).slice(0, 300)}`);
  }

  #answered({ id, result }: Message): string[] {
    for (const [token, work] of this.#progress) if (work.id === id) this.#progress.delete(token);
    const stream = this.#streams.get(id);
    if (!stream) return [];
    stream.answered++;
    const meta = (result as Message | undefined)?.["_meta"] as
      | Message
      | undefined;
    const isEnd = meta !== undefined && `${META_PREFIX}subscriptionId` in meta;
    if (isEnd && meta[`${META_PREFIX}subscriptionId`] !== id) {
      return ["the result names another stream"];
    }
    return isEnd && stream.acknowledged === 0 ? ["a stream ended that was not acknowledged"] : [];
  }

  #notified(message: Message): string[] {
    const id = streamOf(message);
    if (id === undefined) return this.#unasked(message);
    const stream = this.#streams.get(id);
    if (!stream) return ["nobody asked for this stream"];
    const { method, params } = message as { method: string; params: Message };
    if (method === "notifications/subscriptions/acknowledged") {
      const served = membersOf(params["notifications"]);
      for (const one of served) stream.served.add(one);
      if (++stream.acknowledged > stream.asked) {
        return ["the stream was acknowledged before"];
      }
      return served.every((one) => stream.wanted.has(one)) ? [] : ["more is served than was asked for"];
    }
    if (stream.acknowledged === 0) {
      return ["the stream was not acknowledged yet"];
    }
    if (method === "notifications/cancelled") {
      if (params["requestId"] !== id) return ["the end of another stream"];
      return ++stream.ended > stream.answered ? ["the stream ended before its result"] : [];
    }
    const what = LISTS[method] ?? `uri ${params["uri"]}`;
    return stream.served.has(what) ? [] : ["nobody was promised this"];
  }

  #unasked({ method, params }: Message): string[] {
    if (method === "notifications/progress") return this.#progressed(params as Message);
    if (method === "notifications/message") return this.#wantsLogs ? [] : ["nobody asked for a log"];
    if (!this.#isInitialized) {
      return ["nothing may be told before the client is initialized"];
    }
    if (method !== "notifications/resources/updated") {
      return method as string in LISTS ? [] : ["nobody asked for this"];
    }
    return this.#uris.has((params as Message)["uri"]) ? [] : ["nobody subscribed to this"];
  }

  #progressed({ progressToken, progress }: Message): string[] {
    const work = this.#progress.get(progressToken);
    if (!work) return ["nobody asks for this progress, or no more"];
    const isForwards = typeof progress === "number" && progress > work.told;
    work.told = Number(progress);
    return isForwards ? [] : ["progress must go forwards"];
  }
}

/** What a filter asks for. */
function membersOf(filter: unknown): string[] {
  const { resourceSubscriptions = [], ...lists } = (filter ?? {}) as Record<
    string,
    unknown
  >;
  return [
    ...Object.keys(lists).filter((key) => lists[key] === true),
    ...(Array.isArray(resourceSubscriptions) ? resourceSubscriptions.map((uri) => `uri ${uri}`) : []),
  ];
}
