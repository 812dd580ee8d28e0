/** Who agrees to a call that changes something? The user, where the client can ask. */

import type { Confirm } from "./guard.ts";
import { MissingCapabilityError } from "../server/unanswered.ts";

/** Asks the user, in every revision; undefined when the client cannot. */
export const askUser: Confirm = async ({ summary }, context) => {
  try {
    const { action } = await context.elicit({
      // A name that nobody knows beforehand: an answer that comes with the first request has seen no plan.
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
