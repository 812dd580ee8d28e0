/** How are the tools of a server used in a test, in any revision? */

import type { ServerOptions } from "../../lib/server/server.ts";
import type { Answer } from "../harness/program.ts";
import { modern } from "../harness/program.ts";
import { Conversation } from "./conversation.ts";

/** Every revision that is served, oldest first. */
export const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

/** A client in one revision. */
export interface ToolClient {
  readonly conversation: Conversation;
  /** What went wrong, as the log of the server has it. */
  readonly failures: unknown[];
  ask(method: string, params?: object): Promise<Answer>;
  /** Calls a tool; the next message is its answer. */
  call(name: string, args?: unknown): Promise<Answer>;
  /** Sends a call as it is, and takes everything up to its answer. */
  hear(params: object): Promise<Answer[]>;
  /** The tools as they are listed. */
  list(): Promise<Record<string, unknown>[]>;
}

/** Connects a client to a server that is built for it. */
export async function connect(options: Partial<ServerOptions>, version = "2025-11-25"): Promise<ToolClient> {
  const failures: unknown[] = [];
  const conversation = await Conversation.open({
    onfailure: (cause) => void failures.push(cause),
    ...options,
  });
  const isModern = version === "2026-07-28";
  if (!isModern) await conversation.initialize(version);
  const ask = (method: string, params: object = {}) =>
    conversation.ask(method, isModern ? modern(params, version) : params);
  return {
    conversation,
    failures,
    ask,
    call: (name, args) => ask("tools/call", { name, ...(args === undefined ? {} : { arguments: args }) }),
    async hear(params) {
      conversation.send({ id: "heard", method: "tools/call", params });
      const heard: Answer[] = [];
      while (heard.at(-1)?.id !== "heard") heard.push(...await conversation.take(1));
      return heard;
    },
    list: async () => (await ask("tools/list")).result!["tools"] as Record<string, unknown>[],
  };
}

/** The text of a result, block after block. */
export function textOf({ result }: Answer): string {
  return (result?.["content"] as { text?: string }[]).map(({ text }) => text).join("\n");
}
