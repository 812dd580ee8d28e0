/** The words of a command line of inspect: the server, and what is asked of it. */

import type { Skill } from "../documents/skills/client.ts";
import type { CallOptions, Client, Result } from "../mcp/client/mod.ts";
import type { JsonObject } from "../base/json.ts";
import type { Options } from "./options.ts";
import { asObject, isObject, tryParse } from "../base/json.ts";
import { ErrorCode, RpcError } from "../jsonrpc/message.ts";
import { TransportError } from "../jsonrpc/transport/stream.ts";
import { ClientError } from "../mcp/client/errors.ts";
import { SKILLS } from "../mcp/protocol/methods.ts";
import { unknownName, UsageError } from "./options.ts";
import { checkOperands, readPairs } from "./operands.ts";

/** The URL of a server, or the command that starts one. */
export type ServerTarget = string | readonly string[];

/** The server, and the words of the action, which may be before `--`, after a second `--`, or at the end of the command. */
export function readTarget({ operands, rest }: Options): { target: ServerTarget; words: readonly string[] } {
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
    "call TOOL [JSON|KEY=VALUE]...": /^\0[^\0=]+(?:\0\s*\{[^\0]*|(?:\0[^\0=-][^\0=]*=[^\0]*)*)$/,
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
export function toAction([kind = "list", ...operands]: readonly string[]): Action | undefined {
  const action = ACTIONS.get(kind);
  if (!action) throw unknownName("action", kind, ACTIONS.keys());
  checkOperands(action.usage, operands);
  const [name = "", ...rest] = operands;
  if (kind === "list") return listAll;
  if (kind === "read") return (client) => client.readResource(name);
  if (kind === "watch") return undefined;
  if (kind === "prompt") {
    const pairs = readPairs(rest);
    return (client) => client.getPrompt(name, pairs);
  }
  const [text = "{}", ...more] = rest, args = tryParse(text);
  if (isObject(args) && more.length === 0) return (client, options) => client.callTool(name, args, options);
  if (!rest.every((word) => /^[^{=][^=]*=/.test(word))) {
    throw new UsageError(
      `The arguments of a tool are a JSON object, or KEY=VALUE, not ${JSON.stringify(text)}`,
    );
  }
  const pairs = readPairs(rest);
  return async (client, options) => client.callTool(name, await typed(client, name, pairs), options);
}

/** Arguments as the schema of a tool has them: a text where it says so, else JSON where the text is JSON. */
async function typed(
  client: Client,
  name: string,
  pairs: Readonly<Record<string, string>>,
): Promise<JsonObject> {
  let properties: JsonObject = {};
  for await (const tool of client.tools()) {
    if (tool.name === name) properties = asObject(asObject(tool.inputSchema)["properties"]);
  }
  return Object.fromEntries(
    Object.entries(pairs).map(([key, text]) => {
      const isText = asObject(properties[key])["type"] === "string";
      return [key, isText ? text : tryParse(text) ?? text];
    }),
  );
}

/** Asks for all lists that the server has. If one fails, its items so far are kept, and `errors` has the message by its name. */
export async function listAll(client: Client): Promise<Result> {
  const { capabilities } = client.server;
  const lists: Record<string, unknown> = {}, errors: Record<string, string> = {};
  const read = async (name: string, items: AsyncIterable<unknown>) => {
    const found: unknown[] = lists[name] = [];
    try {
      for await (const item of items) found.push(item);
    } catch (cause) {
      // Many servers have resources but no templates, and do not know the method.
      const isNone = name === "resourceTemplates" && cause instanceof RpcError &&
        cause.code === ErrorCode.methodNotFound;
      if (!isNone) errors[name] = messageOf(cause);
    }
  };
  for (const name of ["tools", "resources", "resourceTemplates", "prompts"] as const) {
    if (capabilities[name === "resourceTemplates" ? "resources" : name]) await read(name, client[name]());
  }
  if (isObject(asObject(capabilities["extensions"])[SKILLS.id])) {
    const { SkillsClient } = await import("../documents/skills/client.ts");
    await read("skills", flat(new SkillsClient(client).list()));
  }
  return Object.keys(errors).length > 0 ? { ...lists, errors } : lists;
}

/** Skills with the fields of their front matter. */
async function* flat(skills: AsyncIterable<Skill>): AsyncGenerator<object> {
  for await (const { frontmatter, ...skill } of skills) yield { ...frontmatter, ...skill };
}

/** The message of a failure of the server. Throws any other error again. */
export function messageOf(cause: unknown): string {
  if (![RpcError, ClientError, TransportError].some((type) => cause instanceof type)) throw cause;
  return (cause as Error).message;
}
