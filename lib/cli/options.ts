/** What does the command line ask for? Checked as a whole, before anything is opened. */

import type { ArgumentReader, Flags, ReadArguments } from "../../deps.ts";
import type { Mount } from "../documents/index_files.ts";
import type { Scheme } from "../documents/uri.ts";
import type { LogFormat, LogLevel } from "./log.ts";
import { LOG_FORMATS, LOG_LEVELS } from "./log.ts";

/** What can be asked of the program. */
const COMMANDS = ["serve", "list", "read", "prompt", "check", "http", "help", "version"] as const;
export type Command = (typeof COMMANDS)[number];

/** What was asked. */
export interface Options {
  readonly command: Command;
  /** What follows the command. */
  readonly operands: readonly string[];
  readonly root: string | undefined;
  readonly mounts: readonly Mount[];
  readonly scheme: Scheme;
  readonly pageSize: number | undefined;
  /** In milliseconds. */
  readonly poll: number | undefined;
  readonly logLevel: LogLevel | undefined;
  readonly logFormat: LogFormat;
  readonly format: "text" | "json";
  /** Of the command http; undefined of every other. */
  readonly network: Network | undefined;
}

/** What is asked of the command http. */
export interface Network {
  readonly hostname: string;
  readonly port: number;
  readonly tokenFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Whether anybody is let in who can reach an address that others can reach too. */
  readonly anybody: boolean;
}

/** The command line cannot be carried out as written; the message is one sentence that says what to change. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const FLAGS = {
  root: { type: "string" },
  mount: { type: "string", multiple: true },
  scheme: { type: "string" },
  "page-size": { type: "string" },
  poll: { type: "string" },
  "log-level": { type: "string" },
  "log-format": { type: "string" },
  format: { type: "string" },
  listen: { type: "string" },
  "token-file": { type: "string" },
  "key-file": { type: "string" },
  "allow-host": { type: "string", multiple: true },
  "allow-origin": { type: "string", multiple: true },
  "allow-anybody": { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "V" },
} as const;

/** How many operands a command takes, at least and at most. */
const OPERANDS: Readonly<Record<Command, readonly [number, number, string]>> = {
  serve: [0, 0, "nothing"],
  http: [0, 0, "nothing"],
  list: [0, 0, "nothing"],
  read: [1, 1, "one URI"],
  prompt: [1, Infinity, "a name and key=value pairs"],
  check: [0, 0, "nothing"],
  help: [0, Infinity, "nothing"],
  version: [0, Infinity, "nothing"],
};

/**
 * Reads the arguments of the program.
 *
 * @param read The runtime's own reader of arguments; it is not asked when there are none.
 * @throws {UsageError} When anything in them is unknown, missing, or not as it must be.
 */
export async function readOptions(args: readonly string[], read: ArgumentReader): Promise<Options> {
  const { values, positionals } = args.length === 0
    ? { values: {}, positionals: [] }
    : await parse(args, FLAGS, read);
  const flag = (name: keyof typeof FLAGS) => values[name] as string | undefined;
  const word = positionals[0] ?? "serve";
  if (word === "inspect") throw new UsageError("inspect comes before everything that is said about it");
  const command = values["help"] ? "help" : values["version"] ? "version" : oneOf("command", word, COMMANDS);
  const operands = positionals.slice(1);
  const [least, most, wanted] = OPERANDS[command];
  if (operands.length < least || operands.length > most) {
    const found = operands.length === 0 ? "nothing follows it" : `"${operands.join(" ")}" follows it`;
    throw new UsageError(`The command ${command} takes ${wanted}, and ${found}`);
  }
  return {
    command,
    operands,
    root: flag("root"),
    mounts: readMounts(values["mount"] as string[] | undefined),
    scheme: oneOf("--scheme", flag("scheme") ?? "architecture", ["architecture", "file"]),
    pageSize: wholeNumber("--page-size", flag("page-size"), 1, 100_000),
    poll: wholeNumber("--poll", flag("poll"), 10, 86_400_000),
    logLevel: values["log-level"] === undefined
      ? undefined
      : oneOf("--log-level", flag("log-level")!, LOG_LEVELS),
    logFormat: oneOf("--log-format", flag("log-format") ?? "text", LOG_FORMATS),
    format: oneOf("--format", flag("format") ?? "text", ["text", "json"]),
    network: readNetwork(command, values),
  };
}

/** The flags that only http knows: who gives one to another command means something else than what would happen. */
const NETWORK_FLAGS = ["listen", "token-file", "key-file", "allow-host", "allow-origin", "allow-anybody"];

function readNetwork(command: Command, values: ReadArguments["values"]): Network | undefined {
  if (command !== "http") {
    const stray = NETWORK_FLAGS.find((name) => values[name] !== undefined);
    if (stray === undefined || command === "help" || command === "version") return undefined;
    throw new UsageError(`--${stray} is for the command http, not for ${command}`);
  }
  const text = (values["listen"] ?? "127.0.0.1:8080") as string;
  const [, host = "127.0.0.1", port] = /^(?:(\[[0-9A-Fa-f:.]+\]|[^\s:[\]]+):)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new UsageError(`--listen takes HOST:PORT or a port from 0 to 65535, and "${text}" is not that`);
  }
  return {
    hostname: host.replace(/^\[|\]$/g, ""),
    port: Number(port),
    tokenFile: values["token-file"] as string | undefined,
    keyFile: values["key-file"] as string | undefined,
    allowedHosts: (values["allow-host"] ?? []) as string[],
    allowedOrigins: (values["allow-origin"] ?? []) as string[],
    anybody: values["allow-anybody"] === true,
  };
}

/**
 * Tells flags from words.
 *
 * @throws {UsageError} For a flag that is not known or lacks its value.
 */
export async function parse(
  args: readonly string[],
  flags: Flags,
  read: ArgumentReader,
): ReturnType<ArgumentReader> {
  try {
    return await read(args, flags);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new UsageError(explain(cause.message, flags), { cause });
  }
}

/** The runtime explains a mistake in three sentences about command lines in general; one about this flag is enough. */
function explain(message: string, flags: Flags): string {
  const flag = (/--[A-Za-z][\w-]*/.exec(message) ?? /-[A-Za-z]/.exec(message))?.[0];
  if (flag === undefined) return message.split(/\.? |\n/, 1)[0]!;
  if (message.startsWith("Unknown option")) return `Unknown option "${flag}"`;
  const known = Object.entries(flags).find(([name]) => flag === `--${name}`)?.[1];
  return known?.type === "string"
    ? `${flag} takes a value; one that begins with a dash is written ${flag}=-…`
    : `${flag} takes no value`;
}

function readMounts(texts: readonly string[] = []): Mount[] {
  const mounts = texts.map((text) => {
    const at = text.indexOf("=");
    const name = text.slice(0, Math.max(at, 0));
    const path = text.slice(at + 1);
    if (at < 1 || path === "") throw new UsageError(`--mount takes NAME=DIR, and "${text}" is not that`);
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
      throw new UsageError(
        `--mount takes a name of letters, digits, dots, dashes and underscores, not "${name}"`,
      );
    }
    return { name, path };
  });
  const twice = mounts.find(({ name }, index) => mounts.findIndex((other) => other.name === name) < index);
  if (twice) throw new UsageError(`--mount names "${twice.name}" twice`);
  return mounts;
}

/** A word that is one of a few. */
export function oneOf<T extends string>(what: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new UsageError(`Unknown ${what} "${value}": use one of ${allowed.join(", ")}`);
}

/** A number between two others; undefined where nothing is said. */
export function wholeNumber(
  what: string,
  text: string | undefined,
  least: number,
  most: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`${what} takes a whole number from ${least} to ${most}, not "${text}"`);
}
