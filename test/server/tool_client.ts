/** A client that uses the tools of a server, in any revision. */

import type { ServerOptions } from "../../lib/server/server.ts";
import type { Answer } from "../harness/program.ts";
import { modern } from "../harness/program.ts";
import { Conversation } from "./conversation.ts";

/** A client in one revision. */
export interface ToolClient {
  readonly conversation: Conversation;
  /** The failures that the server has logged. */
  readonly failures: unknown[];
  ask(method: string, params?: object): Promise<Answer>;
  /** Calls a tool; the next message is its answer. */
  call(name: string, args?: unknown): Promise<Answer>;
  /** The tools as they are listed. */
  list(): Promise<Record<string, unknown>[]>;
}

/** Connects a client to a server that is built for it. */
export async function connect(options: Partial<ServerOptions>, version = "2025-11-25"): Promise<ToolClient> {
  const failures: unknown[] = [];
  const onfailure = (cause: unknown) => void failures.push(cause);
  const conversation = await Conversation.open({ onfailure, ...options });
  const isModern = version >= "2026";
  if (!isModern) await conversation.initialize(version);
  const ask = (method: string, params: object = {}) =>
    conversation.ask(method, isModern ? modern(params, version) : params);
  return {
    conversation,
    failures,
    ask,
    call: (name, args) => ask("tools/call", { name, ...(args === undefined ? {} : { arguments: args }) }),
    list: async () => (await ask("tools/list")).result!["tools"] as Record<string, unknown>[],
  };
}

/** The text of a result, block after block. */
export function textOf({ result }: Answer): string {
  return (result?.["content"] as { text?: string }[]).map(({ text }) => text).join("\n");
}
