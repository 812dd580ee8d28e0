import assert from "node:assert/strict";
import { rmSync, utimesSync } from "node:fs";
import { test } from "node:test";
import type { Program } from "../harness/program.ts";
import { handshake } from "../harness/program.ts";
import { brief, listen } from "../harness/streams.ts";
import { guideline, prompt, record, startInitialized, startLooking, toldUntil } from "./shelf.ts";

const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const A = "architecture://guidelines/a";
const B = "architecture://guidelines/b";

async function subscribe(program: Program, ...uris: string[]): Promise<void> {
  for (const uri of uris) {
    assert.deepEqual((await program.ask("resources/subscribe", { uri })).result, {}, uri);
  }
}

for (const version of LEGACY) {
  test(`lists and resources that changed are told in ${version}, in its form`, async (t) => {
    const { program, write } = await startInitialized(t, version);
    write({ "resources/guidelines/new.md": guideline("New", "Text.") });
    assert.deepEqual(await program.notice(), {
      jsonrpc: "2.0",
      method: "notifications/resources/list_changed",
    });
    write({ "prompts/new.json": prompt("new", "Another one.", "Text.") });
    assert.deepEqual(await program.notice(), {
      jsonrpc: "2.0",
      method: "notifications/prompts/list_changed",
    });
    await subscribe(program, A);
    write({ "resources/guidelines/a.md": guideline("A", "As it is now.") });
    assert.deepEqual(await program.notice(), {
      jsonrpc: "2.0",
      method: "notifications/resources/updated",
      params: { uri: A },
    });
    assert.deepEqual(await program.notices(), []);
    assert.equal(await program.close(), 0);
    assert.equal(program.errors, "");
  });

  test(`what can never be one of the resources cannot be waited for in ${version}, and is not found as when it is read`, async (t) => {
    const { program } = await startInitialized(t, version);
    for (
      const uri of [
        "",
        "a",
        "https://example.org/a.md",
        "file:///etc/passwd",
        "file:///guidelines/.hidden.md",
        "architecture://",
        "architecture://guidelines",
        "architecture://guidelines/",
        "architecture://guidelines/../../secret",
        "architecture://guidelines/%2e%2e/%2e%2e/secret",
        "architecture://guidelines/a%2Fb",
        "architecture://guidelines/a%5Cb",
        "architecture://guidelines/a%00",
        "architecture://guidelines//a",
        "architecture://guidelines/.a",
      ]
    ) {
      const { error } = await program.ask("resources/subscribe", { uri });
      assert.deepEqual(error, { code: -32002, message: "Resource not found", data: { uri } }, uri);
      assert.deepEqual((await program.ask("resources/read", { uri })).error, error, uri);
    }
    for (const params of [{}, { uri: 7 }, { uri: null }, undefined]) {
      for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
        assert.equal((await program.ask(method, params)).error?.code, -32602);
      }
    }
    assert.equal((await program.ask("subscriptions/listen", { notifications: {} })).error?.code, -32601);
    await program.close();
  });
}

test("nothing is told unasked before the client has said that it is initialized", async (t) => {
  const { program, write } = await startLooking(t);
  const changed = () => write({ "resources/guidelines/a.md": guideline(`A ${performance.now()}`, "Text.") });
  // Whoever has a stream is told, so that it can be known that there was something to tell.
  program.send(
    { jsonrpc: "2.0", method: "notifications/initialized" },
    listen("s", { resourcesListChanged: true }),
  );
  assert.deepEqual(brief([await program.notice()]), ["s subscriptions/acknowledged"]);
  changed();
  assert.deepEqual(brief([await program.notice()]), ["s resources/list_changed"]);
  await program.ask("initialize", handshake("2025-11-25"));
  assert.deepEqual(await program.notices(), []);
  changed();
  assert.deepEqual(brief([await program.notice()]), ["s resources/list_changed"]);
  program.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  assert.deepEqual(await program.notices(), []);
  changed();
  assert.deepEqual(
    brief([await program.notice(), await program.notice()]).sort(),
    ["resources/list_changed", "s resources/list_changed"],
  );
  assert.deepEqual(await program.notices(), []);
  await program.close();
});

test("a resource is told of under every spelling that was subscribed to, and once under each", async (t) => {
  const { program, write } = await startInitialized(t);
  const spellings = [
    "architecture://adr/0007-use-it",
    "architecture://adr/7",
    "architecture://adr/007",
    "architecture://adr/0007-use-it#decision",
    "architecture://adr/7#no-such-section",
    "ARCHITECTURE://adr/0007%2Duse%2dit",
    "file:///adr/0007-use-it.md",
    "file:///adr/7.md",
  ];
  await subscribe(program, ...spellings, ...spellings, A);
  write({ "resources/adr/0007-use-it.md": record("proposed", "As it is now.") });
  assert.deepEqual(
    brief([await program.notice(), ...await program.notices()]).sort(),
    spellings.map((uri) => `resources/updated ${uri}`).sort(),
  );
  write({ "resources/guidelines/a.md": guideline("A", "As it is now.") });
  assert.deepEqual(await toldUntil(program, A), [`resources/updated ${A}`]);
  await program.close();
});

test("nothing is told of a resource that was unsubscribed from, or that nobody subscribed to", async (t) => {
  const { program, write } = await startInitialized(t);
  await subscribe(program, A, B);
  for (const uri of [A, A, "architecture://guidelines/never", "never", ""]) {
    assert.deepEqual((await program.ask("resources/unsubscribe", { uri })).result, {}, uri);
  }
  write({
    "resources/guidelines/a.md": guideline("A", "As it is now."),
    "resources/adr/0007-use-it.md": record("proposed", "As it is now."),
  });
  write({ "resources/guidelines/b.md": guideline("B", "As it is now.") });
  assert.deepEqual(await toldUntil(program, B), [`resources/updated ${B}`]);
  await subscribe(program, A);
  write({ "resources/guidelines/a.md": guideline("A", "As it is then.") });
  assert.deepEqual(await toldUntil(program, A), [`resources/updated ${A}`]);
  await program.close();
});

test("a resource that is not there yet can be waited for, and is told of when it comes, goes, and comes again", async (t) => {
  const { program, root, write } = await startInitialized(t);
  const [uri, number] = ["architecture://new%20ones/c", "architecture://adr/8"];
  await subscribe(program, uri, number);
  // A look may fall between a folder and what is in it, and then the list is told of twice.
  const told = async (uri: string) => [...new Set(await toldUntil(program, uri))];
  for (const text of ["First.", "Second."]) {
    write({ "resources/new ones/c.md": guideline("C", text) });
    assert.deepEqual(await told(uri), ["resources/list_changed", `resources/updated ${uri}`]);
    const { result } = await program.ask("resources/read", { uri });
    assert.ok(JSON.stringify(result).includes(text));
    rmSync(`${root}/resources/new ones`, { recursive: true });
    assert.deepEqual(await told(uri), ["resources/list_changed", `resources/updated ${uri}`]);
    assert.equal((await program.ask("resources/read", { uri })).error?.code, -32002);
  }
  // With a second one of that number, the number leads to something else: a refusal that names both.
  for (const name of ["then", "twin"]) {
    write({ [`resources/adr/0008-${name}.md`]: record("proposed", name) });
    assert.deepEqual(await told(number), ["resources/list_changed", `resources/updated ${number}`]);
  }
  await program.close();
});

test("what lists do not show is no change of a list, and what nobody can see is no change at all", async (t) => {
  const { program, root, write } = await startInitialized(t);
  await subscribe(program, A, B);
  const touched = new Date(Date.now() - 60_000);
  utimesSync(`${root}/resources/guidelines/a.md`, touched, touched);
  write({
    "prompts/p.json": prompt("p", "What it does.", "As it is now."),
    "prompts/notes.txt": "Nobody serves this.",
    "resources/guidelines/notes.txt": "Nor this.",
    "resources/adr/0007-use-it.md": record("proposed", "As it is now."),
  });
  write({ "resources/guidelines/b.md": guideline("B", "As it is now.") });
  assert.deepEqual(await toldUntil(program, B), [`resources/updated ${B}`]);
  // The prompts tell for themselves, so their silence ends with a change of theirs.
  write({ "prompts/p.json": prompt("p", "What it does now.", "As it is now.") });
  assert.deepEqual(brief([await program.notice(), ...await program.notices()]), ["prompts/list_changed"]);
  write({ "resources/guidelines/a.md": guideline("Another title", "As it was.") });
  assert.deepEqual(await toldUntil(program, A), ["resources/list_changed", `resources/updated ${A}`]);
  write({ "resources/adr/0007-use-it.md": record("accepted", "As it is now.") });
  assert.deepEqual(brief([await program.notice(), ...await program.notices()]), ["resources/list_changed"]);
  await program.close();
});

test("subscriptions are in the terms of a handshake, and modern requests do not know them", async (t) => {
  const { program, write } = await startInitialized(t);
  await subscribe(program, A);
  for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
    assert.equal((await program.askModern(method, { uri: A })).error?.code, -32601);
  }
  write({ "resources/guidelines/a.md": guideline("A", "As it is now.") });
  assert.deepEqual(await toldUntil(program, A), [`resources/updated ${A}`]);
  await program.close();
});
