/**
 * Is everything that comes over HTTP what its revision allows? A `fetch` for clients that follows what they say and hear: a
 * conversation for each session, and one for each request that states its own terms.
 */

import { Conversation } from "./conversation.ts";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** The outside of one request and its answer. */
export interface Exchange {
  readonly method: string;
  readonly lastEventId: string | null;
  readonly status: number;
}

/** What was said and heard at one server, held against the official schemas. */
export class HttpRecording {
  readonly #fetch: Fetch;
  readonly #sessions = new Map<string, Conversation>();
  readonly #conversations = new Set<Conversation>();
  readonly #reading = new Set<Promise<void>>();
  /** What was asked, and how it was answered. */
  readonly exchanges: Exchange[] = [];

  /** @param fetch What asks in truth. */
  constructor(fetch: Fetch = globalThis.fetch) {
    this.#fetch = fetch;
  }

  /** Asks, and keeps a copy of what is said. */
  readonly fetch: Fetch = async (url, init = {}) => {
    const { method = "GET" } = init;
    const fields = new Headers(init.headers);
    const session = fields.get("mcp-session-id");
    const body = typeof init.body === "string" ? init.body : "";
    const conversation = this.#sessions.get(session ?? "") ??
      new Conversation();
    this.#conversations.add(conversation);
    if (body !== "") conversation.sent(body);
    const response = await this.#fetch(url, init);
    const begun = response.headers.get("mcp-session-id");
    if (begun !== null) this.#sessions.set(begun, conversation);
    const type = response.headers.get("content-type") ?? "";
    this.exchanges.push({
      method,
      lastEventId: fields.get("last-event-id"),
      status: response.status,
    });
    // What is not of the endpoint is no message.
    if (session !== null || body.includes('"jsonrpc"')) {
      this.#follow(conversation, response, type, init.signal ?? undefined);
    }
    return response;
  };

  /** What is wrong with anything that was read so far, and how much that was. */
  get found(): {
    readonly problems: readonly string[];
    readonly messages: number;
  } {
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

  #follow(
    conversation: Conversation,
    response: Response,
    type: string,
    signal: AbortSignal | undefined,
  ): void {
    if (!response.body) return;
    const copy = response.clone();
    const reading = type.startsWith("text/event-stream")
      ? followEvents(copy, conversation)
      : copy.text().then((text) => text !== "" && conversation.received(text))
        .then(() => {});
    // A client that goes away in the middle cuts the copy too.
    const followed = reading.catch((cause) => {
      if (cause instanceof SyntaxError) {
        conversation.problems.push(`no JSON: ${cause.message}`);
      }
    });
    this.#reading.add(followed);
    const forget = () => void this.#reading.delete(followed);
    void followed.then(forget);
    // Not every runtime ends the copy when a request is given up.
    signal?.addEventListener("abort", forget);
  }
}

async function followEvents(
  response: Response,
  conversation: Conversation,
): Promise<void> {
  let rest = "";
  for await (
    const text of response.body!.pipeThrough(new TextDecoderStream())
  ) {
    const events = (rest + text).split("\n\n");
    rest = events.pop()!;
    for (const event of events) {
      const data = event.split("\n").filter((line) => line.startsWith("data: "))
        .map((line) => line.slice(6))
        .join("\n");
      if (data !== "") conversation.received(data);
    }
  }
  if (rest !== "") conversation.problems.push(`half an event: ${rest}`);
}
