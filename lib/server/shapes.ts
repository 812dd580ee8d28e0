/** What the code of an embedding program gives to clients, and the check that it is what MCP defines, with no other members. */

import { isObject } from "../base/json.ts";
import { ContextError } from "./context.ts";

/** Types that are no objects: what a value must be, and whether it is. */
const TYPES: Readonly<Record<string, readonly [what: string, test: (value: unknown) => boolean]>> = {
  string: ["a string", (value) => typeof value === "string"],
  boolean: ["true or false", (value) => typeof value === "boolean"],
  object: ["an object", isObject],
  list: ["a list", Array.isArray],
  function: ["a function", (value) => typeof value === "function"],
  size: ["a whole number of bytes", (value) => Number.isInteger(value) && value as number >= 0],
  priority: ["a number from 0 to 1", (value) => typeof value === "number" && value >= 0 && value <= 1],
  role: ['"user" or "assistant"', (value) => value === "user" || value === "assistant"],
};
const NAMED = "name title? description? icons?:object[] _meta?:object";
const HINTED = "annotations?:annotations _meta?:object";
/** The members of objects, and their types where they are no strings. */
const SHAPES: Readonly<Record<string, string>> = {
  "resource": `uri mimeType? size?:size annotations?:annotations ${NAMED}`,
  "template": `uriTemplate mimeType? annotations?:annotations ${NAMED}`,
  "annotations": "audience?:role[] priority?:priority lastModified?",
  "hints":
    "title? readOnlyHint?:boolean destructiveHint?:boolean idempotentHint?:boolean openWorldHint?:boolean",
  "contents text": "uri mimeType? _meta?:object text",
  "contents blob": "uri mimeType? _meta?:object blob",
  "prompt": `arguments?:argument[] ${NAMED}`,
  "argument": "name title? description? required?:boolean",
  "prompt result": "description? messages:message[] _meta?:object",
  "message": "role:role content:content",
  "content text": `type text ${HINTED}`,
  "content image": `type data mimeType ${HINTED}`,
  "content audio": `type data mimeType ${HINTED}`,
  "content resource": `type resource:contents ${HINTED}`,
  "content resource_link": `type uri mimeType? size?:size annotations?:annotations ${NAMED}`,
};
const members = new Map(
  Object.entries(SHAPES).map(([shape, text]) => {
    const parts = text.split(" ").map((part) => /^(\w+)(\?)?(?::(.+))?$/.exec(part)!);
    return [shape, new Map(parts.map(([, name, optional, type = "string"]) => [name!, { optional, type }]))];
  }),
);

/** What is wrong with a value that must be of a type; undefined when it fits. `at` names the value. */
export function faultIn(value: unknown, type: string, at: string): string | undefined {
  const [what, test] = TYPES[type] ?? [];
  if (test) return test(value) ? undefined : `${at} must be ${what}`;
  if (type.endsWith("[]")) {
    return faultIn(value, "list", at) ??
      firstFault(
        (value as unknown[]).entries(),
        ([index, item]) => faultIn(item, type.slice(0, -2), `${at}[${index}]`),
      );
  }
  if (!isObject(value)) return `${at} must be an object`;
  // There are several kinds of them.
  const kind = type === "content" ? ` ${value["type"]}` : "blob" in value ? " blob" : " text";
  const known = members.get(type) ?? members.get(type + kind);
  if (!known) return `${at}.type is not one that MCP defines`;
  return firstFault(
    Object.keys(value),
    (name) =>
      known.has(name)
        ? undefined
        : `${at} has a member "${name}", which MCP does not define; put it into _meta`,
  ) ??
    firstFault(
      known,
      ([name, { optional, type }]) =>
        optional && value[name] === undefined ? undefined : faultIn(value[name], type, `${at}.${name}`),
    );
}

function firstFault<T>(items: Iterable<T>, faultOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The value, if it is of a type. @throws {ContextError} When it is not: a bug of the code that made it. */
export function checked<T>(value: T, type: string, at: string, of: string): T {
  const fault = faultIn(value, type, at);
  if (fault === undefined) return value;
  throw new ContextError(`The result of ${of} cannot be sent: ${fault}`);
}
