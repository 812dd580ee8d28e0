/** How does a client answer what it is asked, in a test, in any revision? */

import type { Server, ServerOptions } from "../../lib/server/server.ts";
import type { Answer } from "../harness/program.ts";
import { handshake, modern } from "../harness/program.ts";
import { Conversation } from "./conversation.ts";

export { VERSIONS } from "./tool_client.ts";
/** The revisions that have forms. */
export const WITH_FORMS = ["2025-06-18", "2025-11-25", "2026-07-28"] as const;

/** A question as it comes to a client. */
export interface Put {
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

/** What a client does with a question: a result, an error, or nothing at all. */
export type Reply = { readonly result: unknown } | { readonly error: object } | undefined;

/** Everything that a client can be asked, in every way. */
export const EVERYTHING: object = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: {},
};

/** A client that can be asked. */
export class AskingClient {
  readonly conversation: Conversation;
  readonly version: string;
  readonly capabilities: object;
  /** What it was asked, in order. */
  readonly put: Put[] = [];
  /** The results that asked for input. */
  readonly rounds: Record<string, unknown>[] = [];
  /** What it was told. */
  readonly told: Answer[] = [];
  #id = 0;

  private constructor(conversation: Conversation, version: string, capabilities: object) {
    this.conversation = conversation;
    this.version = version;
    this.capabilities = capabilities;
  }

  static async connect(
    options: Partial<ServerOptions> | Server,
    version: string,
    capabilities: object = EVERYTHING,
  ): Promise<AskingClient> {
    const conversation = await Conversation.open(options);
    const client = new AskingClient(conversation, version, capabilities);
    if (version < "2026") {
      await conversation.ask("initialize", { ...handshake(version), capabilities });
      conversation.send({ method: "notifications/initialized" });
    }
    return client;
  }

  get isModern(): boolean {
    return this.version >= "2026";
  }

  /** Sends one request as it is, in the terms of the revision; answers whatever is asked meanwhile. */
  async send(method: string, params: object, reply: (put: Put) => Reply = () => undefined): Promise<Answer> {
    const id = `r${++this.#id}`;
    this.conversation.send({ id, method, params: this.isModern ? this.#stated(params) : params });
    for (;;) {
      const [message] = await this.conversation.take(1);
      if (message!.method === undefined) return message!;
      if (message!.id === undefined) this.told.push(message!);
      else {
        const put = message as unknown as Put;
        this.put.push(put);
        const answer = reply(put);
        if (answer) this.conversation.send({ id: message!.id, ...answer });
      }
    }
  }

  /** Asks until there is an answer that is no question. */
  async ask(method: string, params: object, reply: (put: Put) => Reply): Promise<Answer> {
    let carried: object = {};
    for (;;) {
      const answer = await this.send(method, { ...params, ...carried }, reply);
      if (answer.result?.["resultType"] !== "input_required") return answer;
      this.rounds.push(answer.result);
      const { inputRequests, requestState } = answer.result as {
        inputRequests: Record<string, Put>;
        requestState: string;
      };
      const inputResponses: Record<string, unknown> = {};
      for (const [key, put] of Object.entries(inputRequests)) {
        this.put.push(put);
        const given = reply(put);
        if (given && "result" in given) inputResponses[key] = given.result;
      }
      carried = { inputResponses, requestState };
    }
  }

  /** Calls a tool until there is an answer. */
  call(name: string, reply: (put: Put) => Reply, args: object = {}): Promise<Answer> {
    return this.ask("tools/call", { name, arguments: args }, reply);
  }

  #stated(params: object): object {
    const stated = modern(params, this.version) as { _meta: Record<string, unknown> };
    stated._meta["io.modelcontextprotocol/clientCapabilities"] = this.capabilities;
    return stated;
  }
}

/** Answers a form. */
export function accept(content?: object): Reply {
  return { result: { action: "accept", ...(content ? { content } : {}) } };
}
