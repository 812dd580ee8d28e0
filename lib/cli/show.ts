/** The commands list, read and prompt: requests to the server of the documents, over a transport in memory. */

import type { Platform } from "../../deps.ts";
import type { Client } from "../client/mod.ts";
import type { Options } from "./main.ts";
import { connect } from "../client/session.ts";
import { printable } from "../base/text.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { memoryTransports } from "../transport/memory.ts";
import { createLog, toJson, VERSION } from "./program.ts";
import { assemble } from "./serve.ts";
import { collect, columns, readPairs, signature } from "./text.ts";

/** Prints what the client is answered, as JSON or text; the exit code is 1 when what was asked for does not exist. */
async function show<T>(
  platform: Platform,
  options: Options,
  ask: (client: Client) => Promise<T>,
  toText: (answer: T) => string,
): Promise<number> {
  const { server } = assemble(platform, options, createLog(platform, options, "error"), { watch: false });
  const [near, far] = memoryTransports();
  await server.connect(far);
  const client = await connect(near, {
    info: { name: "architrave", version: VERSION },
    era: "modern",
    // It is this program's own server.
    maxPages: Infinity,
    timeoutMs: Infinity,
    connectTimeoutMs: Infinity,
  });
  try {
    const answer = await ask(client);
    platform.print("output", options.get("format") === "json" ? toJson(answer) : toText(answer));
    return 0;
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    // This one message does not say what it is about.
    const message = cause.message.replace(/^Resource not found/, (text) => `${text}: ${options.operands[0]}`);
    platform.print("error", `${printable(`architrave: ${message}`)}\n`);
    return 1;
  } finally {
    await client.close();
  }
}

/** Prints a line for each document and prompt. */
export function list(platform: Platform, options: Options): Promise<number> {
  return show(platform, options, async (client) => ({
    resources: await collect(client.resources()),
    prompts: await collect(client.prompts()),
  }), ({ resources, prompts }) =>
    columns(
      [
        ...resources.map(({ uri, title, name }) => [uri, title ?? name] as const),
        ...prompts.map((prompt) =>
          [`prompt ${signature(prompt)}`, prompt.title ?? prompt.description ?? ""] as const
        ),
      ],
      "",
      60,
    ));
}

/** Prints a document byte for byte, or a section. */
export function read(platform: Platform, options: Options): Promise<number> {
  return show(platform, options, async (client) => {
    const { contents } = await client.readResource(options.operands[0]!);
    return { contents };
  }, ({ contents }) => contents.map(({ text }) => text).join(""));
}

/** Prints the messages of a prompt; a single one as it is. */
export function prompt(platform: Platform, options: Options): Promise<number> {
  const [name, ...pairs] = options.operands;
  const args = readPairs(pairs);
  return show(
    platform,
    options,
    async (client) => {
      const { description, messages } = await client.getPrompt(name!, args);
      return { description, messages };
    },
    ({ messages }) =>
      messages.map(({ role, content }) =>
        `${messages.length === 1 ? "" : `--- ${role} ---\n`}${content.text?.trimEnd()}\n`
      ).join("\n"),
  );
}
