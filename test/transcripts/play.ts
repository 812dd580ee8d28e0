/** Plays a transcript over a connection: sends what its steps say, and compares what comes. README.md describes the steps. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Connection, Fields, Message, Sendable } from "./connections.ts";
import { HttpConnection } from "./connections.ts";
import type { Json, Members, Scope } from "./pattern.ts";
import { expectMatch, fill, unmatched } from "./pattern.ts";

/** The first line of a transcript. */
export interface Header {
  readonly name: string;
  /** @default {"fixture"} */
  readonly server?: "fixture" | "program";
  /** Where it is played: revisions, eras, "since:REVISION", transports. @default {everywhere} */
  readonly only?: readonly string[];
  /** Whether the connection is shared, is its own, or is its own without a handshake. @default {"shared"} */
  readonly opening?: "shared" | "own" | "none";
  /** What the client says it can do. @default {all that the revision has} */
  readonly client?: Members;
  /** Options of the fixture server, or flags of the program. @default {none} */
  readonly options?: Members | readonly string[];
  /** Variables. */
  readonly let?: Members;
  /** Plays it once for each item, as `$each`. */
  readonly each?: readonly Json[];
}

/** One line of a transcript after the first. */
export type Step = Members;

/** A transcript: its header, and the lines that follow. */
export interface Transcript extends Header {
  readonly file: string;
  readonly steps: readonly { readonly line: number; readonly step: Step }[];
}

/** What a transcript is played over. */
export interface Stage {
  readonly connection: Connection;
  readonly revision: string;
  readonly transport: string;
  /** Lines that the server has logged and no step has looked at. */
  readonly log: string[];
  /** The folder that the program serves. */
  readonly root: string | undefined;
  /** What the handshake said of the client; undefined before it. */
  client: Members | undefined;
  /** The number of requests sent so far. */
  requests: number;
}

/** The newest revision, which has no handshake. */
export const MODERN = "2026-07-28";
const PREFIX = "io.modelcontextprotocol/";
const CLIENT_INFO = { name: "transcripts", version: "1" };
/** The methods whose results say how long they may be kept. */
const CACHEABLE = /^(server\/discover|(tools|prompts|resources|resources\/templates)\/list|resources\/read)$/;
/** How long a line of the log may take, in milliseconds. */
const MAX_LOG_MS = 10_000;

/** What clients of a revision can do. */
function capabilitiesOf(revision: string): Members {
  if (revision < "2025-06-18") return { sampling: {}, roots: {} };
  if (revision < "2025-11-25") return { sampling: {}, roots: {}, elicitation: {} };
  return { sampling: { tools: {}, context: {} }, roots: {}, elicitation: { form: {}, url: {} } };
}

/** Whether a header or a step applies: of each kind of word that is there, one must fit. */
export function applies(only: readonly string[] | undefined, revision: string, transport: string): boolean {
  const isTransport = (word: string) => /^(stdio|memory|tcp|http)$/.test(word);
  const fits = (word: string) =>
    word === revision || word === transport || word === (revision === MODERN ? "modern" : "legacy") ||
    (word.startsWith("since:") && revision >= word.slice(6)) ||
    (word.startsWith("until:") && revision <= word.slice(6));
  const kinds = [(only ?? []).filter(isTransport), (only ?? []).filter((word) => !isTransport(word))];
  return kinds.every((words) => words.length === 0 || words.some(fits));
}

/** Plays one transcript. */
export async function play(transcript: Transcript, stage: Stage): Promise<void> {
  const player = new Player(transcript, stage);
  await player.open();
  for (const { line, step } of transcript.steps) {
    if (!applies(step["only"] as string[] | undefined, stage.revision, stage.transport)) continue;
    for (const item of player.itemsOf(step)) {
      try {
        await player.perform(step, item);
      } catch (cause) {
        const { message } = cause as Error;
        const at = `${transcript.file}:${line}${
          item === undefined ? "" : ` for ${JSON.stringify(item).slice(0, 300)}`
        }`;
        throw new Error(`${at}: ${message}`, cause instanceof assert.AssertionError ? {} : { cause });
      }
    }
  }
  await player.finish();
}

class Player {
  readonly #stage: Stage;
  readonly #header: Header;
  readonly #scope: Scope;
  readonly #capabilities: Members;
  /** Messages that came while something else was waited for. */
  readonly #early: unknown[] = [];
  /** The last request of the server. */
  #question: Message | undefined;
  #isClosed = false;

  constructor(header: Header, stage: Stage) {
    this.#stage = stage;
    this.#header = header;
    this.#capabilities = header.client ?? capabilitiesOf(stage.revision);
    this.#scope = {
      revision: stage.revision,
      variables: {
        revision: stage.revision,
        meta: this.#meta(),
        handshake: {
          protocolVersion: stage.revision,
          capabilities: this.#capabilities,
          clientInfo: CLIENT_INFO,
        },
      },
    };
    for (const [name, value] of Object.entries(header.let ?? {})) {
      this.#scope.variables[name] = fill(value, this.#scope);
    }
  }

  get #isModern(): boolean {
    return this.#stage.revision === MODERN;
  }

  /** Shakes hands, unless that is done already or there are no handshakes. */
  async open(): Promise<void> {
    const client = JSON.stringify(this.#capabilities);
    if (this.#isModern || this.#header.opening === "none" || JSON.stringify(this.#stage.client) === client) {
      return;
    }
    await this.perform({ ask: "initialize", params: "$handshake", result: "$any" });
    await this.perform({ notify: "notifications/initialized" });
    this.#stage.client = this.#capabilities;
  }

  /** The items that a step is performed for. */
  itemsOf(step: Step): readonly (Json | undefined)[] {
    return step["for"] === undefined ? [undefined] : fill(step["for"], this.#scope) as Json[];
  }

  /** Performs one step; a step for several items sees each as `$it`. */
  async perform(raw: Step, item?: Json): Promise<void> {
    if (item !== undefined) this.#scope.variables["it"] = item;
    const { note: _, only: __, for: ___, ...step } = raw;
    const [verb] = Object.keys(step);
    switch (verb) {
      case "ask":
        return await this.#ask(step);
      case "do":
        for (const inner of step["do"] as Step[]) await this.perform(inner);
        return;
      case "notify": {
        const { notify: method, params } = step;
        return await this.#send([
          this.#message({ method: method!, ...(params === undefined ? {} : { params }) }),
        ]);
      }
      case "send":
        return await this.#send(fill(step["send"]!, this.#scope) as Json[], step["headers"] as Fields);
      case "answer":
        return await this.#send([
          {
            id: this.#question!["id"] as Json,
            ...(step["error"] ? { error: step["error"] } : { result: step["answer"]! }),
          },
        ]);
      case "expect":
        return await this.#expect(step["expect"]!);
      case "nothing":
        return await this.#expectNothing();
      case "cancel":
        return await this.#cancel(fill(step["cancel"]!, this.#scope));
      case "log":
        return await this.#expectLog(step["log"] as Json[]);
      case "write":
        return this.#write(step["write"] as Members);
      case "http":
        return await this.#http(step);
      case "close": {
        const code = await this.#stage.connection.end();
        this.#isClosed = true;
        return assert.equal(code, step["close"], "the exit code");
      }
      default:
        throw new Error(`There is no step ${JSON.stringify(raw)}`);
    }
  }

  /** Nothing may be left that no step has looked at. */
  async finish(): Promise<void> {
    if (!this.#isClosed) await this.#expectNothing();
    else {for (let left = await this.#next(); left; left = await this.#next()) {
        assert.fail(`Also came: ${show(left)}`);
      }}
    assert.deepEqual(this.#stage.log, [], "the log");
  }

  /** Sends a request and compares its answer, after answering what the server asks for it. */
  async #ask(step: Step): Promise<void> {
    const method = fill(step["ask"]!, this.#scope) as string;
    const as = fill(step["as"] ?? (this.#isModern ? "modern" : "legacy"), this.#scope);
    const { asked = [], rounds } = step;
    const questions = [...asked as readonly (readonly [Json, Json])[]];
    const answerTo = (question: unknown) => {
      const next = questions.shift();
      assert.ok(next, `The server asks ${show(question)}`);
      expectMatch(next[0], question, this.#scope, "a question");
      return fill(next[1], this.#scope);
    };
    const keys: Json[] = [];
    const heard: unknown[] = [];
    let params = step["params"] === undefined ? undefined : fill(step["params"], this.#scope) as Members;
    for (;;) {
      const id = step["id"] === undefined
        ? ++this.#stage.requests
        : fill(step["id"], this.#scope) as string | number;
      const meta = as === "modern" || step["meta"]
        ? {
          _meta: {
            ...(as === "modern" ? this.#meta() : {}),
            ...fill(step["meta"] ?? {}, this.#scope) as Members,
          },
        }
        : {};
      const whole = Array.isArray(params) || (params === undefined && !("_meta" in meta))
        ? params
        : { ...params, ...meta };
      const request = { id, method, ...(whole === undefined ? {} : { params: whole }) };
      await this.#stage.connection.send([this.#message(request) as object], step["headers"] as Fields);
      const answer = await this.#answer(id, answerTo, step["told"] === undefined ? this.#early : heard);
      const result = answer["result"] as Members | undefined;
      if (step["asked"] === undefined || result?.["resultType"] !== "input_required") {
        if (step["told"] !== undefined) {
          expectMatch(step["told"], heard, this.#scope, "what was told meanwhile");
        }
        if (rounds !== undefined && as === "modern") assert.deepEqual(keys, rounds, "the keys of each round");
        assert.deepEqual(questions, [], "the questions that were not asked");
        return this.#compare(step, answer, as === "modern");
      }
      const inputRequests = Object.entries(result["inputRequests"] as Members);
      keys.push(inputRequests.map(([key]) => key));
      const responses = inputRequests.map(([key, question]) => [key, answerTo(question)]);
      params = {
        ...params as Members,
        inputResponses: Object.fromEntries(responses),
        ...(result["requestState"] === undefined ? {} : { requestState: result["requestState"] }),
      };
    }
  }

  /** Waits for the answer under an id. */
  async #answer(id: unknown, answerTo: (question: Message) => Json, others: unknown[]): Promise<Message> {
    for (;;) {
      const message = await this.#stage.connection.next() as Message | undefined;
      assert.ok(message, "The connection is over");
      const { method, id: own } = message;
      if (method === undefined && (own === id || (own === undefined && "error" in message))) return message;
      if (method === undefined || own === undefined) others.push(message);
      else {
        this.#question = message;
        const { jsonrpc: _, id: __, ...question } = message;
        const reply = answerTo(question) as Members | null;
        // An answer that is no result is the error that a client answers with.
        if (reply !== null) {
          await this.#send([{
            id: own as Json,
            ...("$error" in reply ? { error: reply["$error"]! } : { result: reply }),
          }]);
        }
      }
    }
  }

  #compare(step: Step, answer: Message, isModern: boolean): void {
    const { status, head, result, error } = step;
    const got = this.#stage.connection.head;
    if (this.#stage.transport === "http") {
      if (status !== undefined) assert.equal(got?.status, status, `the status: ${show(answer)}`);
      if (head !== undefined) this.#compareHead(head as Members);
    }
    assert.equal(answer["jsonrpc"], "2.0");
    if (error !== undefined) {
      assert.ok(answer["error"], `There is a result: ${show(answer)}`);
      const pattern = typeof error === "number"
        ? { code: error, message: { $match: "." }, $more: true }
        : Array.isArray(error)
        ? { code: error[0]!, message: { $match: error[1]! }, $more: true }
        : error;
      return expectMatch(pattern, answer["error"], this.#scope, "the error");
    }
    assert.ok("result" in answer, `There is no result: ${show(answer)}`);
    if (result === undefined) return;
    const isRaw = !isModern || step["raw"] === true;
    const bare = isRaw
      ? answer["result"]
      : unwrapped(fill(step["ask"]!, this.#scope) as string, answer["result"] as Members);
    expectMatch(result, bare, this.#scope, "the result");
  }

  #compareHead(head: Members): void {
    const { headers } = this.#stage.connection.head!;
    const actual = Object.fromEntries(
      Object.keys(head).map((name) => [name, headers.get(name) ?? undefined]),
    );
    expectMatch(head, actual, this.#scope, "the header fields");
  }

  async #expect(given: Json): Promise<void> {
    const pattern = fill(given, this.#scope);
    if (!Array.isArray(pattern)) {
      const message = await this.#next();
      assert.ok(message, "The connection is over");
      if ((message as Message)["method"] !== undefined && (message as Message)["id"] !== undefined) {
        this.#question = message as Message;
      }
      return expectMatch(this.#message(pattern), message, this.#scope, "the message");
    }
    const messages: unknown[] = [];
    while (messages.length < pattern.length) messages.push(await this.#next());
    const wanted = unmatched(pattern.map((one) => this.#message(one)), messages, this.#scope);
    assert.equal(wanted, undefined, `${show(wanted)} did not come; what came is ${show(messages)}`);
  }

  async #expectNothing(): Promise<void> {
    const { transport, connection } = this.#stage;
    const isHttp = transport === "http";
    // Without a session there is nothing that could come.
    if (!isHttp || this.#isModern || (connection as HttpConnection).session !== undefined) {
      const id = `fence-${++this.#stage.requests}`;
      const method = isHttp && this.#isModern ? "server/discover" : "ping";
      const params = isHttp && this.#isModern ? { params: { _meta: this.#meta() } } : {};
      await connection.send([this.#message({ id, method, ...params }) as object]);
      await this.#answer(id, (question) => assert.fail(`The server asks ${show(question)}`), this.#early);
    }
    assert.deepEqual(this.#early, [], "what came and was not expected");
  }

  async #cancel(id: Json): Promise<void> {
    const { connection } = this.#stage;
    if (connection instanceof HttpConnection && this.#isModern) return connection.cancel(id);
    await this.#send([{ method: "notifications/cancelled", params: { requestId: id } }]);
  }

  async #expectLog(patterns: readonly Json[]): Promise<void> {
    const { log } = this.#stage;
    const deadline = Date.now() + MAX_LOG_MS;
    while (log.length < patterns.length && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const lines = log.splice(0);
    expectMatch(
      patterns.map((pattern) => ({ $match: fill(pattern, this.#scope) })),
      lines,
      this.#scope,
      "the log",
    );
  }

  #write(files: Members): void {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.#stage.root!, name);
      if (content === null) rmSync(path, { recursive: true });
      else {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, fill(content, this.#scope) as string);
      }
    }
  }

  async #http(step: Step): Promise<void> {
    const connection = this.#stage.connection as HttpConnection;
    const fields = fill(step["headers"] ?? {}, { ...this.#scope }) as Fields;
    const url = step["path"] === undefined ? undefined : new URL(step["path"] as string, connection.url).href;
    const head = await connection.fetch(
      step["http"] as string,
      fields,
      step["body"] as string,
      undefined,
      url,
    );
    assert.equal(head.status, step["status"], `the status: ${head.body}`);
    if (step["head"] !== undefined) this.#compareHead(step["head"] as Members);
    if (step["text"] !== undefined) expectMatch(step["text"], head.body, this.#scope, "the body");
  }

  async #send(items: readonly Json[], fields?: Fields): Promise<void> {
    const sendable = items.map((item): Sendable => {
      const filled = fill(item, this.#scope) as Json;
      if (typeof filled === "string") return filled;
      if (Array.isArray(filled)) return filled.map((one) => this.#message(one));
      const bytes = (filled as Members)["$bytes"];
      return bytes === undefined ? this.#message(filled) as object : Buffer.from(bytes as string, "base64");
    });
    await this.#stage.connection.send(sendable, fields);
  }

  async #next(): Promise<unknown> {
    return this.#early.shift() ?? await this.#stage.connection.next();
  }

  /** Adds to a message, or to the pattern of one, what all messages have. */
  #message(value: Json): Json {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isObject || /^\$(?!more)/.test(Object.keys(value)[0] ?? "")) return value;
    return { jsonrpc: "2.0", ...fill(value, this.#scope) as Members };
  }

  #meta(): Members {
    return {
      [`${PREFIX}protocolVersion`]: MODERN,
      [`${PREFIX}clientCapabilities`]: this.#capabilities,
      [`${PREFIX}clientInfo`]: CLIENT_INFO,
    };
  }
}

/** A complete result of 2026-07-28 without its envelope, which is checked here. */
function unwrapped(method: string, result: Members): Members {
  const { resultType, ttlMs, cacheScope, _meta, ...rest } = result;
  const { [`${PREFIX}serverInfo`]: info, ...meta } = _meta as Members;
  assert.equal(resultType, "complete");
  assert.equal(typeof (info as Members | undefined)?.["name"], "string", "_meta has the serverInfo");
  const isCacheable = CACHEABLE.test(method);
  assert.equal(Number.isInteger(ttlMs), isCacheable, `ttlMs is ${show(ttlMs)}`);
  assert.equal(cacheScope, isCacheable ? "private" : undefined, "cacheScope");
  return { ...rest, ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}) };
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 1000);
}
