/**
 * The rules of each revision by an independent validator: the official JSON schemas under Ajv or, where they are not at hand,
 * the schemas of the official packages, which are the same rules less strictly put. Importing this has the checks of
 * `../harness/conformance.ts` use them.
 */

import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as formats from "ajv-formats";
import * as modern from "@modelcontextprotocol/core";
import * as legacy from "@modelcontextprotocol/sdk/types.js";
import type { Rules, Schema } from "../harness/conformance.ts";
import { MODERN_REVISION, officialRules, readOfficial, useRules } from "../harness/conformance.ts";

useRules((revision) => {
  const official = readOfficial(revision);
  return official ? officialRules(revision, official, compile) : packageRules(revision);
});

function compile(schema: Schema, member: string) {
  const options = { strict: false, allErrors: true } as const;
  const ajv = String(schema["$schema"]).includes("2020-12") ? new Ajv2020(options) : new Ajv(options);
  formats.default.default(ajv);
  ajv.addSchema(schema, "revision");
  return (definition: string, value: unknown) => {
    const validate = ajv.getSchema(`revision#/${member}/${definition}`)!;
    validate(value);
    return (validate.errors ?? []).map(({ keyword, instancePath, message, params }) => {
      const problem = `${instancePath || "/"} ${message} ${JSON.stringify(params)}`;
      return { problem, isUnknown: keyword === "additionalProperties" };
    });
  };
}

interface Parser {
  safeParse(value: unknown): { error?: { issues: readonly object[] } };
}

function packageRules(revision: string): Rules {
  const schemas = (revision === MODERN_REVISION ? modern : legacy) as unknown as Record<
    string,
    Parser | undefined
  >;
  // The packages have no names for the errors and the whole answers of single methods.
  const names: Record<string, string> = {
    JSONRPCError: "JSONRPCErrorResponse",
    JSONRPCResponse: "JSONRPCResultResponse",
  };
  const find = (definition: string) => schemas[`${names[definition] ?? definition}Schema`];
  return {
    revision,
    has: (definition) =>
      /^JSONRPCError(?:Response)?$/.test(definition)
        ? (definition === "JSONRPCError") === (revision < "2025-11-25")
        : find(definition) !== undefined,
    problems: (definition, value) =>
      find(definition)?.safeParse(value).error?.issues.map((issue) => JSON.stringify(issue)) ?? [],
    unknownMembers: () => [],
  };
}
