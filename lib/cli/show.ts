/** What do people get to see? `list`, `read` and `prompt`: the same server, asked over the carrier in memory. */

import type { Platform } from "../../deps.ts";
import type { Client } from "../client/client.ts";
import type { Prompt } from "../client/results.ts";
import type { Options } from "./options.ts";
import { connect } from "../client/connect.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { memoryTransports } from "../transport/memory.ts";
import { assemble } from "./assemble.ts";
import { createLog, oneLine } from "./log.ts";
import { UsageError } from "./options.ts";
import { VERSION } from "./version.ts";

/** More pages, and more milliseconds, than there can be. */
const PATIENCE = 2 ** 31 - 1;

/** Carries out one command; the exit code is 1 when what was asked for does not exist. */
export async function show(platform: Platform, options: Options, root: string): Promise<number> {
  const log = createLog(platform, options.logLevel ?? "error", options.logFormat);
  const { server } = assemble(platform, options, root, log);
  const [near, far] = memoryTransports();
  await server.connect(far);
  const client = await connect(near, {
    info: { name: "architrave", version: VERSION },
    era: "modern",
    // It is our own server: its lists end, and a slow disk is waited for.
    maxPages: PATIENCE,
    timeoutMs: PATIENCE,
    connectTimeoutMs: PATIENCE,
  });
  try {
    platform.print("output", await answer(options, client));
    return 0;
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    // What does not exist is told without its name; every other message names what it is about.
    const name = cause.message === "Resource not found" ? `: ${options.operands[0]}` : "";
    platform.print("error", `architrave: ${cause.message}${name}\n`);
    return 1;
  } finally {
    await client.close();
  }
}

function answer(options: Options, client: Client): Promise<string> {
  const asJson = options.format === "json";
  const [first = "", ...rest] = options.operands;
  if (options.command === "list") return list(asJson, client);
  if (options.command === "read") return read(first, asJson, client);
  return prompt(first, rest, asJson, client);
}

async function list(asJson: boolean, client: Client): Promise<string> {
  const resources = await all(client.resources());
  const prompts = await all(client.prompts());
  if (asJson) return toJson({ resources, prompts });
  const rows = [
    ...resources.map(({ uri, title, name }) => [uri, title ?? name] as const),
    ...prompts.map((prompt) => [signature(prompt), prompt.title ?? prompt.description ?? ""] as const),
  ];
  const width = Math.min(60, Math.max(0, ...rows.map(([left]) => left.length)));
  return rows.map(([left, right]) => oneLine(`${left.padEnd(width)}  ${right}`.trimEnd()) + "\n").join("");
}

async function all<T>(things: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of things) items.push(item);
  return items;
}

async function read(uri: string, asJson: boolean, client: Client): Promise<string> {
  const { contents } = await client.readResource(uri);
  return asJson ? toJson({ contents }) : contents.map(({ text }) => text).join("");
}

async function prompt(
  name: string,
  pairs: readonly string[],
  asJson: boolean,
  client: Client,
): Promise<string> {
  const entries = pairs.map((pair): [string, string] => {
    const at = pair.indexOf("=");
    if (at < 1) throw new UsageError(`An argument of a prompt is written key=value, and "${pair}" is not`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  const { description, messages } = await client.getPrompt(name, Object.fromEntries(entries));
  if (asJson) return toJson({ description, messages });
  const [only] = messages;
  if (messages.length === 1 && only) return `${only.content.text?.trimEnd()}\n`;
  return messages.map(({ role, content }) => `--- ${role} ---\n${content.text?.trimEnd()}\n`).join("\n");
}

function signature(prompt: Prompt): string {
  const words = prompt.arguments?.map(({ name, required }) => required ? `${name}=…` : `[${name}=…]`) ?? [];
  return ["prompt", prompt.name, ...words].join(" ");
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
