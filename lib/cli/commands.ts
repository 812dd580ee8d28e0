/**
 * All commands and their options. Parsing, checks, error messages and `--help` are made from this table: a new command is
 * one entry in it, and a module with what it does.
 */

import type { Platform } from "../../deps.ts";
import type { Completable } from "./completion.ts";
import { didYouMean, nearest } from "../base/text.ts";
import { flagsOf, Options, parse, SERVE_OPTIONS } from "./main.ts";
import { folderOption, UsageError, VERSION } from "./program.ts";

/** One command. */
interface Command {
  /** Its name and operands: "prompt NAME [KEY=VALUE]..."; brackets are for optional ones, dots for any number. */
  readonly usage: string;
  readonly text: string;
  /** A line for each option, as in `SERVE_OPTIONS`. */
  readonly options: string;
  /** More lines for its help. */
  readonly notes?: string;
  run(platform: Platform, options: Options): Promise<number> | number;
}

const GENERAL_OPTIONS = `
  -h, --help                 show what a command does, and its options
  -V, --version              show the version`;
const LOG_OPTIONS: string = SERVE_OPTIONS.slice(SERVE_OPTIONS.indexOf("\n  --log-level"));
const SHOW_OPTIONS = `
  --format text|json         format of the output (default: text)
  --color auto|always|never  colours and aligned columns (default: on a terminal, without colours if NO_COLOR is set)${SERVE_OPTIONS}`;
const FILTER_OPTIONS = `
  --status STATUS            only decision records with this status: accepted, superseded, ...`;

/** What a command that writes is told. */
const WRITE_OPTIONS = `
  --write                    make the changes; without it, they are shown as a diff and nothing is written
  --format text|json         format of the output (default: text)`;
const RECORD_OPTIONS = `
  --mount NAME=DIR...        the folder of records
  --root DIR                 a folder with records in resources/adr/, in place of --mount${WRITE_OPTIONS}`;
const CLIENTS =
  "claude-code, claude-desktop, vscode, cursor, windsurf, codex, gemini, zed, opencode, kiro, goose, jetbrains";

const COMMANDS: readonly Command[] = [
  {
    usage: "serve",
    text: "speak MCP over standard input and output, for clients (the default)",
    options: SERVE_OPTIONS,
    notes: `A folder in place of a command is served: mod.ts docs/adr is mod.ts serve --mount adr=docs/adr
Example: mod.ts serve --mount adr=docs/adr
Needs read access to the documents only: deno run --no-prompt --allow-read=docs mod.ts --root docs
With read access to mcp/prompts beside mod.ts, the three prompts that come with it are served, too`,
    run: async (platform, options) => (await import("./serve.ts")).serve(platform, options),
  },
  {
    usage: "http",
    text: "speak MCP over HTTP, at http://127.0.0.1:8080/mcp unless --listen says otherwise",
    options: `
  --listen HOST:PORT         where to listen (default: 127.0.0.1:8080)
  --token-file FILE          require one of these tokens: a line each, NAME TOKEN or TOKEN
  --key-file FILE            sign sessions with the first of these keys, accept all: a line each, Base64 of 32 bytes
  --allow-host HOST...       a name that clients reach this server by
  --allow-origin URL...      a web page that may send requests
  --allow-unauthenticated    listen where others can connect, without tokens${SERVE_OPTIONS}`,
    notes: `Example: mod.ts http --mount adr=docs/adr
Needs permission to listen, too: --allow-net=127.0.0.1:8080`,
    run: async (platform, options) => (await import("./http.ts")).serveHttp(platform, options),
  },
  {
    usage: "list",
    text: "list all documents and prompts, with number, status and date of records",
    options: FILTER_OPTIONS + SHOW_OPTIONS,
    notes: "Example: mod.ts list --status accepted --mount adr=docs/adr",
    run: async (platform, options) => (await import("./show.ts")).list(platform, options),
  },
  {
    usage: "read URI",
    text: "print a document, or one section of it with URI#section",
    options: SHOW_OPTIONS,
    notes: "Example: mod.ts read architecture://adr/7#decision --mount adr=docs/adr",
    run: async (platform, options) => (await import("./show.ts")).read(platform, options),
  },
  {
    usage: "search QUERY...",
    text: "find documents by words; exit code 1 when there are none",
    options: `
  --category NAME            only documents of this category
  --limit 1..100             how many at most (default: 10)${FILTER_OPTIONS}${SHOW_OPTIONS}`,
    notes: 'Example: mod.ts search retry "exponential backoff" --mount adr=docs/adr',
    run: async (platform, options) => (await import("./show.ts")).search(platform, options),
  },
  {
    usage: "decisions PATH...",
    text: "name the documents that apply to files; - reads their paths from standard input",
    options: SHOW_OPTIONS,
    notes: `Paths are lines, or separated by NUL, and start at the root of the repository
Example: git diff --name-only main | mod.ts decisions - --mount adr=docs/adr`,
    run: async (platform, options) => (await import("./show.ts")).decisions(platform, options),
  },
  {
    usage: "prompt NAME [KEY=VALUE]...",
    text: "print a prompt with its arguments filled in",
    options: SHOW_OPTIONS,
    notes:
      `KEY=@FILE takes the value from a file, KEY=- from standard input, KEY=@@TEXT is a text that begins with @
Example: mod.ts prompt review-code-against-patterns code=@src/pay.ts language=typescript --mount patterns=docs/patterns`,
    run: async (platform, options) => (await import("./show.ts")).prompt(platform, options),
  },
  {
    usage: "check",
    text: "report problems in documents and prompts; exit code 1 when there are errors",
    options: `
  --rule RULE...             report this rule only, with every place
  --ignore RULE|GLOB...      leave out a rule, or the files that a pattern matches
  --errors-only              leave out warnings
  --code DIR                 report each applies-to that fits no file below this folder
  --config FILE              settings (default: architrave.json beside the documents)
  --baseline FILE            leave out the findings in this file, which --format baseline prints
  --format text|json|github|sarif|baseline
                             format of the output (default: text)${SERVE_OPTIONS}`,
    notes: `Settings, all optional: { "check": { "rules": { "title-repeated": "off", "link-leaves": "error" },
  "exclude": ["adr/archive/"], "sections": { "adr/**": "madr", "patterns/*": ["Problem", "Solution"] },
  "code": "../..", "baseline": "baseline.json" } }
Example: mod.ts check --mount adr=docs/adr --code . --format github`,
    run: async (platform, options) => (await import("./check.ts")).check(platform, options),
  },
  {
    usage: "init DIR",
    text: "start a folder: two guidelines, a pattern, two records and three prompts, for you to edit",
    options: WRITE_OPTIONS,
    notes: `No file is overwritten.
Example: mod.ts init docs/architecture --write
Needs permission to write there: --allow-write=docs/architecture`,
    run: async (platform, options) => (await import("./init.ts")).init(platform, options),
  },
  {
    usage: "new TITLE...",
    text: "write a new decision record, with the next number or date of its folder",
    options: `
  --supersedes RECORD...     a record that it replaces: both records are edited
  --template FILE            nygard, madr, madr-minimal or a file (default: that of the folder, else of its last record)
  --date DATE                its date, such as 2026-07-28 (default: today)${RECORD_OPTIONS}`,
    notes: `A record is named by its number, its file name, or a part of it.
Example: mod.ts new "Use queues between services" --supersedes 4 --mount adr=docs/decisions --write
Needs permission to write there: --allow-write=docs/decisions`,
    run: async (platform, options) => (await import("./records.ts")).createRecord(platform, options),
  },
  {
    usage: "supersede OLD NEW",
    text: "say in two records that the second one replaces the first one",
    options: RECORD_OPTIONS,
    notes: "Example: mod.ts supersede 4 9 --mount adr=docs/decisions --write",
    run: async (platform, options) => (await import("./records.ts")).supersede(platform, options),
  },
  {
    usage: "status RECORD STATUS",
    text: "change the status of a decision record: proposed, accepted, rejected, deprecated",
    options: RECORD_OPTIONS,
    notes: "Example: mod.ts status 9 accepted --mount adr=docs/decisions --write",
    run: async (platform, options) => (await import("./records.ts")).setStatus(platform, options),
  },
  {
    usage: "graph",
    text: "draw how decision records supersede, amend and relate to each other",
    options: `
  --around RECORD            only this record, by number or URI, and what it is related to, also through others
  --format mermaid|dot|json|svg
                             format of the output (default: mermaid)${SERVE_OPTIONS}`,
    notes: "Example: mod.ts graph --mount adr=docs/adr --format svg > decisions.svg",
    run: async (platform, options) => (await import("./graph.ts")).graph(platform, options),
  },
  {
    usage: "toc",
    text: "print a table of contents in markdown",
    options: `
  --prefix TEXT              what links begin with (default: nothing, for a page beside the documents)${SHOW_OPTIONS}`,
    notes: "Example: mod.ts toc --mount adr=docs/adr --prefix adr/",
    run: async (platform, options) => (await import("./overview.ts")).toc(platform, options),
  },
  {
    usage: "changes",
    text: "list the documents that are dated or were changed since a date, the last ones first",
    options: `
  --since DATE               the first day, such as 2026-07-28
  --dated                    go by the dates in the records, not the times of files (a checkout changes these)${SHOW_OPTIONS}`,
    notes: "Example: mod.ts changes --since 2026-07-01 --mount adr=docs/adr",
    run: async (platform, options) => (await import("./overview.ts")).changes(platform, options),
  },
  {
    usage: "config CLIENT",
    text: "show how a client is configured to start this server",
    options: `
  --name NAME                what the client calls the server (default: architrave)${SHOW_OPTIONS}`,
    notes: `Clients: ${CLIENTS}
Example: mod.ts config claude-code --mount adr=docs/adr`,
    run: async (platform, options) => (await import("./config.ts")).config(platform, options),
  },
  {
    usage: "gateway",
    text: "serve the operations of a REST API as tools",
    options: `
  --endpoints FILE           an endpoint file (JSON)
  --openapi FILE             an OpenAPI 3.0 or 3.1 document (JSON)
  --base URL                 where the API is (default: what the file says)
  --variable NAME=VALUE...   value of a server variable of the document
  --tag TAG...               serve only operations with this tag
  --path PATH...             serve only operations with this path; * is any text
  --operation NAME...        serve only this operation
  --allow-destructive        also serve operations that can change something; each call is confirmed
  --safe NAME...             a POST operation that changes nothing
  --max-tools 0..100000      with more operations, serve three tools: search, describe, call (default: 64)
  --auth-file NAME=FILE...   secret of a security scheme; user:password for HTTP basic
  --header-file NAME=FILE... a header with a secret, for every request
  --without-credentials      call operations without the credentials that are not given
  --timeout 1..3600000       time limit of a request, in milliseconds (default: 30000)
  --max-bytes 1..67108864    largest response (default: 1048576)
  --concurrency 1..1000      most requests at a time (default: 8)
  --list                     show what is served, and what is not and why, and end
  --format text|json         format of --list (default: text)${LOG_OPTIONS}`,
    notes: `Example: mod.ts gateway --openapi shop.json --list
Needs the files, and the host of the API: --allow-read --allow-net=api.example.com`,
    run: async (platform, options) => (await import("./gateway.ts")).gateway(platform, options),
  },
  {
    usage: "inspect URL [ACTION]...",
    text: "look at any MCP server, and send requests to it",
    options: `
  --format text|json         format of the output (default: text)
  --json                     the same as --format json; watch prints a line for each change
  --era auto|modern|legacy   protocol era of the server (default: auto)
  --timeout 1..999999999     time limit of a response, in milliseconds (default: 60000)
  --token-file FILE          send the content of this file as a bearer token`,
    notes: `For a server that is a program: inspect [ACTION] -- COMMAND [ARGUMENT]... [-- ACTION]
Actions: list (default), read URI, prompt NAME [KEY=VALUE]..., call TOOL [JSON], watch [URI]...
Example: mod.ts inspect http://127.0.0.1:8080/mcp
Needs permission to connect, or to run the command: --allow-net=example.com, --allow-run=npx`,
    run: async (platform, options) => (await import("./inspect.ts")).inspect(platform, options),
  },
  {
    usage: "completion SHELL [WORD]...",
    text: "print a script that completes commands and options in bash, zsh or fish",
    options: "",
    notes: "Example: source <(architrave completion bash)",
    run: async (platform, options) =>
      (await import("./completion.ts")).completion(platform, options, completable()),
  },
  {
    usage: "help [COMMAND]",
    text: "show what a command does, and its options",
    options: "",
    notes: "Example: mod.ts help list",
    run: (platform, { operands: [name] }) =>
      say(platform, helpText(name === undefined ? undefined : commandOf(name))),
  },
  {
    usage: "version",
    text: "show the version",
    options: "",
    notes: "Example: mod.ts version",
    run: (platform) => say(platform, VERSION),
  },
];

const BY_NAME = new Map(COMMANDS.map((command) => [command.usage.split(" ", 1)[0]!, command]));

/** Runs the command that the arguments name, and returns its exit code. Throws a `UsageError` for wrong usage. */
export async function runCommand(
  platform: Platform,
  args: readonly string[],
  home: string | undefined,
): Promise<number> {
  // An option has a value in all commands that have it, or in none.
  const line = parse(args, flagsOf([...COMMANDS.map(({ options }) => options), GENERAL_OPTIONS].join("")));
  const { words: [name = "serve", ...operands], rest } = line;
  const folder = BY_NAME.has(name) ? undefined : folderOption(platform, name);
  const given = new Map(line.given);
  if (folder) given.set(folder[0], [...given.get(folder[0]) ?? [], folder[1]]);
  const command = commandOf(folder ? "serve" : name);
  if (given.has("help")) return say(platform, helpText(line.words.length === 0 ? undefined : command));
  if (given.has("version")) return say(platform, VERSION);
  const flags = flagsOf(command.options);
  for (const stray of given.keys()) {
    if (flags.has(`--${stray}`)) continue;
    const owners = [...BY_NAME].filter(([, { options }]) => flagsOf(options).has(`--${stray}`));
    const names = owners.map(([owner]) => owner).join(", ");
    throw new UsageError(`--${stray} is an option of ${names}, not of ${name}`);
  }
  checkOperands(command, [...operands, ...rest ?? []]);
  return await command.run(platform, new Options(home, { given, words: operands, rest }, flags));
}

function commandOf(name: string): Command {
  const command = BY_NAME.get(name);
  if (command) return command;
  const names = [...BY_NAME.keys()];
  const folder = /[\\/.]/.test(name) ? ", and there is no such folder" : didYouMean(nearest(name, names));
  throw new UsageError(`Unknown command "${name}"${folder}: use one of ${names.join(", ")}`);
}

function checkOperands({ usage }: Command, given: readonly string[]): void {
  const [name, ...operands] = usage.split(" ");
  const least = operands.filter((operand) => !operand.startsWith("[")).length;
  if (given.length < least) throw new UsageError(`Missing argument for ${name}: the usage is "${usage}"`);
  if (given.length <= operands.length || usage.endsWith("...")) return;
  const unexpected = given[operands.length];
  throw new UsageError(`Unexpected argument "${unexpected}" for ${name}: the usage is "${usage}"`);
}

/** What a shell can complete, by command. */
function completable(): Map<string, Completable> {
  const words: Readonly<Record<string, readonly string[]>> = {
    config: CLIENTS.split(", "),
    completion: ["bash", "zsh", "fish"],
    help: [...BY_NAME.keys()],
  };
  return new Map(Array.from(BY_NAME, ([name, { options }]) => {
    const flags = Array.from(
      flagsOf(options + GENERAL_OPTIONS),
      ([flag, { label }]) => [flag, label] as const,
    );
    return [name, { options: flags, words: words[name] ?? [] }];
  }));
}

function say(platform: Platform, text: string): number {
  platform.print("output", `${text}\n`);
  return 0;
}

/** The help of one command, or of all. */
function helpText(command: Command | undefined): string {
  if (command) {
    const { usage, text, options, notes } = command;
    const all = `${options}${GENERAL_OPTIONS}${notes ? `\n\n${notes}` : ""}`;
    return `Usage: mod.ts ${usage} [OPTION]...\n\n  ${text}\n\nOptions:${all}`;
  }
  return `architrave ${VERSION}: serves a team's guidelines, patterns and decision records over MCP

Usage: mod.ts [COMMAND | FOLDER] [OPTION]...; with a FOLDER, serve its markdown

Commands; "COMMAND --help" shows the options of each:
${COMMANDS.map(({ usage, text }) => `  ${usage.padEnd(26)} ${text}`).join("\n")}

Options of serve:${SERVE_OPTIONS}${GENERAL_OPTIONS}

Exit codes: 0 fine; 1 check found errors, or what was asked for does not exist; 2 wrong usage or configuration.`;
}
