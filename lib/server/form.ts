/**
 * Can a client show this form, and does what was filled in fit it? Forms are flat: fields with text, numbers, yes or no, and
 * choices. Each revision gets the nearest form that it has.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema
 */

import type { Schema } from "../schema/mod.ts";
import type { FormField, FormSchema } from "./asking.ts";
import type { Revision } from "../protocol/revisions.ts";
import { compileSchema } from "../schema/mod.ts";
import { isObject, own } from "../base/json.ts";
import { UnansweredError } from "./unanswered.ts";

type Data = Readonly<Record<string, unknown>>;

const WORDS = ["type", "title", "description", "default"];
/** What a field can say, by its type. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: [...WORDS, "minLength", "maxLength", "format", "enum", "enumNames", "oneOf"],
  number: [...WORDS, "minimum", "maximum"],
  integer: [...WORDS, "minimum", "maximum"],
  boolean: WORDS,
  array: [...WORDS, "items", "minItems", "maxItems"],
};
const FORMATS: readonly unknown[] = ["email", "uri", "date", "date-time"];

/**
 * Refuses what no client can show.
 *
 * @throws {TypeError} With the field and the reason.
 */
export function checkForm(schema: FormSchema): void {
  const given: unknown = schema;
  if (!isObject(given) || given["type"] !== "object" || !isObject(given["properties"])) {
    throw unusable('it must say "type": "object", and have properties');
  }
  for (const keyword of Object.keys(given)) {
    if (!["$schema", "type", "properties", "required", "additionalProperties"].includes(keyword)) {
      throw unusable(`it has "${keyword}": a form is flat, with type, properties and required`);
    }
  }
  const properties = given["properties"];
  for (const [name, field] of Object.entries(properties)) {
    const problem = problemOf(field);
    if (problem) throw unusable(`the field "${name}" ${problem}`);
  }
  for (const name of (given["required"] ?? []) as readonly string[]) {
    if (!Object.hasOwn(properties, name)) throw unusable(`it requires "${name}", which is no field`);
  }
}

function problemOf(field: unknown): string | undefined {
  if (!isObject(field)) return "must be an object";
  const { type } = field;
  const known = typeof type === "string" ? own(KEYWORDS, type) as readonly string[] | undefined : undefined;
  if (!known) {
    return `is of the type ${
      JSON.stringify(field["type"])
    }: there are string, number, integer, boolean, and array for choices`;
  }
  const stranger = Object.keys(field).find((keyword) => !known.includes(keyword));
  if (stranger) return `has "${stranger}", which clients do not know: there are ${known.join(", ")}`;
  const { format, items, oneOf, enum: values, enumNames } = field;
  if (format !== undefined && !FORMATS.includes(format)) {
    return `has the format ${JSON.stringify(format)}: there are ${FORMATS.join(", ")}`;
  }
  if (type === "array" && !isChoiceOf(items)) {
    return 'must have items with an "enum" of strings, or an "anyOf" of choices with "const" and "title"';
  }
  if (values !== undefined && !areStrings(values)) return 'must have an "enum" of strings';
  if (oneOf !== undefined && !areChoices(oneOf)) {
    return 'must have a "oneOf" of choices with "const" and "title"';
  }
  if (
    enumNames !== undefined && !(areStrings(enumNames) && enumNames.length === (values as string[])?.length)
  ) {
    return 'must have as many "enumNames" as it has values in "enum"';
  }
  return undefined;
}

function isChoiceOf(items: unknown): boolean {
  return isObject(items) &&
    (items["type"] === "string" ? areStrings(items["enum"]) : areChoices(items["anyOf"]));
}

function areStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((member) => typeof member === "string");
}

function areChoices(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 &&
    value.every((choice) =>
      isObject(choice) && typeof choice["const"] === "string" && typeof choice["title"] === "string"
    );
}

function unusable(reason: string): TypeError {
  return new TypeError(`Cannot ask with this form: ${reason}`);
}

/** A form in the words of a revision. */
export function formFor(revision: Revision, schema: FormSchema): unknown {
  const fields = Object.entries(schema.properties);
  const properties = revision.elicitation === "full"
    ? schema.properties
    : Object.fromEntries(fields.map(([name, field]) => [name, plainField(name, field)]));
  return {
    ...(schema.$schema === undefined || revision.elicitation !== "full" ? {} : { $schema: schema.$schema }),
    type: "object",
    properties,
    ...(schema.required === undefined ? {} : { required: schema.required }),
  };
}

/** The nearest field of a revision that has no titles of choices but `enumNames`, and no way to choose several. */
function plainField(name: string, field: FormField): object {
  if (field.type === "boolean") return field;
  const { default: _, ...rest } = field as FormField & { default?: unknown };
  if ("oneOf" in rest) {
    const { oneOf, ...words } = rest;
    return {
      ...words,
      enum: oneOf.map((choice) => choice.const),
      enumNames: oneOf.map(({ title }) => title),
    };
  }
  if (rest.type !== "array") return rest;
  const { title, description, items } = rest;
  const choices = "enum" in items ? items.enum.map((value) => [value, value]) : items.anyOf.map((choice) => [
    choice.const,
    choice.title,
  ]);
  if (choices.some(([value]) => value!.includes(","))) {
    throw new UnansweredError(
      `The field "${name}" cannot be asked for in this revision: it is a list, and a value has a comma in it`,
    );
  }
  const list = choices.map(([value, title]) => value === title ? value : `${value} (${title})`).join(", ");
  return {
    type: "string",
    ...(title === undefined ? {} : { title }),
    description: `${
      description === undefined ? "" : `${description}\n`
    }Any of these, separated by commas: ${list}`,
  };
}

/**
 * What was filled in, without what was not asked.
 *
 * @throws {UnansweredError} When it does not fit the form.
 */
export function readForm(revision: Revision, schema: FormSchema, content: unknown): Data {
  const given = content ?? {};
  if (!isObject(given)) throw unfit(["it must be an object"], revision);
  const filled: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = own(given, name);
    if (value !== undefined) filled[name] = field.type === "array" ? listOf(value) : value;
  }
  const { properties, required = [] } = schema;
  const validate = compileSchema({ type: "object", properties, required } as Schema, { formats: true });
  const problems = validate(filled).map(({ path, message }) => path === "" ? message : `${path}: ${message}`);
  if (problems.length > 0) throw unfit(problems, revision);
  return filled;
}

/** A list, where it came as text because the revision has none. */
function listOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  return value.split(",").map((part) => part.trim()).filter((part) => part !== "");
}

function unfit(problems: readonly string[], revision: Revision): UnansweredError {
  return new UnansweredError(
    `The form was not filled in as it asks: ${problems.join("; ")}`,
    revision.unusableAnswer,
  );
}
