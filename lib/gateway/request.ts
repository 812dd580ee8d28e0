/** Which request does a call come to? An endpoint and its arguments become an address, headers and bytes; nothing is sent. */

import type { BaseUrl } from "./base_url.ts";
import type { Credential } from "./credential.ts";
import type { Endpoint, Parameter } from "./endpoint.ts";
import type { Piece } from "./path_template.ts";
import type { Pair } from "./style.ts";
import { isObject, own } from "../base/json.ts";
import { ToolValidationError } from "../server/tool.ts";
import { encodeBody } from "./body.ts";
import { fillPath, parsePath } from "./path_template.ts";
import { encodeReserved, encodeStrictly, headerText, pairs, pathText } from "./style.ts";

/** A request, whole but for its credentials. */
export interface PlannedRequest {
  /** In capitals. */
  readonly method: string;
  /** Below the base. */
  readonly url: URL;
  /** Of the endpoint: none of a client's. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined when there is none. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** The longest address that is asked for, in characters: many servers take 8,000. */
const MAX_URL = 16_000;

/** What goes in which header cannot be said by an argument: these belong to the connection, the credentials or the body. */
const OWN_HEADERS =
  /^(?:accept|accept-encoding|authorization|connection|content-length|content-type|cookie|expect|forwarded|host|keep-alive|origin|referer|te|trailer|transfer-encoding|upgrade|via|(?:proxy|sec|x-forwarded)-.*|x-(?:http-)?method(?:-override)?|x-original-(?:url|host)|x-rewrite-url|x-real-ip)$/i;

/** Whether a parameter may be a header of this name. */
export function isOwnHeader(name: string): boolean {
  return OWN_HEADERS.test(name);
}

/** Builds the requests of one endpoint. */
export class RequestBuilder {
  readonly #endpoint: Endpoint;
  readonly #base: BaseUrl;
  readonly #path: readonly Piece[];
  readonly #byName: ReadonlyMap<string, Parameter>;
  /** Names in the query and among the cookies that no argument may come to. */
  readonly #taken: ReadonlySet<string>;

  /** Takes an endpoint that was checked when it was read. */
  constructor(endpoint: Endpoint, base: BaseUrl, credentials: readonly Credential[]) {
    this.#endpoint = endpoint;
    this.#base = base;
    this.#path = parsePath(endpoint.path);
    this.#byName = new Map(
      endpoint.parameters.filter((one) => one.in === "path").map((one) => [one.name, one]),
    );
    this.#taken = new Set([
      ...endpoint.parameters.map((parameter) => `${parameter.in} ${parameter.name}`),
      ...credentials.map((credential) => `${credential.in} ${credential.name}`),
    ]);
  }

  /**
   * The request of one call.
   *
   * @param args Checked against the endpoint's schemas already; that is not repeated here.
   * @throws {ToolValidationError} When a value cannot be written where it belongs.
   */
  build(args: Readonly<Record<string, unknown>>): PlannedRequest {
    const { method, body, accept } = this.#endpoint;
    const path = fillPath(this.#path, (name) => this.#inPath(name, args));
    const query = this.#pairs("query", args).map(([name, value]) => `${name}=${value}`).join("&");
    const target = query === "" ? path : `${path}?${query}`;
    if (target.length > MAX_URL) {
      throw new ToolValidationError(
        `The address of this call would have ${target.length} characters; ${MAX_URL} may be`,
      );
    }
    const url = this.#base.resolve(target);
    if (!url) {
      throw new ToolValidationError("The address of this call would not be the one that it was built as");
    }
    const headers = this.#headers(args, accept);
    const value = body && own(args, body.argument);
    if (!body || value === undefined) return { method, url, headers, body: undefined };
    const encoded = encodeBody(body, value);
    return { method, url, headers: { ...headers, "content-type": encoded.type }, body: encoded.bytes };
  }

  #inPath(name: string, args: Readonly<Record<string, unknown>>): string {
    const parameter = this.#byName.get(name)!;
    const value = written(parameter, own(args, parameter.argument));
    if (value === undefined) throw new ToolValidationError(`${name} is a part of the path, and is missing`);
    if (value === "") throw new ToolValidationError(`${name}: an empty text cannot be a part of a path`);
    return pathText(name, value, parameter, encodeStrictly);
  }

  #pairs(place: "query" | "cookie", args: Readonly<Record<string, unknown>>): Pair[] {
    const all: Pair[] = [];
    for (const parameter of this.#endpoint.parameters.filter((parameter) => parameter.in === place)) {
      const value = written(parameter, own(args, parameter.argument));
      if (value === undefined) continue;
      if (value === "" && parameter.refusesEmpty) {
        throw new ToolValidationError(
          `${parameter.argument}: an empty text cannot be sent here; leave it out`,
        );
      }
      const encode = parameter.allowReserved ? encodeReserved : encodeStrictly;
      const some = pairs(parameter.name, value, parameter, encode);
      this.#refuseTaken(parameter, value, some, all);
      all.push(...some);
    }
    return all;
  }

  /** Members of an object are written like parameters: they must not pass for one, nor for a member of another one. */
  #refuseTaken(
    { name, in: place, style, explode }: Parameter,
    value: unknown,
    some: readonly Pair[],
    others: readonly Pair[],
  ): void {
    const isDeep = style === "deepObject" && typeof value === "object";
    if (!isDeep && !(style === "form" && explode && isObject(value))) return;
    const before = new Set(others.map(([key]) => decodeURIComponent(key)));
    for (const key of some.map(([key]) => decodeURIComponent(key))) {
      // Many servers read `filter[a]` as a member of `filter`.
      const [whole = ""] = key.split("[", 1);
      const other = [key, ...(isDeep ? [] : [whole])].find((one) =>
        before.has(one) || this.#taken.has(`${place} ${one}`)
      );
      if (other === undefined) continue;
      throw new ToolValidationError(`${name}/${key}: there is another parameter called "${other}"`);
    }
  }

  #headers(args: Readonly<Record<string, unknown>>, accept: string): Record<string, string> {
    const headers: Record<string, string> = { accept, "user-agent": "architrave" };
    for (const parameter of this.#endpoint.parameters) {
      if (parameter.in !== "header") continue;
      const value = written(parameter, own(args, parameter.argument));
      if (value === undefined) continue;
      headers[parameter.name.toLowerCase()] = headerValue(parameter, value);
    }
    const cookies = this.#pairs("cookie", args);
    if (cookies.length > 0) headers["cookie"] = cookies.map(([name, value]) => `${name}=${value}`).join("; ");
    return headers;
  }
}

/** The value of a parameter that is written as JSON is that JSON. */
function written({ json }: Parameter, value: unknown): unknown {
  return json && value !== undefined ? JSON.stringify(value) : value;
}

function headerValue(parameter: Parameter, value: unknown): string {
  const text = headerText(parameter.name, value, parameter);
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text;
  throw new ToolValidationError(
    `${parameter.argument}: a header holds printable ASCII characters, and no space at its ends`,
  );
}
