/** What does the command line ask of a gateway? Checked as a whole, before anything is opened. */

import type { ArgumentReader } from "../../deps.ts";
import type { Filter } from "../gateway/mod.ts";
import type { LogFormat, LogLevel } from "./log.ts";
import { LOG_FORMATS, LOG_LEVELS } from "./log.ts";
import { oneOf, parse, UsageError, wholeNumber } from "./options.ts";

/** What was asked. */
export interface GatewayCommand {
  /** The file that describes the API, and what it is. */
  readonly file: string;
  readonly kind: "openapi" | "endpoints";
  readonly base: string | undefined;
  readonly filter: Filter;
  readonly allowDestructive: boolean;
  readonly safe: readonly string[];
  /** Files with secrets, by the name of the credential. */
  readonly authFiles: ReadonlyMap<string, string>;
  /** Files with secrets, by the name of the header. */
  readonly headerFiles: ReadonlyMap<string, string>;
  readonly withoutCredentials: boolean;
  /** Values of server variables. */
  readonly variables: ReadonlyMap<string, string>;
  readonly maxTools: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly maxBytes: number | undefined;
  readonly concurrency: number | undefined;
  /** Whether to show what would be served in place of serving it. */
  readonly isList: boolean;
  readonly format: "text" | "json";
  readonly logLevel: LogLevel | undefined;
  readonly logFormat: LogFormat;
}

const TEXT = { type: "string" } as const;
const TEXTS = { type: "string", multiple: true } as const;
const SWITCH = { type: "boolean" } as const;

const FLAGS = {
  openapi: TEXT,
  endpoints: TEXT,
  base: TEXT,
  tag: TEXTS,
  path: TEXTS,
  operation: TEXTS,
  "allow-destructive": SWITCH,
  safe: TEXTS,
  "auth-file": TEXTS,
  "header-file": TEXTS,
  "without-credentials": SWITCH,
  variable: TEXTS,
  "max-tools": TEXT,
  timeout: TEXT,
  "max-bytes": TEXT,
  concurrency: TEXT,
  list: SWITCH,
  format: TEXT,
  "log-level": TEXT,
  "log-format": TEXT,
  help: { type: "boolean", short: "h" },
} as const;

/**
 * Reads what follows the word `gateway`; undefined when help is wanted.
 *
 * @throws {UsageError} When anything in it is unknown, missing, or not as it must be.
 */
export async function readGatewayOptions(
  args: readonly string[],
  read: ArgumentReader,
): Promise<GatewayCommand | undefined> {
  const { values, positionals } = await parse(args, FLAGS, read);
  if (values["help"]) return undefined;
  if (positionals.length > 0) {
    throw new UsageError(`The command gateway takes no words, and "${positionals[0]}" is one`);
  }
  const text = (name: keyof typeof FLAGS) => values[name] as string | undefined;
  const texts = (name: keyof typeof FLAGS) => (values[name] ?? []) as readonly string[];
  const openapi = text("openapi");
  const endpoints = text("endpoints");
  if ((openapi === undefined) === (endpoints === undefined)) {
    throw new UsageError("A gateway takes either --openapi FILE or --endpoints FILE");
  }
  const level = text("log-level");
  return {
    file: (openapi ?? endpoints)!,
    kind: openapi === undefined ? "endpoints" : "openapi",
    base: text("base"),
    filter: { tags: texts("tag"), paths: texts("path"), operations: texts("operation") },
    allowDestructive: values["allow-destructive"] === true,
    safe: texts("safe"),
    authFiles: readPairs("--auth-file", "NAME=FILE", texts("auth-file")),
    headerFiles: readPairs("--header-file", "HEADER=FILE", texts("header-file")),
    withoutCredentials: values["without-credentials"] === true,
    variables: readPairs("--variable", "NAME=VALUE", texts("variable")),
    maxTools: wholeNumber("--max-tools", text("max-tools"), 0, 100_000),
    timeoutMs: wholeNumber("--timeout", text("timeout"), 1, 3_600_000),
    maxBytes: wholeNumber("--max-bytes", text("max-bytes"), 1, 64 * 1024 * 1024),
    concurrency: wholeNumber("--concurrency", text("concurrency"), 1, 1000),
    isList: values["list"] === true,
    format: oneOf("--format", text("format") ?? "text", ["text", "json"]),
    logLevel: level === undefined ? undefined : oneOf("--log-level", level, LOG_LEVELS),
    logFormat: oneOf("--log-format", text("log-format") ?? "text", LOG_FORMATS),
  };
}

function readPairs(flag: string, form: string, texts: readonly string[]): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf("=");
    // What follows may be a secret that somebody wrote where its file belongs.
    if (at < 1 || at === text.length - 1) {
      throw new UsageError(`${flag} takes ${form}, and one of them is not that`);
    }
    const name = text.slice(0, at);
    if (pairs.has(name)) throw new UsageError(`${flag} names "${name}" twice`);
    pairs.set(name, text.slice(at + 1));
  }
  return pairs;
}
