/** Builds requests that stay below the base, sends them, and reads their answers. */

import type { JsonObject } from "../base/json.ts";
import type { Operation, Parameter } from "./endpoint.ts";
import type { Credential } from "./secrets.ts";
import type { Pair } from "./serialize.ts";
import { abortable, withDeadline } from "../base/async.ts";
import { discardBody, followRedirects, mediaType, readBytes } from "../base/http.ts";
import { isObject, own } from "../base/json.ts";
import { keyOf, refuse, reject } from "./endpoint.ts";
import { CONNECTION, withCredentials } from "./secrets.ts";
import { bodyOf, encodeAll, headerText, jsonOf, keepReserved, pathText, serialize } from "./serialize.ts";

/** The longest path and query, in characters: many servers take 8,000. */
const MAX_URL = 16_000;
/** How often a path is decoded to find dot segments: each server behind another one may decode it again. */
const MAX_DECODINGS = 5, MAX_REDIRECTS = 5;

/** The part of the web platform's `fetch` that is used. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

export class BaseUrl {
  readonly origin: string;
  readonly #prefix: string;

  constructor(text: string) {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol)) {
      refuse(`The base must begin with https:// or http://, and "${text.replace(/\?.*/s, "?…")}" does not`);
    }
    if (url.username !== "" || url.password !== "" || /[?#]/.test(text)) {
      refuse("The base must have no user, password, query or fragment");
    }
    this.origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, "");
  }

  /** The URL of an encoded path and query; undefined when a URL parser would change it, or it is not below the base. */
  resolve(target: string): URL | undefined {
    const text = this.toString() + target;
    const url = URL.parse(text);
    return url?.href === text && this.covers(url) ? url : undefined;
  }

  covers(url: URL): boolean {
    return this.hasOrigin(url) && `${url.pathname}/`.startsWith(`${this.#prefix}/`);
  }

  hasOrigin({ origin, username, password }: URL): boolean {
    return origin === this.origin && username === "" && password === "";
  }

  toString(): string {
    return this.origin + this.#prefix;
  }
}

const OWN_HEADERS = new Set(
  ("accept accept-encoding authorization content-type cookie forwarded origin referer via x-method x-method-override " +
    "x-http-method x-http-method-override x-original-url x-original-host x-rewrite-url x-real-ip").split(" "),
);

/** Whether only the gateway may set a header, and no argument. */
export function isOwnHeader(name: string): boolean {
  const plain = name.toLowerCase();
  return CONNECTION.has(plain) || OWN_HEADERS.has(plain) || /^(?:proxy|sec|x-forwarded)-/.test(plain);
}

interface PlannedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** Makes a function that prepares requests. It throws a `ToolValidationError` for an argument that cannot be sent in its place. */
export function requestBuilder(
  endpoint: Operation,
  base: BaseUrl,
  credentials: readonly Credential[],
): (args: JsonObject) => PlannedRequest {
  const { method, accept, parameters, body } = endpoint;
  const { text: template } = parsePath(endpoint.path);
  const taken = new Set([...parameters, ...credentials].map(keyOf));
  /** Members that are written as parameters of their own must not be read as another parameter, or as a member of one. */
  const refuseTaken = ({ name, in: place, style }: Parameter, pairs: Pair[], others: Pair[]) => {
    const before = new Set(others.map(([key]) => decodeURIComponent(key)));
    for (const key of pairs.map(([key]) => decodeURIComponent(key))) {
      // Many servers read `filter[a]` as a member of `filter`.
      const other = [key, ...(style === "deepObject" ? [] : [key.split("[", 1)[0]!])]
        .find((name) => before.has(name) || taken.has(keyOf({ in: place, name })));
      if (other !== undefined) reject(`${name}/${key}: there is another parameter called "${other}"`);
    }
  };
  return (args) => {
    const path = new Map<string, string>();
    const headers: Record<string, string> = { accept, "user-agent": "architrave" };
    const query: Pair[] = [], cookies: Pair[] = [];
    for (const parameter of parameters) {
      const { in: place, name, argument, allowReserved, refusesEmpty } = parameter;
      const given = own(args, argument);
      if (given === undefined) continue;
      const value = parameter.json ? jsonOf(given) : given;
      if (place === "path") path.set(name, pathText(parameter, value));
      else if (place === "header") headers[name.toLowerCase()] = headerText(parameter, value);
      else {
        if (value === "" && refusesEmpty) reject(`${argument}: an empty text cannot be sent; leave it out`);
        const others = place === "query" ? query : cookies;
        const pairs = serialize(name, value, parameter, allowReserved ? keepReserved : encodeAll);
        if (isSpread(parameter, value)) refuseTaken(parameter, pairs, others);
        others.push(...pairs);
      }
    }
    if (cookies.length > 0) headers["cookie"] = cookies.map((pair) => pair.join("=")).join("; ");
    const search = query.map((pair) => pair.join("=")).join("&");
    const target = fillPath(template, path) + (search === "" ? "" : `?${search}`);
    if (target.length > MAX_URL) {
      reject(`The address has ${target.length} characters; ${MAX_URL} are allowed`);
    }
    const url = base.resolve(target);
    if (!url) reject("The address of this call would change when it is parsed");
    const value = body && own(args, body.argument);
    const encoded = body && value !== undefined ? bodyOf(body, value) : undefined;
    if (encoded) headers["content-type"] = encoded.type;
    return { method, url, headers, body: encoded?.bytes };
  };
}

/** Whether the members of a value become parameters of their own. */
function isSpread({ style, explode }: Parameter, value: unknown): boolean {
  return style === "deepObject" ? typeof value === "object" : style === "form" && explode && isObject(value);
}

const IN_BRACES = /\{([^{}]*)\}/g;

/** Parses the template of a path: its text, which is encoded but for the names in braces, and these names. */
export function parsePath(path: string): { text: string; names: readonly string[] } {
  const names = Array.from(path.matchAll(IN_BRACES), ([, name]) => name!);
  const plain = path.replace(IN_BRACES, "x");
  const isUnfit = !path.startsWith("/") || /[?#\p{Cc}\\{}]|%(?![0-9A-Fa-f]{2})/u.test(plain) ||
    names.includes("") || new Set(names).size < names.length || plain.split("/").some(isDots);
  if (isUnfit) {
    const most = 'no query, fragment, dot segment, backslash, lone "{", "}" or "%", and no parameter twice';
    return refuse(`The path must begin with "/", and have ${most}`, "/path");
  }
  // What is already encoded stays as it is.
  const unencoded = /(\{.*?\})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu;
  const text = path.replace(unencoded, (found, name) => name ?? encodeURIComponent(found));
  return { text, names };
}

/** Fills in a template. Inserted text stays within its segment, and braces in it are not filled in. */
function fillPath(template: string, values: ReadonlyMap<string, string>): string {
  const path = template.replace(IN_BRACES, (_, name: string) => {
    const value = values.get(name)!;
    if (value !== "" && !leadsOut(value)) return value;
    return reject(`${name}: an empty text, "." and ".." cannot be a part of a path, in any spelling`);
  });
  // A value can complete a dot segment: "{id}." with "." for the id is "..".
  if (!leadsOut(path)) return path;
  return reject('The path would have a segment "." or ".."');
}

/** Whether a server that decodes a text, perhaps more than once, would find a dot segment in it. */
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

export interface Answer extends Pick<Response, "status" | "headers"> {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The API did not give a whole answer. */
export class UpstreamError extends Error {
  /** Names the class in logs. */
  override readonly name = "UpstreamError";
  /** Why there is none: "timeout" when it took too long. */
  readonly kind: "connection" | "redirect" | "stream" | "timeout" | "too_large";
  /** The status, if the API has sent one. */
  readonly status: number | undefined;

  /** Takes the kind, the message and the status. */
  constructor(kind: UpstreamError["kind"], message: string, status?: number, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.status = status;
  }
}

export interface Sender {
  readonly base: BaseUrl;
  readonly fetch: Fetch;
  readonly semaphore: Semaphore;
  readonly maxBytes: number;
}

/** Sends a request, and reads the whole answer. Throws an `UpstreamError`. Credentials are sent below the base only. */
export async function send(
  { method, url, headers, body }: PlannedRequest,
  credentials: readonly Credential[],
  { base, fetch, semaphore, maxBytes }: Sender,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Answer> {
  const init = { method, redirect: "manual", credentials: "omit", referrerPolicy: "no-referrer" } as const;
  const request = (signal: AbortSignal) =>
    followRedirects(url, (url) => {
      const signed = withCredentials(url, headers, credentials, base.covers(url));
      return fetch(signed.url, { ...init, ...(body && { body }), headers: signed.headers, signal });
    }, ({ status, target, hops }) => {
      const isInside = target !== undefined && base.hasOrigin(target);
      if (isInside && hops < MAX_REDIRECTS && (method === "GET" || method === "HEAD")) return target;
      const where = isInside ? "within its origin" : target ? "to another origin" : "to nowhere";
      const reason = `${method} was redirected ${where}, after ${hops} other redirects`;
      throw new UpstreamError("redirect", reason, status || undefined);
    });
  const timeout = new UpstreamError("timeout", `There was no whole answer within ${timeoutMs} ms`);
  return await withDeadline(timeoutMs, timeout, signal, (signal) =>
    semaphore.run(signal, async () => {
      try {
        return await readAnswer(await request(signal), maxBytes, signal);
      } catch (cause) {
        if (cause instanceof UpstreamError) throw cause;
        const reason = "The connection broke or could not be made";
        throw new UpstreamError("connection", reason, undefined, { cause });
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
  return { status, headers, type, bytes };
}

/** Limits how many callers work at once; the others wait in order. */
export class Semaphore {
  #free: number;
  readonly #waiting: { readonly signal: AbortSignal; start(): void }[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Does some work as soon as a slot is free. Throws the reason of the signal if it is aborted before that. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else {
      const started = new Promise<void>((start) => this.#waiting.push({ signal, start }));
      await abortable(started, signal);
    }
    try {
      return await work();
    } finally {
      let next = this.#waiting.shift();
      while (next?.signal.aborted) next = this.#waiting.shift();
      if (next) next.start();
      else this.#free++;
    }
  }
}
