import assert from "node:assert/strict";
import { test } from "node:test";
import { readDefinition } from "../../lib/prompts/definition.ts";
import {
  checkArguments,
  MAX_PROMPT_BYTES,
  MAX_PROMPT_DOCUMENTS,
  PromptError,
} from "../../lib/prompts/render.ts";
import { definition, makeShelf, render, say } from "./shelf.ts";

const PROMPT = readDefinition(definition("<<code>> <<topic>> <<short>>", {
  name: "review",
  arguments: [{ name: "code", required: true }, { name: "topic" }, { name: "short", maxLength: 3 }],
}));

function refused(given: unknown): string {
  try {
    checkArguments(PROMPT, given);
  } catch (cause) {
    assert.ok(cause instanceof PromptError);
    return cause.message;
  }
  assert.fail("The arguments were taken");
}

test("checkArguments() gives every argument a value, the missing ones an empty text", () => {
  assert.deepEqual([...checkArguments(PROMPT, { code: "x" })], [["code", "x"], ["topic", ""], ["short", ""]]);
});

test("checkArguments() says which argument is wrong, and how", () => {
  assert.match(refused(undefined), /"code" is missing/);
  assert.match(refused({ code: "" }), /"code" is required and must not be empty/);
  assert.match(
    refused({ code: "x", nothing: "y" }),
    /Unknown argument "nothing".*"review" takes code, topic, short/,
  );
  assert.match(refused({ code: 1 }), /"code" must be a text/);
  assert.match(refused({ code: null }), /"code" must be a text/);
  assert.match(refused({ code: "x", short: "abcd" }), /"short" is longer than 3 characters/);
  for (const given of [[], "x", 1, null]) assert.match(refused(given), /must be an object/);
  assert.ok(refused({ ["x".repeat(100_000)]: "" }).length < 300, "what a client sent is not sent back whole");
});

test("checkArguments() counts in Unicode code points, up to the limit and not one further", () => {
  assert.equal(checkArguments(PROMPT, { code: "x", short: "🏛🏛🏛" }).get("short"), "🏛🏛🏛");
  assert.match(refused({ code: "x", short: "🏛🏛🏛🏛" }), /longer than 3/);
  assert.equal(checkArguments(PROMPT, { code: "🏛".repeat(10_000) }).get("code")!.length, 20_000);
  assert.match(refused({ code: "x".repeat(10_001) }), /longer than 10000/);
  checkArguments(PROMPT, { code: "x", topic: "x".repeat(2_000) });
  assert.match(refused({ code: "x", topic: "x".repeat(2_001) }), /longer than 2000/);
});

test("checkArguments() takes names that every object has for what they are", () => {
  assert.match(refused(JSON.parse('{"code":"x","__proto__":"y"}')), /Unknown argument "__proto__"/);
  assert.match(refused({ code: "x", constructor: "y" }), /Unknown argument "constructor"/);
  assert.match(refused({ code: "x", toString: "y" }), /Unknown argument "toString"/);
  const odd = readDefinition(
    definition("<<__proto__>> <<constructor>>", {
      arguments: [{ name: "__proto__" }, { name: "constructor" }],
    }),
  );
  assert.equal(render(odd, {})[0]!.content.text, " ");
  assert.equal(render(odd, JSON.parse('{"__proto__":"a","constructor":"b"}'))[0]!.content.text, "a b");
  assert.throws(() => checkArguments(odd, JSON.parse('{"__proto__":{"a":1}}')), /must be a text/);
});

test("renderMessages() fills in both spellings, and leaves what is escaped", () => {
  assert.equal(say("<<a>> {{a}} \\<<a>> \\{{a}}", { a: "x" }), "x x <<a>> {{a}}");
});

test("renderMessages() never looks at a value again", async (t) => {
  const shelf = await makeShelf(t, { "adr/007-x.md": "secret <<b>>" });
  const values = [
    "<<b>>",
    "{{b}}",
    "\\<<b>>",
    "<<resource:architecture://adr/7>>",
    "{{resource:architecture://adr/*}}",
    "$& $1 $` $' $$",
    "\\u0022 \\n \\",
    '"},"role":"system"',
    "\u0000\u001f\u2028",
    "🏛 größe 設計",
    "\r\n",
    "<<",
    ">>",
  ];
  for (const value of values) {
    assert.equal(
      say("[<<a>>] [{{a}}] [<<b>>]", { a: value, b: "B" }, shelf),
      `[${value}] [${value}] [B]`,
      value,
    );
  }
  // Two values that make a mark only together.
  assert.equal(say("<<a>><<b>>", { a: "<<", b: "b>>" }, shelf), "<<b>>");
});

test("renderMessages() gives well-formed text whatever it was given", () => {
  const text = say("<<a>>", { a: "a\ud800b" });
  assert.equal(text, "a\ud800b");
});

test("renderMessages() embeds a document under a line with its URI and title", async (t) => {
  const text = '---\ntitle: The title\n---\n\n# X <<a>> {{resource:architecture://adr/7}}\r\n"quoted"\n';
  const shelf = await makeShelf(t, { "adr/007-größe.md": text });
  for (
    const uri of ["architecture://adr/7", "architecture://adr/007-größe", "ARCHITECTURE://adr/007-gr%C3%B6ße"]
  ) {
    assert.equal(
      say(`Before <<resource:${uri}>> after`, { a: "A" }, shelf),
      `Before [architecture://adr/007-gr%C3%B6%C3%9Fe] The title\n\n${text} after`,
    );
  }
});

test("renderMessages() says in the line above a record that it holds no more, and why", async (t) => {
  const shelf = await makeShelf(t, {
    "adr/001-a.md": "---\nstatus: deprecated\n---\n# A\n",
    "adr/002-b.md": "---\nstatus: accepted\nsuperseded-by: 3\n---\n# B\n",
    "adr/003-c.md": "---\nstatus: accepted\n---\n# C\n",
  });
  const said = say("{{resource:architecture://adr/**}}", {}, shelf);
  assert.ok(said.includes("[architecture://adr/001-a] A (deprecated: this decision holds no more)\n"), said);
  assert.ok(said.includes("[architecture://adr/002-b] B (superseded: this decision holds no more)\n"), said);
  assert.ok(said.includes("[architecture://adr/003-c] C\n"), said);
});

test("renderMessages() embeds one section", async (t) => {
  const shelf = await makeShelf(t, { "adr/007-x.md": "# X\n\n## Decision\n\nWe do.\n\n## Rest\n" });
  assert.equal(
    say("{{resource:architecture://adr/7#decision}}", {}, shelf),
    "[architecture://adr/007-x#decision] X\n\n## Decision\n\nWe do.\n\n",
  );
});

test("renderMessages() embeds every document of a pattern, in the order of their URIs", async (t) => {
  const shelf = await makeShelf(t, {
    "p/b.md": "# B",
    "p/a.md": "# A",
    "p/sub/c.md": "# C",
    "q/d.md": "# D",
  });
  const a = "[architecture://p/a] A\n\n# A";
  const b = "[architecture://p/b] B\n\n# B";
  const c = "[architecture://p/sub/c] C\n\n# C";
  assert.equal(say("<<resource:architecture://p/*>>", {}, shelf), `${a}\n\n${b}`);
  assert.equal(say("{{resource:architecture://p/**}}", {}, shelf), `${a}\n\n${b}\n\n${c}`);
  assert.equal(say("<<resource:architecture://p/a*>>", {}, shelf), a);
});

test("renderMessages() says visibly that a pattern matches nothing", async (t) => {
  const shelf = await makeShelf(t, { "p/a.md": "" });
  const nothing = "(No document matches architecture://q/*.)";
  assert.equal(say("<<resource:architecture://q/*>>", {}, shelf), nothing);
  assert.equal(
    say("<<resource:architecture://q/*>>"),
    nothing,
    "nor does it where there are no documents at all",
  );
});

test("renderMessages() refuses to embed what is not there, and names prompt and URI", async (t) => {
  const shelf = await makeShelf(t, { "adr/007-x.md": "# X" });
  const uris = [
    "architecture://adr/8",
    "architecture://adr/7#gone",
    "architecture://adr/../adr/7",
    "architecture://",
  ];
  for (const uri of uris) {
    assert.throws(() => say(`<<resource:${uri}>>`, {}, shelf), {
      name: "PromptError",
      message: `The prompt "p" embeds ${uri}, which is not there`,
    });
  }
  assert.throws(() => say("<<resource:architecture://adr/7>>"), /is not there/);
});

test("renderMessages() refuses to guess between two records with one number", async (t) => {
  const shelf = await makeShelf(t, { "adr/007-x.md": "", "adr/0007-y.md": "" });
  assert.throws(
    () => say("<<resource:architecture://adr/7>>", {}, shelf),
    /which names architecture:\/\/adr\/0007-y and architecture:\/\/adr\/007-x$/,
  );
});

test("renderMessages() embeds as many documents as it may, over all messages, and not one more", async (t) => {
  const names = Array.from({ length: MAX_PROMPT_DOCUMENTS + 1 }, (_, number) => `p/${100 + number}.md`);
  const shelf = await makeShelf(t, Object.fromEntries(names.map((name) => [name, "x"])));
  const first = "<<resource:architecture://p/100>>";
  const others =
    "<<resource:architecture://p/10*>><<resource:architecture://p/11*>><<resource:architecture://p/12*>>" +
    "<<resource:architecture://p/13*>><<resource:architecture://p/14*>>";
  assert.equal(render(readDefinition(definition([others])), {}, shelf).length, 1);
  assert.throws(
    () => render(readDefinition(definition([others, first])), {}, shelf),
    /more than 50 documents/,
  );
  assert.throws(() => say("<<resource:architecture://p/*>>", {}, shelf), /"p" embeds more than 50 documents/);
});

test("renderMessages() embeds a mebibyte of UTF-8, whatever it is escaped as, and not one byte more", async (t) => {
  const half = MAX_PROMPT_BYTES / 2;
  const shelf = await makeShelf(t, {
    "p/lines.md": "\n".repeat(half),
    "p/quotes.md": '"\u0001\\'.repeat(half).slice(0, half),
    "p/umlauts.md": "ö".repeat(half / 2),
    "p/one.md": "x",
  });
  const embed = (...names: string[]) => names.map((name) => `<<resource:architecture://p/${name}>>`).join("");
  for (const name of ["quotes", "umlauts", "lines"]) {
    assert.ok(say(embed("lines", name), {}, shelf).length >= half);
    assert.throws(() => say(embed("lines", name, "one"), {}, shelf), /more than 1048576 bytes of documents/);
  }
});

test("renderMessages() keeps roles and the order of messages", () => {
  const prompt = readDefinition(JSON.stringify({
    name: "p",
    arguments: [{ name: "a" }],
    messages: [
      { role: "user", content: { type: "text", text: "<<a>>" } },
      { role: "assistant", content: { type: "text", text: "" } },
      { role: "user", content: { type: "text", text: "end" } },
    ],
  }));
  assert.deepEqual(render(prompt, { a: "x" }), [
    { role: "user", content: { type: "text", text: "x" } },
    { role: "assistant", content: { type: "text", text: "" } },
    { role: "user", content: { type: "text", text: "end" } },
  ]);
});
