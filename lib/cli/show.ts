/** What do people get to see? `list`, `read` and `prompt`: the same server, asked over the carrier in memory. */

import type { Platform } from "../../deps.ts";
import type { MessageContext } from "../transport/transport.ts";
import type { Options } from "./options.ts";
import type { Prompt, Resource } from "../server/provider.ts";
import { RpcError } from "../jsonrpc/error.ts";
import { Peer } from "../jsonrpc/peer.ts";
import { failure } from "../jsonrpc/message.ts";
import { memoryTransports } from "../transport/memory.ts";
import { assemble } from "./assemble.ts";
import { createLog, oneLine } from "./log.ts";
import { UsageError } from "./options.ts";
import { VERSION } from "./version.ts";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "architrave", version: VERSION },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Asks the server one thing. */
type Ask = (method: string, params?: Readonly<Record<string, unknown>>) => Promise<Record<string, unknown>>;

/** Carries out one command; the exit code is 1 when what was asked for does not exist. */
export async function show(platform: Platform, options: Options, root: string): Promise<number> {
  const log = createLog(platform, options.logLevel ?? "error", options.logFormat);
  const { server } = assemble(platform, options, root, log);
  const [near, far] = memoryTransports();
  await server.connect(far);
  const peer = new Peer<MessageContext>(near, {
    onrequest: (request) => failure(request.id, { code: -32601, message: "This client answers nothing" }),
  });
  await peer.start();
  const ask: Ask = async (method, params = {}) =>
    await peer.request(method, { ...params, _meta: META }) as Record<string, unknown>;
  try {
    platform.print("output", await answer(options, ask));
    return 0;
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    // What does not exist is told without its name; every other message names what it is about.
    const name = cause.message === "Resource not found" ? `: ${options.operands[0]}` : "";
    platform.print("error", `architrave: ${cause.message}${name}\n`);
    return 1;
  } finally {
    await peer.close();
  }
}

function answer(options: Options, ask: Ask): Promise<string> {
  const asJson = options.format === "json";
  const [first = "", ...rest] = options.operands;
  if (options.command === "list") return list(asJson, ask);
  if (options.command === "read") return read(first, asJson, ask);
  return prompt(first, rest, asJson, ask);
}

async function list(asJson: boolean, ask: Ask): Promise<string> {
  const resources = await all<Resource>("resources/list", "resources", ask);
  const prompts = await all<Prompt>("prompts/list", "prompts", ask);
  if (asJson) return toJson({ resources, prompts });
  const rows = [
    ...resources.map(({ uri, title, name }) => [uri, title ?? name] as const),
    ...prompts.map((prompt) => [signature(prompt), prompt.title ?? prompt.description ?? ""] as const),
  ];
  const width = Math.min(60, Math.max(0, ...rows.map(([left]) => left.length)));
  return rows.map(([left, right]) => oneLine(`${left.padEnd(width)}  ${right}`.trimEnd()) + "\n").join("");
}

async function all<T>(method: string, member: string, ask: Ask): Promise<T[]> {
  const items: T[] = [];
  let cursor: unknown;
  do {
    const page = await ask(method, cursor === undefined ? {} : { cursor });
    for (const item of page[member] as T[]) items.push(item);
    cursor = page["nextCursor"];
  } while (cursor !== undefined);
  return items;
}

async function read(uri: string, asJson: boolean, ask: Ask): Promise<string> {
  const { contents } = await ask("resources/read", { uri }) as unknown as { contents: { text: string }[] };
  return asJson ? toJson({ contents }) : contents.map(({ text }) => text).join("");
}

async function prompt(name: string, pairs: readonly string[], asJson: boolean, ask: Ask): Promise<string> {
  const entries = pairs.map((pair): [string, string] => {
    const at = pair.indexOf("=");
    if (at < 1) throw new UsageError(`An argument of a prompt is written key=value, and "${pair}" is not`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  const result = await ask("prompts/get", { name, arguments: Object.fromEntries(entries) });
  if (asJson) return toJson({ description: result["description"], messages: result["messages"] });
  const messages = result["messages"] as { role: string; content: { text: string } }[];
  const [only] = messages;
  if (messages.length === 1 && only) return `${only.content.text.trimEnd()}\n`;
  return messages.map(({ role, content }) => `--- ${role} ---\n${content.text.trimEnd()}\n`).join("\n");
}

function signature(prompt: Prompt): string {
  const words = prompt.arguments?.map(({ name, required }) => required ? `${name}=…` : `[${name}=…]`) ?? [];
  return ["prompt", prompt.name, ...words].join(" ");
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
