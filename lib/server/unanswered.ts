/** Why was a question not answered? */

import type { Page } from "./asking.ts";
import type { Revision } from "../protocol/revisions.ts";
import { ErrorCode, RpcError } from "../jsonrpc/message.ts";
import { McpErrorCode } from "../protocol/errors.ts";

/** A question got no answer that can be used. A tool that does not catch it answers with its message. */
export class UnansweredError extends RpcError {
  /** Names the class in logs. */
  override readonly name: string = "UnansweredError";

  /** Says why; the message is for the client and for a model. */
  constructor(message: string, code?: number, data?: unknown) {
    super(code ?? ErrorCode.internal, message, data);
  }
}

/** The client has not said that it can answer such a question, or its revision has no words for it. */
export class MissingCapabilityError extends UnansweredError {
  /** Names the class in logs. */
  override readonly name = "MissingCapabilityError";
  /** What the client would have to declare: `{ elicitation: { form: {} } }`. */
  readonly capabilities: Readonly<Record<string, unknown>>;

  /** Takes what would have to be declared. */
  constructor(capabilities: Readonly<Record<string, unknown>>, revision: Revision) {
    const name = namesOf(capabilities).join(", ");
    const isModern = revision.era === "modern";
    super(
      `This needs a client with the capability ${name}${isModern ? "" : ", and a revision that has it"}`,
      isModern ? McpErrorCode.missingClientCapability : undefined,
      isModern ? { requiredCapabilities: capabilities } : undefined,
    );
    this.capabilities = capabilities;
  }
}

/**
 * Nothing can be done before the user has been to these pages: throw it from a handler. The client asks the user, and asks
 * again when that is done; the handler then finds what it missed, or throws this again.
 *
 * @example
 * ```ts
 * import { defineTool, UrlElicitationRequiredError } from "@architrave/architrave/server";
 *
 * const tokens = new Map<string, string>();
 * defineTool({
 *   name: "list-files",
 *   inputSchema: { type: "object" },
 *   handler(_, { sessionId = "" }) {
 *     if (tokens.has(sessionId)) return "…";
 *     throw new UrlElicitationRequiredError([{
 *       message: "Sign in to the file store",
 *       url: "https://files.example/connect",
 *     }]);
 *   },
 * });
 * ```
 */
export class UrlElicitationRequiredError extends Error {
  /** Names the class in logs. */
  override readonly name = "UrlElicitationRequiredError";
  /** Where the user has to go. */
  readonly pages: readonly Page[];

  /** Takes at least one page. */
  constructor(pages: readonly Page[]) {
    if (pages.length === 0) throw new TypeError("Cannot send a user to no page");
    super("This needs something of the user first");
    this.pages = pages;
  }
}

function namesOf(capabilities: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(capabilities).map(([name, parts]) =>
    [name, ...Object.keys(parts as object)].join(".")
  );
}
