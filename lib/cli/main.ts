/** The program: the only code that reads the command line and ends the process. */

import type { Platform } from "../../deps.ts";
import { didYouMean, nearest, printable } from "../base/text.ts";
import { loadPlatform } from "../platform/load.ts";
import { ConfigurationError, UsageError } from "./program.ts";

/** Runs the program and ends the process. `home` is the folder of `mod.ts`; undefined when it is not a file. */
export async function main(home: string | undefined): Promise<void> {
  const platform = await loadPlatform();
  platform.exit(await run(platform, home));
}

/**
 * Runs the program. The exit code is the result: 0 when all is well, 1 when `check` finds errors or something does not
 * exist, 2 for wrong usage or configuration.
 */
export async function run(platform: Platform, home: string | undefined): Promise<number> {
  try {
    const options = serveOptions(platform.arguments, home);
    if (options) return await (await import("./serve.ts")).serve(platform, options);
    return await (await import("./commands.ts")).runCommand(platform, platform.arguments, home);
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    const hint = cause instanceof ConfigurationError ? "" : "; see --help for all commands and options";
    platform.print("error", `architrave: ${printable(cause.message).replace(/\.$/, "")}${hint}.\n`);
    return 2;
  }
}

/** The options of serve, so that a client does not wait for the table of commands; undefined for all other arguments. */
function serveOptions(args: readonly string[], home: string | undefined): Options | undefined {
  try {
    const flags = flagsOf(SERVE_OPTIONS);
    const line = parse(args[0] === "serve" ? args.slice(1) : args, flags);
    return line.words.length > 0 || line.rest ? undefined : new Options(home, line, flags);
  } catch (cause) {
    if (cause instanceof UsageError) return undefined;
    throw cause;
  }
}

/**
 * The options of the server of documents, a line each: name, value and what it does. "A|B" takes one of these, "1..9" a
 * whole number, "NAME=DIR" a pair; "..." behind the value allows the option more than once. One without a value is a switch.
 */
export const SERVE_OPTIONS: string = `
  --root DIR                 folder with resources/ and prompts/ (without it and --mount: a sample)
  --mount NAME=DIR...        serve a folder of markdown as the category NAME
  --records NAME...          read the category NAME as decision records (default: adr, and those that look like it)
  --scheme architecture|file how URIs are listed; both can be read (default: architecture)
  --page-size 1..100000      items on a page of a list (default: 1000)
  --poll 10..86400000        look for changed files every so many milliseconds, without watching
  --log-level silent|error|warning|info|debug
                             what is written to standard error (default: warning for servers, error for other commands)
  --log-format text|json     format of the log (default: text)`;

/** The error for a word that is none of those known. */
export function unknownName(what: string, word: string, known: Iterable<string>, hint?: string): UsageError {
  const names = [...known];
  const reason = hint ?? didYouMean(nearest(word, names));
  return new UsageError(`Unknown ${what} "${word}"${reason}: use one of ${names.join(", ")}`);
}

/** An option. A switch has no label. */
interface Flag {
  readonly name: string;
  readonly label: string | undefined;
  readonly many: boolean;
}

/** Options by how they are written: "--help", "-h". */
export type Flags = ReadonlyMap<string, Flag>;

/** Reads the lines that define options. */
export function flagsOf(lines: string): Flags {
  const line = /^ {2}(?:(-\w), )?(--(\S+))(?: (\S+?)(\.{3})?)?(?= |$)/gm;
  return new Map(
    Array.from(lines.matchAll(line)).flatMap(([, short, long = "", name = "", label, dots]) => {
      const flag = { name, label, many: dots !== undefined };
      return short === undefined ? [[long, flag]] : [[long, flag], [short, flag]];
    }),
  );
}

/** A command line whose values are not checked yet: texts by option, and words. */
export interface Arguments {
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly words: readonly string[];
  readonly rest?: readonly string[] | undefined;
}

/** Tells options from words. Throws a `UsageError` for an option that is unknown, lacks its value, or takes none. */
export function parse(args: readonly string[], flags: Flags): Arguments {
  const given = new Map<string, string[]>();
  const words: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index]!;
    if (arg === "--") return { given, words, rest: args.slice(index + 1) };
    if (!/^-./.test(arg)) {
      words.push(arg);
      continue;
    }
    const [, option = arg, inline] = /^(--[^=]+)=(.*)$/s.exec(arg) ?? [];
    const flag = flags.get(option);
    if (!flag) throw new UsageError(`Unknown option "${option}"${didYouMean(nearest(option, flags.keys()))}`);
    const { name, label } = flag;
    if (label === undefined && inline !== undefined) throw new UsageError(`${option} takes no value`);
    const text = inline ?? (label === undefined ? "" : args[++index]);
    if (text === undefined || (inline === undefined && /^-./.test(text))) {
      throw new UsageError(
        `${option} takes a value (${label}); one that begins with a dash is written ${option}=-…`,
      );
    }
    given.set(name, [...given.get(name) ?? [], text]);
  }
  return { given, words };
}

/** A checked command line. */
export class Options {
  /** The words between the options, without the command. */
  readonly operands: readonly string[];
  /** What follows `--`; undefined without one. */
  readonly rest: readonly string[] | undefined;
  /** The folder of `mod.ts`; undefined when it is not a file. */
  readonly home: string | undefined;
  readonly #values = new Map<string, unknown>();

  /** Throws a `UsageError` for a value that its option does not take. */
  constructor(home: string | undefined, { given, words, rest }: Arguments, flags: Flags) {
    this.home = home;
    this.operands = words;
    this.rest = rest;
    for (const [option, flag] of flags) {
      const texts = given.get(flag.name);
      if (texts) this.#values.set(flag.name, toValue(option, flag, texts));
    }
  }

  /** The value of an option, of the type that its line gives it; undefined when it is not given. */
  get<T = string>(name: string): T | undefined {
    return this.#values.get(name) as T | undefined;
  }

  /** Whether a switch is given. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** The values of an option that may be repeated, or its pairs. */
  list<T = string>(name: string): readonly T[] {
    return this.get<T[]>(name) ?? [];
  }
}

/** A pair of an option that takes them: "adr=docs" is ["adr", "docs"]. */
export type Pair = readonly [string, string];

function toValue(option: string, { label, many }: Flag, texts: readonly string[]): unknown {
  const text = texts.at(-1)!;
  if (label === undefined) return true;
  if (label.includes("=")) return toPairs(option, label, texts);
  if (many) return texts;
  if (label.includes("|") && !label.split("|").includes(text)) {
    throw unknownName(option, text, label.split("|"));
  }
  const [, least, most] = /^(\d+)\.\.(\d+)$/.exec(label) ?? [];
  if (least === undefined) return text;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= Number(least) && number <= Number(most)) return number;
  throw new UsageError(`${option} takes a whole number from ${least} to ${most}, not "${text}"`);
}

function toPairs(option: string, label: string, texts: readonly string[]): Pair[] {
  const pairs = new Map<string, string>();
  for (const text of texts) {
    const [, key, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (key === undefined) {
      // Where a file belongs, there may be a secret, which must not be printed.
      const found = label.endsWith("=FILE") ? "a text without =" : `"${text}"`;
      const example = label === "NAME=DIR" && !text.includes("=") ? `: write ${option} adr=${text}` : "";
      throw new UsageError(`${option} takes ${label}, not ${found}${example}`);
    }
    if (pairs.has(key)) throw new UsageError(`${option} is given twice for "${key}"`);
    pairs.set(key, value!);
  }
  return [...pairs];
}
