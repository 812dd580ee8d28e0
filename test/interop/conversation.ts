/**
 * Follows a conversation in both directions, over any transport: is every message what its revision allows, and is a client
 * notified of what it asked for and nothing else?
 */

import { writeFileSync } from "node:fs";
import process from "node:process";
import type { Asked, Message } from "./rules.ts";
import {
  answerProblems,
  batchProblems,
  LEGACY_REVISIONS,
  META_PREFIX,
  MODERN_REVISION,
  NEWEST_LEGACY,
  notificationProblems,
  orphanProblems,
  serverRequestProblems,
  streamOf,
} from "./rules.ts";

/** One conversation, followed from its first line to its last. */
export class Conversation {
  readonly problems: string[] = [];
  answers = 0;
  readonly #streams = new Streams();
  readonly #asked = new Map<unknown, Asked>();
  /** The ids of the server's own requests. */
  readonly #serverRequests = new Set<unknown>();
  #negotiated: string | undefined;
  /** What was negotiated before: an answer to what could not be read may be older than the last handshake. */
  #before: string | undefined;

  sent(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return;
    }
    for (const message of [value].flat() as (Message | null)[]) {
      const { id, method } = message ?? {};
      this.#streams.sent(message ?? {});
      const isAnswerable = typeof id === "string" || Number.isSafeInteger(id);
      if (typeof method === "string" && isAnswerable) this.#ask(message!, Array.isArray(value));
    }
  }

  received(line: string): void {
    let value: Message | Message[];
    try {
      value = JSON.parse(line);
    } catch {
      return void this.problems.push(`this is no JSON: ${line.slice(0, 200)}`);
    }
    if (Array.isArray(value)) this.problems.push(...batchProblems(value, this.#negotiated));
    for (const message of [value].flat()) this.problems.push(...this.#receive(message));
  }

  #ask({ id, method, params }: Message, isInBatch: boolean): void {
    const { _meta, protocolVersion } = (params ?? {}) as Message;
    const isModern = Object.keys(_meta ?? {}).some((key) => key.startsWith(META_PREFIX));
    // A handshake in a batch is an error.
    if (method === "initialize" && !isModern && !isInBatch && typeof protocolVersion === "string") {
      this.#before = this.#negotiated;
      this.#negotiated = LEGACY_REVISIONS.find((revision) => revision === protocolVersion) ?? NEWEST_LEGACY;
    }
    this.#asked.set(id, { method: String(method), revision: isModern ? MODERN_REVISION : this.#negotiated });
  }

  #receive(message: Message): string[] {
    this.answers++;
    const { id, method, params } = message;
    if (method !== undefined && id !== undefined) {
      this.#serverRequests.add(id);
      return serverRequestProblems(message, this.#negotiated);
    }
    // What belongs to a server's own request, or completes one, is part of no stream.
    const isApart = method === "notifications/elicitation/complete" ||
      (method === "notifications/cancelled" && this.#serverRequests.has((params as Message)["requestId"]));
    const problems = isApart ? [] : this.#streams.received(message);
    if (method !== undefined) return [...problems, ...notificationProblems(message, this.#negotiated)];
    const asked = this.#asked.get(id);
    if (asked) return [...problems, ...answerProblems(message, asked)];
    const isFine = [this.#negotiated, this.#before].some((revision) =>
      orphanProblems(message, revision).length === 0
    );
    return isFine ? problems : [...problems, ...orphanProblems(message, this.#negotiated)];
  }
}

/** What one id was used for, by all the requests for a stream that came under it. */
interface Stream {
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

/**
 * The notifications of one conversation: each must belong to something that the client asked for, in the order that the
 * specification wants. What was sent and what was received is compared where it was written and read, so a notification may
 * still come for something that was given up a moment ago.
 */
export class Streams {
  readonly #streams = new Map<unknown, Stream>();
  /** What was ever subscribed to one by one. */
  readonly #uris = new Set<unknown>();
  /** The progress that was asked for, by its token: the request, and how far it has come. */
  readonly #progress = new Map<unknown, { id: unknown; progress: number }>();
  #wantsLogs = false;
  #isInitialized = false;

  sent({ id, method, params }: Message): void {
    const { uri, notifications, _meta } = (params ?? {}) as Message;
    const meta = (_meta ?? {}) as Message;
    if (method === "notifications/initialized") this.#isInitialized = true;
    if (method === "resources/subscribe") this.#uris.add(uri);
    if (meta["progressToken"] !== undefined) {
      this.#progress.set(meta["progressToken"], { id, progress: -Infinity });
    }
    if (method === "logging/setLevel" || meta[`${META_PREFIX}logLevel`] !== undefined) this.#wantsLogs = true;
    if (method !== "subscriptions/listen") return;
    const stream = this.#streams.get(id) ??
      {
        asked: 0,
        acknowledged: 0,
        answered: 0,
        ended: 0,
        served: new Set<string>(),
        wanted: new Set<string>(),
      };
    stream.asked++;
    for (const one of membersOf(notifications)) stream.wanted.add(one);
    this.#streams.set(id, stream);
  }

  /** What is wrong with a message that the client gets. */
  received(message: Message): string[] {
    const problem = "method" in message ? this.#notified(message) : this.#answered(message);
    return problem === undefined ? [] : [`${problem}: ${JSON.stringify(message).slice(0, 300)}`];
  }

  #answered({ id, result }: Message): string | undefined {
    for (const [token, work] of this.#progress) if (work.id === id) this.#progress.delete(token);
    const stream = this.#streams.get(id);
    if (!stream) return undefined;
    stream.answered++;
    const ended = ((result as Message | undefined)?.["_meta"] as Message | undefined)
      ?.[`${META_PREFIX}subscriptionId`];
    if (ended === undefined) return undefined;
    if (ended !== id) return "the result names another stream";
    return stream.acknowledged === 0 ? "a stream ended that was not acknowledged" : undefined;
  }

  #notified(message: Message): string | undefined {
    const id = streamOf(message);
    if (id === undefined) return this.#withoutStream(message);
    const stream = this.#streams.get(id);
    if (!stream) return "this stream was not asked for";
    const { method, params } = message as { method: string; params: Message };
    if (method === "notifications/subscriptions/acknowledged") {
      const served = membersOf(params["notifications"]);
      for (const one of served) stream.served.add(one);
      if (++stream.acknowledged > stream.asked) return "the stream was acknowledged before";
      return served.every((one) => stream.wanted.has(one)) ? undefined : "more is served than was asked for";
    }
    if (stream.acknowledged === 0) return "the stream was not acknowledged yet";
    if (method === "notifications/cancelled") {
      if (params["requestId"] !== id) return "the end of another stream";
      return ++stream.ended > stream.answered ? "the stream ended before its result" : undefined;
    }
    return stream.served.has(LISTS[method] ?? `uri ${params["uri"]}`)
      ? undefined
      : "this was not acknowledged";
  }

  #withoutStream({ method, params }: Message): string | undefined {
    if (method === "notifications/progress") return this.#progressed(params as Message);
    if (method === "notifications/message") return this.#wantsLogs ? undefined : "the log was not asked for";
    if (!this.#isInitialized) return "a notification before the client is initialized";
    if (method !== "notifications/resources/updated") {
      return String(method) in LISTS ? undefined : "this was not asked for";
    }
    return this.#uris.has((params as Message)["uri"]) ? undefined : "this was not subscribed to";
  }

  #progressed({ progressToken, progress }: Message): string | undefined {
    const work = this.#progress.get(progressToken);
    if (!work) return "this progress is not asked for, or not any more";
    const isForwards = typeof progress === "number" && progress > work.progress;
    work.progress = Number(progress);
    return isForwards ? undefined : "progress must go forwards";
  }
}

/** What a filter asks for. */
function membersOf(filter: unknown): string[] {
  const { resourceSubscriptions = [], ...lists } = (filter ?? {}) as Record<string, unknown>;
  return [
    ...Object.keys(lists).filter((key) => lists[key] === true),
    ...(Array.isArray(resourceSubscriptions) ? resourceSubscriptions.map((uri) => `uri ${uri}`) : []),
  ];
}

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` for clients that follows what they say and hear: a conversation for each session, and one for each request that
 * states its own revision.
 */
export class HttpRecording {
  readonly #fetch: Fetch;
  readonly #sessions = new Map<string, Conversation>();
  readonly #conversations = new Set<Conversation>();
  /** What was said and heard, to be checked at the end: checking takes time, and some clients wait only half a second. */
  readonly #unchecked: (() => void)[] = [];
  readonly #reading = new Set<Promise<void>>();
  /** What was asked, and how it was answered. */
  readonly exchanges: { method: string; lastEventId: string | null; status: number }[] = [];

  /** @param fetch What fetches in the end. */
  constructor(fetch: Fetch = globalThis.fetch) {
    this.#fetch = fetch;
  }

  /** Fetches, and keeps a copy of what is said. */
  readonly fetch: Fetch = async (url, init = {}) => {
    const headers = new Headers(init.headers);
    const session = headers.get("mcp-session-id");
    const body = typeof init.body === "string" ? init.body : "";
    const conversation = this.#sessions.get(session ?? "") ?? new Conversation();
    this.#conversations.add(conversation);
    if (body !== "") this.#unchecked.push(() => conversation.sent(body));
    const response = await this.#fetch(url, init);
    const begun = response.headers.get("mcp-session-id");
    if (begun !== null) this.#sessions.set(begun, conversation);
    const { method = "GET", signal } = init;
    this.exchanges.push({ method, lastEventId: headers.get("last-event-id"), status: response.status });
    // What is not of the endpoint is no message.
    if (session !== null || body.includes('"jsonrpc"')) {
      this.#follow(conversation, response, signal ?? undefined);
    }
    return response;
  };

  /** What is wrong with anything that was read so far, and how much that was. */
  get found(): { readonly problems: readonly string[]; readonly messages: number } {
    for (const check of this.#unchecked.splice(0)) check();
    const all = [...this.#conversations];
    return {
      problems: all.flatMap(({ problems }) => problems),
      messages: all.reduce((sum, { answers }) => sum + answers, 0),
    };
  }

  /** Waits for the copies of all answers, once the clients are closed and all streams have ended. */
  async finish(): Promise<HttpRecording["found"]> {
    await Promise.all(this.#reading);
    return this.found;
  }

  #follow(conversation: Conversation, response: Response, signal: AbortSignal | undefined): void {
    if (!response.body) return;
    const read = async (copy: Response) => {
      for await (const data of dataOf(copy)) this.#unchecked.push(() => conversation.received(data));
    };
    // A client that goes away in the middle cuts the copy too.
    const reading = read(response.clone()).catch((cause) => {
      if (cause instanceof SyntaxError) conversation.problems.push(`the answer is broken: ${cause.message}`);
    });
    this.#reading.add(reading);
    const forget = () => void this.#reading.delete(reading);
    void reading.then(forget);
    // Not every runtime ends the copy when a request is given up.
    signal?.addEventListener("abort", forget);
  }
}

/**
 * The messages of an answer, as they come: the data of each event of a stream, or the whole body.
 *
 * @throws {SyntaxError} When a stream ends within an event.
 */
export async function* dataOf(response: Response): AsyncGenerator<string> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const text = await response.text();
    if (text !== "") yield text;
    return;
  }
  let rest = "";
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split("\n\n");
    rest = events.pop()!;
    for (const event of events) {
      const data = event.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6))
        .join("\n");
      if (data !== "") yield data;
    }
  }
  if (rest !== "") throw new SyntaxError(`half an event: ${rest}`);
}

// Loaded before a program of an official package, this follows all that comes over its `fetch`, and at the end writes what
// it found into the file that `RECORDER_VERDICT` names.
if (process.env["RECORDER_VERDICT"] !== undefined) {
  const recording = new HttpRecording(globalThis.fetch);
  globalThis.fetch = recording.fetch as typeof globalThis.fetch;
  process.once(
    "exit",
    () => writeFileSync(process.env["RECORDER_VERDICT"]!, JSON.stringify(recording.found)),
  );
}
