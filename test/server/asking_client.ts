/** A client that answers what it is asked, in any revision. */

import type { Server, ServerOptions } from "../../lib/server/server.ts";
import type { Answer } from "../harness/program.ts";
import { handshake, modern } from "../harness/program.ts";
import { Conversation } from "./conversation.ts";

/** The revisions that have forms. */
export const WITH_FORMS = ["2025-06-18", "2025-11-25", "2026-07-28"] as const;

/** A question as it comes to a client. */
export interface Put {
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

/** What a client does with a question: it answers with a result or an error, or not at all. */
export type Reply = { readonly result: unknown } | { readonly error: object } | undefined;

/** The capabilities of a client that can be asked everything. */
export const EVERYTHING: object = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
};

/** A client that can be asked. */
export class AskingClient {
  /** What it was asked, in order. */
  readonly put: Put[] = [];
  /** The results that asked for input. */
  readonly rounds: Record<string, unknown>[] = [];
  readonly isModern: boolean;
  readonly #conversation: Conversation;
  readonly #capabilities: object;
  #id = 0;

  private constructor(conversation: Conversation, version: string, capabilities: object) {
    this.#conversation = conversation;
    this.isModern = version >= "2026";
    this.#capabilities = capabilities;
  }

  static async connect(
    options: Partial<ServerOptions> | Server,
    version: string,
    capabilities: object = EVERYTHING,
  ): Promise<AskingClient> {
    const conversation = await Conversation.open(options);
    const client = new AskingClient(conversation, version, capabilities);
    if (client.isModern) return client;
    await conversation.ask("initialize", { ...handshake(version), capabilities });
    conversation.send({ method: "notifications/initialized" });
    return client;
  }

  /** Sends one request in the terms of the revision; answers the requests that come meanwhile. */
  async send(method: string, params: object, reply: (put: Put) => Reply = () => undefined): Promise<Answer> {
    const id = `r${++this.#id}`;
    this.#conversation.send({
      id,
      method,
      params: this.isModern ? modern(params, undefined, this.#capabilities) : params,
    });
    for (;;) {
      const [message] = await this.#conversation.take(1);
      if (message!.method === undefined) return message!;
      if (message!.id === undefined) continue;
      const answer = this.#reply(message as unknown as Put, reply);
      if (answer) this.#conversation.send({ id: message!.id, ...answer });
    }
  }

  /** Calls a tool, and answers its questions, until there is a result that is no question. */
  async call(name: string, reply: (put: Put) => Reply, args: object = {}): Promise<Answer> {
    let state: object = {};
    for (;;) {
      const answer = await this.send("tools/call", { name, arguments: args, ...state }, reply);
      const { result } = answer;
      if (result?.["resultType"] !== "input_required") return answer;
      this.rounds.push(result);
      const inputResponses: Record<string, unknown> = {};
      for (const [key, put] of Object.entries(result["inputRequests"] as Record<string, Put>)) {
        const given = this.#reply(put, reply);
        if (given && "result" in given) inputResponses[key] = given.result;
      }
      state = { inputResponses, requestState: result["requestState"] };
    }
  }

  #reply(put: Put, reply: (put: Put) => Reply): Reply {
    this.put.push(put);
    return reply(put);
  }
}

/** Answers a form. */
export function accept(content?: object): Reply {
  return { result: { action: "accept", ...(content ? { content } : {}) } };
}
