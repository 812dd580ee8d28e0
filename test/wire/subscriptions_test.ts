import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Program } from "../harness/program.ts";
import { modern, run } from "../harness/program.ts";
import { brief, cancel, listen } from "../harness/streams.ts";
import {
  guideline,
  makeShelf,
  prompt,
  record,
  start,
  startInitialized,
  startLooking,
  toldUntil,
} from "./shelf.ts";

const ID = "io.modelcontextprotocol/subscriptionId";
const A = "architecture://guidelines/a";
const B = "architecture://guidelines/b";
const EVERYTHING = { resourcesListChanged: true, promptsListChanged: true, toolsListChanged: true };

/** Opens a stream; what comes next is its acknowledgement. */
async function open(program: Program, id: string | number, filter: object): Promise<Answer> {
  program.send(listen(id, filter));
  return await program.notice();
}

/** Ends the input: everything that comes before the program ends, and its exit code. */
async function end(program: Program): Promise<{ code: number | null; last: string[] }> {
  const before = program.output.length;
  const code = await program.close();
  return { code, last: inBrief(program.output.slice(before)) };
}

function inBrief(output: string): string[] {
  return brief(output.split("\n").slice(0, -1).map((line) => JSON.parse(line) as Answer));
}

test("server/discover declares what can be listened to, and the tools as something that never changes", async (t) => {
  const { program } = start(t);
  const { result } = await program.askModern("server/discover");
  assert.deepEqual(result?.["capabilities"], {
    resources: { listChanged: true, subscribe: true },
    prompts: { listChanged: true },
    tools: {},
    completions: {},
  });
  await program.close();
});

test("a stream is acknowledged with what is served of it, and told nothing but that", async (t) => {
  const { program, write } = await startLooking(t);
  const uris = [
    "architecture://adr/7",
    "file:///guidelines/a.md",
    "https://example.org",
    "",
    "architecture://guidelines/one",
  ];
  const streams: [string | number, object, object][] = [
    ["everything", { ...EVERYTHING, resourceSubscriptions: uris }, {
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [uris[0], uris[1], uris[4]],
    }],
    ["tools", { toolsListChanged: true }, {}],
    ["false", { resourcesListChanged: false, promptsListChanged: false, resourceSubscriptions: [] }, {}],
    ["", {}, {}],
    [0, { promptsListChanged: true }, { promptsListChanged: true }],
    ["0", { resourceSubscriptions: [B] }, { resourceSubscriptions: [B] }],
  ];
  for (const [id, filter, notifications] of streams) {
    assert.deepEqual(await open(program, id, filter), {
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { _meta: { [ID]: id }, notifications },
    });
  }
  write({ "resources/adr/0007-use-it.md": record("proposed", "As it is now.") });
  assert.deepEqual(await program.notice(), {
    jsonrpc: "2.0",
    method: "notifications/resources/updated",
    params: { _meta: { [ID]: "everything" }, uri: "architecture://adr/7" },
  });
  write({ "prompts/new.json": prompt("new", "Another one.", "Text.") });
  assert.deepEqual(brief([await program.notice(), await program.notice()]), [
    "everything prompts/list_changed",
    "0 prompts/list_changed",
  ]);
  write({ "resources/guidelines/one.md": guideline("One", "Text.") });
  assert.deepEqual(brief([await program.notice(), await program.notice()]), [
    "everything resources/list_changed",
    "everything resources/updated architecture://guidelines/one",
  ]);
  write({ "resources/guidelines/b.md": guideline("B", "As it is now.") });
  const last = await program.notice();
  assert.deepEqual(last.params, { _meta: { [ID]: "0" }, uri: B });
  assert.deepEqual(await program.notices(), []);
  const { code, last: closing } = await end(program);
  assert.equal(code, 0);
  assert.deepEqual(closing, streams.flatMap(([id]) => [`${id} result`, `${id} cancelled ${id}`]));
  assert.equal(program.errors, "");
});

test("streams that overlap get theirs each, also from edits at one time", async (t) => {
  const { program, write } = await startLooking(t);
  await open(program, "a", { resourceSubscriptions: [A] });
  await open(program, "ab", { resourceSubscriptions: [A, B] });
  await open(program, "b", { resourceSubscriptions: [B], resourcesListChanged: true });
  write({ "resources/guidelines/a.md": guideline("A", "As it is now.") });
  write({ "resources/guidelines/b.md": guideline("Another title", "As it is now.") });
  const seen = new Set<string>();
  while (seen.size < 5) {
    for (const line of brief([await program.notice()])) seen.add(line);
  }
  for (const line of brief(await program.notices())) seen.add(line);
  assert.deepEqual([...seen].sort(), [
    `a resources/updated ${A}`,
    `ab resources/updated ${A}`,
    `ab resources/updated ${B}`,
    "b resources/list_changed",
    `b resources/updated ${B}`,
  ]);
  await program.close();
});

test("a stream that is cancelled is over without an answer, and its id can be used again at once", async (t) => {
  const { program, write } = await startLooking(t);
  for (const id of ["s", 7, 0, ""]) {
    await open(program, id, { resourcesListChanged: true, resourceSubscriptions: [A] });
    program.send(cancel(id), cancel(id));
  }
  assert.deepEqual(await program.notices(), []);
  await open(program, "witness", { resourceSubscriptions: [A] });
  write({ "resources/guidelines/a.md": guideline("Another title", "As it is now.") });
  assert.deepEqual(
    brief([await program.notice(), ...await program.notices()]),
    [`witness resources/updated ${A}`],
  );
  assert.deepEqual(
    brief([await open(program, "s", { resourceSubscriptions: [A] })]),
    ["s subscriptions/acknowledged"],
  );
  program.send(cancel("s"), listen("s", { resourceSubscriptions: [B] }));
  assert.deepEqual(brief([await program.notice()]), ["s subscriptions/acknowledged"]);
  write({ "resources/guidelines/a.md": guideline("A", "As it is then.") });
  assert.deepEqual(
    brief([await program.notice(), ...await program.notices()]),
    [`witness resources/updated ${A}`],
  );
  write({ "resources/guidelines/b.md": guideline("B", "As it is now.") });
  assert.deepEqual(brief([await program.notice()]), [`s resources/updated ${B}`]);
  assert.deepEqual(await end(program), {
    code: 0,
    last: ["witness result", "witness cancelled witness", "s result", "s cancelled s"],
  });
});

test("a request under the id of an open stream is refused, and the stream goes on", async (t) => {
  const { program, write } = await startLooking(t);
  await open(program, "s", { resourceSubscriptions: [A] });
  program.send(listen("s", EVERYTHING));
  const refused = await program.next();
  assert.deepEqual([refused.error?.code, refused.id ?? null], [-32600, null]);
  write({ "resources/guidelines/a.md": guideline("A", "As it is now.") });
  assert.deepEqual(brief([await program.notice(), ...await program.notices()]), [`s resources/updated ${A}`]);
  await program.close();
});

test("a filter that is none, or a request that does not state its revision, opens nothing", async (t) => {
  const { program } = start(t);
  const filters = [
    undefined,
    null,
    [],
    "all",
    { resourcesListChanged: "yes" },
    { promptsListChanged: 1 },
    { toolsListChanged: [] },
    { resourceSubscriptions: A },
    { resourceSubscriptions: [A, 7] },
    { resourceSubscriptions: [null] },
  ];
  for (const filter of filters) {
    program.send(listen("s", filter));
    assert.deepEqual(brief([await program.next()]), ["s error -32602"], JSON.stringify(filter));
  }
  const bare = {
    jsonrpc: "2.0",
    id: "s",
    method: "subscriptions/listen",
    params: { notifications: EVERYTHING },
  };
  program.send(bare);
  assert.deepEqual(brief([await program.next()]), ["s error -32602"]);
  program.send({ ...bare, params: modern({ notifications: EVERYTHING }, "2025-11-25") });
  assert.deepEqual(brief([await program.next()]), ["s error -32022"]);
  assert.deepEqual(await program.notices(), []);
  assert.deepEqual(await end(program), { code: 0, last: [] });
});

test("more than 100 streams, or more than half a million characters of URIs, are refused; the rest lives on", async (t) => {
  const { program, write } = await startLooking(t);
  for (let id = 1; id <= 100; id++) {
    assert.deepEqual(
      brief([await open(program, `s${id}`, id === 1 ? { resourceSubscriptions: [A] } : {})]),
      [`s${id} subscriptions/acknowledged`],
    );
  }
  program.send(listen("more", { resourceSubscriptions: [A] }));
  assert.deepEqual(brief([await program.next()]), ["more error -32600"]);
  const many = Array.from({ length: 20_000 }, (_, index) => `architecture://guidelines/${index}`);
  program.send(cancel("s50"), listen("many", { resourceSubscriptions: many }));
  assert.deepEqual(brief([await program.next()]), ["many error -32602"]);
  program.send(listen("some", { resourceSubscriptions: [...many.slice(0, 10_000), B] }));
  assert.deepEqual(brief([await program.notice()]), ["some subscriptions/acknowledged"]);
  write({ "resources/guidelines/a.md": guideline("A", "As it is now.") });
  assert.deepEqual(brief([await program.notice()]), [`s1 resources/updated ${A}`]);
  write({ "resources/guidelines/b.md": guideline("B", "As it is now.") });
  assert.deepEqual(
    brief([await program.notice(), ...await program.notices()]),
    [`some resources/updated ${B}`],
  );
  const { code, last } = await end(program);
  assert.deepEqual([code, last.length], [0, 200]);
});

test("the end of input ends every stream with its result and its end, though all came in one piece with it", async (t) => {
  const list = { jsonrpc: "2.0", id: "list", method: "resources/list", params: modern() };
  const lines = [
    ...[listen("first", EVERYTHING), list, listen("cancelled", EVERYTHING), cancel("cancelled")],
    listen("last", { resourceSubscriptions: [A] }),
  ];
  const began = performance.now();
  const { code, output, errors } = await run(
    ["--root", makeShelf(t, documents(300))],
    lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  assert.ok(performance.now() - began < 10_000);
  assert.deepEqual([code, errors], [0, ""]);
  const told = inBrief(output);
  for (const id of ["first", "last"]) {
    assert.deepEqual(told.filter((line) => line.startsWith(`${id} `)), [
      `${id} subscriptions/acknowledged`,
      `${id} result`,
      `${id} cancelled ${id}`,
    ]);
  }
  assert.deepEqual(told.length, 7);
  assert.ok(told.includes("list result"));
});

test("a stream that is asked for while the documents are read is opened then, and told of what comes after", async (t) => {
  const { program, write } = start(t, documents(500));
  const ping = { jsonrpc: "2.0", id: "ping", method: "ping" };
  program.send(
    listen("s", { resourceSubscriptions: [A] }),
    listen("never", EVERYTHING),
    cancel("never"),
    ping,
  );
  assert.deepEqual(brief(await program.take(2)), ["ping result", "s subscriptions/acknowledged"]);
  write({ "resources/guidelines/a.md": guideline("A", "As it is now.") });
  assert.deepEqual(brief([await program.notice(), ...await program.notices()]), [`s resources/updated ${A}`]);
  assert.deepEqual(await end(program), { code: 0, last: ["s result", "s cancelled s"] });
});

test("a stream and the notices of a handshake do not disturb each other on one connection", async (t) => {
  const { program, write } = await startInitialized(t);
  await open(program, 1_000, { resourceSubscriptions: [A] });
  await program.ask("resources/subscribe", { uri: A });
  await program.ask("resources/subscribe", { uri: B });
  const told = async (uri: string) => (await toldUntil(program, uri)).sort();
  write({ "resources/guidelines/a.md": guideline("Another title", "As it is now.") });
  assert.deepEqual(await told(A), [
    `1000 resources/updated ${A}`,
    "resources/list_changed",
    `resources/updated ${A}`,
  ]);
  program.send(cancel(1_000));
  write({ "resources/guidelines/a.md": guideline("A", "As it is then.") });
  assert.deepEqual(await told(A), ["resources/list_changed", `resources/updated ${A}`]);
  await program.ask("resources/unsubscribe", { uri: A });
  await open(program, 1_000, { resourceSubscriptions: [A] });
  write({ "resources/guidelines/a.md": guideline("A", "As it is at last.") });
  assert.deepEqual(await told(A), [`1000 resources/updated ${A}`]);
  await program.initialize("2024-11-05");
  write({ "resources/guidelines/b.md": guideline("B", "As it is now.") });
  assert.deepEqual(await told(B), [`resources/updated ${B}`]);
  assert.deepEqual(await end(program), { code: 0, last: ["1000 result", "1000 cancelled 1000"] });
});

/** Enough files to be read for a while. */
function documents(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from(
      { length: count },
      (_, index) => [`resources/many/${index}.md`, guideline(`${index}`, "Text.")],
    ),
  );
}
