/** Errors when the client is asked: it cannot be asked, it gave no usable answer, or its user has to open a URL first. */

import type { Revision } from "../protocol/revisions.ts";
import type { UrlElicitation } from "./client_requests.ts";
import { ErrorCode } from "../../jsonrpc/message.ts";
import { McpError, McpErrorCode } from "../protocol/errors.ts";

/** The client gave no usable answer. If a tool does not catch it, legacy clients get it as the error result of the tool. */
export class UnansweredError extends McpError {
  /** The name of the class, for logs. */
  override readonly name: string = "UnansweredError";

  /** Builds an error; the message is for the client and for a model. */
  constructor(message: string, code?: number, data?: unknown, status?: number) {
    super(code ?? ErrorCode.internal, message, data, { status });
  }
}

/** The client has not declared the capability, or its revision does not have it. */
export class MissingCapabilityError extends UnansweredError {
  /** The name of the class, for logs. */
  override readonly name = "MissingCapabilityError";
  /** Builds an error for a capability, or for a part of one. */
  constructor(name: string, part: string | undefined, { era }: Revision) {
    const needed = part === undefined ? name : `${name}.${part}`;
    const requiredCapabilities = { [name]: part === undefined ? {} : { [part]: {} } };
    const isModern = era === "modern";
    super(
      `This needs a client with the capability ${needed}${isModern ? "" : ", and a revision that has it"}`,
      isModern ? McpErrorCode.missingClientCapability : undefined,
      isModern ? { requiredCapabilities } : undefined,
      isModern ? 400 : undefined,
    );
  }
}

/** A handler throws this when the user has to open URLs first. The client asks the user, and the handler runs again. */
export class UrlElicitationRequiredError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "UrlElicitationRequiredError";
  /** The URLs to open, each with the reason for the user. */
  readonly elicitations: readonly UrlElicitation[];

  /** Builds an error with at least one URL. */
  constructor(elicitations: readonly UrlElicitation[]) {
    if (elicitations.length === 0) throw new TypeError("Cannot require no URL: give at least one");
    super("The user has to do something first");
    this.elicitations = elicitations;
  }
}
