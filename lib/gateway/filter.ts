/** Which endpoints are wanted? Those that are named, filed under a tag, or lie at a path; of several filters, all must fit. */

import type { Endpoint } from "./endpoint.ts";
import { GatewayError } from "./gateway_error.ts";

/** Which endpoints. What is empty or left out fits all of them. */
export interface Filter {
  /** Any of these tags. */
  readonly tags?: readonly string[];
  /** Any of these paths: as they are written, with `*` for any text. */
  readonly paths?: readonly string[];
  /** Any of these names. */
  readonly operations?: readonly string[];
}

/**
 * The endpoints that fit.
 *
 * @param safe Names of POST endpoints that change nothing.
 * @throws {GatewayError} When something that is named fits no endpoint: a typing error must not hide one.
 */
export function select(endpoints: readonly Endpoint[], filter: Filter, safe: readonly string[]): Endpoint[] {
  const { tags = [], paths = [], operations = [] } = filter;
  for (const tag of tags) demand("tag", tag, endpoints.some((endpoint) => endpoint.tags.includes(tag)));
  for (const path of paths) demand("path", path, endpoints.some((endpoint) => fits(path, endpoint)));
  for (const name of operations) {
    demand(
      "operation",
      name,
      endpoints.some((endpoint) => endpoint.name === name),
    );
  }
  for (const name of safe) {
    demand("POST operation", name, endpoints.some((one) => one.name === name && one.method === "POST"));
  }
  const wanted = endpoints.filter((endpoint) =>
    (tags.length === 0 || endpoint.tags.some((tag) => tags.includes(tag))) &&
    (paths.length === 0 || paths.some((path) => fits(path, endpoint))) &&
    (operations.length === 0 || operations.includes(endpoint.name))
  );
  return wanted.map((endpoint) => safe.includes(endpoint.name) ? { ...endpoint, isSafe: true } : endpoint);
}

function demand(kind: string, name: string, isThere: boolean): void {
  if (!isThere) {
    throw new GatewayError(`There is no ${kind} "${name}" among the operations that can be served`);
  }
}

function fits(pattern: string, { path }: Endpoint): boolean {
  const texts = pattern.split("*");
  const last = texts.pop()!;
  let at = 0;
  for (const [index, text] of texts.entries()) {
    const found = index === 0 ? (path.startsWith(text) ? 0 : -1) : path.indexOf(text, at);
    if (found < 0) return false;
    at = found + text.length;
  }
  return texts.length === 0 ? path === last : path.length - last.length >= at && path.endsWith(last);
}
