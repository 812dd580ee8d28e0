/** The program: the only code that reads the command line and ends the process; and what the commands share. */

import type { FileSystem, Platform } from "../platform/platform.ts";
import type { Finding, Mount } from "../documents/mod.ts";
import type { ServerOptions } from "../mcp/server/services.ts";
import { Throttle } from "../base/async.ts";
import { asObject, asString, compact, visibleJson } from "../base/json.ts";
import { attempt, didYouMean, isErrorOf, printable, shortened } from "../base/text.ts";
import { loadPlatform } from "../platform/load.ts";

/** The version of this module, the same as in `deno.json` and `package.json`. */
export const VERSION = "0.2.0";

/** What was asked for does not exist or cannot be done. The message says what to do about it. */
export class CommandError extends Error {
  readonly exitCode: number = 1;
  /** What completes the message when it is printed. */
  details?: () => Promise<string>;
  /** What is printed behind the message. */
  readonly ending: string = "";
}

/** Wrong usage. The message is one sentence that says what to change. */
export class UsageError extends CommandError {
  override readonly exitCode = 2;
  override readonly ending: string = "; see --help for all commands and options.";
}

/** A file, a folder or an address that cannot be used. */
export class ConfigurationError extends UsageError {
  override readonly ending = ".";
}

/** Runs the program and ends the process. `home` is the folder of `mod.ts`; undefined when it is not a file. */
export async function main(home: string | undefined): Promise<void> {
  const platform = await loadPlatform();
  platform.exit(await run(platform, home));
}

/** Runs the program. Returns its exit code: 1 for errors of `check` and what does not exist, 2 for wrong usage. */
export async function run(platform: Platform, home: string | undefined): Promise<number> {
  try {
    const options = serveOptions(platform.arguments, home);
    if (options) return await (await import("./serve.ts")).serve(platform, options);
    return await (await import("./commands.ts")).runCommand(platform, home);
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    const message = printable(cause.message + (await cause.details?.() ?? "")).replace(/\.$/, "");
    platform.print("error", `architrave: ${message}${cause.ending}\n`);
    return cause.exitCode;
  }
}

/** The options, if the arguments start serve: a client then need not wait for the table of commands. */
function serveOptions(args: readonly string[], home: string | undefined): Options | undefined {
  const flags = flagsOf(SERVE_OPTIONS);
  // `runCommand`, which has that table, reports what is wrong with other arguments.
  return attempt(() => {
    const line = parse(args[0] === "serve" ? args.slice(1) : args, flags);
    return line.words.length > 0 || line.rest ? undefined : new Options(home, line, flags);
  });
}

/**
 * The options of the server of documents, a line each: name, value and what it does. "a|b" takes one of these, "1..9" a
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

/** Wrong usage: a word that is none of the known names. `hint` stands in place of what it was probably meant for. */
export function unknownName(what: string, word: string, known: Iterable<string>, hint?: string): UsageError {
  const error = new UsageError(`Unknown ${what} "${word}"`), names = [...known];
  error.details = async () => {
    const { nearest } = await import("../base/nearest.ts");
    // There are too many options to name; the help has them.
    const all = what === "option" ? "" : `: use one of ${names.join(", ")}`;
    return `${hint ?? didYouMean(nearest(word, names))}${all}`;
  };
  return error;
}

/** By option, short or long; a switch has no label. */
type Flags = ReadonlyMap<string, { readonly name: string; readonly label: string | undefined }>;

export function flagsOf(lines: string): Flags {
  const line = /^ {2}(?:(-\w), )?(--(\S+))(?: (\S+?)(?:\.{3})?)?(?= |$)/gm;
  return new Map(
    Array.from(lines.matchAll(line)).flatMap(([, short, long = "", name = "", label]) =>
      [long, short ?? []].flat().map((option) => [option, { name, label }] as const)
    ),
  );
}

/** A command line whose values are not checked yet: texts by option, and words. */
interface Arguments {
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
    if (!flag) {
      const isAddress = /^--(?:port|host(?:name)?)$/.test(option) && flags.has("--listen");
      throw unknownName("option", option, flags.keys(), isAddress ? " (use --listen HOST:PORT)" : undefined);
    }
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

export class Options {
  /** The words between the options, without the command. */
  readonly operands: readonly string[];
  /** What follows `--`; undefined without one. */
  readonly rest: readonly string[] | undefined;
  readonly home: string | undefined;
  readonly #values = new Map<string, readonly unknown[]>();

  /** Throws a `UsageError` for a value that its option does not take. */
  constructor(home: string | undefined, { given, words, rest }: Arguments, flags: Flags) {
    this.home = home;
    this.operands = words;
    this.rest = rest;
    for (const [option, { name, label }] of flags) {
      const texts = given.get(name) ?? [];
      const values = label?.includes("=")
        ? toPairs(option, label, texts)
        : texts.map((text) => toValue(option, label, text));
      if (values.length > 0) this.#values.set(name, values);
    }
  }

  /** The last value of an option, of the type that its line gives it; undefined when it is not given. */
  get<T = string>(name: string): T | undefined {
    return this.list<T>(name).at(-1);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  list<T = string>(name: string): readonly T[] {
    return (this.#values.get(name) ?? []) as readonly T[];
  }
}

/** A pair of an option that takes them: "adr=docs" is ["adr", "docs"]. */
export type Pair = readonly [string, string];

function toValue(option: string, label: string | undefined, text: string): unknown {
  if (label === undefined) return true;
  const words = /^[a-z]+\|/.test(label) ? label.split("|") : [text];
  if (!words.includes(text)) throw unknownName(option, text, words);
  const [, least, most] = /^(\d+)\.\.(\d+)$/.exec(label) ?? [];
  if (least === undefined) return label === "DIR" ? trimmedPath(text) : text;
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
    pairs.set(key, label.endsWith("DIR") ? trimmedPath(value!) : value!);
  }
  return [...pairs];
}

export interface Folders {
  /** Holds `resources/` and `prompts/`; undefined when only mounts are named. */
  readonly root: string | undefined;
  readonly mounts: readonly Mount[];
  readonly records: readonly string[];
  /** Holds the prompts that are served with any documents; undefined when they are not there. */
  readonly fallback: string | undefined;
  /** Whether nothing was named, and the folder beside the program is as it comes with it. */
  readonly isSample: boolean;
}

export const NAME_A_FOLDER =
  "name a folder of markdown with --mount NAME=DIR, or one with resources/ and prompts/ with --root DIR";

/** The folders that the options name, else the sample. Throws a `UsageError` when one cannot be read or served. */
export function foldersOf(platform: Platform, options: Options): Folders {
  const { files } = platform;
  const mounts = options.list<Pair>("mount").map(([name, path]) => {
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/.test(name)) {
      throw new UsageError(
        `--mount takes a name of letters, digits, dots, dashes and underscores, with slashes between, not "${name}"`,
      );
    }
    requireFolder(platform, path, `--mount ${name}`);
    return { name, path };
  });
  const records = options.list("records");
  const root = options.get("root");
  const home = options.home === undefined ? undefined : `${options.home}/mcp`;
  if (root === undefined && mounts.length === 0) {
    if (home === undefined) throw new ConfigurationError(`There are no documents here: ${NAME_A_FOLDER}`);
    requireFolder(platform, home, "the sample documents", `; ${NAME_A_FOLDER}`);
    // A team may have put its own documents there.
    const isSample = attempt(() => files.status(`${home}/SAMPLE.md`)) !== undefined;
    return { root: home, mounts, records, fallback: undefined, isSample };
  }
  if (root !== undefined) requireRoot(platform, root);
  const fallback = home !== undefined && isFolder(files, `${home}/prompts`) ? home : undefined;
  return { root, mounts, records, fallback, isSample: false };
}

export function foldersText({ root, mounts, isSample }: Folders): string {
  if (isSample) return `the sample documents that come with Architrave (${NAME_A_FOLDER})`;
  return [...root === undefined ? [] : [root], ...mounts.map(({ path }) => path)].join(", ");
}

export function sampleNote(folders: Folders): string | undefined {
  return folders.isSample ? `These are ${foldersText(folders)}.` : undefined;
}

export function noteSample(platform: Platform, folders: Folders): void {
  const note = sampleNote(folders);
  if (note !== undefined) platform.print("error", `architrave: ${note}\n`);
}

export function isRoot(files: FileSystem, path: string): boolean {
  return ["resources", "prompts"].some((name) => isFolder(files, `${path}/${name}`));
}

/** Throws a `ConfigurationError` for a path that cannot be a `--root`. */
export function requireRoot(platform: Platform, root: string): void {
  if (isRoot(platform.files, root)) return;
  requireFolder(platform, root, "--root");
  throw new ConfigurationError(
    `Cannot use --root: "${root}" has neither resources/ nor prompts/; if the markdown is in the folder itself, ` +
      `name it with --mount NAME=${root}`,
  );
}

export const trimmedPath = (path: string): string => path.replace(/(?<=.)[/\\]+$/, "");

/** Throws a `ConfigurationError` for a path that is no folder, or cannot be read; `what` names it. */
export function requireFolder(platform: Platform, path: string, what: string, way = ""): void {
  const { files } = platform;
  let reason = "is not a folder: name the one that it is in";
  try {
    // The target of a link is what will be read, and a sandbox may allow the link alone.
    if (files.status(files.realPath(path)).kind === "directory") return;
  } catch (cause) {
    reason = pathProblem(platform, path, cause);
  }
  throw new ConfigurationError(`Cannot read ${what}: "${path}" ${reason}${way}`);
}

export function isFolder(files: FileSystem, path: string): boolean {
  return attempt(() => files.status(files.realPath(path)).kind) === "directory";
}

/** Whether a sandbox does not allow a call. */
export const isDenied = (cause: unknown): boolean => isErrorOf(cause, "NotCapable", "ERR_ACCESS_DENIED");

/** Why a path cannot be read, and in a sandbox how to allow it. */
export function pathProblem({ name: runtime }: Platform, path: string, cause: unknown): string {
  if (isDenied(cause)) {
    if (runtime === "deno" && path.startsWith("\\\\")) {
      return "is on another machine, where Deno reads with --allow-all only: add that, or use Node";
    }
    const option = runtime === "deno" ? "--allow-read" : "--allow-fs-read";
    return `is not open to this sandbox: add ${option}="${path}", and what it links to`;
  }
  if (isErrorOf(cause, "NotFound", "NotADirectory", "ENOENT", "ENOTDIR")) {
    return "does not exist: check its spelling, and the folder that this runs in";
  }
  return "cannot be read: check its permissions";
}

/** What to do about a finding; files may be missing because a sandbox hides them. */
export function adviceOf({ rule, help }: Finding, { sandboxed }: Platform): string {
  const isHidden = sandboxed && (rule === "unreadable" || rule === "folder-missing");
  return isHidden ? `${help} The sandbox must allow reading it.` : help;
}

const LEVELS = ["silent", "error", "warning", "info", "debug"] as const;
type Level = (typeof LEVELS)[number];

/** Lines on standard error: none while all is well. */
export interface Log {
  write(level: Level, message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Writes a finding about a file, at most 50 in a minute. */
  finding(finding: Finding): void;
  failure(cause: unknown, reference?: string): void;
  /** What a server tells: failures, broken transports, and that requests were refused, at most once in a second. */
  readonly hooks: Pick<ServerOptions, "onfailure" | "onrefused" | "ontransporterror">;
  /** The same files; the system's reasons why their calls fail are written, each once. */
  traced(files: FileSystem): FileSystem;
  /** Writes what is held back. */
  end(): void;
  uncaught(cause: unknown): void;
}

/** The most findings in a minute (`check` shows all of them), and the most reasons why files cannot be read. */
const MAX_FINDINGS = 50, MINUTE_MS = 60_000, MAX_FAULTS = 1000;
/** The time between two lines about refused requests, and how much of a URI and a reason they name, in characters. */
const REFUSED_MS = 1000, MAX_REFUSED = 300;

export function createLog(platform: Platform, options: Options, defaultLevel: Level = "warning"): Log {
  const threshold = LEVELS.indexOf(options.get<Level>("log-level") ?? defaultLevel);
  const asJson = options.get("log-format") === "json";
  const write: Log["write"] = (level, message, fields = {}) => {
    if (LEVELS.indexOf(level) > threshold) return;
    const pairs = Object.entries(fields).map(([key, value]) => ` ${key}=${value}`);
    const line = asJson
      ? visibleJson({ time: new Date().toISOString(), level, message, ...fields })
      : printable(`architrave: ${level}: ${message}${pairs.join("")}`);
    platform.print("error", `${line}\n`);
  };
  const faults = new Set<string>();
  const fault = ({ code, name, message }: Error & { readonly code?: string }) => {
    const text = `A file cannot be read (${code ?? name}): ${message}`;
    if (faults.size >= MAX_FAULTS || faults.has(text)) return;
    faults.add(text);
    write("debug", text);
  };
  let findings = 0, minute = -Infinity;
  let last = "", count = 0;
  const refused = new Throttle(REFUSED_MS, () => {
    write("info", `Refused ${last}${count > 1 ? ` (the last of ${count} refused requests)` : ""}`);
    count = 0;
  });
  const failure: Log["failure"] = (cause, reference) =>
    write("error", `A request failed: ${stackOf(cause)}`, compact({ reference }));
  return {
    write,
    failure,
    hooks: {
      onfailure: failure,
      onrefused({ method, params }, reason) {
        const { uri, name } = asObject(params);
        const named = [method, asString(uri ?? name) ?? "", reason];
        const [what, which, why] = named.map((text) => shortened(text, MAX_REFUSED));
        last = `${what} "${which}": ${why}`;
        count++;
        refused.request();
      },
      ontransporterror: ({ message }) => write("debug", `Transport error: ${message}`),
    },
    traced: (files) => threshold < LEVELS.indexOf("debug") ? files : traced(files, fault),
    end() {
      refused.flush();
      refused.stop();
    },
    finding(finding) {
      const { file, line, severity, rule, message } = finding, help = adviceOf(finding, platform);
      if (performance.now() - minute > MINUTE_MS) [minute, findings] = [performance.now(), 0];
      if (++findings > MAX_FINDINGS) {
        if (findings === MAX_FINDINGS + 1) write("warning", "There are more findings: run check to see all");
      } else if (asJson) write(severity, message, { file, line, rule, help });
      else write(severity, `${placeOf(finding)}: ${message}. ${help}`);
    },
    uncaught: (cause) => write("error", `Uncaught error: ${stackOf(cause)}`),
  };
}

/** An object that reads files, and reports why its calls fail: callers learn only that they do. */
function traced<T extends object>(files: T, report: (cause: Error) => void): T {
  const get = (target: T, name: string | symbol): unknown => {
    const member: unknown = Reflect.get(target, name);
    return typeof member !== "function" ? member : (...args: unknown[]) => {
      try {
        const result = member.apply(target, args);
        return name === "open" ? traced(result, report) : result;
      } catch (cause) {
        report(cause as Error);
        throw cause;
      }
    };
  };
  return new Proxy(files, { get });
}

/** The stack, which only the operator sees, in one line. */
function stackOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
  return text.replaceAll(/\s*\n\s*/g, " | ");
}

export const placeOf = ({ file, line }: Finding): string => line === undefined ? file : `${file}:${line}`;
