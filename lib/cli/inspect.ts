/** What does any MCP server offer and answer? `inspect`: a client on the command line, for people and for scripts. */

import type { Platform } from "../../deps.ts";
import type { ClientTransport } from "../client/carrier.ts";
import type { Client } from "../client/client.ts";
import type { Action, InspectOptions } from "./inspect_options.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { connect } from "../client/connect.ts";
import { ConnectError, HttpError, ProtocolError, TimeoutError } from "../client/errors.ts";
import { oneLine } from "./log.ts";
import { readInspectOptions } from "./inspect_options.ts";
import { withOpened } from "./opened.ts";
import { UsageError } from "./options.ts";
import * as text from "./inspect_text.ts";
import { VERSION } from "./version.ts";

/**
 * Looks at a server; the exit code is 1 when it cannot be reached, or refuses what is asked.
 *
 * @param args What follows `inspect` on the command line.
 * @throws {UsageError} When they cannot be carried out as written.
 */
export async function inspect(platform: Platform, args: readonly string[]): Promise<number> {
  const options = await readInspectOptions(args, platform.readArguments);
  if (!options) {
    platform.print("output", (await import("./help.ts")).HELP);
    return 0;
  }
  let client: Client | undefined;
  try {
    const start = performance.now();
    client = await open(platform, options);
    const view = new View(platform, options, client, performance.now() - start);
    return await view.show(options.action);
  } catch (cause) {
    if (!isExpected(cause)) throw cause;
    platform.print("error", `architrave: ${oneLine((cause as Error).message)}\n`);
    return 1;
  } finally {
    await client?.close();
  }
}

function isExpected(cause: unknown): boolean {
  return [RpcError, ConnectError, HttpError, ProtocolError, TimeoutError].some((kind) =>
    cause instanceof kind
  );
}

async function open(platform: Platform, options: InspectOptions): Promise<Client> {
  const { era, timeoutMs } = options;
  return await connect(await carrierTo(platform, options), {
    info: { name: "architrave", title: "Architrave", version: VERSION },
    era,
    ...(timeoutMs === undefined ? {} : { timeoutMs, connectTimeoutMs: timeoutMs }),
    onwarning: (message) => platform.print("error", `architrave: ${oneLine(message)}\n`),
    onlog: ({ level, data }) =>
      platform.print(
        "error",
        `${oneLine(`${level}: ${typeof data === "string" ? data : JSON.stringify(data)}`)}\n`,
      ),
  });
}

/** Only what is needed is loaded: a program needs no network, and a network no programs. */
async function carrierTo(
  platform: Platform,
  { target, tokenFile }: InspectOptions,
): Promise<ClientTransport | (() => Promise<ClientTransport>)> {
  if (target.url !== undefined) {
    const { httpTransport } = await import("../client/http.ts");
    const token = tokenFile === undefined ? undefined : readToken(platform, tokenFile);
    return httpTransport(
      target.url,
      token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } },
    );
  }
  const { spawnTransport } = await import("../client/program.ts");
  const [command, ...args] = target.command;
  return () => spawnTransport({ command, args });
}

/** From a file: what is on a command line can be read by everybody on the machine. */
function readToken(platform: Platform, path: string): string {
  let token: string;
  try {
    token = withOpened(
      platform.files,
      path,
      (file) => new TextDecoder().decode(file.read(file.status().size)).trim(),
    );
  } catch (cause) {
    throw new UsageError(`Cannot read the token in "${path}"`, { cause });
  }
  // The value itself is never shown, which a runtime that refuses the header field would do.
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(
    `Cannot use the token in "${path}": the file must hold one token, without blanks in it`,
  );
}

/** What is shown of one server. */
class View {
  readonly #platform: Platform;
  readonly #json: boolean;
  readonly #client: Client;
  readonly #facts: text.Facts;

  constructor(platform: Platform, { json }: InspectOptions, client: Client, connectMs: number) {
    this.#platform = platform;
    this.#json = json;
    this.#client = client;
    const { era, version, server: { info, capabilities, instructions } } = client;
    this.#facts = { server: info, era, version, capabilities, instructions, connectMs: round(connectMs) };
  }

  async show(action: Action): Promise<number> {
    if (action.kind === "watch") return await this.#watch(action.uris);
    const start = performance.now();
    const result = await this.#ask(action);
    const answerMs = round(performance.now() - start);
    if (this.#json) {
      this.#print(`${JSON.stringify({ ...this.#facts, answerMs, ...result }, null, 2)}\n`);
    } else {
      // What is answered goes into files and pipes; what is known of the server beside it does not.
      const head = `${text.head(this.#facts)}; answered in ${answerMs} ms\n`;
      if (action.kind !== "list") this.#platform.print("error", head);
      this.#print(text.toText(action.kind, this.#facts, result, answerMs));
    }
    return (result["result"] as { isError?: boolean } | undefined)?.isError === true ? 1 : 0;
  }

  async #ask(action: Exclude<Action, { kind: "watch" }>): Promise<Record<string, unknown>> {
    const client = this.#client;
    switch (action.kind) {
      case "list":
        return await this.#lists();
      case "read":
        return { result: await client.readResource(action.uri) };
      case "prompt":
        return { result: await client.getPrompt(action.name, action.args) };
      case "call":
        return { result: await client.callTool(action.name, action.args, this.#progress()) };
    }
  }

  #progress(): { onprogress?: (progress: { progress: number; total?: number; message?: string }) => void } {
    if (this.#json) return {};
    return {
      onprogress: ({ progress, total, message }) => {
        const part = total === undefined ? `${progress}` : `${progress} of ${total}`;
        this.#platform.print(
          "error",
          `${oneLine(`${part}${message === undefined ? "" : `: ${message}`}`)}\n`,
        );
      },
    };
  }

  async #lists(): Promise<Record<string, unknown>> {
    const client = this.#client;
    const has = (name: string) => client.server.capabilities[name] !== undefined;
    return {
      ...(has("tools") ? { tools: await collect(client.tools()) } : {}),
      ...(has("resources")
        ? {
          resources: await collect(client.resources()),
          // Many servers that have resources have no families of them, and do not know the method.
          resourceTemplates: await collect(client.resourceTemplates()).catch((cause) => {
            if (cause instanceof RpcError) return [];
            throw cause;
          }),
        }
        : {}),
      ...(has("prompts") ? { prompts: await collect(client.prompts()) } : {}),
    };
  }

  /** Shows what changes until somebody ends it, or the server does. */
  async #watch(uris: readonly string[]): Promise<number> {
    const changes = await this.#client.listen({ tools: true, prompts: true, resources: true, uris });
    this.#platform.onInterrupt(() => changes.close());
    if (this.#json) this.#print(`${JSON.stringify({ ...this.#facts, served: changes.served })}\n`);
    else this.#platform.print("error", `${text.head(this.#facts)}\n${text.watching(changes.served)}\n`);
    for await (const event of changes) {
      const time = new Date().toISOString();
      this.#print(
        this.#json ? `${JSON.stringify({ time, ...event })}\n` : `${time}  ${text.change(event)}\n`,
      );
    }
    return 0;
  }

  #print(output: string): void {
    this.#platform.print("output", output);
  }
}

async function collect<T>(things: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const thing of things) found.push(thing);
  return found;
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
