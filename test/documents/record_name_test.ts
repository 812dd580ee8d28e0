import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isReference,
  recordDate,
  recordFolder,
  recordName,
  recordNumber,
} from "../../lib/documents/record_name.ts";

test("recordNumber() reads the forms of names that teams use", () => {
  const names = {
    "007-x": 7,
    "0007_x": 7,
    "7": 7,
    "7. Use X": 7,
    "adr-7-x": 7,
    "ADR 0007": 7,
    "ADR007-x": 7,
    "ADR #7": 7,
    "#7": 7,
    "./0007-x": 7,
    "ODH-ADR-0007-x": 7,
    "ODH-ADR-Operator-0007-x": 7,
    "2021-06-05_007-x": 7,
    "20210605-007-x": 7,
  };
  for (const [name, number] of Object.entries(names)) assert.equal(recordNumber(name), number, name);
});

test("recordNumber() takes no number from dates, words and versions", () => {
  const names = [
    "20260728-x",
    "2026-07-28-x",
    "2026-07-x",
    "5g-rollout",
    "adr-template",
    "adr-use-http-2",
    "x",
    "",
  ];
  for (const name of [...names, "1234567-x"]) assert.equal(recordNumber(name), undefined, name);
});

test("recordDate() reads dates, and only those that can be", () => {
  assert.equal(recordDate("20260728-x"), "2026-07-28");
  assert.equal(recordDate("2026-07-28_x"), "2026-07-28");
  assert.equal(recordDate("2026-07-x"), "2026-07");
  for (const name of ["0005-12-factor", "2026-13-x", "20261301-x", "202607281-x", "007-x"]) {
    assert.equal(recordDate(name), undefined, name);
  }
});

test("recordName() and recordFolder() take the README of a folder for the record that the folder is", () => {
  assert.equal(recordName("adr/0007-x.md"), "0007-x");
  assert.equal(recordName("adr/0007-x/README.md"), "0007-x");
  assert.equal(recordName("adr/README.md"), "README");
  assert.equal(recordFolder("adr/0007-x"), "adr");
  assert.equal(recordFolder("adr/0007-x/index"), "adr");
  assert.equal(recordFolder("adr/sub/0007-x"), "adr/sub");
});

test("isReference() tells what leads to a record from prose", () => {
  for (const text of ["5", "ADR-5", "0005-x.md", "../adr/x.md#a", "architecture://adr/5", "20260728-x"]) {
    assert.ok(isReference(text), text);
  }
  for (const text of ["the wiki", "Use X", "https://example.org/5"]) assert.ok(!isReference(text), text);
});
