/**
 * Agreement with the official test suite, which is not part of this repository: `JSON_SCHEMA_TEST_SUITE` names a folder with
 * https://github.com/json-schema-org/JSON-Schema-Test-Suite.
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { SchemaOptions } from "../../lib/schema/mod.ts";
import { compileSchema, SchemaError } from "../../lib/schema/mod.ts";

interface Group {
  readonly description: string;
  readonly schema: { readonly format?: string; readonly $defs?: Readonly<Record<string, unknown>> };
  readonly tests: readonly {
    readonly description: string;
    readonly data: unknown;
    readonly valid: boolean;
  }[];
}

const SUITE = process.env["JSON_SCHEMA_TEST_SUITE"] ?? "";
const REQUIRED = `${SUITE}/tests/draft2020-12`;
const REMOTES = `${SUITE}/remotes/draft2020-12`;
const skip = SUITE === ""
  ? "JSON_SCHEMA_TEST_SUITE names no copy of the official test suite"
  : existsSync(REQUIRED)
  ? false
  : `${REQUIRED} does not exist`;

/** Schemas that refer to other documents. All of these must be rejected; where the documents are bundled, they pass. */
const REMOTE = `
  dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first
  dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first
  dynamicRef: $ref to $dynamicRef finds detached $dynamicAnchor
  dynamicRef: strict-tree schema, guards against misspelled properties
  dynamicRef: tests for implementation dynamic anchor and reference link
  refRemote: $ref to $ref finds detached $anchor
  refRemote: Location-independent identifier in remote ref
  refRemote: anchor within remote ref
  refRemote: base URI change
  refRemote: base URI change - change folder
  refRemote: base URI change - change folder in subschema
  refRemote: fragment within remote ref
  refRemote: ref within remote ref
  refRemote: remote HTTP ref with different $id
  refRemote: remote HTTP ref with different URN $id
  refRemote: remote HTTP ref with nested absolute ref
  refRemote: remote ref
  refRemote: remote ref with ref to defs
  refRemote: retrieved nested refs resolve relative to their URI not $id
  refRemote: root ref in remote ref
`.trim().split(/\n\s*/);
/** Schemas with dialects of their own, which are other documents too. */
const DIALECTS = `
  vocabulary: ignore unrecognized optional vocabulary
  vocabulary: schema that uses custom metaschema with with no validation vocabulary
`.trim().split(/\n\s*/);
/** Optional tests of other dialects, and of a keyword that was removed. */
const OTHERS = ["cross-draft", "format-assertion", "dependencies-compatibility"];
/** Formats that are not checked. */
const UNCHECKED = ["idn-email", "idn-hostname", "iri", "iri-reference"];

/** The groups of the files in a folder, each with the name of its file. */
function groupsIn(folder: string): (Group & { readonly file: string })[] {
  return readdirSync(folder).filter((file) => file.endsWith(".json")).sort().flatMap((file) => {
    const groups: readonly Group[] = JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
    return groups.map((group) => ({ ...group, file: file.replace(".json", "") }));
  });
}

/** The wrong results in a group; undefined when the schema is rejected. */
function mistakesIn(
  group: Group,
  schema: unknown,
  options?: SchemaOptions,
): string[] | undefined {
  let validate;
  try {
    validate = compileSchema(schema, options);
  } catch (cause) {
    if (cause instanceof SchemaError) return undefined;
    throw cause;
  }
  return group.tests.filter(({ data, valid }) => (validate(data).length === 0) !== valid)
    .map(({ description }) => `${group.description}: ${description}`);
}

/** A schema with the other documents in its `$defs`. */
function bundle(schema: Group["schema"]): unknown {
  const remotes = readdirSync(REMOTES, { recursive: true, encoding: "utf8" })
    .filter((file) => /^(?!metaschema-|format-).*\.json$/.test(file))
    .map((file) => {
      const $id = `http://localhost:1234/draft2020-12/${file.replaceAll("\\", "/")}`;
      const { $schema: _, ...remote } = JSON.parse(readFileSync(`${REMOTES}/${file}`, "utf8"));
      // A document with another URI of its own is known by both.
      const isNamed = remote.$id !== undefined && remote.$id !== $id;
      return [$id, isNamed ? { $id, $ref: remote.$id, $defs: { remote } } : { $id, ...remote }];
    });
  return { ...schema, $defs: { ...schema.$defs, ...Object.fromEntries(remotes) } };
}

const count = (groups: readonly Group[]) => groups.reduce((sum, { tests }) => sum + tests.length, 0);

test("compileSchema() passes the required tests but for remote documents, and those when they are bundled", {
  skip,
}, (t) => {
  const groups = groupsIn(REQUIRED);
  const isRejected = (group: Group) => mistakesIn(group, group.schema) === undefined;
  const rejected = groups.filter(isRejected);
  const names = rejected.map(({ file, description }) => `${file}: ${description}`);
  assert.deepEqual(names.toSorted(), [...REMOTE, ...DIALECTS].toSorted());
  for (const group of groups) {
    if (!rejected.includes(group)) assert.deepEqual(mistakesIn(group, group.schema), [], group.file);
    else if (group.file !== "vocabulary") assert.deepEqual(mistakesIn(group, bundle(group.schema)), []);
  }
  t.diagnostic(
    `${count(groups) - count(rejected)} tests pass, and ${count(rejected)} in ${rejected.length} groups`,
  );
});

test("compileSchema() passes the optional tests of its dialect", { skip }, (t) => {
  const groups = groupsIn(`${REQUIRED}/optional`).filter(({ file }) => !OTHERS.includes(file));
  for (const group of groups) assert.deepEqual(mistakesIn(group, group.schema), [], group.file);
  t.diagnostic(`${count(groups)} tests pass`);
});

test(
  "compileSchema() passes the tests of the formats that it checks, but does not decode punycode",
  { skip },
  (t) => {
    const groups = groupsIn(`${REQUIRED}/optional/format`)
      .filter(({ schema }) => !UNCHECKED.includes(schema.format ?? ""));
    const missed = groups.flatMap((group) => mistakesIn(group, group.schema, { formats: true })!);
    const isPunycode = (mistake: string) =>
      mistake.startsWith("validation of A-label (punycode) host names: ");
    assert.deepEqual(missed.filter((mistake) => !isPunycode(mistake)), []);
    t.diagnostic(`${count(groups) - missed.length} tests pass; ${missed.length} labels are let through`);
  },
);
