/**
 * May a call that changes something be carried out? Only when somebody agreed to exactly this one: a person whom the client
 * asks, or a second call with a token that the first one was answered with.
 */

import type { ToolContext } from "../server/tool_context.ts";
import { toBase64Url } from "../base/bytes.ts";
import { canonical } from "../base/json.ts";
import { ANSWER_WITHIN_MS } from "../server/request_state.ts";
import { TokenSigner } from "../server/signed_token.ts";
import { ToolValidationError } from "../server/tool.ts";

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
 * @returns What was answered, or undefined when nobody can be asked.
 */
export type Confirm = (
  plan: Plan,
  context: ToolContext,
) => Promise<"accept" | "decline" | "cancel" | undefined>;

/** What the guard decided. */
export type Verdict =
  | { readonly kind: "go" }
  | { readonly kind: "stop"; readonly reason: "decline" | "cancel" }
  | { readonly kind: "ask"; readonly token: string; readonly minutes: number };

/** How long a token can be used, in milliseconds: long enough to read a plan and to think about it. */
const LIFETIME_MS = 5 * 60_000;

/** What a token says: which call, until when, and which token it is. */
type Claim = readonly [digest: string, expires: number, nonce: string];

/** Guards the calls of one gateway. */
export class Guard {
  readonly #confirm: Confirm;
  readonly #signer: TokenSigner;
  readonly #now: () => number;
  /** Tokens and answers that were used, with the time at which they would be of no use anyway. */
  readonly #used = new Map<string, number>();

  /** Takes who asks people, who signs, and what time it is. */
  constructor(confirm: Confirm, signer: TokenSigner = new TokenSigner(), now: () => number = Date.now) {
    this.#confirm = confirm;
    this.#signer = signer;
    this.#now = now;
  }

  /**
   * Decides on one call.
   *
   * @param args Without the token.
   * @throws {ToolValidationError} When there is a token, and it is none for this call; when an answer was used already.
   */
  async decide(
    plan: Plan,
    args: Readonly<Record<string, unknown>>,
    token: string | undefined,
    context: ToolContext,
  ): Promise<Verdict> {
    const digest = await digestOf(args);
    if (token !== undefined) {
      await this.#spend(plan.tool, token, digest);
      return { kind: "go" };
    }
    const answer = await this.#confirm(plan, context);
    if (answer !== undefined) this.#spendAnswer(plan.tool, context.requestState);
    if (answer === "accept") return { kind: "go" };
    if (answer !== undefined) return { kind: "stop", reason: answer };
    const claim: Claim = [digest, this.#now() + LIFETIME_MS, crypto.randomUUID()];
    const signed = await this.#signer.sign(purpose(plan.tool), JSON.stringify(claim));
    return { kind: "ask", token: signed, minutes: LIFETIME_MS / 60_000 };
  }

  async #spend(tool: string, token: string, digest: string): Promise<void> {
    const refuse = (reason: string) => {
      throw new ToolValidationError(
        `The confirmation token ${reason}; nothing was sent. Call ${tool} without it for a new plan.`,
      );
    };
    const content = await this.#signer.open(purpose(tool), token);
    if (content === undefined) return refuse("is none of this tool");
    const [wanted, expires, nonce] = JSON.parse(content) as Claim;
    if (wanted !== digest) return refuse("is for other arguments");
    if (expires < this.#now()) return refuse("has expired");
    if (!this.#isFirstUse(nonce, expires)) return refuse("was used already");
  }

  /** An answer that the client carries can be sent again for as long as its state lasts; it is good for one call. */
  #spendAnswer(tool: string, state: string | undefined): void {
    if (state === undefined || this.#isFirstUse(state, this.#now() + ANSWER_WITHIN_MS)) return;
    throw new ToolValidationError(
      `The answer to the question whether this shall be done was used already; nothing was sent. Call ${tool} without ` +
        "it to have the question put again.",
    );
  }

  #isFirstUse(name: string, until: number): boolean {
    const now = this.#now();
    for (const [used, end] of this.#used) if (end < now) this.#used.delete(used);
    if (this.#used.has(name)) return false;
    this.#used.set(name, until);
    return true;
  }
}

function purpose(tool: string): string {
  return `gateway confirmation ${tool}`;
}

/** The order of members is no part of it: a model may write them in another one the second time. */
async function digestOf(args: Readonly<Record<string, unknown>>): Promise<string> {
  const bytes = new TextEncoder().encode(canonical(args));
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}
