/** Asks this program's own server, in memory: what commands print went through the same `handle` as the answers to clients. */

import type { Client, JsonObject } from "../mcp/client/mod.ts";
import type { Server } from "../mcp/server/server.ts";
import type { Platform } from "../platform/platform.ts";
import type { Folders } from "./folders.ts";
import type { Options } from "./options.ts";
import type { OutputStyle } from "./table.ts";
import { asArray, asObject, compact } from "../base/json.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { memoryTransports } from "../jsonrpc/transport/stream.ts";
import { connect } from "../mcp/client/connect.ts";
import { invalidParams } from "../mcp/protocol/errors.ts";
import { emit } from "./io.ts";
import { assembleOnce } from "./once.ts";
import { safeText, styleOf } from "./table.ts";
import { VERSION } from "./this_copy.ts";

/** When a terminal is told why there is no answer yet, in milliseconds. */
const NOTE_AFTER_MS = 1000;

/** Prints the answer as JSON or text. The exit code is 1 when what was asked for does not exist. */
export async function show<T>(
  platform: Platform,
  options: Options,
  ask: (client: Client, folders: Folders) => Promise<T>,
  toText: (answer: T, style: OutputStyle) => string,
): Promise<number> {
  const { server, folders } = await assembleOnce(platform, options);
  const client = await connectTo(server);
  // A large folder takes its time to be read, and longer to be indexed.
  const note = () => platform.print("error", "architrave: reading the documents …\n");
  const timer = platform.showsOutput ? setTimeout(note, NOTE_AFTER_MS) : undefined;
  try {
    const answer = await ask(client, folders);
    return emit(platform, options, answer, () => toText(answer, styleOf(platform, options)));
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    const [operand = ""] = options.operands;
    const way = operand.startsWith("skill:")
      ? "inspect shows the skills of a server"
      : operand.includes("#")
      ? "without #, the whole document is read"
      : "list shows all URIs";
    // The server does not know the commands, so its errors do not say what to do here.
    const message = cause.message.replace(/^Resource not found$/, `$&; ${way}`)
      .replace(/^Resource not found/, () => `Resource not found: ${operand}`)
      .replace(/^There is no prompt "[^"]*"$/, "$&; list shows all prompts")
      .replace(/^The argument "(.+)" is missing$/, "$&: write $1=TEXT or $1=@FILE");
    platform.print("error", `architrave: ${safeText(message)}`, "error");
    return 1;
  } finally {
    clearTimeout(timer);
    await client.close();
  }
}

/** Connects a client to a server in memory. */
export async function connectTo(server: Server): Promise<Client> {
  const [near, far] = memoryTransports();
  await server.connect(far);
  // No limits: this is the program's own server.
  const limits = { maxPages: Infinity, timeoutMs: Infinity, connectTimeoutMs: Infinity };
  return await connect(near, { info: { name: "architrave", version: VERSION }, era: "modern", ...limits });
}

/** The data of a tool's result. Throws an `RpcError` with the text of the result when the tool failed. */
export async function callDocumentTool<T>(client: Client, name: string, args: JsonObject): Promise<T> {
  const result = await client.call("tools/call", { name, arguments: compact(args) });
  if (result["isError"] !== true) return result["structuredContent"] as T;
  throw invalidParams(asArray(result["content"]).map((part) => asObject(part)["text"]).join("\n"));
}
