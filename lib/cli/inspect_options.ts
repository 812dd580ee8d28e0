/** Which server is looked at, and what is asked of it? What follows `inspect` on the command line, checked as a whole. */

import type { ArgumentReader } from "../../deps.ts";
import type { Era } from "../client/revisions.ts";
import { UsageError } from "./options.ts";

/** Where the server is. */
export type Target =
  | { readonly url: string; readonly command?: never }
  | { readonly url?: never; readonly command: readonly [string, ...string[]] };

/** What is asked of it. */
export type Action =
  | { readonly kind: "list" }
  | { readonly kind: "read"; readonly uri: string }
  | { readonly kind: "prompt"; readonly name: string; readonly args: Readonly<Record<string, string>> }
  | { readonly kind: "call"; readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly kind: "watch"; readonly uris: readonly string[] };

/** What was asked for. */
export interface InspectOptions {
  readonly target: Target;
  readonly action: Action;
  readonly json: boolean;
  readonly era: Era | "auto";
  /** In milliseconds. */
  readonly timeoutMs: number | undefined;
  /** Where the token is that the server wants. */
  readonly tokenFile: string | undefined;
}

const FLAGS = {
  json: { type: "boolean" },
  era: { type: "string" },
  timeout: { type: "string" },
  "token-file": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

const USAGE =
  "inspect takes a URL, or -- and a command; then list, read URI, prompt NAME key=value…, call TOOL JSON or watch URI…";

/**
 * Reads what follows `inspect`. What is asked stands after the server, or before `--`; after a command it is set off with
 * another `--` where the command itself could end like that.
 *
 * @returns What was asked for; undefined when it is help.
 * @throws {UsageError} When anything in it is unknown, missing, or not as it must be.
 */
export async function readInspectOptions(
  args: readonly string[],
  read: ArgumentReader,
): Promise<InspectOptions | undefined> {
  const at = args.indexOf("--");
  const { values, positionals } = await parse(at < 0 ? args : args.slice(0, at), read);
  if (values["help"]) return undefined;
  const { target, words } = at < 0 ? atUrl(positionals) : split(positionals, args.slice(at + 1));
  return {
    target,
    action: readAction(words),
    json: values["json"] === true,
    era: readEra(values["era"] as string | undefined),
    timeoutMs: readTimeout(values["timeout"] as string | undefined),
    tokenFile: values["token-file"] as string | undefined,
  };
}

async function parse(args: readonly string[], read: ArgumentReader): ReturnType<ArgumentReader> {
  try {
    return await read(args, FLAGS);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    // The runtime goes on with what command lines are like in general.
    throw new UsageError(cause.message.split(/\. |\.?\n/, 1)[0]!, { cause });
  }
}

function atUrl([url, ...words]: readonly string[]): { target: Target; words: readonly string[] } {
  if (url === undefined || !/^https?:\/\//.test(url)) throw new UsageError(USAGE);
  return { target: { url }, words };
}

function split(
  before: readonly string[],
  after: readonly string[],
): { target: Target; words: readonly string[] } {
  const second = after.indexOf("--");
  if (before.length > 0 && second >= 0) {
    throw new UsageError("What is asked stands before or after the command, not both");
  }
  const cut = second >= 0 ? second : before.length > 0 ? after.length : startOfAction(after);
  const [program, ...rest] = after.slice(0, cut);
  if (program === undefined) throw new UsageError(USAGE);
  const words = before.length > 0 ? before : after.slice(second >= 0 ? second + 1 : cut);
  return { target: { command: [program, ...rest] }, words };
}

/** Where the words of a command end that has what is asked behind it. */
function startOfAction(words: readonly string[]): number {
  const at = (fromEnd: number) => words.length > fromEnd ? words[words.length - fromEnd] : undefined;
  if (at(1) === "list") return words.length - 1;
  let uris = words.length;
  while (uris > 0 && /^[A-Za-z][\w+.-]*:/.test(words[uris - 1]!)) uris--;
  if (words[uris - 1] === "watch") return uris - 1;
  if (at(2) === "read") return words.length - 2;
  if (at(2) === "call") return words.length - 2;
  if (at(3) === "call" && at(1)!.trimStart().startsWith("{")) return words.length - 3;
  let pairs = words.length;
  while (pairs > 0 && /^[^=-][^=]*=/.test(words[pairs - 1]!)) pairs--;
  if (pairs > 2 && words[pairs - 2] === "prompt") return pairs - 2;
  // A mistake in what is asked would go to the server as a word of its command, and nobody would hear of it.
  const asked = words.slice(1).findLast((word) => ["read", "prompt", "call"].includes(word));
  if (asked === undefined) return words.length;
  throw new UsageError(
    `What follows "${asked}" is not what it takes (read URI, prompt NAME key=value…, call TOOL JSON); ` +
      "if it belongs to the command, end that with another --",
  );
}

function readAction([kind = "list", ...words]: readonly string[]): Action {
  const [name, ...rest] = words;
  if (kind === "list" && name === undefined) return { kind };
  if (kind === "watch") return { kind, uris: words };
  if (kind === "read" && name !== undefined && rest.length === 0) return { kind, uri: name };
  if (kind === "prompt" && name !== undefined) return { kind, name, args: readPairs(rest) };
  if (kind === "call" && name !== undefined && rest.length <= 1) {
    return { kind, name, args: readObject(rest[0]) };
  }
  throw new UsageError(USAGE);
}

function readPairs(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(pairs.map((pair): [string, string] => {
    const at = pair.indexOf("=");
    if (at < 1) throw new UsageError(`An argument of a prompt is written key=value, and "${pair}" is not`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  }));
}

function readObject(text: string = "{}"): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`The arguments of a tool are a JSON object, and ${JSON.stringify(text)} is no JSON`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new UsageError(`The arguments of a tool are a JSON object, and ${text} is none`);
}

function readEra(text: string = "auto"): Era | "auto" {
  if (text === "auto" || text === "modern" || text === "legacy") return text;
  throw new UsageError(`Unknown --era "${text}": use one of auto, modern, legacy`);
}

function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--timeout takes a whole number of milliseconds, not "${text}"`);
}
