/** The document tools at their bounds: pieces, pages, long outlines and long names. What they answer is in transcripts. */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { pause } from "../harness/process.ts";
import { Program } from "../harness/program.ts";

// deno-lint-ignore no-explicit-any
type Data = Record<string, any>;

/** A document in several scripts, whose lines end in the other way. */
const AWKWARD = "# 見出し 😀\r\n\r\n日本語です。\r\n\r\n## Überblick\r\n\r\nä👩‍👩‍👧‍👦é\r\n";
/** What an answer about files says at most, in characters, with the marker and what stands around texts in JSON. */
const MOST_TEXT = 12_000 + 300;
const MOST_DATA = 2 * 12_000;

const bytes = (text: string) => new TextEncoder().encode(text).length;
const textsOf = (result: Data): string[] => result["content"].map(({ text }: Data) => text);

/** Files by a number from 0. */
function files(count: number, name: (number: string) => string, text: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [name(String(index).padStart(3, "0")), text]),
  );
}

/** A client that calls tools alone, of a server of a folder. */
class Client extends Program {
  readonly root: string;

  constructor(t: TestContext, contents: Readonly<Record<string, string>>) {
    const root = makeFolder(t, contents);
    super(["--root", root]);
    this.root = root;
  }

  async call(name: string, args: object = {}): Promise<Data> {
    const { result, error } = await this.askModern("tools/call", { name, arguments: args });
    assert.ok(result, JSON.stringify(error));
    return result;
  }

  async data(name: string, args?: object): Promise<Data> {
    const result = await this.call(name, args);
    assert.equal(result["isError"], undefined, JSON.stringify(result));
    return result["structuredContent"];
  }

  /** What went wrong, in words for the model. */
  async failure(name: string, args: object): Promise<string> {
    const result = await this.call(name, args);
    assert.equal(result["isError"], true);
    return textsOf(result)[0]!;
  }

  async assertClosed(): Promise<void> {
    assert.deepEqual([await this.close(), this.errors], [0, ""]);
  }
}

test("read_document reads any document in pieces, cut where characters end, and bounds what is not bounded by its caller", async (t) => {
  const big = `# Big\n\n${"~~~~ ~~~ ~~~ ~~~ ~~~~ 日本.\n".repeat(80_000)}`;
  const headings = Array.from({ length: 250 }, (_, number) => `## H${number}\n\n`).join("");
  const uriOf = (name: string) => `architecture://texts/${name}`;
  const client = new Client(t, {
    "resources/texts/awkward.md": AWKWARD,
    "resources/texts/bom.md": "\uFEFF# Marked\n\nText.\n",
    "resources/texts/empty.md": "",
    "resources/texts/big.md": big,
    "resources/texts/many.md": headings,
  });
  const whole = { awkward: AWKWARD, bom: "# Marked\n\nText.\n", empty: "" };
  const rows = Object.entries(whole).flatMap(([name, text]) =>
    [4, 7, 64, 200_000].map((limit) => [name, text, limit] as const)
  );
  for (const [name, expected, limit] of [...rows, ["big", big, 200_000] as const]) {
    let [data, content] = ["", ""];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const result = await client.call("read_document", { uri: uriOf(name), offset, limit });
      const { text, size, offset: start, nextOffset } = result["structuredContent"];
      assert.deepEqual([start, size], [offset, bytes(expected)]);
      assert.ok(bytes(text) <= limit);
      data += text;
      content += textsOf(result)[1];
      offset = nextOffset;
      if (offset !== undefined) assert.ok(textsOf(result)[2]!.includes(`offset ${offset}`));
    }
    assert.ok(data === expected && content === expected, `${name} in pieces of ${limit}`);
  }
  assert.ok(JSON.stringify(await client.call("read_document", { uri: uriOf("big") })).length < 60_000);

  // The outline of a document with many headings leads to all of them.
  const uri = uriOf("many");
  assert.match(
    await client.failure("read_document", { uri, section: "h250" }),
    /it has 250.*without a section.*first 100/,
  );
  const seen = new Set<string>();
  for (let section: string | undefined, calls = 0; seen.size < 250; calls++) {
    assert.ok(calls < 5);
    const result = await client.call("read_document", { uri, ...(section ? { section } : {}) });
    const { outline, omittedHeadings } = result["structuredContent"];
    assert.deepEqual([outline.length + omittedHeadings, outline[0].section], [250, section ?? "h0"]);
    for (const one of outline) {
      seen.add(one.section);
      assert.equal(one.line, 2 * Number(one.section.slice(1)) + 1);
    }
    section = outline.at(-1).section as string;
    const next = seen.size < 250 ? `again with section "${section}"` : "without section";
    const [head] = textsOf(result);
    assert.ok(head!.includes(`(${omittedHeadings} of 250 sections are left out: `), head!);
    assert.ok(head!.includes(`read_document ${next}`), head!);
  }
  await client.assertClosed();
});

test("an answer is bounded however long headings, titles and facts are; URIs and sections are whole", async (t) => {
  const words = (word: string) => `${word} `.repeat(1900 / (word.length + 1)).trim();
  const many = Array.from({ length: 40 }, (_, number) => `## ${words(`zebra${number}`)}\n\n`).join("");
  const others = Array.from({ length: 100 }, (_, number) => `  - "${words(`other${number}`)}"\n`).join("");
  const date = `2${"9".repeat(1900)}`;
  const head = `---\nstatus: superseded\ndate: ${date}\nsuperseded-by:\n${others}applies-to: "*.ts"\n---\n`;
  const client = new Client(t, {
    ...files(20, (number) => `resources/guidelines/${number}.md`, `# ${words("zebra")}\n\n${many}`),
    "resources/adr/001-x.md": `${head}# ${words("zebra")}\n`,
  });
  const uri = "architecture://guidelines/001";
  const bounds: readonly [name: string, args: object, most: number][] = [
    ["read_document", { uri, limit: 4 }, 40_000],
    ["read_document", { uri: "architecture://adr/1", limit: 4 }, 10_000],
    ["list_documents", {}, 20_000],
    // The name of a section of each hit, twice.
    ["search_documents", { query: "zebra" }, 60_000],
    ["decisions_for", { paths: ["a.ts"] }, 15_000],
  ];
  for (const [name, args, most] of bounds) {
    const { length } = JSON.stringify(await client.call(name, args));
    assert.ok(length < most, `${name} answers with ${length} characters`);
  }
  const { title, outline } = await client.data("read_document", { uri });
  assert.equal(title, `${words("zebra").slice(0, 199).trimEnd()}…`);
  assert.equal(outline[1].title, `${words("zebra0").slice(0, 199).trimEnd()}…`);
  assert.equal(outline[1].section, words("zebra0").replaceAll(" ", "-"));
  const { text } = await client.data("read_document", { uri, section: outline[1].section });
  assert.equal(text, `## ${words("zebra0")}\n\n`);
  const { notice } = await client.data("read_document", { uri: "architecture://adr/1", limit: 4 });
  assert.match(notice, / and 90 more that its text names\.$/);
  await client.assertClosed();
});

test("pages of documents and of decisions lead to all of them, and stay right while documents come and go", async (t) => {
  const rule = `---\napplies-to: "**/*.ts"\ndescription: ${"Words. ".repeat(25)}\n---\n# Rule\n`;
  const client = new Client(t, {
    ...files(198, (number) => `resources/guidelines/g${number}.md`, rule),
    ...files(52, (number) => `resources/patterns/p${number}.md`, "# P\n"),
    "resources/adr/001-old.md": '---\nstatus: superseded\napplies-to: "src/*.ts"\n---\n# Old\n',
    "resources/patterns/near.md": '---\napplies-to: "src/a.ts"\n---\n# Near\n',
  });
  const again = async (...rows: [tool: string, args: object][]) => {
    for (const [tool, args] of rows) {
      assert.match(await client.failure(tool, args), /cursor.*without a cursor/, JSON.stringify(args));
    }
  };

  const uris: string[] = [];
  for (let cursor: string | undefined, pages = 1;; pages++) {
    const result = await client.call("decisions_for", { paths: ["src/a.ts"], ...(cursor ? { cursor } : {}) });
    const { documents, omitted, nextCursor } = result["structuredContent"];
    const [text] = textsOf(result);
    uris.push(...documents.map(({ uri }: Data) => uri));
    assert.ok(text!.length < MOST_TEXT);
    assert.deepEqual([omitted, nextCursor !== undefined], [200 - uris.length, omitted > 0]);
    cursor = nextCursor;
    if (cursor === undefined) break;
    const next = `(${omitted} more: call decisions_for again with the same arguments and cursor "${cursor}")`;
    assert.ok(text!.endsWith(`\n${next}`));
    assert.ok(pages < 20);
  }
  assert.equal(new Set(uris).size, 200);
  assert.deepEqual([uris[0], uris.at(-1)], ["architecture://patterns/near", "architecture://adr/001-old"]);
  assert.deepEqual(uris.slice(1, -1), uris.slice(1, -1).toSorted());

  // Of many files with long names that one document is about, some are named and the others counted.
  const long = Array.from({ length: 100 }, (_, index) => `${"d/".repeat(450)}${index}.ts`);
  const result = await client.call("decisions_for", { paths: long });
  const { documents: about } = result["structuredContent"];
  assert.ok(about.length > 5);
  for (const { paths, morePaths } of about) assert.deepEqual([paths, morePaths], [[long[0]], 99]);
  assert.ok(textsOf(result)[0]!.includes(`for ${long[0]} and 99 more (**/*.ts)`));
  assert.ok(textsOf(result)[0]!.length < MOST_TEXT);
  assert.ok(JSON.stringify(result["structuredContent"]).length < MOST_DATA);

  // A cursor is of the same files or of the same list, and of documents that are still there.
  const paths = ["a.ts", "b.ts"];
  const { documents } = await client.data("decisions_for", { paths: [...paths, "c.js"] });
  assert.deepEqual([documents[0].paths, documents[0].morePaths], [paths, undefined]);
  const first = await client.data("decisions_for", { paths });
  const listed = await client.data("list_documents", { category: "guidelines" });
  const [ofFiles, ofList] = [first["nextCursor"], listed["nextCursor"]];
  for (const other of [["a.ts"], ["b.ts", "a.ts"], ["a.md"]]) {
    await again(["decisions_for", { paths: other, cursor: ofFiles }]);
  }
  for (const cursor of [ofList, `${ofFiles}A`, "!"]) await again(["decisions_for", { paths, cursor }]);
  for (const filter of [{}, { category: "patterns" }, { category: "guidelines", status: "accepted" }]) {
    await again(["list_documents", { ...filter, cursor: ofList }]);
  }
  assert.ok((await client.data("decisions_for", { paths, cursor: ofFiles }))["documents"].length > 0);

  const pages: string[][] = [];
  for (let next: string | undefined = "";;) {
    const page = await client.data("list_documents", next ? { cursor: next } : {});
    pages.push(page["documents"].map(({ uri }: Data) => uri));
    next = page["nextCursor"];
    if (next === undefined) break;
    // One before the place where the page ended; it must move nothing.
    writeFiles(client.root, { [`resources/adr/00${pages.length}-a.md`]: "# A\n" });
    await client.askModern("resources/list");
  }
  assert.deepEqual(pages.map(({ length }) => length), [100, 100, 52]);
  assert.equal(new Set(pages.flat()).size, 252);
  assert.deepEqual(pages.flat(), pages.flat().toSorted());

  const total = async (count: number) => {
    while ((await client.data("list_documents"))["total"] !== count) await pause(20);
  };
  await total(254);
  rmSync(`${client.root}/resources/guidelines/g099.md`);
  rmSync(`${client.root}/${first["documents"].at(-1).uri.replace("architecture://", "resources/")}.md`);
  await total(252);
  await again(
    ["list_documents", { category: "guidelines", cursor: ofList }],
    ["decisions_for", { paths, cursor: ofFiles }],
  );
  await client.assertClosed();
});

test("decisions_for names the more specific first, and what is for all files last", async (t) => {
  const client = new Client(t, {
    "resources/guidelines/all.md": "---\napplies-to: '**'\n---\n# All\n",
    "resources/guidelines/folder.md": "---\napplies-to: src/**\n---\n# Folder\n",
    "resources/guidelines/one.md": "---\napplies-to: src/a.ts\n---\n# One\n",
  });
  const { documents } = await client.data("decisions_for", { paths: ["src/a.ts"] });
  assert.deepEqual(documents.map(({ title }: Data) => title), ["One", "Folder", "All"]);
  await client.assertClosed();
});

test("while decisions for hostile paths are looked for, a ping is answered, and the call can be cancelled", async (t) => {
  const patterns = Array.from({ length: 200 }, (_, index) => `  - "${"*a".repeat(300 + index)}[x]"\n`);
  const client = new Client(t, {
    "resources/guidelines/hostile.md": `---\napplies-to:\n${patterns.join("")}---\n# Hostile\n`,
  });
  await client.initialize();
  await client.data("list_documents");
  const paths = Array<string>(100).fill("a".repeat(1000));
  const params = { name: "decisions_for", arguments: { paths } };
  client.send(
    { jsonrpc: "2.0", id: "long", method: "tools/call", params },
    { jsonrpc: "2.0", id: "ping", method: "ping" },
  );
  assert.equal((await client.next()).id, "ping");
  client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "long" } });
  assert.deepEqual((await client.data("decisions_for", { paths: ["b"] }))["documents"], []);
  await client.assertClosed();
});

test("a long text for many files of all languages holds up no other request", async (t) => {
  const rules = "forbids:\n  - import: moment\n  - text: eval(\n";
  const client = new Client(t, {
    "resources/adr/001-a.md": `---\napplies-to: "src/**"\n${rules}---\n# A\n\n## Decision\n\nWe use a.\n`,
  });
  await client.initialize();
  const endings = "ts java py go cs rs rb php c".split(" ");
  const paths = Array.from({ length: 100 }, (_, index) => `src/${index}.${endings[index % endings.length]}`);
  const text = "// ADR-1 aab\nx = 'y' \"z\"\n".repeat(50_000);
  const params = { name: "decisions_for", arguments: { paths, text } };
  client.send(
    { jsonrpc: "2.0", id: "long", method: "tools/call", params },
    { jsonrpc: "2.0", id: "ping", method: "ping" },
  );
  assert.equal((await client.next()).id, "ping");
  const [answer] = textsOf((await client.next()).result!);
  assert.match(answer!, /^Only the first 262144 characters of the text were checked\.\n\n/);
  await client.assertClosed();
});

test("decisions_for says what a text breaks, and what is forbidden", async (t) => {
  const client = new Client(t, {
    "resources/adr/001-dates.md":
      '---\nstatus: accepted\napplies-to: "src/**"\nforbids:\n  - import: moment\n    instead: date-fns\nrequires:\n  - text: SPDX\n---\n' +
      "# Dates\n\n## Decision\n\nDates are read with date-fns.\n",
    "resources/adr/002-old.md":
      '---\nstatus: superseded by ADR-1\napplies-to: "src/**"\nforbids:\n  - text: date-fns\n---\n# Old\n\n## Decision\n\nUse moment.\n',
  });
  const call = (text?: string) => client.call("decisions_for", { paths: ["src/a.ts"], text });
  const broken = await call('import m from "moment";\nimport d from "date-fns";\n');
  assert.equal(broken["structuredContent"].breaks.length, 1);
  assert.match(broken["structuredContent"].breaks[0], /src\/a\.ts: import m .*moment.*Dates.*date-fns/);
  assert.match(textsOf(broken)[0]!, /^The text breaks decisions:\n- src\/a\.ts: /);
  const [current, old] = broken["structuredContent"].documents;
  assert.deepEqual([current.decision, old.decision], ["Dates are read with date-fns.", undefined]);
  for (const text of [undefined, "", "moment", 'import d from "date-fns";']) {
    const { breaks } = (await call(text))["structuredContent"];
    assert.equal(breaks, undefined, String(text));
  }
  await client.assertClosed();
});

test("decisions_for answers a hook in its form, and tells a decision in full once in a session", async (t) => {
  const client = new Client(t, {
    "resources/adr/001-dates.md": `---\napplies-to: "src/**"\n---\n# Dates\n\n## Decision\n\n${
      "Use them well. ".repeat(20)
    }\n`,
    "resources/adr/002-old.md":
      '---\nstatus: deprecated\napplies-to: "src/**"\n---\n# Old\n\n## Decision\n\nUse moment.\n',
  });
  const context = async (path: string, hook: string) => {
    const [text] = textsOf(await client.call("decisions_for", { paths: [path], hook }));
    const { hookSpecificOutput = {} } = JSON.parse(text!);
    const { hookEventName, additionalContext, ...others } = hookSpecificOutput;
    assert.deepEqual(others, {});
    assert.equal(hookEventName, additionalContext === undefined ? undefined : "PreToolUse");
    return additionalContext as string | undefined;
  };
  const full = await context("/repo/src/a.ts", "one");
  assert.match(full!, /## Dates\n\n(?:Use them well\. ?){20}\n/);
  assert.match(full!, /architecture:\/\/adr\/001-dates/);
  assert.doesNotMatch(full!, /moment/);
  assert.match((await context("/repo/src/b.ts", "one"))!, /\n- Dates: Use them well\..{0,120}$/);
  assert.equal(await context("/repo/src/a.ts", "two"), full);
  assert.equal(await context("/repo/README.md", "one"), undefined);
  writeFiles(client.root, {
    "resources/adr/001-dates.md": '---\napplies-to: "src/**"\n---\n# Dates\n\n## Decision\n\nChanged.\n',
  });
  for (;;) {
    if (/\nChanged\./.test((await context("src/a.ts", "one"))!)) break;
    await pause(20);
  }
  await client.assertClosed();
});

test("decisions_for ignores what a hook could not fill in", async (t) => {
  const client = new Client(t, {
    "resources/adr/001-dates.md":
      '---\napplies-to: "src/**"\nrequires:\n  - text: SPDX\n---\n# Dates\n\n## Decision\n\nUse UTC.\n',
    "resources/adr/002-all.md": '---\napplies-to: "**"\n---\n# All\n\n## Decision\n\nTest it.\n',
  });
  const path = "/repo/src/a.ts";
  const rows: [paths: string[], hook: string | undefined, expected: RegExp][] = [
    [["", ""], "s1", /^\{\}$/],
    [["", ""], "", /^No document says /],
    [["", ""], undefined, /^No document says /],
    [[path, ""], "s2", /PreToolUse.*## Dates.*## All/],
    [["", path], "s3", /PreToolUse.*## Dates.*## All/],
    [["", path], "", / - Dates\n {2}for \/repo\/src\/a\.ts \(src/],
  ];
  for (const [paths, hook, expected] of rows) {
    const result = await client.call("decisions_for", { paths, text: "", hook });
    assert.equal(result["isError"], undefined);
    assert.match(textsOf(result)[0]!, expected);
    assert.equal(result["structuredContent"].breaks, undefined);
    assert.equal(
      result["structuredContent"].documents.length,
      /PreToolUse|Dates/.test(expected.source) ? 2 : 0,
    );
  }
  await client.assertClosed();
});

test("document tools take the forms of arguments that clients send, and say so in their schemas", async (t) => {
  const rule =
    '---\nstatus: accepted\napplies-to: ["src/**", "[id].ts"]\n---\n# Rule\n\n## Decision\n\nUse UTC.\n';
  const client = new Client(t, {
    "resources/adr/001-rule.md": rule,
    "resources/adr/002-other.md": "# Rule\n",
  });
  const uri = "architecture://adr/1";
  const rows: [name: string, given: object, meant: object][] = [
    ["decisions_for", { paths: "src/a.ts" }, { paths: ["src/a.ts"] }],
    ["decisions_for", { paths: "[id].ts" }, { paths: ["[id].ts"] }],
    ["decisions_for", { paths: ["[1]", "[a"] }, { paths: ["[1]", "[a"] }],
    ["decisions_for", { paths: "" }, { paths: [""] }],
    ["decisions_for", { paths: ["src/a.ts"], text: "", cursor: "", hook: "" }, { paths: ["src/a.ts"] }],
    ["decisions_for", { paths: ["src/a.ts"], text: null, cursor: null, hook: null }, { paths: ["src/a.ts"] }],
    ["search_documents", { query: "rule", limit: "1" }, { query: "rule", limit: 1 }],
    ["search_documents", { query: "rule", limit: " 1.0 " }, { query: "rule", limit: 1 }],
    ["search_documents", { query: "rule", limit: "", category: "", status: "" }, { query: "rule" }],
    ["search_documents", { query: "rule", limit: null, category: null, status: null }, { query: "rule" }],
    ["read_document", { uri, offset: "4", limit: "+8" }, { uri, offset: 4, limit: 8 }],
    ["read_document", { uri, section: "", offset: null, limit: "" }, { uri }],
    ["list_documents", { category: "", status: null, cursor: "" }, {}],
  ];
  for (const [name, given, meant] of rows) {
    const expected = await client.call(name, meant);
    assert.equal(expected["isError"], undefined);
    assert.deepEqual(await client.call(name, given), expected, JSON.stringify(given));
  }
  const refused: [name: string, args: object, expected: RegExp][] = [
    [
      "decisions_for",
      { paths: '["src/a.ts"]' },
      /\/paths: .*a string with a JSON list in it: send the list itself/,
    ],
    ["decisions_for", { paths: ["[]"] }, /\/paths: .*send the list itself/],
    ["decisions_for", { paths: [' ["a", "b"]\n'] }, /\/paths: .*send the list itself/],
    ["decisions_for", { paths: null }, /Expected a member "paths"/],
    ["decisions_for", { paths: [null] }, /\/paths\/0: .*null/],
    ["decisions_for", { paths: "x".repeat(1001) }, /\/paths\/0: /],
    ["decisions_for", { paths: "a", path: "a" }, /\/path: .*another one/],
    ["decisions_for", { paths: "a", hook: "x".repeat(201) }, /\/hook: /],
    ["search_documents", { query: "" }, /\/query: /],
    ["search_documents", { query: null }, /Expected a member "query"/],
    ["search_documents", { query: "rule", limit: "101" }, /\/limit: /],
    ["search_documents", { query: "rule", limit: "1.5" }, /\/limit: .*a string/],
    ["search_documents", { query: "rule", limit: "1e1" }, /\/limit: .*a string/],
    ["search_documents", { query: "rule", limit: "ten" }, /\/limit: .*a string/],
    ["search_documents", { query: "rule", limit: true }, /\/limit: .*a boolean/],
    ["read_document", { uri, offset: "-1" }, /\/offset: /],
    ["read_document", { uri: ["x"] }, /\/uri: .*an array/],
    ["list_documents", { category: [] }, /\/category: .*an array/],
  ];
  for (const [name, args, expected] of refused) {
    assert.match(await client.failure(name, args), expected, JSON.stringify(args));
  }
  const { tools } = (await client.askModern("tools/list")).result as { tools: Data[] };
  for (const { name, inputSchema: { description } } of tools) {
    assert.match(description, /"" and null are left out$/);
    assert.equal(/a list may be one text/.test(description), name === "decisions_for");
    assert.equal(/a number may be text/.test(description), /^(?:read|search)_/.test(name));
  }
  await client.assertClosed();
});

test("decisions_for is loaded at once and is short; the other tools say what a search should find them by", async (t) => {
  const client = new Client(t, { "resources/adr/001-a.md": "# A\n" });
  const { tools } = (await client.askModern("tools/list")).result as { tools: Data[] };
  for (const { _meta, name, annotations: _, ...rest } of tools) {
    const { "anthropic/alwaysLoad": isLoaded, "anthropic/searchHint": hint } = _meta as Data;
    assert.deepEqual(
      [isLoaded, typeof hint],
      [name === "decisions_for", "string"],
    );
    // 350 tokens of four characters.
    if (isLoaded) assert.ok(JSON.stringify({ name, ...rest }).length <= 1400);
  }
  assert.equal(tools.length, 4);
  await client.assertClosed();
});

test("decisions_for gives first what a text cites", async (t) => {
  const record = (number: number, globs: string, status = "accepted") => [
    `resources/adr/00${number}-rule-${number}.md`,
    `---\nstatus: ${status}\napplies-to: "${globs}"\n---\n# Rule ${number}\n\n## Decision\n\nDo it.\n`,
  ];
  const client = new Client(
    t,
    Object.fromEntries([
      record(1, "src/a.ts"),
      record(2, "lib/**"),
      record(3, "lib/**", "deprecated"),
      record(4, "lib/**"),
    ]),
  );
  const matched = async (text: string) => {
    const { documents } = await client.data("decisions_for", { paths: ["src/a.ts"], text });
    return documents.map(({ title, matched }: Data) => `${title}: ${matched}`);
  };
  const own = "Rule 1: src/a.ts";
  const rows: readonly (readonly [text: string, expected: readonly string[]])[] = [
    ["// See ADR-2.", ["Rule 2: cited here", own]],
    ["/* adr/002, @adr 4 */", ["Rule 2: cited here", "Rule 4: cited here", own]],
    ["# docs/adr/004-rule-4.md", ["Rule 4: cited here", own]],
    ["// ADR-1 and ADR-3", ["Rule 1: cited here", "Rule 3: cited here"]],
    ["// ADR-9, https://example.com/adr/002", [own]],
    ["const adr = ADR - 2;", [own]],
    ["", [own]],
  ];
  for (const [text, expected] of rows) assert.deepEqual(await matched(text), expected, text);
  await client.assertClosed();
});

test("decisions_for makes one guess for a file that no document names, and says by which words", async (t) => {
  const subjects = [
    "Connection pool",
    "Retry with backoff",
    "Log levels",
    "Money as integers",
    "Feature flags",
    "Image sizes",
  ];
  const client = new Client(
    t,
    Object.fromEntries(subjects.map((title, index) => [
      `resources/adr/00${index + 1}-a.md`,
      `---\nstatus: ${
        index === 5 ? "superseded by ADR-5" : "accepted"
      }\n---\n# ${title}\n\n## Decision\n\nThe ${title.toLowerCase()} is decided here.\n`,
    ])),
  );
  const ask = async (path: string, text?: string) =>
    (await client.data("decisions_for", { paths: [path], text })).documents.map((
      { title, matched }: Data,
    ) => [title, matched]);
  const pool = "/** Keeps a pool of open connections to the database. */\nexport class ConnectionPool {}\n";
  assert.deepEqual(await ask("src/db/pool.ts", pool), [["Connection pool", "a guess, by connection, pool"]]);
  const retry = "# Retries a call, with a backoff that doubles.\ndef retry_with_backoff(call): pass\n";
  assert.deepEqual(await ask("app/calls.py", retry), [["Retry with backoff", "a guess, by retry, backoff"]]);
  const rows: readonly (readonly [path: string, text: string | undefined])[] = [
    ["src/db/pool.ts", undefined],
    ["src/db/pool.ts", ""],
    ["src/pay.ts", "export const pay = () => {};\n"],
    ["src/images.ts", "/** The image sizes. */\nexport class ImageSizes {}\n"],
    ["src/x.ts", `// ${"a ".repeat(5000)}`],
  ];
  for (const [path, text] of rows) {
    assert.deepEqual(await ask(path, text), [], `${path} ${text?.slice(0, 40)}`);
  }
  await client.assertClosed();
});
