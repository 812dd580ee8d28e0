/**
 * Which formats are checked? Those that have a grammar which can be followed to the letter. All take time in proportion to
 * the length of the string.
 */

import { isEmail, isHostname, isIpv4, isIpv6 } from "./format_host.ts";
import { isDate, isDateTime, isDuration, isTime } from "./format_time.ts";
import { isUri, isUriReference, isUriTemplate } from "./format_uri.ts";
import { isPointer } from "../base/json.ts";

/** Whether a string is in a format, by its name. */
export const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date", isDate],
  ["date-time", isDateTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["json-pointer", isPointer],
  ["regex", isExpression],
  ["relative-json-pointer", isRelativePointer],
  ["time", isTime],
  ["uri", isUri],
  ["uri-reference", isUriReference],
  ["uri-template", isUriTemplate],
  ["uuid", isUuid],
]);

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/** As of the draft on relative JSON pointers: how many levels up, and then the name or a pointer. */
function isRelativePointer(text: string): boolean {
  const rest = /^(?:0|[1-9][0-9]*)(.*)$/s.exec(text)?.[1];
  return rest !== undefined && (rest === "#" || isPointer(rest));
}

/** An expression is read here and never run. */
function isExpression(text: string): boolean {
  try {
    new RegExp(text, "u");
    return true;
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}
