/** The command inspect: a client on the command line for any MCP server, for people and for scripts. */

import type { Platform } from "../platform/platform.ts";
import type {
  CallOptions,
  Client,
  Connectable,
  Era,
  HttpOptions,
  Progress,
  Result,
} from "../mcp/client/mod.ts";
import type { Options } from "./options.ts";
import { discardBody } from "../base/responses.ts";
import { asObject, compact, isObject, tryParse, visibleJson } from "../base/json.ts";
import { printable } from "../base/text.ts";
import { connect } from "../mcp/client/connect.ts";
import { ClientError, ConnectError } from "../mcp/client/errors.ts";
import { RpcError } from "../jsonrpc/message.ts";
import { TransportError } from "../jsonrpc/transport/stream.ts";
import { SKILLS } from "../mcp/protocol/methods.ts";
import { listText, resultText } from "./answer_text.ts";
import { ConfigurationError, unknownName, UsageError } from "./errors.ts";
import { collect, readTextFile, toJsonText } from "./io.ts";
import { checkOperands, readPairs } from "./operands.ts";
import { VERSION } from "./this_copy.ts";

/** Maximum size of a list, in UTF-16 units. All lists are kept until they are printed. */
const MAX_LIST_SIZE = 16 * 1024 * 1024;

type Target = string | readonly string[];

/** Runs the command; the exit code is 1 when the server cannot be reached, answers with an error, or a tool fails. */
export async function inspect(platform: Platform, options: Options): Promise<number> {
  const { target, words } = readTarget(options);
  const action = toAction(words);
  const asJson = options.has("json") || options.get("format") === "json";
  let client: Client | undefined;
  const warned = new Set<string>();
  try {
    const start = performance.now();
    const timeoutMs = options.get<number>("timeout");
    client = await connect(await connectable(platform, options, target), {
      info: { name: "architrave", title: "Architrave", version: VERSION },
      ...compact({ era: options.get<Era>("era"), timeoutMs, connectTimeoutMs: timeoutMs }),
      maxListSize: MAX_LIST_SIZE,
      onwarning: (message) => {
        // A program that speaks something else would repeat it for each of its lines.
        if (!warned.has(message)) note(platform, `architrave: ${message}`);
        if (warned.size < MAX_WARNED) warned.add(message);
      },
      onlog: ({ level, data }) =>
        note(platform, `${level}: ${typeof data === "string" ? data : JSON.stringify(data)}`),
    });
    const { era, version, server: { info: server, capabilities, instructions } } = client;
    const summary = { server, era, version, capabilities, instructions, connectMs: msSince(start) };
    const name = [server["name"] ?? "a server without a name", server["version"]].filter(Boolean).join(" ");
    const heading = printable(`${name}: revision ${version} (${era}), connected in ${summary.connectMs} ms`);
    if (!action) return await watch(platform, client, words.slice(1), asJson ? summary : heading);
    const sentAt = performance.now();
    const onprogress = ({ progress, total, message }: Progress) => {
      const share = total === undefined ? `${progress}` : `${progress} of ${total}`;
      note(platform, message === undefined ? share : `${share}: ${message}`);
    };
    const result = await action(client, asJson ? {} : { onprogress });
    const answerMs = msSince(sentAt), isList = action === list;
    if (asJson) {
      platform.print("output", toJsonText({ ...summary, answerMs, ...(isList ? result : { result }) }));
    } else {
      const done = isList ? "listed" : "answered";
      // Results go into files and pipes without the heading.
      platform.print(isList ? "output" : "error", `${heading}; ${done} in ${answerMs} ms\n`);
      platform.print("output", isList ? listText(capabilities, instructions, result) : resultText(result));
    }
    return result["isError"] === true ? 1 : 0;
  } catch (cause) {
    if (![RpcError, ClientError, TransportError].some((type) => cause instanceof type)) throw cause;
    const { message } = cause as Error;
    const isOther = OTHER_SERVER.test(message) &&
      !/needs other credentials|the status 50[0234]/.test(message);
    const way = message.startsWith("Cannot reach")
      ? "; check the address, and that the server runs"
      : message.endsWith("needs other credentials") && !options.has("login")
      ? ": sign in with --login, or send a token with --token-file"
      : isOther
      ? `; it may not speak MCP: check the ${typeof target === "string" ? "address" : "command"}`
      : "";
    note(
      platform,
      `architrave: ${isOther && /<(?:!doctype )?html/i.test(message) ? brief(message) : message}${way}`,
    );
    return 1;
  } finally {
    await client?.close();
  }
}

/** The server, and the words of the action, which may be before `--`, after a second `--`, or at the end of the command. */
function readTarget({ operands, rest }: Options): { target: Target; words: readonly string[] } {
  const [url = "", ...words] = operands;
  if (!rest && /^https?:\/\//.test(url)) return { target: url, words };
  const at = rest?.indexOf("--") ?? -1;
  const [command = [], second] = at < 0 ? [rest] : [rest!.slice(0, at), rest!.slice(at + 1)];
  if (operands.length > 0 && second) {
    throw new UsageError("inspect takes one action: write it before or after the command, not both");
  }
  const given = second ?? (operands.length > 0 ? operands : undefined);
  const end = given ? command.length : startOfAction(command);
  if (end > 0) return { target: command.slice(0, end), words: given ?? command.slice(end) };
  throw new UsageError("inspect takes a URL that begins with http, or -- and a command that starts a server");
}

/** The actions. `form` matches their operands, each preceded by NUL: it tells an action from other words of a command. */
const ACTIONS: ReadonlyMap<string, { readonly usage: string; readonly form: RegExp }> = new Map(
  Object.entries({
    "list": /^$/,
    "read URI": /^\0[^\0]+$/,
    "prompt NAME [KEY=VALUE]...": /^\0[^\0=]+(?:\0[^\0=-][^\0=]*=[^\0]*)*$/,
    "call TOOL [JSON]": /^\0[^\0]+(?:\0\s*\{[^\0]*)?$/,
    "watch [URI]...": /^(?:\0[A-Za-z][\w+.-]*:[^\0]*)*$/,
  }).map(([usage, form]) => [usage.split(" ", 1)[0]!, { usage, form }]),
);

/** Where the command ends, in words that may end in an action. */
function startOfAction(words: readonly string[]): number {
  const operandsOf = (index: number) => words.slice(index + 1).map((operand) => `\0${operand}`).join("");
  const start = words.findLastIndex((word, index) => ACTIONS.get(word)?.form.test(operandsOf(index)));
  if (start >= 0) return start;
  // A mistake in an action would silently become an argument of the command.
  const asked = words.slice(1).findLast((word) => /^(?:read|prompt|call)$/.test(word));
  if (asked === undefined) return words.length;
  throw new UsageError(
    `What follows "${asked}" is not what it takes ("${ACTIONS.get(asked)!.usage}"); ` +
      "if it belongs to the command, end the command with another --",
  );
}

type Action = (client: Client, options: CallOptions) => Promise<Result>;

/** Checks the words of an action before a connection is made; undefined for watch. */
function toAction([kind = "list", ...operands]: readonly string[]): Action | undefined {
  const action = ACTIONS.get(kind);
  if (!action) throw unknownName("action", kind, ACTIONS.keys());
  checkOperands(action.usage, operands);
  const [name = "", ...rest] = operands;
  if (kind === "list") return list;
  if (kind === "read") return (client) => client.readResource(name);
  if (kind === "watch") return undefined;
  if (kind === "prompt") {
    const pairs = readPairs(rest);
    return (client) => client.getPrompt(name, pairs);
  }
  const [text = "{}"] = rest, args = tryParse(text);
  if (isObject(args)) return (client, options) => client.callTool(name, args, options);
  throw new UsageError(`The arguments of a tool are a JSON object, not ${JSON.stringify(text)}`);
}

/** Loads what the target needs: no network for a program, and no programs for a URL. */
async function connectable(platform: Platform, options: Options, target: Target): Promise<Connectable> {
  if (typeof target !== "string") {
    const { spawnTransport } = await import("../mcp/client/program.ts");
    const [command = "", ...args] = target;
    let exited: Promise<number | string> | undefined;
    // Called again when the program ended at the first request. Some old servers do that, and so does a command that fails.
    return async () => {
      const code = await exited ?? 0;
      if (code === 0) {
        const transport = await spawnTransport({ command, args });
        exited = transport.exited;
        return transport;
      }
      throw new ConnectError(
        `Cannot connect: "${command}" ended with ${code} before it answered; it may have said why, and an old server ` +
          "that ends at server/discover needs --era legacy",
      );
    };
  }
  const { httpTransport } = await import("../mcp/client/http.ts");
  return httpTransport(target, await authorize(platform, options, target));
}

/** Sends a token, or has the user or the client sign in, which may take longer than a connection. */
async function authorize(platform: Platform, options: Options, target: string): Promise<HttpOptions> {
  const token = options.get("token-file"), path = options.get("client-secret-file");
  const id = options.get("client-id"), issuer = options.get("issuer"), isUser = options.has("login");
  const others = ["client-id", "client-secret-file", "issuer", "scope"].filter((name) => options.has(name));
  if (!isUser && others.length > 0 && (path === undefined || id === undefined)) {
    throw new UsageError(`--${others[0]} needs --login, or both --client-id and --client-secret-file`);
  }
  if (token && isUser) throw new UsageError("--login gets a token itself: leave out --token-file");
  if (path !== undefined && id === undefined) throw new UsageError("--client-secret-file needs --client-id");
  const secret = path && readTextFile(platform, path, "the secret of the client").trim();
  if (token !== undefined) {
    const text = readTextFile(platform, token, "the token").trim();
    // Checked here, because a runtime that rejects the header field shows its value.
    if (/^[\x21-\x7e]+$/.test(text)) return { headers: { Authorization: `Bearer ${text}` } };
    throw new ConfigurationError(`Cannot use "${token}": the file must hold one token, without spaces in it`);
  }
  if (!isUser && path === undefined) return {};
  const { authorizedFetch, loopbackLogin } = await import("../mcp/client/authorization.ts");
  const login = loopbackLogin((url) => note(platform, `Open this address in a browser to sign in: ${url}`));
  const fetch = authorizedFetch(target, {
    ...isUser ? { login } : {},
    client: id === undefined ? undefined : { id, secret, issuer },
    clientName: "Architrave",
    scope: options.list("scope").join(" ") || undefined,
  });
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  await fetch(target, { method: "POST", headers, body, redirect: "manual" }).then(discardBody, (cause) => {
    // A server that cannot be reached is reported when the client connects.
    if (cause instanceof ClientError) throw cause;
  });
  return { fetch };
}

async function list(client: Client): Promise<Result> {
  const lists: Record<string, unknown> = {};
  for (const name of ["tools", "resources", "resourceTemplates", "prompts"] as const) {
    const isTemplates = name === "resourceTemplates";
    if (!client.server.capabilities[isTemplates ? "resources" : name]) continue;
    lists[name] = await collect<unknown>(client[name]()).catch((cause) => {
      // Many servers have resources but no templates, and do not know the method.
      if (isTemplates && cause instanceof RpcError) return [];
      throw cause;
    });
  }
  if (isObject(asObject(client.server.capabilities["extensions"])[SKILLS.id])) {
    const { SkillsClient } = await import("../documents/skills/client.ts");
    const found = await collect(new SkillsClient(client).list());
    lists["skills"] = found.map(({ frontmatter, ...skill }) => ({ ...frontmatter, ...skill }));
  }
  return lists;
}

/** Prints changes until the server or a signal ends the stream; as JSON if `summary` is an object. */
async function watch(platform: Platform, client: Client, uris: readonly string[], summary: string | object) {
  const changes = await client.listen({ tools: true, prompts: true, resources: true, uris });
  platform.onInterrupt(() => changes.close());
  const { served } = changes;
  const asJson = typeof summary === "object";
  if (asJson) platform.print("output", `${visibleJson({ ...summary, served })}\n`);
  else {
    const { uris: watched, ...lists } = served;
    const what = [...Object.entries(lists).flatMap(([name, isServed]) => isServed ? name : []), ...watched];
    const watching = `Watching: ${what.join(", ")}. Press Ctrl-C to end it.`;
    note(platform, summary);
    note(platform, what.length > 0 ? watching : "The server reports no changes.");
  }
  for await (const event of changes) {
    const time = new Date().toISOString();
    const change = event.type === "resource" ? printable(event.uri) : `the list of ${event.type}`;
    const line = asJson ? visibleJson({ time, ...event }) : `${time}  changed: ${change}`;
    platform.print("output", `${line}\n`);
  }
  return 0;
}

/** Maximum number of warnings that are remembered, so that each is written once. */
const MAX_WARNED = 100;

/** The start of errors about a server that does not speak MCP. */
const OTHER_SERVER =
  /^Cannot (?:agree on a revision: The (?:server answered|response to) |connect: The connection ended)/;

/** A message without HTML tags. An answer that both eras got is said once. */
function brief(message: string): string {
  return message.replace(/<[^<>]*>|\s+/g, " ").replace(/ {2,}/g, " ")
    .replace(/^(.*? )initialize( .*?) \(server\/discover failed with: .*\2 ?\)$/, "$1initialize$2").trim();
}

function note(platform: Platform, text: string): void {
  platform.print("error", `${printable(text)}\n`);
}

const msSince = (start: number): number => Math.round((performance.now() - start) * 10) / 10;
