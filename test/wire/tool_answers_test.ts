import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSchema } from "../../lib/formats/schema/mod.ts";
import { makeRoot } from "../documents/stores.ts";
import { Program } from "../harness/program.ts";

const RECORD = (title: string, status: string, more = "") =>
  `---\nstatus: ${status}\ndate: 2026-01-02\ntags: [db]\napplies-to:\n  - "src/**"\n---\n\n# ${title}\n\n## Context\n\nText.\n\n` +
  `## Decision\n\nUse it.\n${more}`;
/** Documents of every kind that the answers tell apart. */
const FOLDER = {
  "adr/0001-one.md": RECORD("One", "superseded by ADR-2"),
  "adr/0002-two.md": RECORD("Two", "accepted", `\n${"long ".repeat(30_000)}\n`),
  "adr/0003-three.md": RECORD("Three", "proposed"),
  "guidelines/plain.md": "Only text, without a title.\n",
  "guidelines/no-decision.md": "# Guideline\n\n## Scope\n\nAll databases.\n",
  "patterns/empty.md": "",
};
/** Calls of each tool, such as models make, and some that find nothing. */
const CALLS: readonly (readonly [name: string, args: object])[] = [
  ["list_documents", {}],
  ["list_documents", { category: "adr", status: "superseded" }],
  ["list_documents", { category: "patterns" }],
  ["decisions_for", { paths: ["src/db/pool.ts"] }],
  ["decisions_for", { paths: ["README.md", "src/a.ts"] }],
  ["decisions_for", { paths: ["nowhere.ts"] }],
  ["search_documents", { query: "databases" }],
  ["search_documents", { query: "decision", limit: 2 }],
  ["search_documents", { query: "zzzz" }],
  ["read_document", { uri: "architecture://adr/1" }],
  ["read_document", { uri: "architecture://adr/2" }],
  ["read_document", { uri: "architecture://adr/2", offset: 20_000 }],
  ["read_document", { uri: "architecture://adr/3", section: "decision" }],
  ["read_document", { uri: "architecture://guidelines/plain" }],
  ["read_document", { uri: "architecture://patterns/empty" }],
];

test("the answers of the document tools, which the server does not check, fit their output schemas", async (test) => {
  const program = new Program(["--root", makeRoot(test, FOLDER)]);
  await program.initialize();
  const { result } = await program.ask("tools/list");
  const schemas = new Map(
    (result!["tools"] as { name: string; outputSchema: object }[]).map(({ name, outputSchema }) =>
      [name, compileSchema(outputSchema)] as const
    ),
  );
  const answered = new Set<string>();
  for (const [name, args] of CALLS) {
    const call = await program.ask("tools/call", { name, arguments: args });
    const { structuredContent, isError } = call.result as { structuredContent?: unknown; isError?: boolean };
    assert.equal(isError, undefined, `${name} ${JSON.stringify(args)}: ${JSON.stringify(call)}`);
    answered.add(name);
    assert.deepEqual(schemas.get(name)!(structuredContent), [], `${name} ${JSON.stringify(args)}`);
  }
  assert.deepEqual([...answered].sort(), [...schemas.keys()].sort());
  assert.equal(await program.close(), 0);
});
