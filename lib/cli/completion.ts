/** The command completion: scripts for shells, which ask this program for the words that can come next. */

import type { Platform } from "../../deps.ts";
import type { Options } from "./main.ts";
import { UsageError } from "./program.ts";

/** What can be completed of a command. */
export interface Completable {
  /** Options as they are written, with their label in the table; a switch has none. */
  readonly options: readonly (readonly [option: string, label: string | undefined])[];
  /** The words that can follow the command. */
  readonly words: readonly string[];
}

/** Where there are no words, the shells complete the names of files. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_architrave() {
  local IFS=$'\\n'
  COMPREPLY=($("$1" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _architrave architrave
`,
  zsh: `_architrave() {
  local -a found=("\${(@f)$("$words[1]" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n $found ]] && compadd -a found || _files
}
compdef _architrave architrave
`,
  fish:
    `complete -c architrave -a '(architrave completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

/** Prints the script of a shell, or the words that can come next in a command line. */
export function completion(
  platform: Platform,
  { operands: [shell = ""], rest = [] }: Options,
  commands: ReadonlyMap<string, Completable>,
): number {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined && shell !== "words") {
    throw new UsageError(`Unknown shell "${shell}": use one of ${Object.keys(SCRIPTS).join(", ")}`);
  }
  platform.print("output", script ?? nextWords(rest, commands).map((word) => `${word}\n`).join(""));
  return 0;
}

/** The words that can stand in place of the last one, which may be empty. */
function nextWords(line: readonly string[], commands: ReadonlyMap<string, Completable>): string[] {
  const current = line.at(-1) ?? "";
  const before = line.slice(0, -1);
  const { options, words } = commands.get(before.find((word) => commands.has(word)) ?? "serve")!;
  const label = options.find(([option]) => option === before.at(-1))?.[1];
  const choices = label?.includes("|") ? label.replace(/\.+$/, "").split("|") : [];
  const all = before.length === 0 && !current.startsWith("-") ? [...commands.keys()] : words;
  const next = label === undefined ? [...all, ...options.map(([option]) => option)] : choices;
  return next.filter((word) => word.startsWith(current) && (current !== "" || !word.startsWith("-")));
}
