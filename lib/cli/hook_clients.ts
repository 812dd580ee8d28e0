/** The clients whose hooks are known: how each is recognised, and what it is answered. */

import type { JsonObject } from "../base/json.ts";
import type { HookInput } from "./hook_input.ts";
import { own } from "../base/json.ts";

/** How a client takes an answer. No answer allows an edit: that would skip the question to the user. */
interface Form {
  /** Gives text to the model. */
  context(event: string, text: string): JsonObject;
  /** Refuses an edit. The model gets the reason. */
  refusal(event: string, reason: string): JsonObject;
}

export interface HookClient extends Form {
  /** The event at the start of a session. */
  readonly start: string;
  /** Whether an input is of this client. */
  matches(input: HookInput): boolean;
}

const nested = (hookEventName: string, more: JsonObject): JsonObject => ({
  hookSpecificOutput: { hookEventName, ...more },
});
/** The form of Claude Code, which others have copied. */
const CLAUDE: Form = {
  context: (event, additionalContext) => nested(event, { additionalContext }),
  refusal: (event, permissionDecisionReason) =>
    nested(event, { permissionDecision: "deny", permissionDecisionReason }),
};

const has = ({ members }: HookInput, name: string): boolean => own(members, name) !== undefined;

/** By name, as `config` has them. The first one that an input matches is taken. */
export const HOOK_CLIENTS: Readonly<Record<string, HookClient>> = {
  gemini: {
    ...CLAUDE,
    refusal: (_, reason) => ({ decision: "deny", reason }),
    start: "SessionStart",
    matches: ({ event }) => /^(?:Before|After)(?:Tool|Agent|Model)$/.test(event),
  },
  cursor: {
    context: (_, additional_context) => ({ additional_context }),
    refusal: (_, agent_message) => ({ permission: "deny", agent_message }),
    start: "sessionStart",
    matches: (input) => has(input, "cursor_version") || has(input, "conversation_id"),
  },
  copilot: {
    context: (_, additionalContext) => ({ additionalContext }),
    refusal: (_, permissionDecisionReason) => ({ permissionDecision: "deny", permissionDecisionReason }),
    start: "sessionStart",
    matches: (input) => has(input, "toolArgs") || (input.event === "" && has(input, "sessionId")),
  },
  codex: { ...CLAUDE, start: "SessionStart", matches: (input) => has(input, "turn_id") },
  vscode: { ...CLAUDE, start: "SessionStart", matches: (input) => has(input, "hookEventName") },
  "claude-code": { ...CLAUDE, start: "SessionStart", matches: () => true },
};
