/** Consent to calls that change something: a person's, or a second call with the token of the plan. */

import type { ToolContext } from "../server/tool.ts";
import type { JsonObject } from "../base/json.ts";
import { canonical } from "../base/json.ts";
import { ANSWER_WITHIN_MS, identityOf } from "../server/request_state.ts";
import { TokenSigner } from "../server/signer.ts";
import { ToolValidationError } from "../server/tool.ts";
import { text, ToolResult } from "../server/tool_result.ts";
import { MissingCapabilityError } from "../server/client_requests.ts";
import { CONFIRMATION } from "./endpoint.ts";

/** What a call would do. */
export interface Plan {
  /** The tool. */
  readonly tool: string;
  /** One sentence for people: the method, the address and the arguments. */
  readonly summary: string;
}

/**
 * Asks a person whether a plan may be carried out.
 *
 * @returns The answer; undefined when no person can be asked.
 */
export type Confirm = (
  plan: Plan,
  context: ToolContext,
) => Promise<"accept" | "decline" | "cancel" | undefined>;

/** How long a token can be used. */
const LIFETIME_MINUTES = 5;

export const askUser: Confirm = async ({ summary }, context) => {
  try {
    const { action } = await context.elicit({
      // An unforeseeable key: an answer that comes with the first request was given without seeing the plan.
      key: `confirmation-${crypto.randomUUID()}`,
      message: `${summary}\n\nShall this be done?`,
      schema: { type: "object", properties: {} },
    });
    return action;
  } catch (cause) {
    if (cause instanceof MissingCapabilityError) return undefined;
    throw cause;
  }
};

/** Obtains consent to one call, whose arguments are without the token; else returns what the call is answered with. */
export type Consent = (
  plan: Plan,
  args: JsonObject,
  token: unknown,
  context: ToolContext,
) => Promise<ToolResult | undefined>;

export function consentBy(confirm: Confirm): Consent {
  const signer = new TokenSigner();
  /** Used tokens and answers, with the time from which they are of no use anyway. */
  const used = new Map<string, number>();
  const isFirstUse = (id: string, until: number) => {
    const now = Date.now();
    for (const [one, end] of used) if (end < now) used.delete(one);
    if (used.has(id)) return false;
    used.set(id, until);
    return true;
  };
  return async (plan, args, token, context) => {
    const { tool, summary } = plan;
    // A model may write the members in another order the second time.
    const purpose = `gateway confirmation ${canonical([tool, args, identityOf(context.authentication)])}`;
    const unsent = (what: string, next: string) =>
      new ToolValidationError(`${what}; nothing was sent. Call ${tool} without it ${next}.`);
    if (token !== undefined) {
      const claim = await signer.open(purpose, String(token));
      const [id, expires]: [string, number] = JSON.parse(claim ?? '["",0]');
      if (claim !== undefined && expires >= Date.now() && isFirstUse(id, expires)) return undefined;
      const reason = claim === undefined
        ? "is not one for this tool and these arguments"
        : expires < Date.now()
        ? "has expired"
        : "was used already";
      throw unsent(`The confirmation token ${reason}`, "for a new plan");
    }
    const answer = await confirm(plan, context);
    if (answer === undefined) {
      const claim = [crypto.randomUUID(), Date.now() + LIFETIME_MINUTES * 60_000];
      const token = await signer.sign(purpose, JSON.stringify(claim));
      const words =
        `Nothing was sent yet. This call would be: ${summary}\n\nShow this to the person you work for. If they agree, ` +
        `call ${tool} again within ${LIFETIME_MINUTES} minutes, with the same arguments and "${CONFIRMATION}": "${token}"`;
      const value = { status: "confirmation_required", plan: summary, [CONFIRMATION]: token };
      return new ToolResult([text(words)], { value });
    }
    const { requestState } = context;
    if (requestState !== undefined && !isFirstUse(requestState, Date.now() + ANSWER_WITHIN_MS)) {
      throw unsent("This confirmation was used already", "to be asked again");
    }
    if (answer === "accept") return undefined;
    const decision = `The person who was asked ${answer === "decline" ? "said no" : "did not decide"}`;
    const words = `${decision}. Nothing was sent; do not call this again unless you are told to.`;
    return new ToolResult([text(words)], { isError: true });
  };
}
