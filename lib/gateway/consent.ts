/** Consent to calls that change something: a person's, or a second call with the token that the first was answered with. */

import type { ToolContext } from "../server/tool.ts";
import type { JsonObject } from "../base/json.ts";
import { canonical } from "../base/json.ts";
import { ANSWER_WITHIN_MS } from "../server/request_state.ts";
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

/** How long a token can be used: enough to read a plan and to think about it. */
const LIFETIME_MINUTES = 5;

/** Asks the user through the client; undefined when the client cannot. */
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

export class Consent {
  readonly #confirm: Confirm;
  readonly #signer = new TokenSigner();
  /** Used tokens and answers, with the time from which they are of no use anyway. */
  readonly #used = new Map<string, number>();

  constructor(confirm: Confirm) {
    this.#confirm = confirm;
  }

  /** Obtains consent to one call, with arguments without the token; else the result that the call is answered with. */
  async obtain(
    plan: Plan,
    args: JsonObject,
    token: unknown,
    context: ToolContext,
  ): Promise<ToolResult | undefined> {
    const { tool } = plan;
    // A model may write the members in another order the second time.
    const purpose = `gateway confirmation ${tool} ${canonical(args)}`;
    if (token !== undefined) return await this.#spend(purpose, String(token), tool);
    const answer = await this.#confirm(plan, context);
    if (answer === undefined) return await this.#ask(purpose, plan);
    const { requestState } = context;
    if (requestState !== undefined && !this.#isFirstUse(requestState, Date.now() + ANSWER_WITHIN_MS)) {
      throw new ToolValidationError(
        `This confirmation was used already; nothing was sent. Call ${tool} without it to be asked again.`,
      );
    }
    if (answer === "accept") return undefined;
    const decision = answer === "decline" ? "said no" : "did not decide";
    const words =
      `The person who was asked ${decision}. Nothing was sent; do not call this again unless you are told to.`;
    return new ToolResult([text(words)], { isError: true });
  }

  async #ask(purpose: string, { tool, summary }: Plan): Promise<ToolResult> {
    const claim = [crypto.randomUUID(), Date.now() + LIFETIME_MINUTES * 60_000];
    const token = await this.#signer.sign(purpose, JSON.stringify(claim));
    const words =
      `Nothing was sent yet. This call would be: ${summary}\n\nShow this to the person you work for. If they agree, ` +
      `call ${tool} again within ${LIFETIME_MINUTES} minutes, with the same arguments and "${CONFIRMATION}": "${token}"`;
    const value = { status: "confirmation_required", plan: summary, [CONFIRMATION]: token };
    return new ToolResult([text(words)], { value });
  }

  async #spend(purpose: string, token: string, tool: string): Promise<undefined> {
    const claim = await this.#signer.open(purpose, token);
    const [id, expires]: [string, number] = JSON.parse(claim ?? '["",0]');
    const reason = claim === undefined
      ? "is not one for this tool and these arguments"
      : expires < Date.now()
      ? "has expired"
      : this.#isFirstUse(id, expires)
      ? undefined
      : "was used already";
    if (reason === undefined) return undefined;
    throw new ToolValidationError(
      `The confirmation token ${reason}; nothing was sent. Call ${tool} without it for a new plan.`,
    );
  }

  #isFirstUse(id: string, until: number): boolean {
    const now = Date.now();
    for (const [used, end] of this.#used) if (end < now) this.#used.delete(used);
    if (this.#used.has(id)) return false;
    this.#used.set(id, until);
    return true;
  }
}
