/** The trace of a request, as W3C Trace Context and Baggage. @see https://modelcontextprotocol.io/seps/414-request-meta */

import type { MessageContext } from "../../jsonrpc/transport/transport.ts";
import { asObject, asString } from "../../base/json.ts";

/** The valid parts of a trace. */
export type Trace = { readonly [Name in "traceparent" | "tracestate" | "baggage"]?: string };

/** Members such as "a=1,b=2", in at most that many characters. */
const members = (max: number) => new RegExp(`^(?=[ -~]{1,${max}}$)[^=,]+=[^,]*(?:,[^=,]+=[^,]*)*$`);
const FORMS: readonly (readonly [name: keyof Trace, form: RegExp])[] = [
  ["traceparent", /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/],
  ["tracestate", members(512)],
  ["baggage", members(8192)],
];

/** Reads the trace from the `_meta` of a request, or if that has none, from the header. What is malformed is left out. */
export function traceOf(params: unknown, header?: MessageContext["header"]): Trace {
  const meta = asObject(asObject(params)["_meta"]), isInMeta = FORMS.some(([name]) => name in meta);
  const read = (name: string) => asString(isInMeta ? meta[name] : header?.(name)) ?? "";
  const valid = FORMS.filter(([name, form]) => form.test(read(name)));
  // A state without its parent means nothing.
  const own = valid.filter(([name]) => name !== "tracestate" || valid[0]![0] === "traceparent");
  return Object.fromEntries(own.map(([name]) => [name, read(name)]));
}
