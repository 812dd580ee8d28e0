/** Builds requests that stay below the base, sends them, and reads their answers. It checks, guards and interprets nothing. */

import type { Semaphore } from "../base/async.ts";
import type { Endpoint, Parameter } from "./endpoint.ts";
import type { Credential } from "./secrets.ts";
import type { Pair } from "./serialize.ts";
import { withDeadline } from "../base/async.ts";
import { discardBody, followRedirects, mediaType, readBytes } from "../base/http.ts";
import { isObject, own } from "../base/json.ts";
import { ToolValidationError } from "../server/tool.ts";
import { GatewayError, UnservableError } from "./endpoint.ts";
import { withCredentials } from "./secrets.ts";
import { encodeBody, encodeReserved, encodeStrictly, headerText, pathText, serialize } from "./serialize.ts";

/** The longest path and query, in characters: many servers take 8,000. */
const MAX_URL = 16_000;
/** How often a value is decoded to find dots: servers behind servers decode more than once. */
const MAX_DECODINGS = 5;
const MAX_REDIRECTS = 5;

/** The part of the web platform's `fetch` that is used. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

/** The address below which all requests go. */
export class BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path before every path, without a slash at its end. */
  readonly #prefix: string;

  /** @throws {GatewayError} When it is not a plain http or https address. */
  constructor(text: string) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) {
      throw new GatewayError(`The base must begin with https:// or http://, and "${text}" does not`);
    }
    if (url.username !== "" || url.password !== "") {
      throw new GatewayError("The base must not have a user or a password: credentials come from files");
    }
    if (/[?#]/.test(text)) {
      throw new GatewayError(`The base must have no query and no fragment, and "${text}" has`);
    }
    this.origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, "");
  }

  /** The address of an encoded path and query; undefined when a URL parser would change it, or it is not below the base. */
  resolve(target: string): URL | undefined {
    const text = this.toString() + target;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url?.href === text && this.covers(url) ? url : undefined;
  }

  /** Whether an address is below the base. */
  covers(url: URL): boolean {
    return this.hasOrigin(url) &&
      (url.pathname === this.#prefix || url.pathname.startsWith(`${this.#prefix}/`));
  }

  /** Whether an address is on the host of the base. */
  hasOrigin({ origin, username, password }: URL): boolean {
    return origin === this.origin && username === "" && password === "";
  }

  toString(): string {
    return this.origin + this.#prefix;
  }
}

/** Whether a host is known to this machine or its network alone. Addresses are read as the URL parser writes them. */
export function isPrivate({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (/^(?:localhost|.*\.localhost|.*\.local|.*\.internal)$/.test(host) || !/[.:]/.test(host)) return true;
  if (/^(?:::1?|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*|::ffff:.*)$/.test(host)) return true;
  return /^(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./
    .test(host);
}

/** Headers of the connection, the credentials or the body. */
const OWN_HEADERS = new Set(
  ("accept accept-encoding authorization connection content-length content-type cookie expect forwarded host keep-alive origin " +
    "referer te trailer transfer-encoding upgrade via x-method x-method-override x-http-method x-http-method-override " +
    "x-original-url x-original-host x-rewrite-url x-real-ip").split(" "),
);

/** Whether the gateway alone decides on a header, so that no argument may be it. */
export function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.has(name.toLowerCase()) || /^(?:proxy|sec|x-forwarded)-/i.test(name);
}

/** A request, but for its credentials. */
export interface PlannedRequest {
  /** In capitals. */
  readonly method: string;
  /** Below the base. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when there is none. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Prepares the requests of one endpoint. The function that it returns takes arguments that fit the endpoint's schemas, and throws a
 * `ToolValidationError` when one cannot be written in its place.
 *
 * @param credentials What is added later: no argument may take its place.
 */
export function requestBuilder(
  endpoint: Endpoint,
  base: BaseUrl,
  credentials: readonly Credential[],
): (args: Readonly<Record<string, unknown>>) => PlannedRequest {
  const { method, accept, parameters, body } = endpoint;
  const template = parsePath(endpoint.path);
  const taken = new Set([...parameters, ...credentials].map((one) => `${one.in} ${one.name}`));
  return (args) => {
    const path = new Map<string, string>();
    const headers: Record<string, string> = { accept, "user-agent": "architrave" };
    const query: Pair[] = [];
    const cookies: Pair[] = [];
    for (const parameter of parameters) {
      const { in: place, name, argument, allowReserved, refusesEmpty } = parameter;
      const given = own(args, argument);
      if (given === undefined) continue;
      const value = parameter.json ? JSON.stringify(given) : given;
      if (place === "path") path.set(name, pathText(parameter, value));
      else if (place === "header") headers[name.toLowerCase()] = headerText(parameter, value);
      else {
        if (value === "" && refusesEmpty) {
          throw new ToolValidationError(`${argument}: an empty text cannot be sent here; leave it out`);
        }
        const others = place === "query" ? query : cookies;
        const pairs = serialize(name, value, parameter, allowReserved ? encodeReserved : encodeStrictly);
        refuseTaken(parameter, value, pairs, others, taken);
        others.push(...pairs);
      }
    }
    if (cookies.length > 0) headers["cookie"] = cookies.map((pair) => pair.join("=")).join("; ");
    const search = query.map((pair) => pair.join("=")).join("&");
    const target = fillPath(template, path) + (search === "" ? "" : `?${search}`);
    if (target.length > MAX_URL) {
      throw new ToolValidationError(
        `The address of this call has ${target.length} characters; ${MAX_URL} are allowed`,
      );
    }
    const url = base.resolve(target);
    if (!url) throw new ToolValidationError("The address of this call would change when it is parsed");
    const value = body && own(args, body.argument);
    if (!body || value === undefined) return { method, url, headers, body: undefined };
    const { type, bytes } = encodeBody(body, value);
    return { method, url, headers: { ...headers, "content-type": type }, body: bytes };
  };
}

/** Members of an object are written like parameters: they must not pass for one, nor for a member of another one. */
function refuseTaken(
  { name, in: place, style, explode }: Parameter,
  value: unknown,
  some: readonly Pair[],
  others: readonly Pair[],
  taken: ReadonlySet<string>,
): void {
  const isDeep = style === "deepObject" && typeof value === "object";
  if (!isDeep && !(style === "form" && explode && isObject(value))) return;
  const before = new Set(others.map(([key]) => decodeURIComponent(key)));
  for (const key of some.map(([key]) => decodeURIComponent(key))) {
    // Many servers read `filter[a]` as a member of `filter`.
    const other = [key, ...(isDeep ? [] : [key.split("[", 1)[0]!])]
      .find((one) => before.has(one) || taken.has(`${place} ${one}`));
    if (other === undefined) continue;
    throw new ToolValidationError(`${name}/${key}: there is another parameter called "${other}"`);
  }
}

/** A piece of a path: encoded text, or the name of a parameter. */
export type Piece = { readonly text: string } | { readonly name: string };

/**
 * Parses the template of a path.
 *
 * @throws {UnservableError} When it is not one, or leads out of the base.
 */
export function parsePath(template: string): readonly Piece[] {
  const fail = (reason: string): never => {
    throw new UnservableError(`The path ${reason}`, "/path");
  };
  if (!template.startsWith("/")) fail('must begin with "/"');
  if (/[?#]/.test(template)) fail("must have no query and no fragment");
  if (/[\p{Cc}\\]/u.test(template)) fail("has a character that cannot be in a path");
  if (/%(?![0-9A-Fa-f]{2})/.test(template)) fail("has a percent sign that encodes nothing");
  const pieces = template.split(/(\{[^{}]*\})/).filter((piece) => piece !== "").map((piece): Piece => {
    if (piece.startsWith("{") && piece.endsWith("}")) return { name: piece.slice(1, -1) };
    if (/[{}]/.test(piece)) fail("has a brace without its counterpart");
    // What is encoded already stays so.
    return { text: piece.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu, encodeURIComponent) };
  });
  const names = namesOf(pieces);
  if (names.includes("")) fail("has a parameter without a name");
  if (new Set(names).size < names.length) fail("has a parameter twice");
  const segments = pieces.map((piece) => "text" in piece ? piece.text : "x").join("").split("/");
  if (segments.some(isDots)) fail('must have no segment "." or ".."');
  return pieces;
}

/** The names of the parameters of a path, in order. */
export function namesOf(pieces: readonly Piece[]): string[] {
  return pieces.flatMap((piece) => "name" in piece ? [piece.name] : []);
}

/** Fills in a template, in one pass: inserted text is not looked at again, and stays within its segment. */
function fillPath(pieces: readonly Piece[], texts: ReadonlyMap<string, string>): string {
  const path = pieces.map((piece) => {
    if ("text" in piece) return piece.text;
    const text = texts.get(piece.name);
    if (text === undefined) {
      throw new ToolValidationError(`${piece.name} is a part of the path, and is missing`);
    }
    if (text === "") throw new ToolValidationError(`${piece.name}: an empty text cannot be a part of a path`);
    if (!leadsOut(text)) return text;
    throw new ToolValidationError(
      `${piece.name}: "." and ".." cannot be a part of a path, however they are written`,
    );
  }).join("");
  // A value can make dots of the text around it: "{id}." with "." for the id.
  if (!path.split("/").some(leadsOut)) return path;
  throw new ToolValidationError('The path would have a segment "." or ".."');
}

/** Whether a server that decodes a text more than once would find a segment of dots in it. */
function leadsOut(text: string): boolean {
  for (let times = 0; times <= MAX_DECODINGS; times++) {
    if (text.split(/[/\\]/).some((part) => isDots(part.replace(/;.*$/s, "")))) return true;
    const decoded = text.replace(/%(?:2e|2f|5c|25|3b)/gi, decodeURIComponent);
    if (decoded === text) return false;
    text = decoded;
  }
  return true;
}

function isDots(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}

/** The whole answer of an API. */
export interface Answer {
  readonly status: number;
  /** The media type in lower case, without parameters; "" without one. */
  readonly type: string;
  /** The character set, in lower case; undefined when the type names none. */
  readonly charset: string | undefined;
  /** The header `Retry-After`. */
  readonly retryAfter: string | null;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** There is no answer, or not one that can be used. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly kind:
    | ("connection" | "redirect" | "stream" | "timeout" | "too_large")
    | ("status" | "unreadable" | "unexpected_answer");
  /** Undefined when there was none. */
  readonly status: number | undefined;
  /** The answer, when it came whole. */
  readonly answer: Answer | undefined;
  /** What of it may be shown. */
  readonly shown: string | undefined;

  constructor(
    kind: UpstreamError["kind"],
    message: string,
    status?: number,
    { answer, shown, cause }: {
      readonly answer?: Answer;
      readonly shown?: string;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.status = status;
    this.answer = answer;
    this.shown = shown;
  }
}

/** Sends requests to one API. */
export interface Sender {
  readonly base: BaseUrl;
  readonly fetch: Fetch;
  /** Limits how many requests are sent at once. */
  readonly semaphore: Semaphore;
  /** The largest answer, after decompression. */
  readonly maxBytes: number;
}

/**
 * Sends a request and reads its whole answer. Redirects of requests that change nothing are followed within the origin, and
 * credentials are only sent below the base.
 *
 * @param timeoutMs For everything: waiting for other requests, redirects and the last byte.
 * @throws {UpstreamError} When there is no whole answer.
 * @throws {unknown} The reason of the signal.
 */
export async function send(
  { method, url, headers, body }: PlannedRequest,
  credentials: readonly Credential[],
  { base, fetch, semaphore, maxBytes }: Sender,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Answer> {
  const init = {
    method,
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
    credentials: "omit",
    referrerPolicy: "no-referrer",
  } as const;
  const timeout = new UpstreamError("timeout", `There was no whole answer within ${timeoutMs} ms`);
  return await withDeadline(timeoutMs, timeout, signal, (signal) =>
    semaphore.run(signal, async () => {
      try {
        const response = await followRedirects(url, (url) => {
          const signed = withCredentials(url, headers, credentials, base.covers(url));
          return fetch(signed.url, { ...init, headers: signed.headers, signal });
        }, ({ status, target, hops }) => {
          const isAllowed = (method === "GET" || method === "HEAD") && hops < MAX_REDIRECTS;
          if (isAllowed && target && base.hasOrigin(target)) return target;
          const where = target
            ? base.hasOrigin(target) ? "within its origin" : "to another origin"
            : "to nowhere";
          const reason = `${method} was redirected ${where}, after ${hops} other redirects`;
          throw new UpstreamError("redirect", reason, status || undefined);
        });
        return await readAnswer(response, maxBytes, signal);
      } catch (cause) {
        if (cause instanceof UpstreamError) throw cause;
        throw new UpstreamError("connection", "The connection broke or could not be made", undefined, {
          cause,
        });
      }
    }));
}

async function readAnswer(response: Response, maxBytes: number, signal: AbortSignal): Promise<Answer> {
  const { status, headers } = response;
  const type = mediaType(response);
  if (type === "text/event-stream") {
    discardBody(response);
    throw new UpstreamError("stream", "The answer is a stream of events, which has no end", status);
  }
  const bytes = await readBytes(response, maxBytes, signal);
  if (!bytes) throw new UpstreamError("too_large", `The answer has more than ${maxBytes} bytes`, status);
  const [, charset] = /;\s*charset=\s*"?([^";\s]*)/i.exec(headers.get("content-type") ?? "") ?? [];
  return { status, type, charset, retryAfter: headers.get("retry-after"), bytes };
}
