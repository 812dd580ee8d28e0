import assert from "node:assert/strict";
import { test } from "node:test";
import { checkArguments, DefinitionError, PromptError, readDefinition } from "../../lib/prompts/mod.ts";
import { definition, render, say } from "./definitions.ts";

const MESSAGE = { role: "user", content: { type: "text", text: "Hello" } };

function read(change: Record<string, unknown>) {
  return readDefinition(JSON.stringify({ name: "hello", messages: [MESSAGE], ...change }));
}

test("readDefinition() reads a prompt with all that it may have, and freezes it", () => {
  const prompt = read({
    title: "T",
    description: "D",
    arguments: [
      { name: "code", description: "C", required: true },
      { name: "other", maxLength: 10, values: ["a", "b"] },
      { name: "plain" },
    ],
    messages: [MESSAGE, { role: "assistant", content: { type: "text", text: "<<code>> x" } }],
    somethingElse: true,
  });
  assert.deepEqual([prompt.name, prompt.title, prompt.description], ["hello", "T", "D"]);
  assert.deepEqual(prompt.arguments, [
    { name: "code", description: "C", required: true, maxLength: 10_000, values: [] },
    { name: "other", required: false, maxLength: 10, values: ["a", "b"] },
    { name: "plain", required: false, maxLength: 2_000, values: [] },
  ]);
  assert.deepEqual(prompt.messages[1], {
    role: "assistant",
    template: [{ kind: "argument", name: "code" }, { kind: "text", text: " x" }],
  });
  const { template } = prompt.messages[1]!;
  for (
    const part of [prompt, prompt.arguments, prompt.arguments[0], prompt.messages, template, template[0]]
  ) {
    assert.ok(Object.isFrozen(part));
  }
  assert.deepEqual(Object.keys(read({})).sort(), ["arguments", "messages", "name"]);
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
  [{ name: undefined }, /^name must be a text/],
  [{ name: "Explain_It" }, /^name must match .* "Explain_It" does not/],
  [{ name: "" }, /^name must match/],
  [{ title: 1 }, /^title must be a text/],
  [{ description: null }, /^description must be a text/],
  [{ arguments: {} }, /^arguments must be a list/],
  [{ arguments: [1] }, /^arguments\[0\] must be an object/],
  [argument({ name: "a b" }), /^arguments\[0\]\.name must match/],
  [argument({ name: "1" }), /^arguments\[0\]\.name must match/],
  [argument({ required: "yes" }), /^arguments\[0\]\.required must be true or false/],
  [argument({ maxLength: 10_001 }), /^arguments\[0\]\.maxLength must be an integer from 1 to 10000/],
  [argument({ maxLength: 0 }), /maxLength/],
  [argument({ maxLength: 1.5 }), /maxLength/],
  [argument({ maxLength: "10" }), /maxLength/],
  [argument({ values: ["a", 1] }), /^arguments\[0\]\.values\[1\] must be a text/],
  [{ arguments: [{ name: "a" }, { name: "a" }] }, /^arguments names "a" twice/],
  [{ messages: undefined }, /^messages must be a list/],
  [{ messages: [] }, /^messages is empty/],
  [message({ role: "system" }), /^messages\[1\]\.role must be "user" or "assistant"/],
  [message({ content: "Hello" }), /^messages\[1\]\.content must be an object/],
  [message({ content: { type: "image" } }), /^messages\[1\]\.content\.type must be "text"/],
  [message({ content: { type: "text" } }), /^messages\[1\]\.content\.text must be a text/],
  [says("<<b>>"), /^messages\[1\]\.content\.text: "b" is not among the arguments; .* backslash/],
  [says("a << b >> c"), /"b" is not among/],
  [says("{{toString}}"), /"toString" is not among/],
  ...["", "adr/7", "file:///etc/passwd", "https://example.org/"].map((uri) =>
    [says(`<<resource:${uri}>>`), /^messages\[1\]\.content\.text: ".*" is no document/] as const
  ),
  [says("<<resource:architecture://adr/*#decision>>"), /a section of many documents/],
];

test("readDefinition() says where a definition is wrong, and how", () => {
  for (const [wrong, reason] of WRONG) {
    assert.throws(
      () => typeof wrong === "string" ? readDefinition(wrong) : read(wrong as Record<string, unknown>),
      (cause: Error) => cause instanceof DefinitionError && reason.test(cause.message),
      JSON.stringify(wrong),
    );
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

test("arguments are named in two spellings, escaped by a backslash, and everything else is text", () => {
  for (const [text, said] of Object.entries(TEXTS)) {
    assert.equal(say(text, { a: "A", long_name: "L", "with-dash": "D" }), said, text);
  }
});

test("a megabyte of marks is read in no time", () => {
  const start = performance.now();
  for (const part of ["<<", "{{", "<<a", "<<a>", "\\<<", "<<a>>", "<<resource:", "}}", "<< "]) {
    try {
      readDefinition(definition(part.repeat(1_000_000 / part.length)));
    } catch (cause) {
      assert.ok(cause instanceof DefinitionError);
    }
  }
  assert.ok(performance.now() - start < 10_000);
});

const PROMPT = readDefinition(definition("<<code>> <<topic>> <<short>>", {
  name: "review",
  arguments: [{ name: "code", required: true }, { name: "topic" }, { name: "short", maxLength: 3 }],
}));

test("checkArguments() gives every argument a value, and counts in Unicode code points up to the limit", () => {
  assert.deepEqual([...checkArguments(PROMPT, { code: "x" })], [["code", "x"], ["topic", ""], ["short", ""]]);
  for (
    const [name, text] of [["short", "🏛🏛🏛"], ["code", "🏛".repeat(10_000)], [
      "topic",
      "x".repeat(2000),
    ]] as const
  ) {
    assert.equal(checkArguments(PROMPT, { code: "x", [name]: text }).get(name), text);
  }
});

/** Arguments that are wrong, and what is said of them. */
const ARGUMENTS: readonly (readonly [given: unknown, reason: RegExp])[] = [
  [undefined, /"code" is missing/],
  [{ code: "" }, /"code" is required and must not be empty/],
  [{ code: "x", nothing: "y" }, /Unknown argument "nothing".*"review" takes code, topic, short/],
  [{ code: 1 }, /"code" must be a text/],
  [{ code: null }, /"code" must be a text/],
  [{ code: "x", short: "abcd" }, /"short" is longer than 3 characters/],
  [{ code: "x", short: "🏛🏛🏛🏛" }, /longer than 3/],
  [{ code: "x".repeat(10_001) }, /longer than 10000/],
  [{ code: "x", topic: "x".repeat(2_001) }, /longer than 2000/],
  ...[[], "x", 1, null].map((given) => [given, /must be an object/] as const),
  [JSON.parse('{"code":"x","__proto__":"y"}'), /Unknown argument "__proto__"/],
  [{ code: "x", constructor: "y" }, /Unknown argument "constructor"/],
  // What a client sent is not sent back whole.
  [{ ["x".repeat(100_000)]: "" }, /^.{0,300}$/],
];

test("checkArguments() says which argument is wrong, and how", () => {
  for (const [given, reason] of ARGUMENTS) {
    assert.throws(
      () => checkArguments(PROMPT, given),
      (cause: Error) => cause instanceof PromptError && reason.test(cause.message),
    );
  }
});

test("names that every object has are names like any other", () => {
  const odd = readDefinition(
    definition("<<__proto__>> <<constructor>>", {
      arguments: [{ name: "__proto__" }, { name: "constructor" }],
    }),
  );
  assert.equal(render(odd, {})[0]!.content.text, " ");
  assert.equal(render(odd, JSON.parse('{"__proto__":"a","constructor":"b"}'))[0]!.content.text, "a b");
  assert.throws(() => checkArguments(odd, JSON.parse('{"__proto__":{"a":1}}')), /must be a text/);
});
