/**
 * What does a revision of the protocol allow? Its official JSON schema, or, where that is not at hand, the schemas of
 * the official packages, which are the same rules less strictly put.
 *
 * `INTEROP_SCHEMA` names the folder of the official schemas; by default they stand beside the repository.
 */

import { existsSync, readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { ValidateFunction } from "ajv";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as formats from "ajv-formats";
import * as modern from "@modelcontextprotocol/core";
import * as legacy from "@modelcontextprotocol/sdk/types.js";

export const LEGACY_REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
export const MODERN_REVISION = "2026-07-28";
export const REVISIONS: readonly string[] = [...LEGACY_REVISIONS, MODERN_REVISION];

/** The rules of one revision. */
export interface Rules {
  readonly revision: string;
  readonly source: "official" | "packages";
  /** Whether the revision defines something of that name. */
  has(definition: string): boolean;
  /** What is wrong with a value that should be what a definition says; nothing when it is. */
  problems(definition: string, value: unknown): readonly string[];
  /** Members that the definition does not have. Allowed, but what a server sends should be what clients can know. */
  strangers(definition: string, value: unknown): readonly string[];
}

type Schema = Record<string, unknown>;

const FOLDER = process.env["INTEROP_SCHEMA"] ??
  fileURLToPath(new URL("../../../shared/spec/schema", import.meta.url));
const known = new Map<string, Rules>();

/** The rules of a revision. */
export function rulesOf(revision: string): Rules {
  let rules = known.get(revision);
  if (!rules) {
    const file = `${FOLDER}/${revision}.json`;
    const schema = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) as Schema : undefined;
    known.set(revision, rules = schema ? officialRules(revision, schema) : packageRules(revision));
  }
  return rules;
}

function officialRules(revision: string, schema: Schema): Rules {
  const member = "$defs" in schema ? "$defs" : "definitions";
  const definitions = schema[member] as Record<string, Schema>;
  const open = compiler(schema, member);
  const closed = compiler(closedSchema(schema, member), member);
  return {
    revision,
    source: "official",
    has: (definition) => definition in definitions,
    problems: (definition, value) => complaints(open(definition), value),
    strangers: (definition, value) =>
      complaints(closed(definition), value).filter((complaint) =>
        complaint.includes("must NOT have additional")
      ),
  };
}

function compiler(schema: Schema, member: string): (definition: string) => ValidateFunction {
  const options = { strict: false, allErrors: true } as const;
  const ajv = String(schema["$schema"]).includes("2020-12") ? new Ajv2020(options) : new Ajv(options);
  formats.default.default(ajv);
  ajv.addSchema(schema, "revision");
  return (definition) => {
    const validate = ajv.getSchema(`revision#/${member}/${definition}`);
    if (!validate) throw new Error(`The revision does not define ${definition}`);
    return validate;
  };
}

function complaints(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath || "/"} ${message} ${JSON.stringify(params)}`
  );
}

/** The same schema, but nothing may have members that it does not name; only what is meant to be open stays open. */
function closedSchema(schema: Schema, member: string): Schema {
  const copy = structuredClone(schema);
  for (const [name, definition] of Object.entries(copy[member] as Record<string, Schema>)) {
    if (!/Meta(?:Object)?$|Capabilities$|^Result$|^Error$/.test(name)) close(definition);
  }
  return copy;
}

function close(schema: Schema): void {
  const { properties, items, anyOf, allOf } = schema as {
    properties?: Record<string, Schema>;
    items?: Schema;
    anyOf?: Schema[];
    allOf?: Schema[];
  };
  if (properties && !allOf) schema["additionalProperties"] ??= false;
  for (const [name, member] of Object.entries(properties ?? {})) {
    // A tool's own schemas may say whatever JSON Schema can.
    if (!/^(?:input|output)Schema$/.test(name)) close(member);
  }
  for (const inner of [...(items ? [items] : []), ...(anyOf ?? [])]) close(inner);
}

/** What the definitions are called in the packages, where that is something else. */
const PACKAGE_NAMES: Readonly<Record<string, string>> = {
  JSONRPCError: "JSONRPCErrorResponse",
  JSONRPCResponse: "JSONRPCResultResponse",
};

interface Parser {
  safeParse(value: unknown): { success: boolean; error?: { issues: readonly { message: string }[] } };
}

function packageRules(revision: string): Rules {
  const schemas = (revision === MODERN_REVISION ? modern : legacy) as unknown as Record<
    string,
    Parser | undefined
  >;
  const find = (definition: string) => schemas[`${PACKAGE_NAMES[definition] ?? definition}Schema`];
  return {
    revision,
    source: "packages",
    // The packages have no names for the errors and the whole answers of single methods.
    has: (definition) =>
      /^JSONRPCError(?:Response)?$/.test(definition)
        ? (definition === "JSONRPCError") === (revision < "2025-11-25")
        : find(definition) !== undefined,
    problems(definition, value) {
      const parsed = find(definition)?.safeParse(value);
      return parsed?.error?.issues.map((issue) => JSON.stringify(issue)) ?? [];
    },
    strangers: () => [],
  };
}
