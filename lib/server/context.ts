/** The execution context: the state of one request, from its arrival to the result that is sent. */

import type { Request } from "../jsonrpc/message.ts";
import type { ClientFacts, Negotiated, Revision } from "../protocol/revisions.ts";
import type { FromSchema } from "../schema/mod.ts";
import type { MessageContext } from "../transport/transport.ts";
import type {
  Answered,
  ClientRequests,
  Elicited,
  Form,
  FormSchema,
  Keyed,
  Page,
  Root,
  Sample,
  SampleRequest,
} from "./client_requests.ts";
import type { ServerCall } from "./handlers.ts";
import { MAX_DEPTH, RawJson } from "../jsonrpc/message.ts";

/** An invariant of the context is violated. The client gets a generic internal error. */
export class ContextError extends Error {
  /** The name of the class, for logs. */
  override readonly name = "ContextError";
}

/** What stays the same while a request is answered. */
interface Origin extends Negotiated {
  readonly id: string;
  readonly request: Request;
  readonly call: ServerCall;
  /** Only in methods that may ask the client. */
  readonly input: ClientRequests | undefined;
}

type Stage = "open" | "answered" | "sealed";

/**
 * The state of one request. Immutable: every `with…` method returns a new context. Contexts are made by `fromRequest`
 * alone.
 */
export class ExecutionContext implements ClientRequests {
  static readonly #key = Symbol("fromRequest");
  readonly #origin: Origin;
  readonly #stage: Stage;
  readonly #tool: string | undefined;
  readonly #result: unknown;

  /**
   * Only for `fromRequest` and the `with…` methods.
   *
   * @throws {ContextError} When anything else calls it.
   */
  constructor(key: symbol, origin: Origin, stage: Stage, tool: string | undefined, result: unknown) {
    if (key !== ExecutionContext.#key) {
      throw new ContextError("Cannot construct a context: use ExecutionContext.fromRequest");
    }
    this.#origin = origin;
    this.#stage = stage;
    this.#tool = tool;
    this.#result = result;
    Object.freeze(this);
  }

  /**
   * Makes the context of a request.
   *
   * @param id Its own name, not blank. The request's id comes from the client and may be "" or 0.
   * @param request Its params are deeply frozen.
   * @throws {ContextError} When the id is blank, or the params are deeper than 64 levels.
   */
  static fromRequest(
    id: string,
    request: Request,
    { revision, client }: Negotiated,
    call: ServerCall,
    input?: ClientRequests,
  ): ExecutionContext {
    if (id.trim() === "") throw new ContextError("Cannot open a context: its id is blank");
    deepFreeze(request.params, 0);
    const origin = { id, request, revision, client, call, input };
    return new ExecutionContext(ExecutionContext.#key, origin, "open", undefined, undefined);
  }

  /** Names the request in logs; unique within the process. */
  get id(): string {
    return this.#origin.id;
  }

  /** The id that the client gave the request. May be "" or 0. */
  get requestId(): string | number {
    return this.#origin.request.id;
  }

  /** The method: "resources/read". */
  get method(): string {
    return this.#origin.request.method;
  }

  /** The params, deeply frozen; an empty object without any. */
  get params(): Readonly<Record<string, unknown>> {
    return (this.#origin.request.params ?? NO_PARAMS) as Readonly<Record<string, unknown>>;
  }

  /** The revision of the response. */
  get revision(): Revision {
    return this.#origin.revision;
  }

  /** What the client says of itself. */
  get client(): ClientFacts {
    return this.#origin.client;
  }

  /** The session, if the transport has sessions. Providers must work without one. */
  get sessionId(): string | undefined {
    return this.#origin.call.context.sessionId;
  }

  /** How the request came. */
  get origin(): MessageContext {
    return this.#origin.call.context;
  }

  /** Aborted when the request is cancelled or its connection closes. */
  get signal(): AbortSignal {
    return this.#origin.call.signal;
  }

  /** The tool that is bound to the request. */
  get tool(): string | undefined {
    return this.#tool;
  }

  /** The result, deeply frozen; undefined until there is one. */
  get result(): unknown {
    return this.#result;
  }

  /** Whether the context is final. */
  get isSealed(): boolean {
    return this.#stage === "sealed";
  }

  /** See `ClientRequests`. For prompts and resources; tools have a context of their own. */
  elicit<const S extends FormSchema>(form: Form<S>): Promise<Elicited<FromSchema<S>>> {
    return this.#input.elicit(form);
  }

  /** See `ClientRequests`. */
  elicitUrl(page: Page): Promise<Answered> {
    return this.#input.elicitUrl(page);
  }

  /** See `ClientRequests`. */
  completeElicitation(id: string): void {
    this.#input.completeElicitation(id);
  }

  /** See `ClientRequests`. */
  sample(request: SampleRequest): Promise<Sample> {
    return this.#input.sample(request);
  }

  /** See `ClientRequests`. */
  listRoots(options?: Keyed): Promise<readonly Root[]> {
    return this.#input.listRoots(options);
  }

  get #input(): ClientRequests {
    if (this.#origin.input) return this.#origin.input;
    throw new ContextError(
      `Cannot ask the client in ${this.method}: only tools/call, prompts/get and resources/read can`,
    );
  }

  /**
   * Binds the tool of a `tools/call`.
   *
   * @throws {ContextError} When the name is blank, one is bound already, or the context has a result.
   */
  withTool(name: string): ExecutionContext {
    if (name.trim() === "") throw new ContextError("Cannot bind a tool: its name is blank");
    if (this.#tool !== undefined) {
      throw new ContextError(`Cannot bind the tool "${name}": "${this.#tool}" is bound already`);
    }
    if (this.#stage !== "open") {
      throw new ContextError(`Cannot bind the tool "${name}": the context is ${this.#stage}`);
    }
    return new ExecutionContext(ExecutionContext.#key, this.#origin, "open", name, undefined);
  }

  /**
   * Sets the result.
   *
   * @param result Plain data, which is deeply frozen, or a `RawJson`.
   * @throws {ContextError} When there is one already, no tool is bound in a `tools/call`, or it is deeper than 64 levels.
   */
  withResult(result: unknown): ExecutionContext {
    if (this.#stage === "answered") throw new ContextError("Cannot take a result: there is one already");
    if (this.#stage === "sealed") throw new ContextError("Cannot take a result: the context is sealed");
    if (this.method === "tools/call" && this.#tool === undefined) {
      throw new ContextError("Cannot take the result of a tool call: no tool is bound");
    }
    if (!(result instanceof RawJson)) deepFreeze(result, 0);
    return new ExecutionContext(ExecutionContext.#key, this.#origin, "answered", this.#tool, result);
  }

  /**
   * Makes the context final.
   *
   * @throws {ContextError} When it is sealed already.
   */
  seal(): ExecutionContext {
    if (this.#stage === "sealed") throw new ContextError("Cannot seal: the context is sealed");
    return new ExecutionContext(ExecutionContext.#key, this.#origin, "sealed", this.#tool, this.#result);
  }
}

const NO_PARAMS: Readonly<Record<string, unknown>> = Object.freeze({});

/** Freezes plain data; the depth limit also stops cycles. */
function deepFreeze(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return;
  if (depth > MAX_DEPTH) throw new ContextError(`Cannot freeze a value deeper than ${MAX_DEPTH} levels`);
  Object.freeze(value);
  for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key], depth + 1);
}
