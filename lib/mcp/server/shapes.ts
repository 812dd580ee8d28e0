/**
 * Checks that objects from programs, prompt files and clients have the members that they must have. JSON Schema is not used,
 * because its compiler is loaded with the first tool, and because these messages name the member for authors.
 */

import { isObject } from "../../base/json.ts";
import { ContextError } from "./context.ts";

type Test = (value: unknown) => boolean;
const isText: Test = (value) => typeof value === "string";
const isChoice: Test = (value) => isObject(value) && isText(value["const"]) && isText(value["title"]);
const isListOf = (value: unknown, test: Test) =>
  Array.isArray(value) && value.length > 0 && Array.from(value).every((item) => test(item));

/** Types that are not objects with known members: what a value must be, and the test. */
const TYPES: Readonly<Record<string, readonly [what: string, test: Test]>> = {
  any: ["anything", () => true],
  string: ["a string", isText],
  boolean: ["true or false", (value) => typeof value === "boolean"],
  object: ["an object", isObject],
  list: ["a list", Array.isArray],
  schema: ["a schema", (value) => value !== undefined && value !== null],
  structure: ["an object or a list", (value) => typeof value === "object" && value !== null],
  function: ["a function", (value) => typeof value === "function"],
  size: ["a whole number of bytes", (value) => Number.isInteger(value) && value as number >= 0],
  priority: ["a number from 0 to 1", (value) => typeof value === "number" && value >= 0 && value <= 1],
  file: ["a file: URI", (value) => isText(value) && (value as string).startsWith("file://")],
  texts: ["a list of strings, at least one", (value) => isListOf(value, isText)],
  choices: [
    "a list of choices, at least one, with a const and a title",
    (value) => isListOf(value, isChoice),
  ],
  items: [
    'an object with "type": "string" and an enum of strings, or with anyOf and a list of choices',
    (value) =>
      isObject(value) &&
      (isListOf(value["anyOf"], isChoice) || (value["type"] === "string" && isListOf(value["enum"], isText))),
  ],
};
const NAMED = "name title? description? icons?:object[] _meta?:object";
const RESOURCE = `uri mimeType? size?:size annotations?:annotations ${NAMED}`;
const TEMPLATE = `uriTemplate mimeType? annotations?:annotations ${NAMED}`;
const HINTED = "annotations?:annotations _meta?:object";
const FIELD = "type title?:any description?:any default?:any";
/**
 * The members of objects. `name` is a string, `name?` may be missing, `name:x` is of the type x, `=a|b` is one of the words,
 * `x[]` is a list of x, and `x{}` is an object whose values are x. "content text" is the shape of a "content" whose type is "text".
 */
const SHAPES: Readonly<Record<string, string>> = {
  "tool":
    `inputSchema:schema outputSchema?:schema outputField? checkOutput?:boolean annotations?:hints ui?:view timeoutMs?:any handler:function ${NAMED}`,
  "options": "info:info",
  "info": "name version title?",
  "view": "resourceUri? visibility?:string[]",
  "resource": RESOURCE,
  "resource definition": `${RESOURCE} read:function`,
  "template": TEMPLATE,
  "template definition": `${TEMPLATE} read:function values?:function`,
  "provider options": "resources?:list templates?:list",
  "annotations": "audience?:=user|assistant[] priority?:priority lastModified?",
  "hints":
    "title? readOnlyHint?:boolean destructiveHint?:boolean idempotentHint?:boolean openWorldHint?:boolean",
  "contents text": "uri mimeType? _meta?:object text",
  "contents blob": "uri mimeType? _meta?:object blob",
  "prompt file": "$schema?:any name title? description? arguments?:parameter[] messages:messageFile[]",
  "parameter": "name title? description? required?:boolean maxLength?:any values?:string[]",
  "messageFile": "role:=user|assistant content:textFile",
  "textFile": "type:=text text",
  "prompt": `arguments?:argument[] ${NAMED}`,
  "prompt definition": `arguments?:argument[] handler:function values?:function ${NAMED}`,
  "argument": "name title? description? required?:boolean",
  "prompt result": "description? messages:message[] _meta?:object",
  "message": "role:=user|assistant content:content",
  "content text": `type text ${HINTED}`,
  "content image": `type data mimeType ${HINTED}`,
  "content audio": `type data mimeType ${HINTED}`,
  "content resource": `type resource:contents ${HINTED}`,
  "content resource_link": `type ${RESOURCE}`,
  "form": "$schema?:any type:=object properties:field{} required?:string[] additionalProperties?:any",
  "field string":
    `${FIELD} minLength?:any maxLength?:any format?:=email|uri|date|date-time enum?:texts enumNames?:texts oneOf?:choices`,
  "field number": `${FIELD} minimum?:any maximum?:any`,
  "field integer": `${FIELD} minimum?:any maximum?:any`,
  "field boolean": FIELD,
  "field array": `${FIELD} items:items minItems?:any maxItems?:any`,
  "form answer": "action:=accept|decline|cancel",
  "roots answer": "roots:root[]",
  "root": "uri:file",
  "model answer": "role:=user|assistant model content:block[]",
  "block text": "type text",
  "block image": "type data mimeType",
  "block audio": "type data mimeType",
  "block tool_use": "type id name input:structure",
  "block tool_result": "type toolUseId content:structure",
};
type Members = ReadonlyMap<string, { readonly isOptional: boolean; readonly type: string }>;
/** The parsed shapes. */
const parsed = new Map<string, Members>();

function membersOf(shape: string): Members | undefined {
  const text = Object.hasOwn(SHAPES, shape) ? SHAPES[shape] : undefined;
  if (text === undefined || parsed.has(shape)) return parsed.get(shape);
  const parts = text.split(" ").map((part) => /^([\w$]+)(\?)?(?::(.+))?$/.exec(part)!);
  const members = parts.map(([, name, optional, type = "string"]) =>
    [name!, { isOptional: !!optional, type }] as const
  );
  parsed.set(shape, new Map(members));
  return parsed.get(shape);
}

/**
 * Checks that a value is of a type, and calls `fail` with the fault when it is not.
 *
 * @param at The name of the value in messages; may be empty.
 * @param unknown Collects the names of unknown members. Without it, an unknown member is a fault.
 */
export function checkType(
  value: unknown,
  type: string,
  at: string,
  fail: (fault: string) => never,
  unknown?: string[],
): void {
  const [what, test] = TYPES[type] ?? [];
  if (test) return test(value) ? undefined : fail(`${at} must be ${what}`);
  const item = type.slice(0, -2);
  if (type.endsWith("[]")) {
    if (!Array.isArray(value)) fail(`${at} must be a list`);
    for (const [index, one] of value.entries()) checkType(one, item, `${at}[${index}]`, fail, unknown);
    return;
  }
  if (type.startsWith("=")) {
    const words = type.slice(1).split("|");
    return words.includes(value as string) ? undefined : fail(`${at} must be "${words.join('" or "')}"`);
  }
  if (!isObject(value)) fail(`${at || "it"} must be an object`);
  const start = at === "" ? "" : `${at}.`;
  if (type.endsWith("{}")) {
    for (const [name, one] of Object.entries(value)) checkType(one, item, start + name, fail, unknown);
    return;
  }
  // Contents, blocks and fields have a shape for each kind.
  const kind = type === "contents" ? "blob" in value ? "blob" : "text" : value["type"];
  const members = membersOf(type) ?? membersOf(`${type} ${kind}`);
  if (!members) {
    const names = Object.keys(SHAPES).filter((name) => name.startsWith(`${type} `));
    const kinds = names.map((name) => name.slice(type.length + 1)).join(", ");
    return fail(`${start}type is not one that MCP defines: ${kinds}`);
  }
  for (const name of Object.keys(value)) {
    if (members.has(name)) continue;
    const advice = type === "form" || type === "field" ? "" : "; put it into _meta";
    if (!unknown) fail(`${at || "it"} has a member "${name}", which MCP does not define${advice}`);
    unknown.push(start + name);
  }
  for (const [name, { isOptional, type }] of members) {
    if (!isOptional || value[name] !== undefined) checkType(value[name], type, start + name, fail, unknown);
  }
}

/** Returns a value of the type. @throws {ContextError} When it is not: a bug of the code that made it. `of` names that code. */
export function checked<T>(value: T, type: string, at: string, of: string): T {
  checkType(value, type, at, (fault) => {
    throw new ContextError(`The result of ${of} cannot be sent: ${fault}`);
  });
  return value;
}
