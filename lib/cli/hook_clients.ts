/** The clients whose hooks are known: how each is recognised by its input, and how it takes an answer. */

import type { JsonObject } from "../base/json.ts";
import type { HookInput } from "./hook_input.ts";
import { own } from "../base/json.ts";

/** A client. No answer allows an edit: that would skip the question to the user. */
export interface HookClient {
  /** The event at the start of a session. */
  readonly start: string;
  /** Whether an input is of this client. */
  matches(input: HookInput): boolean;
  /** Gives text to the model. */
  context(event: string, text: string): JsonObject;
  /** Refuses an edit. The model gets the reason. */
  refusal(event: string, reason: string): JsonObject;
}

const has = ({ members }: HookInput, name: string): boolean => own(members, name) !== undefined;
const nested = (hookEventName: string, more: JsonObject): JsonObject => ({
  hookSpecificOutput: { hookEventName, ...more },
});
const denial = (permissionDecisionReason: string) => ({
  permissionDecision: "deny",
  permissionDecisionReason,
});

/** The form of Claude Code, which others have copied. */
const CLAUDE: HookClient = {
  start: "SessionStart",
  matches: () => false,
  context: (event, additionalContext) => nested(event, { additionalContext }),
  refusal: (event, reason) => nested(event, denial(reason)),
};

/** Whether an event has a name of Claude Code. */
const isNamed = (event: string): boolean => /^[A-Z]/.test(event);

/**
 * By name, as `config` has them. The first one that an input matches is taken, whatever name was given: Cursor, VS Code and Copilot
 * also run the hooks in the settings of Claude Code.
 *
 * @see the guideline "Reaching the model", which says what was tried with each client
 */
export const HOOK_CLIENTS: Readonly<Record<string, HookClient>> = {
  cursor: {
    start: "sessionStart",
    matches: (input) => has(input, "cursor_version") || /^[a-z]/.test(input.event),
    context: (_, additional_context) => ({ additional_context }),
    refusal: (_, reason) => ({ permission: "deny", user_message: reason, agent_message: reason }),
  },
  copilot: {
    start: "sessionStart",
    // It has two forms: events like "preToolUse", which it does not name, and those of Claude Code.
    matches: (input) =>
      has(input, "sessionId") || has(input, "toolName") ||
      (has(input, "timestamp") && !has(input, "transcript_path")),
    context: (event, additionalContext) => ({
      additionalContext,
      ...isNamed(event) ? CLAUDE.context(event, additionalContext) : {},
    }),
    refusal: (event, reason) => ({
      ...denial(reason),
      ...isNamed(event) ? CLAUDE.refusal(event, reason) : {},
    }),
  },
  gemini: {
    ...CLAUDE,
    matches: ({ event }) => /^(?:Before|After)[A-Z]/.test(event),
    refusal: (_, reason) => ({ decision: "deny", reason }),
  },
  // It refuses answers with other members.
  codex: { ...CLAUDE, matches: (input) => has(input, "model") && has(input, "permission_mode") },
  vscode: { ...CLAUDE, matches: (input) => has(input, "timestamp") },
  "claude-code": CLAUDE,
};
