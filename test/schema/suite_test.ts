/**
 * Does the validator agree with everybody else's? The official test suite says what is right; it is not part of this
 * repository. `JSON_SCHEMA_TEST_SUITE` names a folder that holds https://github.com/json-schema-org/JSON-Schema-Test-Suite.
 */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { SchemaOptions } from "../../lib/schema/mod.ts";
import { compileSchema, SchemaError } from "../../lib/schema/mod.ts";
import { FORMATS } from "../../lib/schema/formats.ts";

interface Group {
  readonly description: string;
  readonly schema: unknown;
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
  : `${REQUIRED} is not there`;

/** What the remote documents of the suite are served at. */
const REMOTE_BASE = "http://localhost:1234/draft2020-12/";

/** Schemas that refer to documents which are nowhere in them. All of these must be refused. */
const REMOTE: readonly string[] = [
  "dynamicRef: $ref and $dynamicAnchor are independent of order - $defs first",
  "dynamicRef: $ref and $dynamicAnchor are independent of order - $ref first",
  "dynamicRef: $ref to $dynamicRef finds detached $dynamicAnchor",
  "dynamicRef: strict-tree schema, guards against misspelled properties",
  "dynamicRef: tests for implementation dynamic anchor and reference link",
  "refRemote: $ref to $ref finds detached $anchor",
  "refRemote: Location-independent identifier in remote ref",
  "refRemote: anchor within remote ref",
  "refRemote: base URI change",
  "refRemote: base URI change - change folder",
  "refRemote: base URI change - change folder in subschema",
  "refRemote: fragment within remote ref",
  "refRemote: ref within remote ref",
  "refRemote: remote HTTP ref with different $id",
  "refRemote: remote HTTP ref with different URN $id",
  "refRemote: remote HTTP ref with nested absolute ref",
  "refRemote: remote ref",
  "refRemote: remote ref with ref to defs",
  "refRemote: retrieved nested refs resolve relative to their URI not $id",
  "refRemote: root ref in remote ref",
];

/** Schemas in dialects of their own, which are remote documents too. */
const DIALECTS: readonly string[] = [
  "vocabulary: ignore unrecognized optional vocabulary",
  "vocabulary: schema that uses custom metaschema with with no validation vocabulary",
];

const groupsOf = (file: string): Group[] => JSON.parse(readFileSync(file, "utf8"));
const jsonFiles = (folder: string): string[] =>
  readdirSync(folder).filter((file) => file.endsWith(".json")).sort();

/** What the validator gets wrong in a group; undefined when the schema is refused. */
function mistakesIn(group: Group, schema: unknown, options?: SchemaOptions): string[] | undefined {
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

/** A schema with the remote documents in its `$defs`, as bundling them would put them there. */
function bundle(schema: unknown): unknown {
  const remotes = readdirSync(REMOTES, { recursive: true, encoding: "utf8" })
    .filter((file) =>
      file.endsWith(".json") && !file.startsWith("metaschema-") && !file.startsWith("format-")
    )
    .map((file) => {
      const $id = `${REMOTE_BASE}${file.replaceAll("\\", "/")}`;
      const { $schema: _, ...remote } = JSON.parse(readFileSync(`${REMOTES}/${file}`, "utf8"));
      // A document that names itself otherwise is known by both URIs.
      return remote.$id === undefined || remote.$id === $id
        ? { $id, ...remote }
        : { $id, $ref: remote.$id, $defs: { remote } };
    });
  const { $defs, ...rest } = schema as { $defs?: Record<string, unknown> };
  return {
    ...rest,
    $defs: { ...$defs, ...Object.fromEntries(remotes.map((remote) => [remote.$id, remote])) },
  };
}

test(
  "compileSchema() passes the required tests of the official suite, but for remote documents",
  { skip },
  (t) => {
    const refused: string[] = [];
    let passed = 0;
    for (const file of jsonFiles(REQUIRED)) {
      for (const group of groupsOf(`${REQUIRED}/${file}`)) {
        const mistakes = mistakesIn(group, group.schema);
        if (mistakes === undefined) refused.push(`${file.replace(".json", "")}: ${group.description}`);
        else assert.deepEqual(mistakes, [], file);
        passed += mistakes === undefined ? 0 : group.tests.length;
      }
    }
    assert.deepEqual(refused.toSorted(), [...REMOTE, ...DIALECTS].toSorted());
    t.diagnostic(`${passed} tests pass; ${refused.length} schemas are refused for what they refer to`);
  },
);

test("compileSchema() passes the tests with remote documents when these are bundled", { skip }, (t) => {
  let passed = 0;
  for (const name of ["dynamicRef", "refRemote"]) {
    for (const group of groupsOf(`${REQUIRED}/${name}.json`)) {
      if (!REMOTE.includes(`${name}: ${group.description}`)) continue;
      assert.deepEqual(mistakesIn(group, bundle(group.schema)), []);
      passed += group.tests.length;
    }
  }
  t.diagnostic(`${passed} tests pass`);
});

test("compileSchema() passes the optional tests, but for what it does not claim", { skip }, (t) => {
  // Other dialects, and a keyword that was taken out of the language.
  const others = ["cross-draft.json", "format-assertion.json", "dependencies-compatibility.json"];
  let passed = 0;
  for (const file of jsonFiles(`${REQUIRED}/optional`)) {
    if (others.includes(file)) continue;
    for (const group of groupsOf(`${REQUIRED}/optional/${file}`)) {
      assert.deepEqual(mistakesIn(group, group.schema), [], file);
      passed += group.tests.length;
    }
  }
  t.diagnostic(`${passed} tests pass`);
});

test("compileSchema() passes the tests of the formats that it checks, but for what a punycode label means", {
  skip,
}, (t) => {
  let passed = 0;
  const missed: string[] = [];
  for (const file of jsonFiles(`${REQUIRED}/optional/format`)) {
    for (const group of groupsOf(`${REQUIRED}/optional/format/${file}`)) {
      const { format } = group.schema as { format?: string };
      if (format !== undefined && format !== "unknown" && !FORMATS.has(format)) continue;
      const mistakes = mistakesIn(group, group.schema, { formats: true })!;
      passed += group.tests.length - mistakes.length;
      missed.push(...mistakes);
    }
  }
  assert.deepEqual(
    missed.filter((mistake) => !mistake.startsWith("validation of A-label (punycode) host names: ")),
    [],
  );
  t.diagnostic(`${passed} tests pass; ${missed.length} labels are let through`);
});
