/** The arguments of the tools over documents, in the forms that clients send: see the invariant "No silent normalisation". */

import type { JsonObject } from "../base/json.ts";
import type { FromSchema, Schema, SchemaObject, Validator } from "../formats/schema/mod.ts";
import type { StandardSchema } from "../mcp/server/standard_schema.ts";
import { isObject, tryParse } from "../base/json.ts";
import { compileSchema } from "../formats/schema/mod.ts";

type Properties = Readonly<Record<string, SchemaObject>>;

/**
 * Makes a schema of arguments that accepts more than the given one: null and "" for what is not given, one item for a list, and
 * an integer in a string. The handler gets what the given schema describes. The published schema says it in words, because unions
 * of types break clients: Cursor refuses `["string", "null"]`, and Gemini all tools of a server with such a list.
 */
export function tolerant<In extends Schema>(schema: In): StandardSchema<unknown, FromSchema<In>> {
  const { properties = {}, required = [] } = schema as { properties?: Properties; required?: string[] };
  const isOptional = (name: string) => !required.includes(name);
  let check: Validator | undefined;
  const validate = (value: unknown) => {
    const given = isObject(value) ? read(value, properties, isOptional) : value;
    const issues = (check ??= compileSchema(schema))(given).map(({ path, message }) => {
      return { path: path.split("/").slice(1), message };
    });
    for (const [name, member] of Object.entries(isObject(given) ? given : {})) {
      if (Array.isArray(member) && member.some(isListText)) issues.push({ path: [name], message: LIST_TEXT });
    }
    return issues.length > 0 ? { issues } : { value: given as FromSchema<In> };
  };
  const has = (type: string) => Object.values(properties).some((member) => member["type"] === type);
  const forms = [has("array") && "a list may be one text", has("integer") && "a number may be text"];
  const description = [...forms, '"" and null are left out'].filter(Boolean).join("; ");
  const publish = () => ({ description, ...schema as SchemaObject });
  const jsonSchema = { input: publish, output: publish };
  return { "~standard": { version: 1, vendor: "architrave", validate, jsonSchema } };
}

/** Reads arguments in all their forms. */
function read(value: JsonObject, properties: Properties, isOptional: (name: string) => boolean): JsonObject {
  const entries: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === null || (member === "" && isOptional(name))) continue;
    const type = typeof member === "string" && Object.hasOwn(properties, name) && properties[name]!["type"];
    const isNumber = type === "integer" && INTEGER.test(member as string);
    entries.push([name, type === "array" ? [member] : isNumber ? Number(member) : member]);
  }
  return Object.fromEntries(entries);
}

const INTEGER = /^ *[+-]?\d{1,15}(?:\.0*)? *$/;
const LIST_TEXT =
  "Expected a list or one text, but got a string with a JSON list in it: send the list itself";

/** Whether a text is a JSON list of texts. The name of a file may be in brackets: "[id].ts", "[1]". */
function isListText(text: unknown): boolean {
  const list = typeof text === "string" && text.trimStart().startsWith("[") ? tryParse(text) : undefined;
  return Array.isArray(list) && list.every((item) => typeof item === "string");
}
