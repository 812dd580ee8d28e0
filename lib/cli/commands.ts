/** Runs the command that a command line names. */

import type { Platform } from "../platform/platform.ts";
import { commandOf, COMMANDS } from "./command_table.ts";
import { nextWords, SCRIPTS } from "./completion.ts";
import { CommandError, flagsOf, Options, parse, UsageError } from "./options.ts";
import { folderOption } from "./folder_option.ts";
import { exists, findFolders } from "./find_folder.ts";
import { isFolder, requireFolder } from "./folders.ts";
import { createLog } from "./log.ts";
import { helpOf, OVERVIEW } from "./help.ts";
import { GENERAL_OPTIONS, HELP } from "./help_text.ts";
import { checkOperands } from "./operands.ts";
import { VERSION } from "./this_copy.ts";

type Run = (platform: Platform, options: Options) => Promise<number> | number;

/** Commands that functions of the same names run. Their module is loaded when one of them runs. */
function lazy<N extends string>(load: () => Promise<Readonly<Record<NoInfer<N>, Run>>>, ...names: N[]) {
  const toRun = (name: N): Run => async (...given) => (await load())[name](...given);
  return Object.fromEntries(names.map((name) => [name, toRun(name)]));
}

/** The functions of the commands. Each loads what it needs. */
const RUN: Readonly<Record<string, Run>> = {
  ...lazy(() => import("./serve.ts"), "serve"),
  ...lazy(() => import("./http.ts"), "http"),
  ...lazy(() => import("./show.ts"), "list", "read", "search", "prompt", "toc", "changes"),
  ...lazy(() => import("./decisions.ts"), "decisions"),
  ...lazy(() => import("./graph.ts"), "graph"),
  ...lazy(() => import("./check.ts"), "check"),
  ...lazy(() => import("./init.ts"), "init"),
  ...lazy(() => import("./records.ts"), "supersede", "status"),
  new: async (...given) => (await import("./records.ts")).createRecord(...given),
  ...lazy(() => import("./page.ts"), "page"),
  ...lazy(() => import("./site.ts"), "site"),
  export: async (...given) => (await import("./export.ts")).exportRules(...given),
  ...lazy(() => import("./hook.ts"), "hook"),
  ...lazy(() => import("./vendor/vendor.ts"), "vendor"),
  ...lazy(() => import("./config.ts"), "config"),
  ...lazy(() => import("./gateway.ts"), "gateway"),
  ...lazy(() => import("./inspect.ts"), "inspect"),
  completion: (platform, { operands: [shell] }) => say(platform, SCRIPTS[shell!]!),
  help: (platform, { operands: [name] }) =>
    say(platform, name === undefined ? OVERVIEW : helpOf(commandOf(name))),
  version: (platform) => say(platform, VERSION),
};

/** Runs the command that the arguments name, and returns its exit code. Throws a `UsageError` for wrong usage. */
export async function runCommand(platform: Platform, home: string | undefined): Promise<number> {
  try {
    return await runNamed(platform, home);
  } catch (cause) {
    // Some clients take the exit code 2 of a hook for a refusal of the edit.
    const isHook = platform.arguments.includes("hook") && cause instanceof CommandError;
    throw isHook ? Object.assign(cause, { exitCode: 1 }) : cause;
  }
}

async function runNamed(platform: Platform, home: string | undefined): Promise<number> {
  // An option name has a value in every command, or in none.
  const line = parse(platform.arguments, flagsOf(HELP + GENERAL_OPTIONS));
  const { words: [name = "serve", ...operands], rest } = line;
  if (name === "completion" && operands[0] === "words") {
    platform.print("output", nextWords(rest ?? []).map((word) => `${word}\n`).join(""));
    return 0;
  }
  // A folder replaces the command, or follows one that takes it.
  const known = COMMANDS.get(name), given = new Map(line.given);
  const place = known ? known.usage.split(" ").indexOf("[FOLDER]") - 1 : -1;
  const [path = place < 0 ? undefined : operands.splice(place, 1)[0]] = known
    ? given.get("in") ?? []
    : [name];
  const folder = path === undefined ? undefined : folderOption(platform, path);
  if (path !== undefined && !folder && (known || isPath(platform, path))) {
    requireFolder(platform, path, "the folder");
  }
  if (folder) given.set(folder[0], [...given.get(folder[0]) ?? [], folder[1]]);
  const command = known ?? commandOf(folder ? "serve" : name);
  if (given.has("help")) return say(platform, line.words.length === 0 ? OVERVIEW : helpOf(command));
  if (given.has("version")) return say(platform, VERSION);
  const flags = flagsOf(command.options);
  const hint = (unexpected: string) =>
    COMMANDS.has(unexpected)
      ? ", and a command comes first"
      : flags.has("--mount")
      ? ", and --mount NAME=DIR names a folder"
      : "";
  for (const stray of given.keys()) {
    if (flags.has(`--${stray}`)) continue;
    const owners = [...COMMANDS].filter(([, { options }]) => flagsOf(options).has(`--${stray}`))
      .map(([owner]) => owner);
    throw new UsageError(`--${stray} is an option of ${owners.join(", ")}, not of ${name}`);
  }
  checkOperands(command.usage.replace(" [FOLDER]", ""), [...operands, ...rest ?? []], {
    words: command.words,
    hint,
  });
  const last = operands.at(-1) ?? "";
  if (/ (?:QUERY|TITLE)\.\.\.$/.test(command.usage) && /[\\/]/.test(last) && isFolder(platform.files, last)) {
    throw new UsageError(`"${last}" is a folder, not a word for ${name}: name it with --in ${last}`);
  }
  const isNamed = given.has("root") || given.has("mount") || !flags.has("--mount");
  const found = isNamed || hasOwnDocuments(platform, home) ? undefined : findFolders(platform);
  // A command that writes records needs one folder: the first is that of the whole project.
  const folders = found?.folders.slice(0, flags.has("--records") ? undefined : 1) ?? [];
  for (const path of folders) {
    const [option, value] = folderOption(platform, path, given.get("mount"))!;
    given.set(option, [...given.get(option) ?? [], value]);
  }
  if (found?.project !== undefined && flags.has("--into") && !given.has("into")) {
    given.set("into", [found.project]);
  }
  const checked = new Options(home, { given, words: operands, rest }, flags);
  if (found && name !== "hook") {
    const what = folders.length === 1 ? "folder" : "folders";
    createLog(platform, checked, "info").write("info", `Found the ${what} ${folders.join(", ")}`);
  }
  return await RUN[known ? name : "serve"]!(platform, checked);
}

/** Whether the documents next to the program are those of a team, and not the sample. */
const hasOwnDocuments = ({ files }: Platform, home = ""): boolean =>
  isFolder(files, `${home}/mcp`) && !exists(files, `${home}/mcp/SAMPLE.md`);

/** Whether an unknown word is a path and not a misspelt command: it exists, or a sandbox may hide it. */
const isPath = ({ files, sandboxed }: Platform, word: string): boolean =>
  exists(files, word) || (sandboxed && /[\\/]/.test(word));

function say(platform: Platform, text: string): number {
  platform.print("output", `${text}\n`);
  return 0;
}
