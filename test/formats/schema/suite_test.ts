/**
 * Agreement with the official test suite, which is not part of this repository: `JSON_SCHEMA_TEST_SUITE` names a folder with
 * https://github.com/json-schema-org/JSON-Schema-Test-Suite.
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { SchemaOptions } from "../../../lib/formats/schema/mod.ts";
import { compileSchema, SchemaError } from "../../../lib/formats/schema/mod.ts";

interface Group {
  readonly file: string;
  readonly description: string;
  readonly schema: { readonly $schema?: string; readonly format?: string; readonly $defs?: object };
  readonly tests: readonly { description: string; data: unknown; valid: boolean }[];
}

const SUITE = process.env["JSON_SCHEMA_TEST_SUITE"] ?? "";
const REQUIRED = `${SUITE}/tests/draft2020-12`;
const REMOTES = `${SUITE}/remotes/draft2020-12`;
/** The base URI of the other documents. */
const REMOTE = "http://localhost:1234/draft2020-12/";
const skip = !existsSync(REQUIRED) && "JSON_SCHEMA_TEST_SUITE names no copy of the official test suite";

/** Optional tests of other dialects, and of a keyword that was removed; formats that are not checked. */
const OTHERS = ["cross-draft", "format-assertion", "dependencies-compatibility"];
const UNCHECKED = ["idn-email", "idn-hostname", "iri", "iri-reference"];

const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
const count = (groups: readonly Group[]) => groups.reduce((sum, { tests }) => sum + tests.length, 0);

/** The groups of the files in a folder, each with the name of its file. */
function groupsIn(folder: string): Group[] {
  return readdirSync(folder).filter((file) => file.endsWith(".json")).sort().flatMap((file) =>
    read(`${folder}/${file}`).map((group: object) => ({ ...group, file: file.replace(".json", "") }))
  );
}

/** The wrong results of a group, or the reason why its schema is rejected. */
function mistakesIn(group: Group, schema: unknown, options?: SchemaOptions): string[] {
  try {
    const validate = compileSchema(schema, options);
    return group.tests.filter(({ data, valid }) => (validate(data).length === 0) !== valid)
      .map(({ description }) => `${group.file}: ${group.description}: ${description}`);
  } catch (cause) {
    if (cause instanceof SchemaError) return [cause.message];
    throw cause;
  }
}

/** A schema with the other documents in its `$defs`. */
function bundle(schema: Group["schema"]): unknown {
  const remotes = readdirSync(REMOTES, { recursive: true, encoding: "utf8" })
    .filter((file) => /^(?!metaschema-|format-).*\.json$/.test(file))
    .map((file) => {
      const $id = `${REMOTE}${file.replaceAll("\\", "/")}`;
      const { $schema: _, ...remote } = read(`${REMOTES}/${file}`);
      // A document with another URI of its own is available under both.
      const isNamed = remote.$id !== undefined && remote.$id !== $id;
      return [$id, isNamed ? { $id, $ref: remote.$id, $defs: { remote } } : { $id, ...remote }];
    });
  return { ...schema, $defs: { ...schema.$defs, ...Object.fromEntries(remotes) } };
}

test("compileSchema() passes the required and the optional tests of the suite", { skip }, (t) => {
  const optional = groupsIn(`${REQUIRED}/optional`).filter(({ file }) => !OTHERS.includes(file));
  // Schemas of another dialect are rejected.
  const groups = [...groupsIn(REQUIRED), ...optional]
    .filter(({ file, schema }) => file !== "vocabulary" || !schema.$schema?.startsWith(REMOTE));
  for (const group of groups) {
    const isBundled = JSON.stringify(group.schema).includes(REMOTE);
    assert.deepEqual(mistakesIn(group, isBundled ? bundle(group.schema) : group.schema), []);
  }
  t.diagnostic(`${count(groups)} tests pass, ${count(optional)} of them optional`);
});

test("compileSchema() passes the tests of its formats, but does not decode punycode", { skip }, (t) => {
  const groups = groupsIn(`${REQUIRED}/optional/format`)
    .filter(({ schema }) => !UNCHECKED.includes(schema.format ?? ""));
  const missed = groups.flatMap((group) => mistakesIn(group, group.schema, { formats: true }));
  const isPunycode = (mistake: string) => mistake.includes("validation of A-label (punycode) host names: ");
  assert.deepEqual(missed.filter((mistake) => !isPunycode(mistake)), []);
  t.diagnostic(`${count(groups) - missed.length} tests pass; ${missed.length} labels are let through`);
});
