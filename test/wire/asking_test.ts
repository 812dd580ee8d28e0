/** Is the client asked as each revision has it? A program of somebody's own, over pipes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../harness/program.ts";
import { handshake, modern, ON_DENO, Program, REPOSITORY } from "../harness/program.ts";

type Data = Record<string, unknown>;
type Reply = { result: unknown } | { error: object };

const WITH_FORMS = ["2025-06-18", "2025-11-25", "2026-07-28"];
const VERSIONS = ["2024-11-05", "2025-03-26", ...WITH_FORMS];
const KEY = "0123456789abcdef".repeat(4);
/** What a client of each revision can say that it can do. */
const CAPABILITIES: Record<string, object> = {
  "2024-11-05": { sampling: {}, roots: {} },
  "2025-03-26": { sampling: {}, roots: {} },
  "2025-06-18": { sampling: {}, roots: {}, elicitation: {} },
  "2025-11-25": { sampling: { tools: {}, context: {} }, roots: {}, elicitation: { form: {}, url: {} } },
  "2026-07-28": { sampling: { tools: {}, context: {} }, roots: {}, elicitation: { form: {}, url: {} } },
};

/** A program in conversation with a client that can be asked. */
class Asked {
  readonly program: Program;
  readonly version: string;
  /** All that it was asked, in order. */
  readonly questions: { method: string; params?: Data }[] = [];
  readonly told: Answer[] = [];
  #id = 0;

  private constructor(program: Program, version: string) {
    this.program = program;
    this.version = version;
  }

  static async start(version: string, key?: string, runtimeFlags?: readonly string[]): Promise<Asked> {
    const program = new Program(key ? [key] : [], {
      module: `${REPOSITORY}/test/wire/asking.ts`,
      ...(runtimeFlags ? { runtimeFlags } : {}),
    });
    const asked = new Asked(program, version);
    if (version < "2026") {
      await program.ask("initialize", { ...handshake(version), capabilities: CAPABILITIES[version] });
      program.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    }
    return asked;
  }

  send(method: string, params: object): string {
    const id = `r${++this.#id}`;
    this.program.send({ jsonrpc: "2.0", id, method, params: this.#stated(params) });
    return id;
  }

  /** One request, as it is; what is asked meanwhile is answered. */
  async once(method: string, params: object, reply: (question: { method: string; params?: Data }) => Reply) {
    this.send(method, params);
    for (;;) {
      const message = await this.program.next();
      if (message.method === undefined) return message;
      if (message.id === undefined) this.told.push(message);
      else {
        this.questions.push(message as never);
        this.program.send({ jsonrpc: "2.0", id: message.id, ...reply(message as never) });
      }
    }
  }

  /** One request, until it is answered for good. */
  async ask(method: string, params: object, reply: (question: { method: string; params?: Data }) => Reply) {
    let carried = {};
    for (;;) {
      const answer = await this.once(method, { ...params, ...carried }, reply);
      if (answer.result?.["resultType"] !== "input_required") return answer;
      const { inputRequests, requestState } = answer.result as { inputRequests: Data; requestState: string };
      const responses: Data = {};
      for (const [name, question] of Object.entries(inputRequests)) {
        this.questions.push(question as never);
        const given = reply(question as never);
        if ("result" in given) responses[name] = given.result;
      }
      carried = { inputResponses: responses, requestState };
    }
  }

  call(name: string, reply: (question: { method: string; params?: Data }) => Reply): Promise<Answer> {
    return this.ask("tools/call", { name, arguments: {} }, reply);
  }

  #stated(params: object): object {
    if (this.version < "2026") return params;
    const stated = modern(params, this.version) as { _meta: Data };
    stated._meta["io.modelcontextprotocol/clientCapabilities"] = CAPABILITIES[this.version];
    return stated;
  }
}

const accept = (content?: object): Reply => ({
  result: { action: "accept", ...(content ? { content } : {}) },
});
const text = ({ result }: Answer) => (result?.["content"] as { text: string }[])[0]!.text;
const nothing = (): Reply => ({ error: { code: -32601, message: "Nobody is asked" } });

for (const version of WITH_FORMS) {
  test(`tools, prompts and resources ask in ${version}, and what they do they do once`, async () => {
    const client = await Asked.start(version);
    assert.equal(text(await client.call("greet", () => accept({ name: "Ada" }))), "Hello, Ada!");
    const reply = ({ params }: { params?: Data }) =>
      accept(String(params!["message"]).includes("really") ? { sure: true } : { name: "Ada" });
    assert.equal(text(await client.call("spend", reply)), "spent 10000 of Ada");
    const prompt = await client.ask("prompts/get", { name: "asks" }, () => accept({ name: "cats" }));
    assert.match(JSON.stringify(prompt.result!["messages"]), /About cats/);
    const read = await client.ask("resources/read", { uri: "test://asks" }, () => accept({ name: "it" }));
    assert.match(JSON.stringify(read.result!["contents"]), /This is it\./);
    const late = await client.call("hurry", ({ method }) => {
      assert.equal(method, "roots/list");
      // Longer than the tool may take: a person's time is not its own.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      return { result: { roots: [] } };
    });
    assert.equal(text(late), "in time");
    assert.equal(await client.program.close(), 0);
    assert.equal(client.program.errors, "spent\n");
  });

  test(`a form has the words of ${version}, and its answers come back in those of the handler`, async () => {
    const client = await Asked.start(version);
    const isPlain = version === "2025-06-18";
    const content = {
      mail: "x@y.example",
      days: isPlain ? "mo, tu" : ["mo", "tu"],
      size: "l",
      fruits: isPlain ? "" : [],
    };
    const answer = await client.call("survey", ({ method }) => {
      if (method === "elicitation/create") return accept(content);
      if (method === "roots/list") return { result: { roots: [{ uri: "file:///home", name: "Home" }] } };
      return { result: { role: "assistant", model: "m", content: { type: "text", text: "Well." } } };
    });
    assert.deepEqual(JSON.parse(text(answer)), {
      answers: { mail: "x@y.example", days: ["mo", "tu"], size: "l", fruits: [] },
      sample: "Well.",
      roots: [{ uri: "file:///home", name: "Home" }],
    });
    const [form, sample] = client.questions as unknown as [{ params: Data }, { params: Data }];
    const { properties } = form.params["requestedSchema"] as { properties: Record<string, Data> };
    assert.deepEqual(Object.keys(properties), ["mail", "age", "color", "size", "days", "fruits", "sure"]);
    assert.equal(properties["days"]!["type"], isPlain ? "string" : "array");
    assert.equal("oneOf" in properties["size"]!, !isPlain);
    assert.deepEqual(properties["size"]!["enumNames"], isPlain ? ["small", "large"] : undefined);
    assert.equal("default" in properties["mail"]!, !isPlain);
    assert.equal(Array.isArray((sample.params["messages"] as Data[])[0]!["content"]), !isPlain);
    assert.equal(await client.program.close(), 0);
  });
}

for (const version of VERSIONS) {
  test(`a client that declares nothing is asked nothing in ${version}`, async () => {
    const client = await Asked.start(version);
    const bare = { ...CAPABILITIES };
    CAPABILITIES[version] = {};
    const program = await Asked.start(version);
    const answer = await program.call("greet", nothing);
    if (version < "2026") assert.equal(answer.result?.["isError"], true);
    else {
      assert.deepEqual(answer.error?.data, { requiredCapabilities: { elicitation: { form: {} } } });
      assert.equal(answer.error?.code, -32021);
    }
    const prompt = await program.ask("prompts/get", { name: "asks" }, nothing);
    assert.equal(prompt.error?.code, version < "2026" ? -32603 : -32021);
    assert.match(prompt.error!.message, /elicitation\.form/);
    Object.assign(CAPABILITIES, bare);
    assert.equal(await program.program.close(), 0);
    assert.equal(await client.program.close(), 0);
  });
}

test("pages are opened, and what they are for is told as done, in 2025-11-25", async () => {
  const client = await Asked.start("2025-11-25");
  assert.equal(text(await client.call("page", () => accept())), "accept");
  assert.deepEqual(client.questions[0]!.params, {
    mode: "url",
    message: "Pay",
    url: "https://pay.example/1",
    elicitationId: "pay-1",
  });
  assert.deepEqual(client.told.map(({ method, params }) => [method, params]), [
    ["notifications/elicitation/complete", { elicitationId: "pay-1" }],
  ]);
  const refused = await client.call("files", nothing);
  assert.deepEqual([refused.error?.code, refused.error?.data], [-32042, {
    elicitations: [{
      mode: "url",
      message: "Sign in",
      url: "https://files.example/in",
      elicitationId: "in-1",
    }],
  }]);
  await client.call("sign-in", nothing);
  assert.equal(client.told.length, 2);
  assert.equal(text(await client.call("files", nothing)), "your files");
  assert.equal(await client.program.close(), 0);
});

test("pages are opened in 2026-07-28, again until what they are for is done, and not against the user's will", async () => {
  const client = await Asked.start("2026-07-28");
  assert.equal(text(await client.call("page", () => accept())), "accept");
  assert.deepEqual(client.questions[0]!.params, {
    mode: "url",
    message: "Pay",
    url: "https://pay.example/1",
  });
  const declined = await client.call("files", () => ({ result: { action: "decline" } }));
  assert.match(declined.error!.message, /The user did not agree to this: Sign in/);
  const [first, second] = [
    await client.once("tools/call", { name: "files" }, nothing),
    client.questions.length,
  ];
  const retry = (answer: Answer) => {
    const { inputRequests, requestState } = answer.result as { inputRequests: object; requestState: string };
    const keys = Object.keys(inputRequests);
    assert.equal(keys.length, 1);
    return { name: "files", requestState, inputResponses: { [keys[0]!]: { action: "accept" } } };
  };
  const again = await client.once("tools/call", retry(first), nothing);
  assert.equal(again.result!["resultType"], "input_required", "the user has not signed in yet");
  await client.call("sign-in", nothing);
  const done = await client.once("tools/call", retry(again), nothing);
  assert.deepEqual([text(done), second, client.told], ["your files", client.questions.length, []]);
  assert.equal(await client.program.close(), 0);
});

test("another process with the same key goes on where the first one asked, and one without does not", async () => {
  const params = { name: "spend", arguments: {} };
  const first = await Asked.start("2026-07-28", KEY);
  const asked = await first.once("tools/call", params, nothing);
  assert.equal(await first.program.close(), 0);
  const retry = {
    ...params,
    requestState: asked.result!["requestState"],
    inputResponses: { who: { action: "accept", content: { name: "Ada" } } },
  };
  const second = await Asked.start("2026-07-28", KEY);
  const further = await second.once("tools/call", retry, nothing);
  assert.deepEqual(Object.keys(further.result!["inputRequests"] as object), ["sure"]);
  assert.match(JSON.stringify(further.result), /Does Ada really pay\?/);
  const stranger = await Asked.start("2026-07-28");
  assert.equal((await stranger.once("tools/call", retry, nothing)).error?.code, -32602);
  assert.equal(await second.program.close(), 0);
  assert.equal(await stranger.program.close(), 0);
  assert.equal(first.program.errors + second.program.errors, "");
});

test("the end of input gives up a question, and its call is answered", async () => {
  const client = await Asked.start("2025-11-25");
  const id = client.send("tools/call", { name: "greet" });
  assert.equal((await client.program.next()).method, "elicitation/create");
  assert.equal(await client.program.close(), 0);
  const answer = await client.program.next();
  assert.deepEqual([answer.id, answer.result?.["isError"]], [id, true]);
  assert.match(text(answer), /The client did not answer: The connection ended/);
});

test("a call that is cancelled takes its question back", async () => {
  const client = await Asked.start("2025-11-25");
  const id = client.send("tools/call", { name: "greet" });
  const question = await client.program.next();
  client.program.send({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: id, reason: "enough" },
  });
  const notice = await client.program.next();
  assert.deepEqual([notice.method, notice.params], ["notifications/cancelled", {
    requestId: question.id,
    reason: "enough",
  }]);
  assert.equal((await client.program.ask("ping")).id, 2);
  assert.equal(await client.program.close(), 0);
  assert.equal(client.program.errors, "");
});

test("calls that ask and are never taken up again leave nothing behind", async () => {
  const flags = ON_DENO
    ? ["--no-prompt", "--allow-read", "--v8-flags=--expose-gc"]
    : ["--experimental-strip-types", "--no-warnings", "--expose-gc"];
  const client = await Asked.start("2026-07-28", undefined, flags);
  const abandon = async (count: number) => {
    for (let sent = 0; sent < count; sent += 500) {
      for (let index = 0; index < 500; index++) client.send("tools/call", { name: "spend" });
      for (const { result } of await client.program.take(500)) {
        assert.equal(result!["resultType"], "input_required");
      }
    }
    return Number(text(await client.call("memory", nothing)));
  };
  await abandon(1000);
  const before = await abandon(1000);
  const growth = await abandon(4000) - before;
  // Each of them holds ten thousand bytes: if one in ten stayed, it would be four million.
  assert.ok(growth < 4_000_000, `${growth} bytes more`);
  assert.equal(await client.program.close(), 0);
});
