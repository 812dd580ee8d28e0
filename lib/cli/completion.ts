/** Completion of command lines in shells. */

import { COMMANDS } from "./command_table.ts";
import { flagsOf } from "./options.ts";

/** Scripts that make a shell ask this program for the next words. Without any, the shell completes names of files. */
export const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_architrave() {
  local IFS=$'\\n'
  COMPREPLY=($("$1" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _architrave architrave`,
  zsh: `_architrave() {
  local -a found=("\${(@f)$("$words[1]" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n $found ]] && compadd -a found || _files
}
compdef _architrave architrave`,
  fish:
    `complete -c architrave -a '(architrave completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
};

/** The words that can replace the last one, which may be empty. */
export function nextWords(line: readonly string[]): string[] {
  const last = line.at(-1) ?? "";
  // "--format=s" is one word, but three in bash.
  const [, inline, value = last] = /^(--[^=]+)=(.*)$/.exec(last) ?? [];
  const current = value === "=" ? "" : value;
  const before = [...line.slice(0, -1).filter((word) => word !== "="), inline ?? []].flat();
  const name = before.find((word) => COMMANDS.has(word)) ?? "serve";
  const { options, words } = COMMANDS.get(name)!;
  const flags = flagsOf(options);
  const label = flags.get(before.at(-1) ?? "")?.label;
  const isFirst = before.length === 0 && !current.startsWith("-");
  const names = isFirst || name === "help" ? [...COMMANDS.keys()] : words;
  const choices = label?.includes("|") ? label.split("|") : [];
  const next = label === undefined ? [...names, ...flags.keys()] : choices;
  return next.filter((word) => word.startsWith(current) && (current !== "" || !word.startsWith("-")))
    .map((word) => inline === undefined ? word : `${inline}=${word}`);
}
