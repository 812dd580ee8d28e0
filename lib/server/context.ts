/**
 * What is known of the request that is being answered? The execution context: born from the request, changed only
 * into a new one, sealed before anything outside the server sees it.
 */

import type { Request } from "../jsonrpc/message.ts";
import type { MessageContext } from "../transport/transport.ts";
import type {
  Answered,
  Asking,
  Elicited,
  Form,
  FormSchema,
  Keyed,
  Page,
  Root,
  Sample,
  SampleRequest,
} from "./asking.ts";
import type { FromSchema } from "../schema/mod.ts";
import type { ServerCall } from "./methods.ts";
import type { Revision } from "../protocol/revisions.ts";
import { MAX_DEPTH, RawJson } from "../jsonrpc/codec.ts";

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

/** What does not change while a request is answered. */
interface Arrival {
  readonly id: string;
  readonly request: Request;
  readonly revision: Revision;
  readonly client: ClientFacts;
  readonly call: ServerCall;
  /** Only where the client may be asked. */
  readonly questions?: Asking;
}

/** How far the answer has come. */
type Stage = "open" | "answered" | "sealed";

/**
 * The state of one request. Immutable: every `with…` method gives a new context and leaves this one as it was.
 *
 * The only way to one is `fromRequest`; the constructor refuses everybody else.
 */
export class ExecutionContext implements Asking {
  static readonly #key = Symbol("the only door");
  readonly #arrival: Arrival;
  readonly #stage: Stage;
  readonly #tool: string | undefined;
  readonly #result: unknown;

  /**
   * Refuses everybody but `fromRequest` and the `with…` methods.
   *
   * @throws {ContextError} When anybody else calls it.
   */
  constructor(key: symbol, arrival: Arrival, stage: Stage, tool: string | undefined, result: unknown) {
    if (key !== ExecutionContext.#key) {
      throw new ContextError("Cannot construct a context: use ExecutionContext.fromRequest");
    }
    this.#arrival = arrival;
    this.#stage = stage;
    this.#tool = tool;
    this.#result = result;
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
    origin: { revision: Revision; client: ClientFacts; call: ServerCall },
  ): ExecutionContext {
    if (id.trim() === "") throw new ContextError("Cannot open a context: its id is blank");
    deepFreeze(request.params);
    const { revision, client, call } = origin;
    const arrival = { id, request, revision, client, call };
    return new ExecutionContext(ExecutionContext.#key, arrival, "open", undefined, undefined);
  }

  /** Names this request in logs: unique within the process. */
  get id(): string {
    return this.#arrival.id;
  }

  /** What the client calls this request. Only unique among its unfinished ones, and it may be "" or 0. */
  get requestId(): string | number {
    return this.#arrival.request.id;
  }

  /** What is asked for: "resources/read". */
  get method(): string {
    return this.#arrival.request.method;
  }

  /** The arguments as they came, deeply frozen; an empty object when there were none. */
  get params(): Readonly<Record<string, unknown>> {
    return (this.#arrival.request.params ?? NO_PARAMS) as Readonly<Record<string, unknown>>;
  }

  /** The revision of the protocol that this request is answered in. */
  get revision(): Revision {
    return this.#arrival.revision;
  }

  /** What the client says of itself. */
  get client(): ClientFacts {
    return this.#arrival.client;
  }

  /** The session, where the carrier has one. Providers must do without it gracefully. */
  get sessionId(): string | undefined {
    return this.#arrival.call.context.sessionId;
  }

  /** How the request came. */
  get origin(): MessageContext {
    return this.#arrival.call.context;
  }

  /** Aborted when the request is cancelled or its connection ends. */
  get signal(): AbortSignal {
    return this.#arrival.call.signal;
  }

  /** The tool that this request is bound to. */
  get tool(): string | undefined {
    return this.#tool;
  }

  /** What the answer will be, deeply frozen; undefined until there is one. */
  get result(): unknown {
    return this.#result;
  }

  /** Whether this context can lead to no other one any more. */
  get isSealed(): boolean {
    return this.#stage === "sealed";
  }

  /** See `Asking`. Only while a prompt is filled in or a resource is read; tools have a context of their own. */
  elicit<const S extends FormSchema>(form: Form<S>): Promise<Elicited<FromSchema<S>>> {
    return this.#questions.elicit(form);
  }

  /** See `Asking`. */
  elicitUrl(page: Page): Promise<Answered> {
    return this.#questions.elicitUrl(page);
  }

  /** See `Asking`. */
  completeElicitation(id: string): void {
    this.#questions.completeElicitation(id);
  }

  /** See `Asking`. */
  sample(request: SampleRequest): Promise<Sample> {
    return this.#questions.sample(request);
  }

  /** See `Asking`. */
  listRoots(options?: Keyed): Promise<readonly Root[]> {
    return this.#questions.listRoots(options);
  }

  get #questions(): Asking {
    if (this.#arrival.questions) return this.#arrival.questions;
    throw new ContextError(
      `Cannot ask the client in ${this.method}: only tools/call, prompts/get and resources/read can`,
    );
  }

  /**
   * Lets the client be asked.
   *
   * @throws {ContextError} When the context has a result, or is sealed.
   */
  withQuestions(questions: Asking): ExecutionContext {
    if (this.#stage !== "open") {
      throw new ContextError(`Cannot ask the client: the context is ${this.#stage}`);
    }
    const arrival = { ...this.#arrival, questions };
    return new ExecutionContext(ExecutionContext.#key, arrival, "open", this.#tool, undefined);
  }

  /**
   * Binds the tool that a `tools/call` is about.
   *
   * @throws {ContextError} When the name is blank, when one is bound already, or when the context is sealed.
   */
  withTool(name: string): ExecutionContext {
    if (name.trim() === "") throw new ContextError("Cannot bind a tool: its name is blank");
    if (this.#tool !== undefined) {
      throw new ContextError(`Cannot bind the tool "${name}": "${this.#tool}" is bound already`);
    }
    if (this.#stage !== "open") {
      throw new ContextError(`Cannot bind the tool "${name}": the context is ${this.#stage}`);
    }
    return new ExecutionContext(ExecutionContext.#key, this.#arrival, "open", name, undefined);
  }

  /**
   * Takes the result.
   *
   * @param result Plain data, which is frozen all the way down, or a `RawJson`.
   * @throws {ContextError} When there is one already, when the context is sealed, when it is the result of a
   * `tools/call` that no tool was bound to, or when it is deeper than 64 levels.
   */
  withResult(result: unknown): ExecutionContext {
    if (this.#stage === "answered") throw new ContextError("Cannot take a result: there is one already");
    if (this.#stage === "sealed") throw new ContextError("Cannot take a result: the context is sealed");
    if (this.method === "tools/call" && this.#tool === undefined) {
      throw new ContextError("Cannot take the result of a tool call: no tool is bound");
    }
    if (!(result instanceof RawJson)) deepFreeze(result);
    return new ExecutionContext(ExecutionContext.#key, this.#arrival, "answered", this.#tool, result);
  }

  /**
   * Closes the context for good: what leaves the server cannot be changed by whoever sees it.
   *
   * @throws {ContextError} When it is sealed already.
   */
  seal(): ExecutionContext {
    if (this.#stage === "sealed") throw new ContextError("Cannot seal: the context is sealed");
    return new ExecutionContext(ExecutionContext.#key, this.#arrival, "sealed", this.#tool, this.#result);
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
