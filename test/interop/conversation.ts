/** Follows what clients say and hear over HTTP, and reads the answers. */

import { writeFileSync } from "node:fs";
import process from "node:process";
import { dataOf } from "../harness/http.ts";
import { Conversation } from "../harness/conformance.ts";
import "./rules.ts";

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
