/** The state of one request, from its arrival to its result. */

import type { JsonObject } from "../../base/json.ts";
import type { MessageContext } from "../../jsonrpc/transport/transport.ts";
import type { ClientFacts, Revision } from "../protocol/revisions.ts";
import type { AcceptedCall } from "./accepted.ts";
import type { Access } from "./access.ts";
import type { ClientRequests } from "./client_requests.ts";
import { freeze } from "../../base/json.ts";
import { MAX_DEPTH, RawJson } from "../../jsonrpc/message.ts";

/** A handler or provider has broken a rule of requests or results. The client gets a generic internal error. */
export class ContextError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "ContextError";
}

const NO_PARAMS: JsonObject = Object.freeze({});

/** One request up to its result. Immutable: `with…` methods return a new context; one with a result is sealed. */
export class ExecutionContext implements ClientRequests {
  static readonly #key = Symbol("fromRequest");
  /** Names the request in logs; unique within the process. */
  readonly id: string;
  /** The id that the client gave the request. May be "" or 0. */
  readonly requestId: string | number;
  /** The method: "resources/read". */
  readonly method: string;
  /** The params, deeply frozen; an empty object without any. */
  readonly params: JsonObject;
  /** The revision of the response. */
  readonly revision: Revision;
  /** What the client states about itself. */
  readonly client: ClientFacts;
  /** What the client may use; undefined when all may use everything. Providers must show nothing else. */
  readonly access: Access | undefined;
  /** Where the request comes from. */
  readonly origin: MessageContext;
  /** The tool of a `tools/call`; undefined until `withTool` binds it. */
  readonly tool: string | undefined;
  /** Whether it has a result. Then it takes no other. */
  readonly isSealed: boolean;
  /** The result, deeply frozen; undefined until there is one. */
  readonly result: unknown;
  readonly #call: AcceptedCall;

  /** Only for `fromRequest` and the `with…` methods. @throws {ContextError} When anything else calls it. */
  constructor(
    key: symbol,
    call: AcceptedCall,
    tool: string | undefined,
    isSealed: boolean,
    result: unknown,
  ) {
    if (key !== ExecutionContext.#key) {
      throw new ContextError("Cannot construct a context: use ExecutionContext.fromRequest");
    }
    const { request, accepted } = call;
    this.id = accepted.id;
    this.requestId = request.id;
    this.method = request.method;
    this.params = (request.params ?? NO_PARAMS) as JsonObject;
    this.revision = accepted.revision;
    this.client = accepted.client;
    this.access = accepted.access;
    this.origin = call.context;
    this.tool = tool;
    this.isSealed = isSealed;
    this.result = result;
    this.#call = call;
    Object.freeze(this);
  }

  /**
   * Makes the context of an accepted request; freezes the params. @throws {ContextError} When `accepted.id` is blank, or the
   * params are too deep.
   */
  static fromRequest(call: AcceptedCall): ExecutionContext {
    if (call.accepted.id.trim() === "") throw new ContextError("Cannot open a context: its id is blank");
    freeze(call.request.params, refuseToFreeze, MAX_DEPTH);
    return new ExecutionContext(ExecutionContext.#key, call, undefined, false, undefined);
  }

  /** The session, if the transport has sessions. Providers must work without one. */
  get sessionId(): string | undefined {
    return this.origin.sessionId;
  }

  /** The values that handlers store for the session, in memory; undefined without a session, as in 2026-07-28. */
  get sessionState(): Map<string, unknown> | undefined {
    return this.origin.sessionState;
  }

  /** Aborted when the request is cancelled or its connection closes. */
  get signal(): AbortSignal {
    return this.#call.signal;
  }

  /** See `ClientRequests`. For prompts and resources; tools have a context of their own. */
  get elicit(): ClientRequests["elicit"] {
    return this.#requests.elicit;
  }

  /** See `ClientRequests`. */
  get elicitUrl(): ClientRequests["elicitUrl"] {
    return this.#requests.elicitUrl;
  }

  /** See `ClientRequests`. */
  get completeElicitation(): ClientRequests["completeElicitation"] {
    return this.#requests.completeElicitation;
  }

  /** See `ClientRequests`. */
  get sample(): ClientRequests["sample"] {
    return this.#requests.sample;
  }

  /** See `ClientRequests`. */
  get listRoots(): ClientRequests["listRoots"] {
    return this.#requests.listRoots;
  }

  get #requests(): ClientRequests {
    const { input } = this.#call.accepted;
    if (input) return input.requests;
    throw new ContextError(
      `Cannot ask the client in ${this.method}: only tools/call, prompts/get and resources/read can`,
    );
  }

  /** Binds the tool of a `tools/call`. @throws {ContextError} When the name is blank, a tool is bound, or there is a result. */
  withTool(name: string): ExecutionContext {
    if (name.trim() === "") throw new ContextError("Cannot bind a tool: its name is blank");
    if (this.tool !== undefined) {
      throw new ContextError(`Cannot bind the tool "${name}": "${this.tool}" is bound already`);
    }
    if (this.isSealed) throw new ContextError(`Cannot bind the tool "${name}": the context is sealed`);
    return new ExecutionContext(ExecutionContext.#key, this.#call, name, false, undefined);
  }

  /**
   * Sets the result, a `RawJson` or plain data, which is deeply frozen, and seals the context.
   *
   * @throws {ContextError} When there is one already, a `tools/call` has no bound tool, or the result is deeper than 64 levels or
   *   has an object that cannot be frozen, such as a `Date` or a `Map`.
   */
  withResult(result: unknown): ExecutionContext {
    if (this.isSealed) throw new ContextError("Cannot take a result: the context is sealed");
    if (this.method === "tools/call" && this.tool === undefined) {
      throw new ContextError("Cannot take the result of a tool call: no tool is bound");
    }
    if (!(result instanceof RawJson)) freeze(result, refuseToFreeze, MAX_DEPTH);
    return new ExecutionContext(ExecutionContext.#key, this.#call, this.tool, true, result);
  }
}

function refuseToFreeze(what: string): never {
  throw new ContextError(
    `Cannot seal ${what}: give plain objects and lists, at most ${MAX_DEPTH} levels deep`,
  );
}
