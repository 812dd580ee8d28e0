/** What the code of an embedding program and the files of prompts give, and the check that it has these members and no others. */

import { isObject } from "../base/json.ts";
import { ContextError } from "./context.ts";

/** Types that are no objects: what a value must be, and whether it is. */
const TYPES: Readonly<Record<string, readonly [what: string, test: (value: unknown) => boolean]>> = {
  any: ["anything", () => true],
  string: ["a string", (value) => typeof value === "string"],
  boolean: ["true or false", (value) => typeof value === "boolean"],
  object: ["an object", isObject],
  list: ["a list", Array.isArray],
  function: ["a function", (value) => typeof value === "function"],
  size: ["a whole number of bytes", (value) => Number.isInteger(value) && value as number >= 0],
  priority: ["a number from 0 to 1", (value) => typeof value === "number" && value >= 0 && value <= 1],
  text: ['"text"', (value) => value === "text"],
  role: ['"user" or "assistant"', (value) => value === "user" || value === "assistant"],
};
const NAMED = "name title? description? icons?:object[] _meta?:object";
const RESOURCE = `uri mimeType? size?:size annotations?:annotations ${NAMED}`;
const TEMPLATE = `uriTemplate mimeType? annotations?:annotations ${NAMED}`;
const HINTED = "annotations?:annotations _meta?:object";
/** The members of objects, and their types where they are no strings. */
const SHAPES: Readonly<Record<string, string>> = {
  "tool":
    `inputSchema:any outputSchema?:any outputField? annotations?:hints ui?:view timeoutMs?:any handler:function ${NAMED}`,
  "view": "resourceUri? visibility?:string[]",
  "resource": RESOURCE,
  "resource made": `${RESOURCE} read:function`,
  "template": TEMPLATE,
  "template made": `${TEMPLATE} read:function values?:function`,
  "annotations": "audience?:role[] priority?:priority lastModified?",
  "hints":
    "title? readOnlyHint?:boolean destructiveHint?:boolean idempotentHint?:boolean openWorldHint?:boolean",
  "contents text": "uri mimeType? _meta?:object text",
  "contents blob": "uri mimeType? _meta?:object blob",
  "prompt file": "$schema?:any name title? description? arguments?:parameter[] messages:messageFile[]",
  "parameter": "name title? description? required?:boolean maxLength?:any values?:string[]",
  "messageFile": "role:role content:textFile",
  "textFile": "type:text text",
  "prompt": `arguments?:argument[] ${NAMED}`,
  "argument": "name title? description? required?:boolean",
  "prompt result": "description? messages:message[] _meta?:object",
  "message": "role:role content:content",
  "content text": `type text ${HINTED}`,
  "content image": `type data mimeType ${HINTED}`,
  "content audio": `type data mimeType ${HINTED}`,
  "content resource": `type resource:contents ${HINTED}`,
  "content resource_link": `type ${RESOURCE}`,
};
const members = new Map(
  Object.entries(SHAPES).map(([shape, text]) => {
    const parts = text.split(" ").map((part) => /^([\w$]+)(\?)?(?::(.+))?$/.exec(part)!);
    return [shape, new Map(parts.map(([, name, optional, type = "string"]) => [name!, { optional, type }]))];
  }),
);

/**
 * Checks that a value is of a type, and calls `fail` with the fault when it is not.
 *
 * @param at What the value is called in messages; may be empty.
 * @param unknown Collects the members that are not known, which are faults otherwise.
 */
export function check(
  value: unknown,
  type: string,
  at: string,
  fail: (fault: string) => never,
  unknown?: string[],
): void {
  const [what, test] = TYPES[type] ?? [];
  if (test) return test(value) ? undefined : fail(`${at} must be ${what}`);
  if (type.endsWith("[]")) {
    if (!Array.isArray(value)) fail(`${at} must be a list`);
    for (const [index, item] of value.entries()) {
      check(item, type.slice(0, -2), `${at}[${index}]`, fail, unknown);
    }
    return;
  }
  if (!isObject(value)) fail(`${at} must be an object`);
  // There are several kinds of them.
  const kind = type === "content" ? value["type"] : "blob" in value ? "blob" : "text";
  const known = members.get(type) ?? members.get(`${type} ${kind}`) ??
    fail(`${at}.type is not one that MCP defines`);
  const start = at === "" ? "" : `${at}.`;
  for (const name of Object.keys(value)) {
    if (known.has(name)) continue;
    if (!unknown) fail(`${at || "it"} has a member "${name}", which MCP does not define; put it into _meta`);
    unknown.push(start + name);
  }
  for (const [name, { optional, type }] of known) {
    if (!optional || value[name] !== undefined) check(value[name], type, start + name, fail, unknown);
  }
}

/** The value, if it is of a type. @throws {ContextError} When it is not: a bug of the code that made it. */
export function checked<T>(value: T, type: string, at: string, of: string): T {
  check(value, type, at, (fault) => {
    throw new ContextError(`The result of ${of} cannot be sent: ${fault}`);
  });
  return value;
}
