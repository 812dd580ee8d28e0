/** Can the schemas of an API be compiled? Asked of many operations at once, and of each by itself only where the answer is no. */

import type { Schema, Schemas } from "../schema/mod.ts";
import type { Endpoint } from "./endpoint.ts";
import { compileSchema, SchemaError } from "../schema/mod.ts";

/** How many operations are asked about at once: they share most of their definitions. */
const AT_ONCE = 100;

/** What is held against something together. */
interface Group {
  readonly schemas: readonly Schema[];
  readonly definitions: Schemas;
}

/** The operations whose schemas cannot be compiled, and why. */
export function findUnusable(
  endpoints: readonly Endpoint[],
  groupOf: (endpoint: Endpoint) => Group | undefined,
): ReadonlyMap<Endpoint, string> {
  const reasons = new Map<Endpoint, string>();
  for (let start = 0; start < endpoints.length; start += AT_ONCE) {
    const some = endpoints.slice(start, start + AT_ONCE);
    const groups = some.map(groupOf).filter((group) => group !== undefined);
    const definitions = Object.assign({}, ...groups.map((group) => group.definitions));
    if (refusal({ schemas: groups.flatMap(({ schemas }) => schemas), definitions }) === undefined) continue;
    for (const endpoint of some) {
      const group = groupOf(endpoint);
      const reason = group && refusal(group);
      if (reason !== undefined) reasons.set(endpoint, reason);
    }
  }
  return reasons;
}

function refusal({ schemas, definitions }: Group): string | undefined {
  try {
    compileSchema({ anyOf: [true, ...schemas], $defs: definitions });
    return undefined;
  } catch (cause) {
    if (!(cause instanceof SchemaError)) throw cause;
    return `A schema cannot be used: ${cause.message.replace(/^Cannot compile the schema: /, "")}`;
  }
}
