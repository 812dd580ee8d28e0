/** The settings of clients that call the command hook. */

import type { JsonObject } from "../base/json.ts";
import { ConfigurationError } from "./options.ts";
import { commandLine, powershellLine } from "./shell_word.ts";

/** Starts a hook: the words of its command line. */
type Start = readonly string[];

/** The hooks of a client: one for files, and one for the start of a session. */
interface HookSettings {
  /** The file of the user, and the one for a project. */
  readonly userFile: string;
  readonly projectFile: string;
  settings(file: Start, session: Start, onWindows: boolean): JsonObject;
}

/** How long a client waits for a hook. It answers within 2 seconds, and a runtime needs time to start. */
const SECONDS = 10;

/** A command line. It succeeds even if the program is missing: a hook that fails refuses the edit in the Copilot CLI. */
function command(words: Start, onWindows: boolean): string {
  const line = commandLine(words, onWindows);
  if (line === undefined) {
    throw new ConfigurationError(
      `Cannot write a command for hooks: a shell could run a part of ${
        words.join(" ")
      }; rename the folder with the special characters`,
    );
  }
  return line + (onWindows ? "" : " || true");
}

/** The groups of hooks of Claude Code, whose form Codex and Gemini CLI have too. */
const groups = (event: string, matcher: string, file: JsonObject, session: JsonObject): JsonObject => ({
  hooks: { [event]: [{ matcher, hooks: [file] }], SessionStart: [{ hooks: [session] }] },
});

/** It has no list of arguments, which the Copilot CLI does not take when it reads the settings of Claude Code. */
const toHook = (words: Start, onWindows: boolean) => (
  { type: "command", command: command(words, onWindows), timeout: SECONDS }
);

/** By the name of the client. @see the guideline "Reaching the model" */
export const HOOK_SETTINGS: Readonly<Record<string, HookSettings>> = {
  "claude-code": {
    userFile: "~/.claude/settings.json",
    projectFile: ".claude/settings.json",
    settings: (file, session, onWindows) => {
      const matcher = "Read|Edit|Write|MultiEdit|NotebookEdit";
      return groups("PreToolUse", matcher, toHook(file, onWindows), toHook(session, onWindows));
    },
  },
  "codex": {
    userFile: "~/.codex/hooks.json",
    projectFile: ".codex/hooks.json",
    settings: (file, session, onWindows) =>
      groups("PreToolUse", "apply_patch|Bash", toHook(file, onWindows), toHook(session, onWindows)),
  },
  "cursor": {
    userFile: "~/.cursor/hooks.json",
    projectFile: ".cursor/hooks.json",
    settings: (file, session, onWindows) => ({
      version: 1,
      hooks: {
        preToolUse: [{ command: command(file, onWindows), matcher: "Read|Write", timeout: SECONDS }],
        sessionStart: [{ command: command(session, onWindows), timeout: SECONDS }],
      },
    }),
  },
  "vscode": {
    userFile: "~/.copilot/hooks/architrave.json",
    projectFile: ".github/hooks/architrave.json",
    settings: (file, session, onWindows) => (
      { hooks: { PreToolUse: [toHook(file, onWindows)], SessionStart: [toHook(session, onWindows)] } }
    ),
  },
  "copilot": {
    userFile: "~/.copilot/hooks/architrave.json",
    projectFile: ".github/hooks/architrave.json",
    settings: (file, session) => {
      const toBoth = (words: Start) => ({
        type: "command",
        bash: command(words, false),
        powershell: `${powershellLine(words)}; exit 0`,
        timeoutSec: SECONDS,
      });
      const matcher = "view|edit|create|apply_patch";
      return {
        version: 1,
        hooks: { preToolUse: [{ ...toBoth(file), matcher }], sessionStart: [toBoth(session)] },
      };
    },
  },
  "gemini": {
    userFile: "~/.gemini/settings.json",
    projectFile: ".gemini/settings.json",
    // It gives the model no context before a tool. Reading a file comes before its edit.
    settings: (file, session, onWindows) => {
      const [files, start] = [file, session].map((words) => (
        { ...toHook(words, onWindows), name: "architrave", timeout: SECONDS * 1000 }
      ));
      return groups("AfterTool", "read_file|replace|write_file", files!, start!);
    },
  },
};
