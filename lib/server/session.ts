/**
 * What was agreed with this client? The memory of one connection: what the last handshake said. Modern requests neither
 * read nor write it.
 */

import type { Request } from "../jsonrpc/message.ts";
import type { ClientFacts } from "./context.ts";
import type { LogLevel } from "./logging.ts";
import type { Revision } from "../protocol/revisions.ts";
import type { TokenBucket } from "./token_bucket.ts";
import { ErrorCode, RpcError } from "../jsonrpc/message.ts";
import { invalidParams, unsupportedVersion } from "../protocol/errors.ts";
import { isObject, own } from "../base/json.ts";
import { MODERN_IDS, modernRevision, negotiate, NEWEST_LEGACY } from "../protocol/revisions.ts";
import { Subscriptions } from "./subscriptions.ts";

const PREFIX = "io.modelcontextprotocol/";
const VERSION = `${PREFIX}protocolVersion`;
const CAPABILITIES = `${PREFIX}clientCapabilities`;
const CLIENT_INFO = `${PREFIX}clientInfo`;

type Meta = Readonly<Record<string, unknown>>;

const NOBODY: ClientFacts = Object.freeze({ info: undefined, capabilities: Object.freeze({}) });

/** In which revision a request is answered, and what its client says of itself. */
export interface Terms {
  /** The revision that the answer keeps to. */
  readonly revision: Revision;
  /** From the handshake, or from the request itself. */
  readonly client: ClientFacts;
}

let connections = 0;

/** One connection: a pair of standard streams, a socket, an HTTP session. Each client has one of its own. */
export class Session {
  /** Names the connection in logs. */
  readonly id: string = `c${++connections}`;
  /** What its client has asked to be told. */
  readonly subscriptions: Subscriptions = new Subscriptions();
  /** The lowest level of log messages that its client wants to hear of, once it has said so. */
  logLevel: LogLevel | undefined;
  /** Tells its client something that belongs to no request. Set by whatever serves it. @default {nobody can} */
  notify: ((method: string, params: Readonly<Record<string, unknown>>) => unknown) | undefined;
  /** Counts its calls of tools. */
  toolCalls: TokenBucket | undefined;
  /** Whether its client has said that the handshake is over: before that it is told nothing unasked. */
  isInitialized = false;
  #agreed: Terms | undefined;
  /** The terms of requests that have arrived, or why they have none. */
  readonly #arrived = new WeakMap<Request, Terms | RpcError>();

  /** What the last handshake agreed on; undefined before one. */
  get agreed(): Terms | undefined {
    return this.#agreed;
  }

  /**
   * Resolves the terms of a request when it arrives, before it may be queued; `initialize` takes effect here. A handshake
   * must not be part of a batch, and modern revisions have none (2025-03-26, lifecycle).
   */
  arrive(request: Request, inBatch: boolean): void {
    try {
      if (inBatch && (request.method === "initialize" || statesRevision(request))) {
        throw new RpcError(ErrorCode.invalidRequest, "Invalid request: it must not be part of a batch");
      }
      const terms = this.#resolve(request);
      this.#arrived.set(request, terms);
      if (request.method === "initialize" && terms.revision.era === "legacy") this.#negotiate(request);
    } catch (cause) {
      if (!(cause instanceof RpcError)) throw cause;
      this.#arrived.set(request, cause);
    }
  }

  #negotiate({ params }: Request): void {
    if (isObject(params) && typeof own(params, "protocolVersion") === "string") this.agree(params);
  }

  /**
   * Decides how one request is answered. Each is decided by itself: a client may open the conversation in one way and
   * go on in another.
   *
   * @throws {RpcError} -32602 when the request states nothing and nothing was agreed, or leaves out what a modern one
   * must state; -32022 when it states a revision that is not served that way.
   */
  termsOf(request: Request): Terms {
    if (!this.#arrived.has(request)) this.arrive(request, false);
    const arrived = this.#arrived.get(request)!;
    if (arrived instanceof RpcError) throw arrived;
    return arrived;
  }

  #resolve(request: Request): Terms {
    const meta = metaOf(request);
    if (isModern(meta)) return modernTerms(meta);
    if (request.method === "initialize" || request.method === "ping") {
      return this.#agreed ?? { revision: NEWEST_LEGACY, client: NOBODY };
    }
    if (this.#agreed) return this.#agreed;
    throw invalidParams(
      `The request states no protocol version: send initialize first, or state ${VERSION} and ${CAPABILITIES} in ` +
        `params._meta (served: ${MODERN_IDS.join(", ")})`,
    );
  }

  /** Takes note of a handshake that went well. */
  agree(params: Readonly<Record<string, unknown>>): void {
    const info = own(params, "clientInfo");
    const capabilities = own(params, "capabilities");
    this.#agreed = Object.freeze({
      revision: negotiate(String(params["protocolVersion"])),
      client: Object.freeze({
        info: isObject(info) ? info : undefined,
        capabilities: isObject(capabilities) ? capabilities : NOBODY.capabilities,
      }),
    });
  }
}

/** Whether a request says by itself how it is answered, whatever was agreed on. */
export function statesRevision(request: Request): boolean {
  return isModern(metaOf(request));
}

function metaOf(request: Request): Meta | undefined {
  const params = request.params as Readonly<Record<string, unknown>> | undefined;
  const meta = params === undefined ? undefined : own(params, "_meta");
  return isObject(meta) ? meta : undefined;
}

function isModern(meta: Meta | undefined): meta is Meta {
  return meta !== undefined && (VERSION in meta || CAPABILITIES in meta || CLIENT_INFO in meta);
}

function modernTerms(meta: Meta): Terms {
  const version = meta[VERSION];
  if (typeof version !== "string") throw invalidParams(`params._meta must state ${VERSION} as a string`);
  const revision = modernRevision(version);
  if (!revision) throw unsupportedVersion(version, MODERN_IDS);
  const capabilities = meta[CAPABILITIES];
  if (!isObject(capabilities)) throw invalidParams(`params._meta must state ${CAPABILITIES} as an object`);
  const info = meta[CLIENT_INFO];
  if (info !== undefined && !isObject(info)) {
    throw invalidParams(`params._meta must state ${CLIENT_INFO} as an object`);
  }
  return { revision, client: Object.freeze({ info, capabilities }) };
}
