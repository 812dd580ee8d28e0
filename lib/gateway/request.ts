/** Builds requests that stay below the base. */

import type { JsonObject } from "../base/json.ts";
import type { BaseUrl } from "./base_url.ts";
import type { Credential } from "./credential.ts";
import type { Operation, Parameter } from "./endpoint.ts";
import type { Pair } from "./serialize.ts";
import { isObject, own } from "../base/json.ts";
import { bodyOf } from "./body.ts";
import { keyOf } from "./endpoint.ts";
import { reject } from "./errors.ts";
import { fillPath, parsePath } from "./path_template.ts";
import {
  encodeAll,
  headerText,
  jsonOf,
  keepReserved,
  pathText,
  refuseMissing,
  serialize,
  withoutNulls,
} from "./serialize.ts";

/** The maximum length of path and query in characters. Many servers accept 8,000. */
const MAX_URL = 16_000;

/** A request before credentials are added. */
export interface PlannedRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** Makes a function that builds a request from arguments. It throws a `ToolValidationError` for a value that cannot be sent. */
export function requestBuilder(
  endpoint: Operation,
  base: BaseUrl,
  credentials: readonly Credential[],
): (args: JsonObject) => PlannedRequest {
  const { method, accept, parameters, bodies: [body] } = endpoint;
  const { text: template, fixed } = parsePath(endpoint.path);
  const inPath = fixed.map(({ name }) => ({ in: "query", name }) as const);
  const taken = new Set([...parameters, ...credentials, ...inPath].map(keyOf));
  /** Members that are sent as separate parameters must not collide with another parameter or one of its members. */
  const refuseTaken = ({ name, in: place, style }: Parameter, pairs: Pair[], others: Pair[]) => {
    const before = new Set(others.map(([key]) => decodeURIComponent(key)));
    for (const key of pairs.map(([key]) => decodeURIComponent(key))) {
      // Many servers parse `filter[a]` as a member of `filter`.
      const other = [key, ...(style === "deepObject" ? [] : [key.split("[", 1)[0]!])]
        .find((name) => before.has(name) || taken.has(keyOf({ in: place, name })));
      if (other !== undefined) reject(`${name}/${key}: there is another parameter named "${other}"`);
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
      const value = parameter.json ? jsonOf(given) : withoutNulls(given);
      if (value === undefined && parameter.required) refuseMissing(argument);
      if (value === undefined) continue;
      if (place === "path") path.set(name, pathText(parameter, value));
      else if (place === "header") headers[name.toLowerCase()] = headerText(parameter, value);
      else {
        if (value === "" && refusesEmpty) reject(`${argument}: an empty string cannot be sent; leave it out`);
        const others = place === "query" ? query : cookies;
        const pairs = serialize(name, value, parameter, allowReserved ? keepReserved : encodeAll);
        if (isSpread(parameter, value)) refuseTaken(parameter, pairs, others);
        others.push(...pairs);
      }
    }
    if (cookies.length > 0) headers["cookie"] = cookies.map((pair) => pair.join("=")).join("; ");
    const search = [...fixed.map(({ text }) => text), ...query.map((pair) => pair.join("="))].join("&");
    const target = fillPath(template, path) + (search === "" ? "" : `?${search}`);
    if (target.length > MAX_URL) {
      reject(`The URL has ${target.length} characters; the maximum is ${MAX_URL}`);
    }
    const url = base.resolve(target);
    if (!url) reject("A URL parser would change the URL of this call");
    const value = body && own(args, body.argument);
    const encoded = body && value !== undefined ? bodyOf(body, value) : undefined;
    if (encoded) headers["content-type"] = encoded.type;
    return { method, url, headers, body: encoded?.bytes };
  };
}

/** Whether the members of a value are sent as separate parameters. */
function isSpread({ style, explode }: Parameter, value: unknown): boolean {
  return style === "deepObject" ? typeof value === "object" : style === "form" && explode && isObject(value);
}
