/** The commands list, read and prompt: requests to the server of the documents, over a transport in memory. */

import type { Platform } from "../../deps.ts";
import type { Client } from "../client/mod.ts";
import type { Options } from "./options.ts";
import { printable } from "../base/text.ts";
import { connect } from "../client/connect.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { memoryTransports } from "../transport/memory.ts";
import { createLog, toJson, VERSION } from "./program.ts";
import { assemble } from "./serve.ts";
import { collect, readPairs, signature, widest } from "./text.ts";

/** Effectively no limit: it is this program's own server. */
const UNLIMITED = 2 ** 31 - 1;

/** Prints what the client is answered; the exit code is 1 when what was asked for does not exist. */
async function show(
  platform: Platform,
  options: Options,
  ask: (client: Client, asJson: boolean) => Promise<string>,
): Promise<number> {
  const { server } = assemble(platform, options, createLog(platform, options, "error"), { watch: false });
  const [near, far] = memoryTransports();
  await server.connect(far);
  const client = await connect(near, {
    info: { name: "architrave", version: VERSION },
    era: "modern",
    maxPages: UNLIMITED,
    timeoutMs: UNLIMITED,
    connectTimeoutMs: UNLIMITED,
  });
  try {
    platform.print("output", await ask(client, options.get("format") === "json"));
    return 0;
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    // This one message does not say what it is about.
    const what = cause.message === "Resource not found" ? `: ${options.operands[0]}` : "";
    platform.print("error", `architrave: ${cause.message}${what}\n`);
    return 1;
  } finally {
    await client.close();
  }
}

/** Prints a line for each document and prompt. */
export function list(platform: Platform, options: Options): Promise<number> {
  return show(platform, options, async (client, asJson) => {
    const resources = await collect(client.resources());
    const prompts = await collect(client.prompts());
    if (asJson) return toJson({ resources, prompts });
    const rows = [
      ...resources.map(({ uri, title, name }) => [uri, title ?? name] as const),
      ...prompts.map((prompt) =>
        [`prompt ${signature(prompt)}`, prompt.title ?? prompt.description ?? ""] as const
      ),
    ];
    const width = widest(rows.map(([left]) => left), 60);
    return rows.map(([left, right]) => printable(`${left.padEnd(width)}  ${right}`.trimEnd()) + "\n").join(
      "",
    );
  });
}

/** Prints a document byte for byte, or a section. */
export function read(platform: Platform, options: Options): Promise<number> {
  return show(platform, options, async (client, asJson) => {
    const { contents } = await client.readResource(options.operands[0]!);
    return asJson ? toJson({ contents }) : contents.map(({ text }) => text).join("");
  });
}

/** Prints the messages of a prompt. */
export function prompt(platform: Platform, options: Options): Promise<number> {
  return show(platform, options, async (client, asJson) => {
    const [name, ...pairs] = options.operands;
    const { description, messages } = await client.getPrompt(name!, readPairs(pairs));
    if (asJson) return toJson({ description, messages });
    const [only] = messages;
    if (messages.length === 1 && only) return `${only.content.text?.trimEnd()}\n`;
    return messages.map(({ role, content }) => `--- ${role} ---\n${content.text?.trimEnd()}\n`).join("\n");
  });
}
