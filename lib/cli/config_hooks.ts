/** The settings of clients that call the command hook. */

import type { JsonObject } from "../base/json.ts";
import { quotedWord } from "./shell_word.ts";

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

const command = (words: Start, onWindows: boolean) =>
  words.map((word) => quotedWord(word, onWindows)).join(" ");
/** The groups of hooks of Claude Code, whose form Codex and Gemini CLI have too. */
const groups = (event: string, matcher: string, file: JsonObject, session: JsonObject): JsonObject => ({
  hooks: { [event]: [{ matcher, hooks: [file] }], SessionStart: [{ hooks: [session] }] },
});

/** By the name of the client. @see the guideline "Reaching the model" */
export const HOOK_SETTINGS: Readonly<Record<string, HookSettings>> = {
  "claude-code": {
    userFile: "~/.claude/settings.json",
    projectFile: ".claude/settings.json",
    settings: (...starts) => {
      const [file, session] = starts.slice(0, 2).map((words) => {
        const [command, ...args] = words as Start;
        return { type: "command", command, args, timeout: SECONDS };
      });
      return groups("PreToolUse", "Read|Edit|Write|MultiEdit|NotebookEdit", file!, session!);
    },
  },
  "codex": {
    userFile: "~/.codex/hooks.json",
    projectFile: ".codex/hooks.json",
    settings: (file, session, onWindows) => {
      const toHook = (words: Start) => ({
        type: "command",
        command: command(words, onWindows),
        timeout: SECONDS,
      });
      return groups("PreToolUse", "apply_patch|Bash", toHook(file), toHook(session));
    },
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
  // Where these two run the Copilot CLI, any failure of a hook refuses the edit, also that of a program that is missing.
  "vscode": {
    userFile: "~/.copilot/hooks/architrave.json",
    projectFile: ".github/hooks/architrave.json",
    settings: (file, session, onWindows) => {
      const end = onWindows ? "" : " || true";
      const toHooks = (words: Start) => [
        { type: "command", command: command(words, onWindows) + end, timeout: SECONDS },
      ];
      return { hooks: { PreToolUse: toHooks(file), SessionStart: toHooks(session) } };
    },
  },
  "copilot": {
    userFile: "~/.copilot/hooks/architrave.json",
    projectFile: ".github/hooks/architrave.json",
    settings: (file, session) => {
      const toHook = (words: Start) => ({
        type: "command",
        bash: `${command(words, false)} || true`,
        powershell: `& ${command(words, true)}; exit 0`,
        timeoutSec: SECONDS,
      });
      const matcher = "view|edit|create|apply_patch";
      return {
        version: 1,
        hooks: { preToolUse: [{ ...toHook(file), matcher }], sessionStart: [toHook(session)] },
      };
    },
  },
  "gemini": {
    userFile: "~/.gemini/settings.json",
    projectFile: ".gemini/settings.json",
    // It gives the model no context before a tool. Reading a file comes before its edit.
    settings: (file, session, onWindows) => {
      const toHook = (words: Start) => ({
        type: "command",
        name: "architrave",
        command: command(words, onWindows),
        timeout: SECONDS * 1000,
      });
      return groups("AfterTool", "read_file|replace|write_file", toHook(file), toHook(session));
    },
  },
};
