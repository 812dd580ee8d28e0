/** Prompts made by code: what `definePrompt` refuses, how it is typed, and what clients get. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PromptMessages } from "../../../lib/mcp/server/mod.ts";
import { definePrompt, image, McpError, text } from "../../../lib/mcp/server/mod.ts";
import { connect } from "./tool_client.ts";

const review = definePrompt({
  name: "review",
  title: "Review",
  description: "Reviews code.",
  arguments: [
    { name: "code", description: "What to review", required: true },
    { name: "language" },
    { name: "constructor", required: false },
  ],
  handler: ({ code, language = "TypeScript", constructor }, { method }) => {
    const typed: [string, string, string | undefined] = [code, language, constructor];
    return `${typed.join()} for ${method}`;
  },
  values: (argument) => argument === "language" ? ["Go", "Rust", "TypeScript"] : [],
});

/** A client of a server with one prompt that gives this. */
const giving = (given: unknown) =>
  connect({ prompts: [definePrompt({ name: "give", handler: () => given as PromptMessages })] });

test("a prompt of code is listed with its arguments, filled in, and completed", async () => {
  const client = await connect({ prompts: [review, definePrompt({ name: "all", handler: () => "All." })] });
  const { prompts } = (await client.ask("prompts/list")).result!;
  assert.deepEqual(prompts, [
    { name: "all" },
    {
      name: "review",
      description: "Reviews code.",
      arguments: [
        { name: "code", description: "What to review", required: true },
        { name: "language" },
        { name: "constructor", required: false },
      ],
      title: "Review",
    },
  ]);
  const rows: [args: object | undefined, name: string, start: string][] = [
    [{ code: "a" }, "review", "a,TypeScript, for prompts/get"],
    [{ code: "a", language: "" }, "review", "a,, for prompts/get"],
    [{ code: "a", language: "Go", constructor: "c" }, "review", "a,Go,c for prompts/get"],
    [{}, "all", "All."],
    [undefined, "all", "All."],
  ];
  for (const [args, name, start] of rows) {
    const { result } = await client.ask("prompts/get", { name, arguments: args });
    const [{ role, content }] = result!["messages"] as [{ role: string; content: { text: string } }];
    assert.deepEqual([role, content.text.startsWith(start)], ["user", true], content.text);
  }
  const ask = async (name: string) => {
    const ref = { type: "ref/prompt", name: "review" };
    return await client.ask("completion/complete", { ref, argument: { name, value: "r" } });
  };
  const values = async (name: string) =>
    ((await ask(name)).result!["completion"] as { values: string[] }).values;
  assert.deepEqual([await values("language"), await values("code")], [["Rust", "TypeScript"], []]);
  assert.equal((await ask("none")).error?.code, -32602);
});

test("arguments that do not fit are refused, and the message names them", async () => {
  const client = await connect({ prompts: [review] });
  const rows: [args: unknown, message: RegExp][] = [
    [undefined, /"code" is missing/],
    [{}, /"code" is missing/],
    [{ language: "Go" }, /"code" is missing/],
    [{ code: "" }, /"code" is required and must not be empty/],
    [{ code: 1 }, /"code" must be a string/],
    [{ code: ["a"] }, /"code" must be a string/],
    [{ code: "a", language: {} }, /"language" must be a string/],
    [{ code: "a", lang: "Go" }, /no argument "lang"/],
    [{ code: "a", toString: "x" }, /no argument "toString"/],
    [[], /must be an object/],
    ["a", /must be an object/],
  ];
  for (const [args, message] of rows) {
    const { error } = await client.ask("prompts/get", { name: "review", arguments: args });
    assert.equal(error?.code, -32602, JSON.stringify(args));
    assert.match(error.message, message);
  }
  assert.match((await client.ask("prompts/get", { name: "reviw" })).error!.message, /review/);
  assert.deepEqual(client.failures, []);
});

test("a handler returns a text or messages, and anything else is an internal error", async () => {
  const picture = image(new Uint8Array([1]), "image/png");
  const message = (role: string, content: unknown) => ({ role, content });
  const rows: [given: unknown, messages: object[] | undefined][] = [
    ["a", [message("user", { type: "text", text: "a" })]],
    ["", [message("user", { type: "text", text: "" })]],
    [[], []],
    [Promise.resolve("a"), [message("user", { type: "text", text: "a" })]],
    [[message("assistant", "a"), message("user", text("b")), message("user", picture)], [
      message("assistant", { type: "text", text: "a" }),
      message("user", { type: "text", text: "b" }),
      message("user", picture),
    ]],
    [undefined, undefined],
    [7, undefined],
    [{ messages: [] }, undefined],
    [[null], undefined],
    [[message("system", "a")], undefined],
    [[message("user", 7)], undefined],
    [[message("user", { type: "text" })], undefined],
  ];
  for (const [given, messages] of rows) {
    const client = await giving(given);
    const { result, error } = await client.ask("prompts/get", { name: "give" });
    assert.deepEqual([result?.["messages"], error?.code], [messages, messages ? undefined : -32603]);
    assert.equal(client.failures.length, messages ? 0 : 1);
  }
  const failing = definePrompt({
    name: "give",
    handler: () => {
      throw new McpError(-32050, "Not today");
    },
  });
  const { error } = await (await connect({ prompts: [failing] })).ask("prompts/get", { name: "give" });
  assert.deepEqual([error?.code, error?.message], [-32050, "Not today"]);
});

test("an incorrect definition is refused, and the message names the prompt and the member", () => {
  const handler = () => "";
  const rows: [definition: object, message: RegExp][] = [
    [undefined as never, /"undefined": it must be an object/],
    ["p" as never, /it must be an object/],
    [{ handler }, /"undefined": name must be a string/],
    [{ name: "", handler }, /"": a name must not be empty/],
    [{ name: "p" }, /"p": handler must be a function/],
    [{ name: "p", handler, title: 1 }, /title must be a string/],
    [{ name: "p", handler, arguments: { code: {} } }, /arguments must be a list/],
    [{ name: "p", handler, arguments: ["code"] }, /arguments\[0\] must be an object/],
    [{ name: "p", handler, arguments: [{ name: "a", required: "yes" }] }, /\.required must be true or false/],
    [{ name: "p", handler, arguments: [{ name: "" }] }, /a name must not be empty/],
    [{ name: "p", handler, arguments: [{ name: "a" }, { name: "a" }] }, /two arguments called "a"/],
    [{ name: "p", handler, values: ["a"] }, /values must be a function/],
  ];
  for (const [definition, message] of rows) {
    assert.throws(() => definePrompt(definition as never), (thrown) => {
      assert.ok(thrown instanceof TypeError);
      assert.match(thrown.message, /^Cannot define the prompt /);
      assert.match(thrown.message, message);
      return true;
    });
  }
});

test("a definition can be an instance of a class, and later changes to it have no effect", async () => {
  class Greeting {
    greeting = "Hello";
    get name() {
      return "greet";
    }
    arguments: { name: string; required: boolean }[] = [{ name: "who", required: true }];
    handler({ who }: { readonly [name: string]: string | undefined }): string {
      return `${this.greeting}, ${who}`;
    }
  }
  const greeting = new Greeting();
  const client = await connect({ prompts: [definePrompt(greeting)] });
  greeting.arguments.push({ name: "other", required: true });
  const { result } = await client.ask("prompts/get", { name: "greet", arguments: { who: "you" } });
  assert.deepEqual(result!["messages"], [{ role: "user", content: { type: "text", text: "Hello, you" } }]);
});

definePrompt({
  name: "typed",
  arguments: [{ name: "a", required: true }, { name: "b" }],
  // @ts-expect-error `c` is not an argument.
  handler: ({ a, c }) => `${a}${c}`,
});
definePrompt({
  name: "typed",
  arguments: [{ name: "b" }],
  // @ts-expect-error `b` may be missing.
  handler: ({ b }) => b,
});
