import assert from "node:assert/strict";
import { test } from "node:test";
import { DefinitionError, readDefinition } from "../../lib/prompts/definition.ts";

const MESSAGE = { role: "user", content: { type: "text", text: "Hello" } };
const PROMPT = { name: "hello", messages: [MESSAGE] };

function read(change: Record<string, unknown>) {
  return readDefinition(JSON.stringify({ ...PROMPT, ...change }));
}

test("readDefinition() reads a prompt with all that it may have", () => {
  const prompt = read({
    title: "T",
    description: "D",
    arguments: [
      { name: "code", description: "C", required: true },
      { name: "other", maxLength: 10, values: ["a", "b"] },
      { name: "plain" },
    ],
    messages: [MESSAGE, { role: "assistant", content: { type: "text", text: "<<code>>" } }],
    somethingElse: true,
  });
  assert.deepEqual([prompt.name, prompt.title, prompt.description], ["hello", "T", "D"]);
  assert.deepEqual(prompt.arguments, [
    { name: "code", description: "C", required: true, maxLength: 10_000, values: [] },
    { name: "other", required: false, maxLength: 10, values: ["a", "b"] },
    { name: "plain", required: false, maxLength: 2_000, values: [] },
  ]);
  assert.deepEqual(prompt.messages.map(({ role }) => role), ["user", "assistant"]);
  assert.ok(Object.isFrozen(prompt) && Object.isFrozen(prompt.arguments) && Object.isFrozen(prompt.messages));
});

test("readDefinition() has no title and no description where there is none", () => {
  assert.deepEqual(Object.keys(read({})).sort(), ["arguments", "messages", "name"]);
});

test("readDefinition() says where a definition is not as it must be", () => {
  const argument = (change: Record<string, unknown>) => ({ arguments: [{ name: "a", ...change }] });
  const message = (change: Record<string, unknown>) => ({ messages: [MESSAGE, { ...MESSAGE, ...change }] });
  const cases: [Record<string, unknown>, RegExp][] = [
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
    [
      message({ content: { type: "text", text: "<<b>>" } }),
      /^messages\[1\]\.content\.text: "b" is not among/,
    ],
  ];
  for (const [change, reason] of cases) {
    assert.throws(
      () => read(change),
      (cause: Error) => cause instanceof DefinitionError && reason.test(cause.message),
    );
  }
});

test("readDefinition() says of what is no JSON that it is none", () => {
  for (const text of ["", "{", "{,}", '{"name": "a",}', "// x\n{}", '{"name": "a\nb"}']) {
    assert.throws(() => readDefinition(text), /^DefinitionError: The file is not valid JSON/);
  }
  for (const text of ["1", "null", "[]", '"x"']) {
    assert.throws(() => readDefinition(text), /the file must be an object/);
  }
});

test("readDefinition() is not led astray by names that every object has", () => {
  const prompt = readDefinition(
    '{"name":"p","arguments":[{"name":"__proto__"},{"name":"constructor"}],' +
      '"messages":[{"role":"user","content":{"type":"text","text":"<<__proto__>> <<constructor>>"}}]}',
  );
  assert.deepEqual(prompt.arguments.map(({ name }) => name), ["__proto__", "constructor"]);
  assert.throws(
    () => readDefinition('{"__proto__":{"name":"p","messages":[]}}'),
    /^DefinitionError: name must/,
  );
});
