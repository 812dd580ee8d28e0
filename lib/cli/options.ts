/** The options of the command line, and the errors of commands, each of which is printed as one line and sets the exit code. */

/** What was asked for does not exist or cannot be done. The message says how to fix it. Exit code 1. */
export class CommandError extends Error {
  readonly exitCode: number = 1;
  /** Makes the second half of the message. Called only when the message is printed. */
  details?: () => Promise<string>;
  /** Printed after the message. */
  readonly ending: string = "";
}

/** Wrong usage. The message is one sentence that says what to change. Exit code 2. */
export class UsageError extends CommandError {
  override readonly exitCode = 2;
  override readonly ending: string = "; see --help for all commands and options.";
}

/** A file, a folder or an address that cannot be used. Exit code 2. */
export class ConfigurationError extends UsageError {
  override readonly ending = ".";
}

/** Wrong usage: an unknown name. The message suggests names that are spelt like it; `hint` replaces the suggestions. */
export function unknownName(what: string, word: string, known: Iterable<string>, hint?: string): UsageError {
  const error = new UsageError(`Unknown ${what} "${word}"`), names = [...known];
  error.details = async () => {
    const { hintFor } = await import("./name_hint.ts");
    // The list of options would be too long; the help has it.
    const all = what === "option" ? "" : `: use one of ${names.join(", ")}`;
    return `${hint ?? hintFor(word, names)}${all}`;
  };
  return error;
}

/**
 * The options of the server of documents, one per line: name, value and meaning. The value "a|b" is one of these words, "1..9"
 * a whole number, "NAME=DIR" a pair. "..." after the value allows the option more than once. A switch has no value.
 */
export const SERVE_OPTIONS: string = `
  --in FOLDER                a folder of markdown, or one with resources/ and prompts/ (default: the records of the project)
  --root DIR                 a folder with resources/ and prompts/
  --mount NAME=DIR...        serve a folder of markdown as the category NAME
  --records NAME...          read the category NAME as decision records (default: adr, and categories that look like records)
  --scheme architecture|file the scheme of listed URIs; both can be read (default: architecture)
  --page-size 1..100000      maximum items on a page of a list (default: 1000)
  --poll 10..86400000        look for changed files at this interval, in milliseconds, instead of watching them
  --log-level silent|error|warning|info|debug
                             what is logged on standard error (default: warning for servers, error for other commands)
  --log-format text|json     format of the log (default: text)`;

/** The declared options by their short and long form. A switch has no label. */
type Flags = ReadonlyMap<string, { readonly name: string; readonly label: string | undefined }>;

/** Reads declarations such as `SERVE_OPTIONS`. */
export function flagsOf(lines: string): Flags {
  const line = /^ {2}(?:(-\w), )?(--(\S+))(?: (\S+?)(?:\.{3})?)?(?= |$)/gm;
  return new Map(
    Array.from(lines.matchAll(line)).flatMap(([, short, long = "", name = "", label]) =>
      [long, short ?? []].flat().map((option) => [option, { name, label }] as const)
    ),
  );
}

/** A command line before its values are checked: texts by option, and words. */
interface Arguments {
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly words: readonly string[];
  /** The words after `--`; undefined without one. */
  readonly rest?: readonly string[] | undefined;
}

/** Separates options from words. Throws a `UsageError` for an option that is unknown, lacks its value, or takes none. */
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
      throw unknownName("option", option, flags.keys());
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

/** The checked options and operands of a command. */
export class Options {
  /** The words between the options, without the command. */
  readonly operands: readonly string[];
  /** The words after `--`; undefined without one. */
  readonly rest: readonly string[] | undefined;
  /** The folder of `mod.ts`; undefined when it is not a file. */
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

  /** The last value of an option, with the type that its declaration gives it; undefined when it is not given. */
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

/** The value of an option that takes a pair: "adr=docs" is ["adr", "docs"]. */
export type OptionPair = readonly [string, string];

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

function toPairs(option: string, label: string, texts: readonly string[]): OptionPair[] {
  const pairs = new Map<string, string>();
  for (const text of texts) {
    const [, key, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (key === undefined) {
      // The text may be a secret that was given instead of a file. It must not be printed.
      const found = label.endsWith("=FILE") ? "a text without =" : `"${text}"`;
      const example = label === "NAME=DIR" && !text.includes("=") ? `: write ${option} adr=${text}` : "";
      throw new UsageError(`${option} takes ${label}, not ${found}${example}`);
    }
    if (pairs.has(key)) throw new UsageError(`${option} is given twice for "${key}"`);
    pairs.set(key, label.endsWith("DIR") ? trimmedPath(value!) : value!);
  }
  return [...pairs];
}

/** A path without the separators at its end. */
export const trimmedPath = (path: string): string => path.replace(/(?<=.)[/\\]+$/, "");
