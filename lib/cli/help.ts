/** Prints the help: of one command, and of the program. */

import type { Command } from "./command_table.ts";
import { COMMANDS } from "./command_table.ts";
import { GENERAL_OPTIONS } from "./help_text.ts";
import { SERVE_OPTIONS } from "./options.ts";
import { VERSION } from "./this_copy.ts";

export const helpOf = ({ usage, text, options, notes }: Command): string =>
  narrow(`Usage: mod.ts ${usage} [OPTION]...\n\n  ${text}\n\nOptions:${options}\n${notes}`);

/** Wraps the text next to options and commands, so that lines have at most 80 columns. */
function narrow(help: string): string {
  return help.replace(/^( {2}[-a-z ].{25} )(.{52,})$/gm, (_, label: string, text: string) => {
    return label + text.match(/\S.{0,50}(?= |$)/g)!.join(`\n${" ".repeat(29)}`);
  });
}

export const OVERVIEW: string = narrow(
  `architrave ${VERSION}: a team's guidelines, patterns and decision records over MCP

Usage: mod.ts [COMMAND | FOLDER] [OPTION]...; with a FOLDER, serve its markdown

Commands; "COMMAND --help" shows the options of each, and an example:
${Array.from(COMMANDS.values(), ({ usage, text }) => `  ${usage.padEnd(26)} ${text}`).join("\n")}

Options of serve:${SERVE_OPTIONS}${GENERAL_OPTIONS}

Exit codes: 0 success; 1 check found errors, or what was asked for does not exist;
2 wrong usage or configuration.`,
);
