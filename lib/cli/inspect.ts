/** The command inspect: a client on the command line for any MCP server, for people and for scripts. */

import type { Platform } from "../../deps.ts";
import type { Client, Connectable, Era, Progress } from "../client/mod.ts";
import type { Options } from "./options.ts";
import type { Lists, ServerSummary } from "./text.ts";
import { isObject } from "../base/json.ts";
import { printable } from "../base/text.ts";
import { connect } from "../client/connect.ts";
import { ConnectError, HttpError, ProtocolError, TimeoutError } from "../client/options.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { readTextFile } from "./files.ts";
import { toJson, UsageError, VERSION } from "./program.ts";
import {
  changeText,
  collect,
  listText,
  promptText,
  readPairs,
  readText,
  summaryLine,
  toolText,
  watchText,
} from "./text.ts";

/** Where the server is: a URL, or a command. */
type Target = string | readonly string[];

/** What an action gives: the members of the JSON output, the text for people, and whether a tool has failed. */
interface Answer {
  readonly members: object;
  readonly text: string;
  readonly isError?: boolean;
}

/** What is asked of the server. */
type Action =
  | { readonly kind: "list" | "read" | "prompt" | "call"; readonly ask: (view: View) => Promise<Answer> }
  | { readonly kind: "watch"; readonly uris: readonly string[] };

/** Runs the command; the exit code is 1 when the server cannot be reached, answers with an error, or a tool fails. */
export async function inspect(platform: Platform, options: Options): Promise<number> {
  const { target, words } = options.rest ? split(options.operands, options.rest) : atUrl(options.operands);
  const action = toAction(words);
  let client: Client | undefined;
  try {
    const start = performance.now();
    client = await open(platform, options, target);
    return await new View(platform, options, client, performance.now() - start).show(action);
  } catch (cause) {
    const expected = [RpcError, ConnectError, HttpError, ProtocolError, TimeoutError];
    if (!expected.some((kind) => cause instanceof kind)) throw cause;
    platform.print("error", `architrave: ${printable((cause as Error).message)}\n`);
    return 1;
  } finally {
    await client?.close();
  }
}

function usageError(): UsageError {
  return new UsageError(
    "inspect takes a URL, or -- and a command; then list, read URI, prompt NAME key=value…, call TOOL JSON or watch URI…",
  );
}

function atUrl([url, ...words]: readonly string[]): { target: Target; words: readonly string[] } {
  if (url === undefined || !/^https?:\/\//.test(url)) throw usageError();
  return { target: url, words };
}

/** The action stands before `--`, after a second one, or at the end of the command. */
function split(
  before: readonly string[],
  after: readonly string[],
): { target: Target; words: readonly string[] } {
  const second = after.indexOf("--");
  if (before.length > 0 && second >= 0) {
    throw new UsageError("inspect takes one action: write it before or after the command, not both");
  }
  const end = second >= 0 ? second : before.length > 0 ? after.length : startOfAction(after);
  if (end === 0) throw usageError();
  const words = before.length > 0 ? before : after.slice(second >= 0 ? second + 1 : end);
  return { target: after.slice(0, end), words };
}

/** Where the command ends, in words that may end in an action. */
function startOfAction(words: readonly string[]): number {
  const { length } = words;
  if (words[length - 1] === "list") return length - 1;
  const fixed = length - 2;
  if (words[fixed] === "read" || words[fixed] === "call") return fixed;
  if (words[length - 3] === "call" && words[length - 1]!.trimStart().startsWith("{")) return length - 3;
  const uris = words.findLastIndex((word) => !/^[A-Za-z][\w+.-]*:/.test(word));
  if (words[uris] === "watch") return uris;
  const name = words.findLastIndex((word) => !/^[^=-][^=]*=/.test(word));
  if (name > 1 && words[name - 1] === "prompt") return name - 1;
  // A mistake in an action would silently become an argument of the command.
  const asked = words.slice(1).findLast((word) => ["read", "prompt", "call"].includes(word));
  if (asked === undefined) return length;
  throw new UsageError(
    `What follows "${asked}" is not what it takes (read URI, prompt NAME key=value…, call TOOL JSON); ` +
      "if it belongs to the command, end the command with another --",
  );
}

function toAction([kind = "list", ...words]: readonly string[]): Action {
  const [name, ...rest] = words;
  if (kind === "watch") return { kind, uris: words };
  if (kind === "list" && name === undefined) return { kind, ask: (view) => view.lists() };
  if (kind === "read" && name !== undefined && rest.length === 0) {
    return {
      kind,
      async ask({ client }) {
        const result = await client.readResource(name);
        return { members: { result }, text: readText(result) };
      },
    };
  }
  if (kind === "prompt" && name !== undefined) {
    const args = readPairs(rest);
    return {
      kind,
      async ask({ client }) {
        const result = await client.getPrompt(name, args);
        return { members: { result }, text: promptText(result) };
      },
    };
  }
  if (kind === "call" && name !== undefined && rest.length <= 1) {
    const args = readObject(rest[0] ?? "{}");
    return {
      kind,
      async ask({ client, onprogress }) {
        const result = await client.callTool(name, args, onprogress ? { onprogress } : {});
        return { members: { result }, text: toolText(result), isError: result.isError === true };
      },
    };
  }
  throw usageError();
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // It is no object either.
  }
  if (isObject(value)) return value;
  throw new UsageError(`The arguments of a tool are a JSON object, not ${JSON.stringify(text)}`);
}

async function open(platform: Platform, options: Options, target: Target): Promise<Client> {
  const timeoutMs = options.get<number>("timeout");
  const warn = (text: string) => platform.print("error", `${printable(text)}\n`);
  return await connect(await connectable(platform, options, target), {
    info: { name: "architrave", title: "Architrave", version: VERSION },
    era: options.get<Era>("era") ?? "auto",
    ...(timeoutMs === undefined ? {} : { timeoutMs, connectTimeoutMs: timeoutMs }),
    onwarning: (message) => warn(`architrave: ${message}`),
    onlog: ({ level, data }) => warn(`${level}: ${typeof data === "string" ? data : JSON.stringify(data)}`),
  });
}

/** Loads what the target needs: no network for a program, and no programs for a URL. */
async function connectable(platform: Platform, options: Options, target: Target): Promise<Connectable> {
  if (typeof target !== "string") {
    const { spawnTransport } = await import("../client/program.ts");
    const [command = "", ...args] = target;
    return () => spawnTransport({ command, args });
  }
  const { httpTransport } = await import("../client/http.ts");
  const path = options.get<string>("token-file");
  if (path === undefined) return httpTransport(target);
  const token = readTextFile(platform, path, "the token").trim();
  // Checked here, because a runtime that rejects the header field shows its value.
  if (/^[\x21-\x7e]+$/.test(token)) {
    return httpTransport(target, { headers: { Authorization: `Bearer ${token}` } });
  }
  throw new UsageError(
    `Cannot use the token in "${path}": the file must hold one token, without spaces in it`,
  );
}

/** Prints what one server answers. */
class View {
  readonly client: Client;
  /** Prints the progress of a call; undefined for JSON output. */
  readonly onprogress: ((progress: Progress) => void) | undefined;
  readonly #platform: Platform;
  readonly #asJson: boolean;
  readonly #summary: ServerSummary;

  constructor(platform: Platform, options: Options, client: Client, connectMs: number) {
    this.#platform = platform;
    this.#asJson = options.get("json") === true;
    this.client = client;
    const { era, version, server: { info, capabilities, instructions } } = client;
    this.#summary = { server: info, era, version, capabilities, instructions, connectMs: rounded(connectMs) };
    if (this.#asJson) return;
    this.onprogress = ({ progress, total, message }) => {
      const share = total === undefined ? `${progress}` : `${progress} of ${total}`;
      this.#print("error", printable(message === undefined ? share : `${share}: ${message}`));
    };
  }

  async show(action: Action): Promise<number> {
    if (action.kind === "watch") return await this.#watch(action.uris);
    const start = performance.now();
    const { members, text, isError } = await action.ask(this);
    const answerMs = rounded(performance.now() - start);
    if (this.#asJson) this.#platform.print("output", toJson({ ...this.#summary, answerMs, ...members }));
    else {
      const isList = action.kind === "list";
      // What is answered goes into files and pipes, without what else is known about the server.
      this.#print(
        isList ? "output" : "error",
        `${summaryLine(this.#summary)}; ${isList ? "listed" : "answered"} in ${answerMs} ms`,
      );
      this.#platform.print("output", text);
    }
    return isError ? 1 : 0;
  }

  async lists(): Promise<Answer> {
    const { client } = this;
    const has = (name: string) => client.server.capabilities[name] !== undefined;
    const lists: Lists = {
      ...(has("tools") ? { tools: await collect(client.tools()) } : {}),
      ...(has("resources")
        ? {
          resources: await collect(client.resources()),
          // Many servers have resources but no templates, and do not know the method.
          resourceTemplates: await collect(client.resourceTemplates()).catch((cause) => {
            if (cause instanceof RpcError) return [];
            throw cause;
          }),
        }
        : {}),
      ...(has("prompts") ? { prompts: await collect(client.prompts()) } : {}),
    };
    return { members: lists, text: listText(this.#summary, lists) };
  }

  /** Prints changes until the server or a signal ends the stream. */
  async #watch(uris: readonly string[]): Promise<number> {
    const changes = await this.client.listen({ tools: true, prompts: true, resources: true, uris });
    this.#platform.onInterrupt(() => changes.close());
    if (this.#asJson) this.#print("output", JSON.stringify({ ...this.#summary, served: changes.served }));
    else this.#print("error", `${summaryLine(this.#summary)}\n${watchText(changes.served)}`);
    for await (const event of changes) {
      const time = new Date().toISOString();
      this.#print(
        "output",
        this.#asJson ? JSON.stringify({ time, ...event }) : `${time}  ${changeText(event)}`,
      );
    }
    return 0;
  }

  #print(stream: "output" | "error", line: string): void {
    this.#platform.print(stream, `${line}\n`);
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
