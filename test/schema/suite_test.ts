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
  readonly file: string;
  readonly description: string;
  readonly schema: { readonly $schema?: string; readonly format?: string; readonly $defs?: object };
  readonly tests: readonly { description: string; data: unknown; valid: boolean }[];
}

const SUITE = process.env["JSON_SCHEMA_TEST_SUITE"] ?? "";
const REQUIRED = `${SUITE}/tests/draft2020-12`;
const REMOTES = `${SUITE}/remotes/draft2020-12`;
/** What the other documents are served at. */
const REMOTE = "http://localhost:1234/draft2020-12/";
const reason = SUITE === ""
  ? "JSON_SCHEMA_TEST_SUITE names no copy of the official test suite"
  : `${REQUIRED} does not exist`;
const skip = SUITE === "" || !existsSync(REQUIRED) ? reason : false;

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

/** The wrong results in a group; the reason when the schema is rejected. */
function mistakesIn(group: Group, schema: unknown, options?: SchemaOptions): string[] {
  try {
    const validate = compileSchema(schema, options);
    return group.tests.filter(({ data, valid }) => (validate(data).length === 0) !== valid)
      .map(({ description }) => `${group.description}: ${description}`);
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
      // A document with another URI of its own is known by both.
      const isNamed = remote.$id !== undefined && remote.$id !== $id;
      return [$id, isNamed ? { $id, $ref: remote.$id, $defs: { remote } } : { $id, ...remote }];
    });
  return { ...schema, $defs: { ...schema.$defs, ...Object.fromEntries(remotes) } };
}

test("compileSchema() passes the required tests of the suite, bundled where they need other documents", {
  skip,
}, (t) => {
  let passed = 0;
  const bundled: Group[] = [];
  for (const group of groupsIn(REQUIRED)) {
    const mistakes = mistakesIn(group, group.schema);
    if (/leads out of the schema/.test(mistakes[0] ?? "")) {
      bundled.push(group);
      assert.deepEqual(mistakesIn(group, bundle(group.schema)), []);
    } else if (group.file === "vocabulary" && group.schema.$schema?.startsWith(REMOTE)) {
      assert.match(mistakes[0]!, /the only supported dialect/);
    } else {
      assert.deepEqual(mistakes, [], group.file);
      passed += group.tests.length;
    }
  }
  assert.ok(bundled.every(({ schema }) => JSON.stringify(schema).includes(REMOTE)));
  t.diagnostic(`${passed} tests pass, and ${count(bundled)} with ${bundled.length} bundled schemas`);
});

test("compileSchema() passes the optional tests of its dialect", { skip }, (t) => {
  const groups = groupsIn(`${REQUIRED}/optional`).filter(({ file }) => !OTHERS.includes(file));
  for (const group of groups) assert.deepEqual(mistakesIn(group, group.schema), [], group.file);
  t.diagnostic(`${count(groups)} tests pass`);
});

test("compileSchema() passes the tests of its formats, but does not decode punycode", { skip }, (t) => {
  const groups = groupsIn(`${REQUIRED}/optional/format`)
    .filter(({ schema }) => !UNCHECKED.includes(schema.format ?? ""));
  const missed = groups.flatMap((group) => mistakesIn(group, group.schema, { formats: true }));
  const punycode = "validation of A-label (punycode) host names: ";
  assert.deepEqual(missed.filter((mistake) => !mistake.startsWith(punycode)), []);
  t.diagnostic(`${count(groups) - missed.length} tests pass; ${missed.length} labels are let through`);
});
