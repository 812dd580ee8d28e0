/** The command inspect: a client on the command line for any MCP server, for people and for scripts. */

import type { Platform } from "../../deps.ts";
import type { CallOptions, Client, Connectable, Era, Result } from "../client/mod.ts";
import type { Options } from "./options.ts";
import type { Lists, ServerSummary } from "./text.ts";
import { isObject } from "../base/json.ts";
import { printable } from "../base/text.ts";
import { connect } from "../client/connect.ts";
import { ConnectError, HttpError, ProtocolError, TimeoutError } from "../client/options.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { readTextFile } from "./files.ts";
import { given, toJson, UsageError, VERSION } from "./program.ts";
import * as text from "./text.ts";

/** Where the server is: a URL, or a command. */
type Target = string | readonly string[];

/** Runs the command; the exit code is 1 when the server cannot be reached, answers with an error, or a tool fails. */
export async function inspect(platform: Platform, options: Options): Promise<number> {
  const { target, words } = readTarget(options);
  const action = toAction(words);
  let client: Client | undefined;
  try {
    const start = performance.now();
    client = await open(platform, options, target);
    return await action(new View(platform, options, client, performance.now() - start));
  } catch (cause) {
    const expected = [RpcError, ConnectError, HttpError, ProtocolError, TimeoutError];
    if (!expected.some((kind) => cause instanceof kind)) throw cause;
    platform.print("error", `architrave: ${printable((cause as Error).message)}\n`);
    return 1;
  } finally {
    await client?.close();
  }
}

/** The server, and the words of the action: before `--`, after a second one, or at the end of the command. */
function readTarget({ operands, rest }: Options): { target: Target; words: readonly string[] } {
  if (!rest) {
    const [url = "", ...words] = operands;
    if (!/^https?:\/\//.test(url)) throw usageError();
    return { target: url, words };
  }
  const second = rest.indexOf("--");
  if (operands.length > 0 && second >= 0) {
    throw new UsageError("inspect takes one action: write it before or after the command, not both");
  }
  const end = second >= 0 ? second : operands.length > 0 ? rest.length : startOfAction(rest);
  if (end === 0) throw usageError();
  const words = operands.length > 0 ? operands : rest.slice(second >= 0 ? end + 1 : end);
  return { target: rest.slice(0, end), words };
}

function usageError(): UsageError {
  return new UsageError(
    "inspect takes a URL, or -- and a command; then list, read URI, prompt NAME key=value…, call TOOL JSON or watch URI…",
  );
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

/** How many words an action takes, at least and at most. */
const WORDS: Readonly<Record<string, readonly [number, number]>> = {
  list: [0, 0],
  read: [1, 1],
  prompt: [1, Infinity],
  call: [1, 2],
  watch: [0, Infinity],
};

function toAction([kind = "list", ...words]: readonly string[]): (view: View) => Promise<number> {
  const [least, most] = WORDS[kind] ?? [1, 0];
  if (words.length < least || words.length > most) throw usageError();
  const [name = "", ...rest] = words;
  if (kind === "read") return (view) => view.show(view.client.readResource(name), text.readText);
  if (kind === "prompt") {
    const args = text.readPairs(rest);
    return (view) => view.show(view.client.getPrompt(name, args), text.promptText);
  }
  if (kind === "call") {
    const args = readObject(rest[0] ?? "{}");
    return (view) => view.show(view.client.callTool(name, args, view.progress()), text.toolText);
  }
  return kind === "watch" ? (view) => view.watch(words) : (view) => view.list();
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
    ...given({ timeoutMs, connectTimeoutMs: timeoutMs }),
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

/** Prints what a server answers. */
class View {
  readonly client: Client;
  readonly #platform: Platform;
  readonly #asJson: boolean;
  readonly #summary: ServerSummary;

  constructor(platform: Platform, options: Options, client: Client, connectMs: number) {
    const { era, version, server: { info, capabilities, instructions } } = client;
    this.client = client;
    this.#platform = platform;
    this.#asJson = options.get("json") === true;
    this.#summary = { server: info, era, version, capabilities, instructions, connectMs: rounded(connectMs) };
  }

  async show<T extends Result>(answer: Promise<T>, toText: (result: T) => string): Promise<number> {
    const start = performance.now();
    const result = await answer;
    const answerMs = rounded(performance.now() - start);
    if (this.#asJson) this.#print("output", toJson({ ...this.#summary, answerMs, result }));
    else {
      // Not on standard output, which goes into files and pipes.
      this.#print("error", `${text.summaryLine(this.#summary)}; answered in ${answerMs} ms\n`);
      this.#print("output", toText(result));
    }
    return result["isError"] === true ? 1 : 0;
  }

  async list(): Promise<number> {
    const { client } = this;
    const { tools, resources, prompts } = client.server.capabilities;
    const start = performance.now();
    const lists: Lists = {
      ...(tools ? { tools: await text.collect(client.tools()) } : {}),
      ...(resources ? { resources: await text.collect(client.resources()) } : {}),
      ...(resources
        ? { resourceTemplates: await text.collect(client.resourceTemplates()).catch(unknown) }
        : {}),
      ...(prompts ? { prompts: await text.collect(client.prompts()) } : {}),
    };
    const answerMs = rounded(performance.now() - start);
    this.#print(
      "output",
      this.#asJson
        ? toJson({ ...this.#summary, answerMs, ...lists })
        : `${text.summaryLine(this.#summary)}; listed in ${answerMs} ms\n${
          text.listText(this.#summary, lists)
        }`,
    );
    return 0;
  }

  /** Prints changes until the server or a signal ends the stream. */
  async watch(uris: readonly string[]): Promise<number> {
    const changes = await this.client.listen({ tools: true, prompts: true, resources: true, uris });
    this.#platform.onInterrupt(() => changes.close());
    const { served } = changes;
    if (this.#asJson) this.#print("output", `${JSON.stringify({ ...this.#summary, served })}\n`);
    else this.#print("error", `${text.summaryLine(this.#summary)}\n${text.watchText(served)}\n`);
    for await (const event of changes) {
      const time = new Date().toISOString();
      const line = this.#asJson ? JSON.stringify({ time, ...event }) : `${time}  ${text.changeText(event)}`;
      this.#print("output", `${line}\n`);
    }
    return 0;
  }

  /** Options that print the progress of a call, unless the output is JSON. */
  progress(): CallOptions {
    if (this.#asJson) return {};
    return {
      onprogress: ({ progress, total, message }) => {
        const share = total === undefined ? `${progress}` : `${progress} of ${total}`;
        this.#print("error", `${printable(message === undefined ? share : `${share}: ${message}`)}\n`);
      },
    };
  }

  #print(stream: "output" | "error", output: string): void {
    this.#platform.print(stream, output);
  }
}

/** Many servers have resources but no templates, and do not know the method. */
function unknown(cause: unknown): [] {
  if (cause instanceof RpcError) return [];
  throw cause;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
