/**
 * What is known of the request that is being answered? The execution context: born from the request, changed only
 * into a new one, sealed before anything outside the server sees it.
 */

import type { Call } from "../jsonrpc/workload.ts";
import type { Request } from "../jsonrpc/message.ts";
import type { MessageContext } from "../transport/transport.ts";
import type { Revision } from "./revisions.ts";
import { MAX_DEPTH } from "../jsonrpc/decode.ts";
import { WrittenObject } from "../jsonrpc/encode.ts";

/** An invariant of the context does not hold. To a client this is a generic internal error. */
export class ContextError extends Error {
  /** Names the class in logs. */
  override readonly name = "ContextError";
}

/** What a client says of itself: with the handshake, or in each request. */
export interface ClientFacts {
  /** Its `clientInfo`: a name, a version, perhaps a title. The client's word, unchecked; undefined without it. */
  readonly info: Readonly<Record<string, unknown>> | undefined;
  /** What it can do, by the names of the specification; empty when it says nothing. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** The record behind a context, which nothing but the context ever holds. */
interface Facts {
  readonly id: string;
  readonly request: Request;
  readonly revision: Revision;
  readonly client: ClientFacts;
  readonly call: Call<MessageContext>;
  readonly tool: string | undefined;
  readonly result: unknown;
  readonly hasResult: boolean;
  readonly sealed: boolean;
}

/**
 * The state of one request. Immutable: every `with…` method gives a new context and leaves this one as it was.
 *
 * The only way to one is `fromRequest`; the constructor refuses everybody else.
 */
export class ExecutionContext {
  static readonly #key = Symbol("the only door");
  readonly #facts: Facts;

  /**
   * Refuses everybody but `fromRequest` and the `with…` methods.
   *
   * @throws {ContextError} When anybody else calls it.
   */
  constructor(key: symbol, facts: Facts) {
    if (key !== ExecutionContext.#key) {
      throw new ContextError("Cannot construct a context: use ExecutionContext.fromRequest");
    }
    this.#facts = facts;
    Object.freeze(this);
  }

  /**
   * Opens the context of a request.
   *
   * @param id A name of its own, not blank. The request's id is the client's word and may well be "" or 0.
   * @param request Its params are frozen, all the way down.
   * @throws {ContextError} When the id is blank, or the params are deeper than 64 levels.
   */
  static fromRequest(
    id: string,
    request: Request,
    origin: { revision: Revision; client: ClientFacts; call: Call<MessageContext> },
  ): ExecutionContext {
    if (id.trim() === "") throw new ContextError("Cannot open a context: its id is blank");
    deepFreeze(request.params);
    return new ExecutionContext(ExecutionContext.#key, {
      id,
      request,
      revision: origin.revision,
      client: origin.client,
      call: origin.call,
      tool: undefined,
      result: undefined,
      hasResult: false,
      sealed: false,
    });
  }

  /** Names this request in logs: unique within the process. */
  get id(): string {
    return this.#facts.id;
  }

  /** What the client calls this request. Only unique among its unfinished ones, and it may be "" or 0. */
  get requestId(): string | number {
    return this.#facts.request.id;
  }

  /** What is asked for: "resources/read". */
  get method(): string {
    return this.#facts.request.method;
  }

  /** The arguments as they came, deeply frozen; an empty object when there were none. */
  get params(): Readonly<Record<string, unknown>> {
    return (this.#facts.request.params ?? NO_PARAMS) as Readonly<Record<string, unknown>>;
  }

  /** The revision of the protocol that this request is answered in. */
  get revision(): Revision {
    return this.#facts.revision;
  }

  /** What the client says of itself. */
  get client(): ClientFacts {
    return this.#facts.client;
  }

  /** The session, where the carrier has one. Providers must do without it gracefully. */
  get sessionId(): string | undefined {
    return this.#facts.call.context.sessionId;
  }

  /** How the request came. */
  get origin(): MessageContext {
    return this.#facts.call.context;
  }

  /** Aborted when the request is cancelled or its connection ends. */
  get signal(): AbortSignal {
    return this.#facts.call.signal;
  }

  /** The tool that this request is bound to. */
  get tool(): string | undefined {
    return this.#facts.tool;
  }

  /** What the answer will be, deeply frozen; undefined until there is one. */
  get result(): unknown {
    return this.#facts.result;
  }

  /** Whether this context can lead to no other one any more. */
  get isSealed(): boolean {
    return this.#facts.sealed;
  }

  /**
   * Binds the tool that a `tools/call` is about.
   *
   * @throws {ContextError} When the name is blank, when one is bound already, or when the context is sealed.
   */
  withTool(name: string): ExecutionContext {
    if (name.trim() === "") throw new ContextError("Cannot bind a tool: its name is blank");
    if (this.#facts.tool !== undefined) {
      throw new ContextError(`Cannot bind the tool "${name}": "${this.#facts.tool}" is bound already`);
    }
    return this.#with({ tool: name }, "bind a tool");
  }

  /**
   * Takes the result.
   *
   * @param result Plain data, which is frozen all the way down, or a `WrittenObject`.
   * @throws {ContextError} When there is one already, when the context is sealed, when it is the result of a
   * `tools/call` that no tool was bound to, or when it is deeper than 64 levels.
   */
  withResult(result: unknown): ExecutionContext {
    if (this.#facts.hasResult) throw new ContextError("Cannot take a result: there is one already");
    if (this.method === "tools/call" && this.#facts.tool === undefined) {
      throw new ContextError("Cannot take the result of a tool call: no tool is bound");
    }
    if (!(result instanceof WrittenObject)) deepFreeze(result);
    return this.#with({ result, hasResult: true }, "take a result");
  }

  /**
   * Closes the context for good: what leaves the server cannot be changed by whoever sees it.
   *
   * @throws {ContextError} When it is sealed already.
   */
  seal(): ExecutionContext {
    return this.#with({ sealed: true }, "seal");
  }

  #with(change: Partial<Facts>, action: string): ExecutionContext {
    if (this.#facts.sealed) throw new ContextError(`Cannot ${action}: the context is sealed`);
    return new ExecutionContext(ExecutionContext.#key, { ...this.#facts, ...change });
  }
}

const NO_PARAMS: Readonly<Record<string, unknown>> = Object.freeze({});

/** Freezes plain data all the way down; a value that refers to itself is refused by its depth. */
function deepFreeze(value: unknown, depth = 0): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  if (depth > MAX_DEPTH) throw new ContextError(`Cannot freeze a value deeper than ${MAX_DEPTH} levels`);
  Object.freeze(value);
  for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key], depth + 1);
}
