/** Are the params of a request what the method wants? Reads one member at a time, with an error that names it. */

import { invalidParams } from "./errors.ts";

/**
 * A member that must be text.
 *
 * @param label What the client calls it, where that is not the key alone: "argument.name".
 * @throws {RpcError} -32602 when it is missing or something else.
 */
export function stringParam(
  params: Readonly<Record<string, unknown>>,
  key: string,
  label: string = key,
): string {
  const value = own(params, key);
  if (typeof value === "string") return value;
  throw invalidParams(
    value === undefined ? `The parameter "${label}" is missing` : `"${label}" must be a string`,
  );
}

/**
 * A member that must be an object.
 *
 * @throws {RpcError} -32602 when it is missing or something else.
 */
export function objectParam(
  params: Readonly<Record<string, unknown>>,
  key: string,
): Readonly<Record<string, unknown>> {
  const value = own(params, key);
  if (isObject(value)) return value;
  throw invalidParams(
    value === undefined ? `The parameter "${key}" is missing` : `"${key}" must be an object`,
  );
}

/** A member of the object itself: what every object inherits is nothing that a client sent. */
export function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Tells an object from lists and everything else. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
