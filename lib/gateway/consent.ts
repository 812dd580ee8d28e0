/** Consent: a call that can change something is sent only after a person has agreed to its plan. */

import type { JsonObject } from "../base/json.ts";
import type { ToolContext } from "../mcp/server/tool.ts";
import { canonical } from "../base/json.ts";
import { TokenSigner } from "../base/signer.ts";
import { ANSWER_WITHIN_MS, identityOf } from "../mcp/server/request_state.ts";
import { MissingCapabilityError } from "../mcp/server/client_errors.ts";
import { ToolResult } from "../mcp/server/content.ts";
import { ToolValidationError } from "../mcp/server/tool_errors.ts";
import { CONFIRMATION } from "./endpoint.ts";
import { failedResult } from "./result.ts";

const TOKEN_MINUTES = 5;

/** What a call would do, before it is sent. */
export interface Plan {
  /** The name of the tool. */
  readonly tool: string;
  /** One sentence for people: the method, the path and the arguments. */
  readonly summary: string;
}

/** Asks a person to confirm a plan. @returns The decision, or undefined if no person can be asked. */
export type Confirm = (plan: Plan, call: ToolContext) => Promise<"accept" | "decline" | "cancel" | undefined>;

/** Obtains consent to a call. Returns undefined if there is consent, else the result of the call. */
export type Consent = (
  plan: Plan,
  args: JsonObject,
  token: unknown,
  context: ToolContext,
) => Promise<ToolResult | undefined>;

/** Asks the user through the client. */
export const askUser: Confirm = async ({ summary }, context) => {
  try {
    const { action } = await context.elicit({
      // The key is random, so that no client can answer before it has seen the plan.
      key: `confirmation-${crypto.randomUUID()}`,
      message: `${summary}\n\nDo you want to send this?`,
      schema: { type: "object", properties: {} },
    });
    return action;
  } catch (cause) {
    if (cause instanceof MissingCapabilityError) return undefined;
    throw cause;
  }
};

/** Obtains consent through `confirm`; if no person can be asked, through a token that the client sends with a second call. */
export function consentBy(confirm: Confirm): Consent {
  const signer = new TokenSigner();
  /** Used tokens and decisions, with the time when they expire. */
  const used = new Map<string, number>();
  /** Returns false if it was used before. */
  const markUsed = (id: string, until: number) => {
    const now = Date.now();
    for (const [one, end] of used) if (end < now) used.delete(one);
    if (used.has(id)) return false;
    used.set(id, until);
    return true;
  };
  return async (plan, args, token, context) => {
    const { tool, summary } = plan;
    // The second call may list its arguments in another order.
    const purpose = `gateway confirmation ${canonical([tool, args, identityOf(context.authentication)])}`;
    const unsent = (what: string, next: string) =>
      new ToolValidationError(`${what}; nothing was sent. Call ${tool} without it ${next}.`);
    if (token !== undefined) {
      const claim = await signer.open(purpose, String(token));
      const [id, expires]: [string, number] = JSON.parse(claim ?? '["",0]');
      if (expires >= Date.now() && markUsed(id, expires)) return undefined;
      const reason = claim ? "has expired or was already used" : "is not for this tool and these arguments";
      throw unsent(`The confirmation token ${reason}`, "for a new plan");
    }
    const answer = await confirm(plan, context);
    if (answer === undefined) {
      const claim = [crypto.randomUUID(), Date.now() + TOKEN_MINUTES * 60_000];
      const token = await signer.sign(purpose, JSON.stringify(claim));
      const words =
        `Nothing was sent yet. This call would be: ${summary}\n\nShow this to the user. If they agree, ` +
        `call ${tool} again within ${TOKEN_MINUTES} minutes, with the same arguments and "${CONFIRMATION}": "${token}"`;
      const value = { status: "confirmation_required", plan: summary, [CONFIRMATION]: token };
      return new ToolResult([words], { value });
    }
    const { requestState } = context;
    if (requestState !== undefined && !markUsed(requestState, Date.now() + ANSWER_WITHIN_MS)) {
      throw unsent("This confirmation was already used", "to ask again");
    }
    if (answer === "accept") return undefined;
    const decision = `The user ${answer === "decline" ? "declined" : "did not decide"}`;
    return failedResult(`${decision}. Nothing was sent; do not call this again unless the user asks for it.`);
  };
}
