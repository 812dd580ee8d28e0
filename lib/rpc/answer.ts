/** How is a call answered? With the result of its handler as JSON, or with one of the errors; it never throws. */

import type { ErrorObject, Notification, Request, Response } from "../jsonrpc/message.ts";
import type { CallContext, Method } from "./methods.ts";
import { ErrorCode, RpcError, toErrorObject } from "../jsonrpc/error.ts";
import { failure, success } from "../jsonrpc/message.ts";
import { reviveMembers } from "../jsonrpc/revive.ts";
import { toJsonValue } from "../jsonrpc/rich_values.ts";

/** Takes a failure that the client is only told of in general, with the reference it got. */
export type FailureReport = (cause: unknown, reference: string) => void;

/** Answers calls from a table of methods. */
export class Answerer {
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #onfailure: FailureReport | undefined;
  #failures = 0;

  constructor(methods: ReadonlyMap<string, Method>, onfailure: FailureReport | undefined) {
    this.#methods = methods;
    this.#onfailure = onfailure;
  }

  /** The answer to a request: at once when its handler has one at once. */
  answer(request: Request, context: CallContext): Response | Promise<Response> {
    const fail = (cause: unknown) => failure(request.id, this.#toError(cause));
    try {
      const result = this.#call(request, context);
      if (!isThenable(result)) return success(request.id, toJsonValue(result));
      return Promise.resolve(result).then((value) => success(request.id, toJsonValue(value))).catch(fail);
    } catch (cause) {
      return fail(cause);
    }
  }

  /** Calls the handler of a notification. @returns A promise while it is at work. */
  notice(notification: Notification, context: CallContext): Promise<unknown> | undefined {
    // A sender of notifications is told nothing, not even that there is no such method.
    if (!this.#methods.has(notification.method)) return undefined;
    try {
      const result = this.#call(notification, context);
      return isThenable(result) ? Promise.resolve(result).catch((cause) => this.#report(cause)) : undefined;
    } catch (cause) {
      this.#report(cause);
      return undefined;
    }
  }

  #call({ method: name, params }: Request | Notification, context: CallContext): unknown {
    const method = this.#methods.get(name);
    if (!method) throw new RpcError(ErrorCode.methodNotFound, "Method not found", { method: name });
    return method.handler(method.params ? reviveMembers(params, method.params) : params, context);
  }

  /** What is meant for the client goes to it, anything else only to the operator. */
  #toError(cause: unknown): ErrorObject {
    if (!(cause instanceof RpcError)) return toErrorObject(cause, this.#report(cause));
    try {
      return toErrorObject(new RpcError(cause.code, cause.message, writeData(cause)));
    } catch (unwritable) {
      return toErrorObject(unwritable, this.#report(unwritable));
    }
  }

  #report(cause: unknown): string {
    const reference = `f${++this.#failures}`;
    // What somebody who looks on does, and throws, is after the answer and apart from it.
    queueMicrotask(() => this.#onfailure?.(cause, reference));
    return reference;
  }
}

function writeData({ code, data }: RpcError): unknown {
  if (!Number.isSafeInteger(code)) {
    throw new TypeError(`An error code must be an integer, and ${code} is none`);
  }
  return data === undefined ? undefined : toJsonValue(data);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null &&
    typeof (value as { then?: unknown }).then === "function";
}
