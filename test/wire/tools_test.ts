/** What does a client see of tools that somebody wrote, in every revision, when all goes well and when it does not? */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../harness/program.ts";
import { modern, Program, REPOSITORY } from "../harness/program.ts";

const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

type Block = Readonly<Record<string, unknown>>;

/** A client of a program that is built on the library. */
class Client {
  readonly program: Program;
  readonly #isModern: boolean;

  constructor(version: string, args: readonly string[] = []) {
    this.program = new Program(args, { module: `${REPOSITORY}/test/wire/embedding_tools.ts` });
    this.#isModern = version === "2026-07-28";
  }

  static async open(version: string, args?: readonly string[]): Promise<Client> {
    const client = new Client(version, args);
    if (!client.#isModern) await client.program.initialize(version);
    return client;
  }

  ask(method: string, params: object): Promise<Answer> {
    return this.program.ask(method, this.params(params));
  }

  params(params: object, meta: object = {}): object {
    const whole = (this.#isModern ? modern(params) : params) as { _meta?: object };
    return { ...whole, _meta: { ...whole._meta, ...meta } };
  }

  call(name: unknown, args?: unknown): Promise<Answer> {
    return this.ask("tools/call", { name, ...(args === undefined ? {} : { arguments: args }) });
  }

  /** The result of a call without what the modern revision puts around it. */
  async result(name: string, args?: unknown): Promise<Record<string, unknown>> {
    const { result, error } = await this.call(name, args);
    assert.equal(error, undefined, name);
    const { resultType, _meta, ...rest } = result!;
    assert.equal(resultType, this.#isModern ? "complete" : undefined);
    return rest;
  }

  /** The words of a call that went wrong in a way that a model can do something about. */
  async refused(name: string, args?: unknown): Promise<string> {
    const { content, isError, ...rest } = await this.result(name, args);
    assert.deepEqual([isError, rest], [true, {}]);
    const [block, ...others] = content as Block[];
    assert.deepEqual([block!["type"], others], ["text", []]);
    return block!["text"] as string;
  }

  /** Ends the program, and gives what it said on standard error. */
  async close(): Promise<string> {
    assert.equal(await this.program.close(), 0);
    return this.program.errors;
  }
}

for (const version of VERSIONS) {
  const hasData = version >= "2025-06-18";

  test(`what names no tool is -32602 in ${version}, and the next call is answered`, async () => {
    const client = await Client.open(version);
    for (const name of ["nope", "", " ", "ADD", "add ", "__proto__", "toString", "x".repeat(100_000)]) {
      const { error } = await client.call(name, {});
      assert.deepEqual([error?.code, error?.message], [-32602, `Unknown tool: ${name.slice(0, 128)}`]);
    }
    for (const name of [undefined, null, 1, true, ["add"], { name: "add" }]) {
      const { error } = await client.call(name, { a: 1, b: 2 });
      assert.equal(error?.code, -32602);
      assert.match(error!.message, /"name"/);
    }
    assert.deepEqual((await client.result("add", { a: 1, b: 2 }))["content"], [{ type: "text", text: "3" }]);
    assert.equal(await client.close(), "");
  });

  test(`all that is wrong with arguments is for the model to read in ${version}`, async () => {
    const client = await Client.open(version);
    const rows: [unknown, RegExp[]][] = [
      [undefined, [/"a"/, /"b"/]],
      [{}, [/"a"/, /"b"/]],
      [{ a: "1", b: -1, unit: "kg", c: 1, "d/e": 2 }, [/\/a:/, /\/b:/, /\/unit:/, /\/c:/, /\/d~1e:/]],
      [{ A: 1, toString: 1 }, [/"a"/, /"b"/, /\/A:/, /\/toString:/]],
      ...[[], [1], "x", "", 0, 1, true, false, null].map((
        args,
      ): [unknown, RegExp[]] => [args, [/an object/]]),
    ];
    for (const [args, told] of rows) {
      const words = await client.refused("add", args);
      assert.match(words, /^The arguments of add do not fit:\n- /);
      assert.equal(words.split("\n").length, 1 + told.length, words);
      for (const one of told) assert.match(words, one);
    }
    assert.equal(await client.close(), "");
  });

  test(`what a handler throws is told by its type in ${version}, and a secret to the log alone`, async () => {
    const client = await Client.open(version);
    const references: string[] = [];
    for (const now of ["", ".now"]) {
      assert.equal(await client.refused(`refuses${now}`), "There is no such thing; ask for another.");
      assert.match(await client.refused(`gives-up${now}`), /^The archive did not answer/);
      for (const name of ["breaks", "breaks-oddly", "breaks-like-an-answer"]) {
        const { error } = await client.call(name + now);
        const { reference } = error!.data as { reference: string };
        assert.deepEqual(error, { code: -32603, message: "Internal error", data: { reference } });
        references.push(reference);
      }
    }
    assert.doesNotMatch(client.program.output, /secret|embedding_tools/);
    const errors = await client.close();
    const told = [...errors.matchAll(/^failure (\S+): /gm)].map(([, reference]) => reference);
    assert.deepEqual(told, references);
    assert.equal(new Set(told).size, 6);
    for (const what of ["throw", "cause", "text", "object"]) {
      assert.equal(
        errors.split(`secret of a${what === "object" ? "n" : ""} ${what}`).length >= 3,
        true,
        what,
      );
    }
    assert.match(errors, /embedding_tools\.ts:\d+/, "with the place where it happened");
  });

  test(`a result that is not what the tool promises never leaves in ${version}`, async () => {
    const client = await Client.open(version);
    const names = ["lies", "promises", "counts-badly", "says-nothing", "says-data", "says-half"];
    for (const name of names) {
      const { error } = await client.call(name);
      assert.deepEqual([error?.code, error?.message], [-32603, "Internal error"], name);
    }
    assert.doesNotMatch(client.program.output, /secret/);
    const errors = await client.close();
    for (const name of names) assert.match(errors, new RegExp(`ContextError: The result of ${name} `));
  });

  test(`a call that takes too long, or is cancelled, is stopped in ${version}`, async () => {
    const client = await Client.open(version);
    const { program } = client;
    const send = (id: number, name: string) =>
      program.send({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: client.params({ name }, { progressToken: `p${id}` }),
      });
    const progress = (id: number) => ({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: {
        progressToken: `p${id}`,
        progress: 1,
        total: 2,
        ...(version >= "2025-03-26" ? { message: "begun" } : {}),
      },
    });
    send(50, "short");
    assert.deepEqual(await program.notice(), progress(50));
    const [{ result }] = await program.answers(1) as [Answer];
    assert.equal(result!["isError"], true);
    assert.deepEqual(result!["content"], [{
      type: "text",
      text: "short was stopped: it took longer than 30 ms",
    }]);
    send(51, "long");
    assert.deepEqual(await program.notice(), progress(51));
    program.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 51 } });
    assert.deepEqual((await client.result("add", { a: 1, b: 1 }))["content"], [{ type: "text", text: "2" }]);
    assert.equal(await client.close(), "short sees ToolTimeoutError\nlong sees AbortError\n");
    assert.equal(program.output.includes('"id":51'), false);
  });

  test(`data are wrapped as they are published in ${version}, and the text says the same`, async () => {
    const client = await Client.open(version);
    const { result } = await client.ask("tools/list", {});
    const published = new Map(
      (result!["tools"] as Block[]).map(({ name, outputSchema }) => [name, outputSchema]),
    );
    const object = { type: "object", properties: { a: { type: "number" } }, required: ["a"] };
    const wrapped = (field: string, inner: object) => ({
      type: "object",
      properties: { [field]: inner },
      required: [field],
      additionalProperties: false,
    });
    const rows: [string, object, unknown, string[]][] = [
      ["list", wrapped("result", { type: "array" }), { result: [1, "zwei", null] }, ['[1,"zwei",null]']],
      ["nothing", wrapped("result", { type: "null" }), { result: null }, ["null"]],
      ["words", wrapped("result", { type: "string" }), { result: "日本 😀" }, ["日本 😀"]],
      ["object", object, { a: 1 }, ['{"a":1}']],
      ["field", wrapped("data", object), { data: { a: 1 } }, ['{"a":1}']],
      ["parts", object, { a: 1 }, ["one", "two"]],
    ];
    for (const [name, schema, structuredContent, texts] of rows) {
      assert.deepEqual(published.get(name), hasData ? schema : undefined, name);
      assert.deepEqual(await client.result(name), {
        content: texts.map((text) => ({ type: "text", text })),
        ...(hasData ? { structuredContent } : {}),
      }, name);
    }
    assert.equal(await client.refused("failed"), "not today");
    assert.equal(await client.close(), "");
  });

  test(`blocks of every kind come in the nearest form of ${version}`, async () => {
    const client = await Client.open(version);
    const annotations = {
      audience: ["user"],
      priority: 0.5,
      ...(hasData ? { lastModified: "2026-01-01T00:00:00Z" } : {}),
    };
    const sound = { uri: "data:audio/wav,audio", mimeType: "audio/wav", blob: "AQ==" };
    const link = { uri: "x:y", name: "y", title: "Y", description: "About y.", size: 3 };
    assert.deepEqual((await client.result("blocks"))["content"], [
      { type: "text", text: "t", annotations },
      { type: "image", data: "AP8=", mimeType: "image/png", annotations },
      version === "2024-11-05"
        ? { type: "resource", resource: sound, annotations }
        : { type: "audio", data: "AQ==", mimeType: "audio/wav", annotations },
      { type: "resource", resource: { uri: "x:text", mimeType: "text/plain", text: "t" }, annotations },
      { type: "resource", resource: { uri: "x:blob", blob: "AQ==" } },
      hasData
        ? { type: "resource_link", ...link, annotations }
        : { type: "text", text: "Y: x:y\nAbout y.", annotations },
    ]);
    assert.equal(await client.close(), "");
  });

  test(`who calls too often is told to wait in ${version}, before anything is done`, async () => {
    const client = await Client.open(version, ["seldom"]);
    for (let index = 0; index < 2; index++) {
      assert.equal((await client.result("add", { a: index, b: 1 }))["isError"], undefined);
    }
    for (const args of [{ a: 1, b: 1 }, {}]) {
      assert.equal(
        await client.refused("add", args),
        "Too many calls: wait a second before you call add again",
      );
    }
    assert.match(await client.refused("breaks"), /^Too many calls/);
    assert.equal((await client.call("nope")).error?.code, -32602);
    assert.equal(((await client.ask("tools/list", {})).result!["tools"] as unknown[]).length > 20, true);
    assert.equal(await client.close(), "");
  });
}

test("a tool knows that a pipe has no sessions, and who calls", async () => {
  const client = await Client.open("2025-11-25");
  assert.deepEqual((await client.result("session"))["content"], [{
    type: "text",
    text: "undefined of test",
  }]);
  assert.equal(await client.close(), "");
});

test("what a client said is never said back with half a character in it", async () => {
  const client = await Client.open("2025-11-25");
  for (const odd of ["", "x"]) {
    const word = odd + "😀".repeat(300);
    assert.ok((await client.call(word)).error!.message.isWellFormed());
    assert.ok((await client.ask(word, {})).error!.message.isWellFormed());
  }
  assert.doesNotMatch(client.program.output, /\\ud[89a-f]/i);
  await client.close();
});
