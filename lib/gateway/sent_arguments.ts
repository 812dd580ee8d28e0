/** Prepares arguments for sending: keeps all digits of large integers, and notes members that the API does not describe. */

import type { JsonObject } from "../base/json.ts";
import type { SchemaObject } from "../formats/schema/mod.ts";
import { asArray, asObject, isObject, own } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { escapeToken } from "../base/pointer.ts";
import { didYouMean } from "../base/text.ts";
import { compileSchema } from "../formats/schema/mod.ts";
import { definitionOf, partsOf } from "./schema_references.ts";

/** The maximum number of undescribed members that are named: searching for similar names takes time. */
const MAX_NOTES = 20;

/** Whether a number is an integer that a double cannot hold exactly. */
export function isRounded(value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

interface Sent {
  /** The arguments. A string of digits that a double cannot hold is a bigint if the schema expects a number, not a string. */
  readonly sent: JsonObject;
  /** Whether `sent` has a bigint. */
  readonly hasLarge: boolean;
  /** Large integers that came as numbers and have lost digits. */
  readonly problems: readonly string[];
  /** Members that the schemas do not describe, although they describe other members of the same object. */
  readonly notes: readonly string[];
}

/** Prepares arguments for a tool with the input schema `root`. */
export function asSent(args: JsonObject, root: SchemaObject): Sent {
  const problems: string[] = [], notes: string[] = [];
  let hasLarge = false, undescribed = 0;
  const definitions = asObject(root["$defs"]);
  const find = (reference: string) => own(definitions, definitionOf(reference) ?? "");
  const convert = (value: unknown, schemas: readonly unknown[], at: string): unknown => {
    if (isPlain(value)) return value;
    const parts = [...new Set(schemas.flatMap((one) => partsOf(one, find)))];
    if (typeof value === "string") {
      const isText = !parts.some(isInteger) || parts.some((one) => fitsText(one, value));
      hasLarge ||= !isText;
      return isText ? value : BigInt(value);
    }
    if (typeof value === "number") problems.push(`${at}: Expected the digits as a string, but got a number`);
    if (!isObject(value) && !Array.isArray(value)) return value;
    if (Array.isArray(value)) {
      const items = parts.flatMap(({ items, prefixItems }) => [items, ...asArray(prefixItems)]);
      return value.map((one, index) => isPlain(one) ? one : convert(one, items, `${at}/${index}`));
    }
    const names = new Set(parts.flatMap(({ properties }) => Object.keys(asObject(properties))));
    const isOpen = names.size === 0 || parts.some(isFree);
    const members = Object.entries(value).map(([name, one]) => {
      const found = parts.flatMap(({ properties, additionalProperties }) =>
        own(asObject(properties), name) ?? additionalProperties ?? []
      );
      const place = `${at}/${escapeToken(name)}`;
      const isNoted = found.length === 0 && !isOpen && ++undescribed <= MAX_NOTES;
      if (isNoted) notes.push(place + didYouMean(nearest(name, names)));
      return [name, convert(one, found, place)];
    });
    return Object.fromEntries(members);
  };
  const sent = convert(args, [root], "") as JsonObject;
  if (undescribed > MAX_NOTES) notes.push(`${undescribed - MAX_NOTES} more`);
  return { sent, problems, notes, hasLarge };
}

/** Whether a value is sent unchanged, whatever its schema is. */
function isPlain(value: unknown): boolean {
  if (typeof value === "string") return !/^-?\d{16,20}$/.test(value) || !isRounded(Number(value));
  return value === null || (typeof value !== "object" && !isRounded(value));
}

const isFree = ({ type, patternProperties, properties, $ref, allOf, anyOf, oneOf }: JsonObject) =>
  patternProperties ?? (type === "object" && (properties ?? $ref ?? allOf ?? anyOf ?? oneOf) === undefined);
const isInteger = ({ type }: JsonObject) => /integer|number/.test(`${type}`);

/** Whether a schema is for strings and this one matches it. */
function fitsText({ type, format, pattern, enum: values, maxLength }: JsonObject, text: unknown): boolean {
  if (![type].flat().includes("string")) return false;
  return compileSchema({ format, pattern, enum: values, maxLength }, { formats: true })(text).length === 0;
}
