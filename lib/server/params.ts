/** Are the params of a request what the method wants? Reads one member at a time, with an error that names it. */

import { isObject, own } from "../base/json.ts";
import { invalidParams } from "../protocol/errors.ts";

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
