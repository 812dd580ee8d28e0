/** Are names unique, short, and the same when the API grows? */

import assert from "node:assert/strict";
import { test } from "node:test";
import { nameOperation } from "../../lib/gateway/operation_name.ts";
import { readOpenApi } from "../../lib/gateway/openapi.ts";
import { openApi } from "./gateways.ts";

const IDS = [
  "listUsers",
  "repos/list-for-org",
  "repos_list_for_org",
  "repos.list.for.org",
  "a".repeat(200),
  `${"a".repeat(199)}b`,
  "ünï",
  "a b",
  "__a__",
  undefined,
];

/** The names of operations, by where they are. */
function namesOf(
  operations: readonly (readonly [path: string, id: string | undefined])[],
): Map<string, string> {
  const paths = Object.fromEntries(
    operations.map((
      [path, operationId],
    ) => [path, { get: { ...(operationId === undefined ? {} : { operationId }), responses: {} } }]),
  );
  return new Map(readOpenApi(openApi(paths)).endpoints.map(({ path, name }) => [path, name]));
}

test("names have 48 letters, digits, dashes and underscores at most, and an identifier that is one stays as it is", () => {
  for (const id of IDS) assert.match(nameOperation(id, "get", "/a/{b}/c"), /^[A-Za-z0-9_-]{1,48}$/);
  assert.equal(nameOperation("listUsers", "get", "/a"), "listUsers");
  assert.match(nameOperation("repos/list-for-org", "get", "/a"), /^repos_list-for-org_[0-9a-z]{5}$/);
  assert.match(nameOperation(undefined, "get", "/users/{id}"), /^get_users_by_id_[0-9a-z]{5}$/);
  assert.match(nameOperation("///", "get", "/"), /^[0-9a-z]{5}$/);
});

test("names that differ only in what a name cannot hold, or in their ends, are different names", () => {
  const names = namesOf([...IDS, "a/b", "a_b", "a.b"].map((id, index) => [`/${index}`, id]));
  assert.equal(new Set(names.values()).size, IDS.length + 3);
});

test("names stay the same when operations are added, before, between and after", () => {
  const first = IDS.map((id, index) => [`/${index}`, id] as const);
  const before = namesOf(first);
  const more = ["repos/list/for/org", "a/b", "repos list for org", `${"a".repeat(199)}c`, "a_b"].map((
    id,
    index,
  ) => [`/new${index}`, id] as const);
  for (
    const all of [[...more, ...first], [...first, ...more], [
      ...first.slice(0, 4),
      ...more,
      ...first.slice(4),
    ]]
  ) {
    const after = namesOf(all);
    assert.equal(new Set(after.values()).size, all.length);
    for (const [path, name] of before) assert.equal(after.get(path), name);
  }
});

test("of two operations with one identifier the first keeps it, even if it cannot be served", () => {
  const names = namesOf([["/a", "same"], ["/b", "same"]]);
  assert.equal(names.get("/a"), "same");
  assert.match(names.get("/b")!, /^get_b_[0-9a-z]{5}$/);
  assert.match(namesOf([["/a/{x}", "same"], ["/b", "same"]]).get("/b")!, /^get_b_/);
});
