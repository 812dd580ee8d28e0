import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTEXT, definition, memoryPrompts, render, say } from "./definitions.ts";
import { cpuNow } from "../../harness/process.ts";

const MESSAGE = { role: "user", content: { type: "text", text: "Hello" } };

test("a definition file may have members that are not known", async () => {
  const text = JSON.stringify({ name: "hello", messages: [MESSAGE], somethingElse: true });
  assert.deepEqual(await render(text), [MESSAGE]);
});

/** Texts of definition files, or members of one, that are wrong, and what is said of them. */
const argument = (change: object) => ({ arguments: [{ name: "a", ...change }] });
const message = (change: object) => ({ messages: [MESSAGE, { ...MESSAGE, ...change }] });
const says = (text: string) => message({ content: { type: "text", text } });
const WRONG: readonly (readonly [string | object, RegExp])[] = [
  ...["", "{", "{,}", '{"name": "a",}', "// x\n{}", '{"name": "a\nb"}'].map((text) =>
    [text, /^The file is not valid JSON/] as const
  ),
  ...["1", "null", "[]", '"x"'].map((text) => [text, /^the file must be an object/] as const),
  ['{"__proto__":{"name":"p","messages":[]}}', /^name must/],
  [{ name: undefined }, /^name must be a string/],
  [{ name: "Explain_It" }, /^name must match .* "Explain_It" does not/],
  [{ name: "" }, /^name must match/],
  [{ title: 1 }, /^title must be a string/],
  [{ description: null }, /^description must be a string/],
  [{ arguments: {} }, /^arguments must be a list/],
  [{ arguments: [1] }, /^arguments\[0\] must be an object/],
  [argument({ name: "a b" }), /^arguments\[0\]\.name must match/],
  [argument({ name: "1" }), /^arguments\[0\]\.name must match/],
  [argument({ required: "yes" }), /^arguments\[0\]\.required must be true or false/],
  [argument({ maxLength: 10_001 }), /^arguments\[0\]\.maxLength must be an integer from 1 to 10000/],
  [argument({ maxLength: 0 }), /maxLength/],
  [argument({ maxLength: 1.5 }), /maxLength/],
  [argument({ maxLength: "10" }), /maxLength/],
  [argument({ values: ["a", 1] }), /^arguments\[0\]\.values\[1\] must be a string/],
  [{ arguments: [{ name: "a" }, { name: "a" }] }, /^arguments names "a" twice/],
  [{ messages: undefined }, /^messages must be a list/],
  [{ messages: [] }, /^messages is empty/],
  [message({ role: "system" }), /^messages\[1\]\.role must be "user" or "assistant"/],
  [message({ content: "Hello" }), /^messages\[1\]\.content must be an object/],
  [message({ content: { type: "image" } }), /^messages\[1\]\.content\.type must be "text"/],
  [message({ content: { type: "text" } }), /^messages\[1\]\.content\.text must be a string/],
  [says("<<b>>"), /^messages\[1\]\.content\.text: "b" is not among the arguments; .* backslash/],
  [says("a << b >> c"), /"b" is not among/],
  [says("{{toString}}"), /"toString" is not among/],
  ...["", "adr/7", "file:///etc/passwd", "https://example.org/"].map((uri) =>
    [says(`<<resource:${uri}>>`), /^messages\[1\]\.content\.text: ".*" is not a document/] as const
  ),
  [says("<<resource:architecture://adr/*#decision>>"), /one section of several documents/],
];

test("a definition that is wrong is reported with the place and the reason", async () => {
  const texts = WRONG.map(([wrong]) =>
    typeof wrong === "string" ? wrong : JSON.stringify({ name: "hello", messages: [MESSAGE], ...wrong })
  );
  const { provider, findings } = await memoryPrompts(Object.fromEntries(texts.entries()));
  assert.deepEqual(await provider.list(CONTEXT), []);
  for (const [index, [, reason]] of WRONG.entries()) {
    const { message = "", rule } = findings.find(({ file }) => file === `prompts/${index}.json`) ?? {};
    const prefix = "The prompt is not valid: ";
    assert.deepEqual([rule, message.slice(0, prefix.length)], ["prompt-definition", prefix]);
    assert.match(message.slice(prefix.length), reason, texts[index]!);
  }
});

/** Texts with the arguments a ("A"), long_name ("L") and with-dash ("D"), and what they say. */
const TEXTS: Readonly<Record<string, string>> = {
  "x <<a>> y {{a}} z": "x A y A z",
  "<< a >>{{\ta }}": "AA",
  "<<long_name>><<with-dash>>": "LD",
  "<<a}} {{a>>": "<<a}} {{a>>",
  "": "",
  "only text": "only text",
  "<<a b>> and << >> and <<>>": "<<a b>> and << >> and <<>>",
  "\\<<a>> \\{{a}} \\<<undeclared>> \\<<resource:nothing>>":
    "<<a>> {{a}} <<undeclared>> <<resource:nothing>>",
  "a\\b \\n \\\\ \\": "a\\b \\n \\\\ \\",
  "cat <<EOF\nx\nEOF": "cat <<EOF\nx\nEOF",
  "{{ a.b }} {{#if a}} {{{}}}": "{{ a.b }} {{#if a}} {{{}}}",
  "<<<a b>>> x<<1>>": "<<<a b>>> x<<1>>",
  "<<<a>>>": "<A>",
  [`<<${"a".repeat(1001)}>>`]: `<<${"a".repeat(1001)}>>`,
};

test("arguments are named in two spellings, escaped by a backslash, and everything else is text", async () => {
  for (const [text, said] of Object.entries(TEXTS)) {
    assert.equal(await say(text, { a: "A", long_name: "L", "with-dash": "D" }), said, text);
  }
});

test("a large file of marks is read in linear time", async () => {
  const start = cpuNow();
  for (const part of ["<<", "{{", "<<a", "<<a>", "\\<<", "<<a>>", "<<resource:", "}}", "<< "]) {
    const { findings } = await memoryPrompts({ p: definition(part.repeat(700_000 / part.length)) });
    assert.doesNotMatch(findings[0]?.message ?? "", /too large/);
  }
  assert.ok(cpuNow() - start < 10_000);
});

const PROMPT = definition("<<code>>|<<topic>>|<<short>>", {
  name: "review",
  arguments: [{ name: "code", required: true }, { name: "topic" }, { name: "short", maxLength: 3 }],
});

test("arguments are optional unless required, and counted in Unicode code points up to the limit", async () => {
  const temples = "🏛".repeat(10_000);
  const long = "x".repeat(2000);
  for (
    const [given, said] of [
      [{ code: "x" }, "x||"],
      [{ code: "x", short: "🏛🏛🏛" }, "x||🏛🏛🏛"],
      [{ code: temples }, `${temples}||`],
      [{ code: "x", topic: long }, `x|${long}|`],
    ] as const
  ) assert.equal((await render(PROMPT, given))[0]!.content.text, said);
});

/** Arguments that are wrong, beside those of the transcript of documents, and what is said of them. */
const ARGUMENTS: readonly (readonly [given: unknown, reason: RegExp])[] = [
  [{ code: "x", nothing: "y" }, /Unknown argument "nothing".*"review" takes code, topic, short/],
  [{ code: "x".repeat(10_001) }, /longer than 10000/],
  [{ code: "x", topic: "x".repeat(2_001) }, /longer than 2000/],
  [JSON.parse('{"code":"x","__proto__":"y"}'), /Unknown argument "__proto__"/],
  [{ code: "x", constructor: "y" }, /Unknown argument "constructor"/],
  // What a client sent is not sent back whole.
  [{ ["x".repeat(100_000)]: "" }, /^.{0,300}$/],
];

test("an argument that is wrong is an error that names it and the limit", async () => {
  for (const [given, message] of ARGUMENTS) {
    await assert.rejects(render(PROMPT, given), { name: "RpcError", code: -32602, message });
  }
});

test("names that every object has are names like any other", async () => {
  const odd = definition("<<__proto__>> <<constructor>>", {
    arguments: [{ name: "__proto__" }, { name: "constructor" }],
  });
  const said = async (given: unknown) => (await render(odd, given))[0]!.content.text;
  assert.equal(await said({}), " ");
  assert.equal(await said(JSON.parse('{"__proto__":"a","constructor":"b"}')), "a b");
  await assert.rejects(said(JSON.parse('{"__proto__":{"a":1}}')), /must be a string/);
});
