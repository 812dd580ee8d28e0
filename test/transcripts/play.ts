/** Plays a transcript over a connection: sends what its steps say, and compares what comes. README.md describes the steps. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Connection, Fields, Message, Sendable } from "./connections.ts";
import { HttpConnection } from "./connections.ts";
import type { Json, Members, Scope } from "./pattern.ts";
import { expectMatch, fill, matches, show, unmatched } from "./pattern.ts";

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
  connection: Connection;
  readonly revision: string;
  readonly transport: string;
  /** Lines that the server has logged and no step has looked at. */
  readonly log: string[];
  /** Connects again, to a new process where each connection has its own. */
  connect(): Promise<Connection>;
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
const CACHEABLE =
  /^(server\/discover|(tools|prompts|resources|resources\/templates|skills)\/list|resources\/read|skills\/get|resources\/directory\/read)$/;
/** How long a line of the log may take, in milliseconds. */
const MAX_LOG_MS = 60_000;

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
    try {
      await player.perform(step);
    } catch (cause) {
      throw new Error(`${transcript.file}:${line}: ${(cause as Error).message}`, { cause });
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
    // Over HTTP a handshake begins a session, and the streams of the last one would stay open.
    if (this.#stage.transport === "http" && this.#stage.client !== undefined) await this.#reconnect();
    await this.perform({ ask: "initialize", params: "$handshake", result: "$any" });
    await this.#send([{ method: "notifications/initialized" }]);
    this.#stage.client = this.#capabilities;
  }

  async #reconnect(): Promise<void> {
    assert.deepEqual(this.#stage.connection.problems, [], "every line is what the official schema allows");
    assert.equal(await this.#stage.connection.end(), 0, "the exit code");
    this.#stage.connection = await this.#stage.connect();
    this.#stage.client = undefined;
  }

  /** Performs one step; a step for several items sees each as `$it`. */
  async perform({ for: items, only, note: _, ...step }: Step): Promise<void> {
    if (!applies(only as string[] | undefined, this.#stage.revision, this.#stage.transport)) return;
    if (items === undefined) return await this.#perform(step);
    for (const item of this.#fill<Json[]>(items)) {
      this.#scope.variables["it"] = item;
      try {
        await this.#perform(step);
      } catch (cause) {
        const { message } = cause as Error;
        throw new Error(`for ${JSON.stringify(item).slice(0, 300)}: ${message}`, { cause });
      }
    }
  }

  async #perform(step: Step): Promise<void> {
    const [verb] = Object.keys(step);
    switch (verb) {
      case "ask":
        return await this.#ask(step);
      case "do":
        for (const inner of step["do"] as Step[]) await this.perform(inner);
        return;
      case "send":
        return await this.#send(this.#fill(step["send"]), step);
      case "expect":
        return await this.#expect(step["expect"]!);
      case "nothing":
        return await this.#expectNothing();
      case "ignore": {
        await this.#fence();
        const others = this.#early.filter((one) => (one as Message)["method"] !== step["ignore"]);
        return void this.#early.splice(0, Infinity, ...others);
      }
      case "cancel":
        return await this.#cancel(this.#fill(step["cancel"]));
      case "log":
        return await this.#expectLog(step["log"]!);
      case "write":
        return this.#write(this.#fill(step["write"]));
      case "http":
        return await this.#http(step);
      case "end": { // Ends an HTTP session, with this status.
        const { status } = await (this.#stage.connection as HttpConnection).endSession();
        return assert.equal(status, step["end"]);
      }
      case "reconnect":
        await this.#reconnect();
        return await this.open();
      case "close":
        this.#isClosed = true;
        return assert.equal(await this.#stage.connection.end(), step["close"], "the exit code");
      default:
        throw new Error(`There is no step ${JSON.stringify(step)}`);
    }
  }

  /** Nothing may be left that no step has looked at. */
  async finish(): Promise<void> {
    if (!this.#isClosed) await this.#expectNothing();
    else assert.equal(await this.#next(), undefined, "what came and was not expected");
    assert.deepEqual(this.#stage.log, [], "the log");
  }

  /** Sends a request and compares its answer, after answering what the server asks for it. */
  async #ask(step: Step): Promise<void> {
    const method = this.#fill<string>(step["ask"]);
    const isModern = this.#fill(step["as"] ?? (this.#isModern ? "modern" : "legacy")) === "modern";
    const questions = [...this.#fill<[Json, Json, number?][]>(step["asked"] ?? [])];
    const answerTo = async (question: unknown): Promise<Json> => {
      const [pattern, reply, delayMs] = questions.shift() ?? assert.fail(`The server asks ${show(question)}`);
      expectMatch(pattern, question, this.#scope, "a question");
      if (delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, delayMs));
      return this.#fill(reply);
    };
    const rounds: Json[] = [];
    const heard: unknown[] = [];
    let params = step["params"] === undefined ? undefined : this.#fill<Members>(step["params"]) ?? {};
    for (;;) {
      const id = step["id"] === undefined ? ++this.#stage.requests : this.#fill<string | number>(step["id"]);
      const _meta = { ...(isModern ? this.#meta() : {}), ...this.#fill<Members>(step["meta"]) };
      const hasMeta = !Array.isArray(params) && (isModern || step["meta"] !== undefined);
      const all = hasMeta ? { ...params, _meta } : params;
      const request = { id, method, ...(all === undefined ? {} : { params: all }) };
      await this.#stage.connection.send([this.#message(request) as object], this.#fill(step["headers"]));
      const answer = await this.#answer(id, answerTo, step["told"] === undefined ? this.#early : heard);
      const result = answer["result"] as Members | undefined;
      if (step["asked"] === undefined || result?.["resultType"] !== "input_required") {
        if (step["told"] !== undefined) {
          expectMatch(step["told"], heard, this.#scope, "what was told meanwhile");
        }
        if (step["rounds"] !== undefined && isModern) {
          assert.deepEqual(rounds, step["rounds"], "the keys of each round");
        }
        assert.deepEqual(questions, [], "the questions that were not asked");
        return this.#compare(step, answer, isModern);
      }
      const inputResponses: Record<string, Json> = {};
      const inputRequests = Object.entries(result["inputRequests"] as Members);
      rounds.push(inputRequests.map(([key]) => key));
      for (const [key, question] of inputRequests) inputResponses[key] = await answerTo(question);
      const { requestState } = result;
      params = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
    }
  }

  /** Waits for the answer under an id. */
  async #answer(
    id: unknown,
    answerTo: (question: Message) => Promise<Json>,
    others: unknown[],
  ): Promise<Message> {
    for (;;) {
      const message = await this.#stage.connection.received.next() as Message | undefined;
      assert.ok(message, "The connection is over");
      const { method, id: own } = message;
      if (method === undefined && (own === id || ((own ?? null) === null && "error" in message))) {
        return message;
      }
      if (method === undefined || own === undefined) others.push(message);
      else {
        const { jsonrpc: _, id: __, ...question } = message;
        const reply = await answerTo(question);
        const error = (reply as Members | null)?.["$error"];
        await this.#send([{ id: own as Json, ...(error === undefined ? { result: reply } : { error }) }]);
      }
    }
  }

  #compare({ failed, ...step }: Step, answer: Message, isModern: boolean): void {
    let { result, error } = step;
    if (failed !== undefined) {
      const text = { $match: (failed as [number, string])[1] };
      if (isModern) error = failed;
      else result = { content: [{ type: "text", text }], isError: true };
    }
    this.#compareHead(step);
    assert.equal(answer["jsonrpc"], "2.0");
    if (error !== undefined) {
      assert.ok(answer["error"], `There is a result: ${show(answer)}`);
      const pattern = typeof error === "number"
        ? { code: error, message: { $match: "." }, $more: true }
        : Array.isArray(error)
        ? { code: error[0]!, message: { $match: error[1]! }, data: error[2] ?? { $all: [] } }
        : error;
      return expectMatch(pattern, answer["error"], this.#scope, "the error");
    }
    assert.ok("result" in answer, `There is no result: ${show(answer)}`);
    if (result === undefined) return;
    const whole = answer["result"] as Members;
    const bare = !isModern || step["raw"] ? whole : unwrapped(this.#fill(step["ask"]), whole);
    expectMatch(result, bare, this.#scope, "the result");
  }

  /** Compares the status and the header fields of the last response, over HTTP. */
  #compareHead({ status, head }: Step): void {
    const last = this.#stage.connection.head;
    if (!last) return;
    if (status !== undefined) {
      assert.equal(last.status, fill(status, this.#scope), `the status: ${last.body}`);
    }
    if (head === undefined) return;
    const names = Object.keys(head as Members);
    const actual = Object.fromEntries(names.map((name) => [name, last.headers.get(name) ?? undefined]));
    expectMatch(head, actual, this.#scope, "the header fields");
  }

  async #expect(given: Json): Promise<void> {
    const pattern = fill(given, this.#scope);
    if (!Array.isArray(pattern)) {
      const message = await this.#next();
      assert.ok(message, "The connection is over");
      return expectMatch(this.#message(pattern), message, this.#scope, "the message");
    }
    const messages: unknown[] = [];
    while (messages.length < pattern.length) messages.push(await this.#next());
    const wanted = unmatched(pattern.map((one) => this.#message(one)), messages, this.#scope);
    assert.equal(wanted, undefined, `${show(wanted)} did not come; what came is ${show(messages)}`);
  }

  async #expectNothing(): Promise<void> {
    await this.#fence();
    assert.deepEqual(this.#early, [], "what came and was not expected");
  }

  /** Waits for the answer to a ping; what comes before it is kept. */
  async #fence(): Promise<void> {
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
  }

  async #cancel(id: Json): Promise<void> {
    const { connection } = this.#stage;
    if (connection instanceof HttpConnection && this.#isModern) return connection.cancel(id);
    await this.#send([{ method: "notifications/cancelled", params: { requestId: id } }]);
  }

  /** Waits for lines of the log: for one that matches each regex and no others, or for what a pattern says of them. */
  async #expectLog(given: Json): Promise<void> {
    const { log } = this.#stage;
    const patterns = fill(given, this.#scope);
    const pattern = Array.isArray(patterns) ? patterns.map(($match: Json) => ({ $match })) : patterns;
    const isThere = () =>
      Array.isArray(pattern) ? log.length >= pattern.length : matches(pattern, log, this.#scope);
    for (const deadline = Date.now() + MAX_LOG_MS; !isThere() && Date.now() < deadline;) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expectMatch(pattern, log.splice(0), this.#scope, "the log");
  }

  /** Writes each file in one step: how files that are being written are treated has tests of its own. */
  #write(files: Members): void {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.#stage.root!, name);
      if (content === null) rmSync(path, { recursive: true });
      else {
        mkdirSync(dirname(path), { recursive: true });
        const temporary = join(dirname(path), `.${basename(path)}.new`);
        writeFileSync(temporary, content as string);
        renameSync(temporary, path);
      }
    }
  }

  async #http(step: Step): Promise<void> {
    const connection = this.#stage.connection as HttpConnection;
    const url = step["path"] === undefined ? undefined : new URL(step["path"] as string, connection.url).href;
    const body = step["body"] === undefined ? undefined : this.#message(this.#fill(step["body"]));
    const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
    const [method, fields] = [this.#fill<string>(step["http"]), this.#fill<Fields>(step["headers"])];
    const head = await connection.fetch(method, fields, text, undefined, url);
    this.#compareHead(step);
    if (step["text"] !== undefined) expectMatch(step["text"], head.body, this.#scope, "the body");
  }

  async #send(items: readonly Json[], step: Step = {}): Promise<void> {
    const sendable = items.map((item): Sendable => {
      const filled = this.#fill(item);
      if (typeof filled === "string") return filled;
      if (Array.isArray(filled)) return filled.map((one) => this.#message(one));
      const bytes = (filled as Members)["$bytes"];
      return bytes === undefined ? this.#message(filled) as object : Buffer.from(bytes as string, "base64");
    });
    await this.#stage.connection.send(sendable, this.#fill(step["headers"]));
    this.#compareHead(step);
  }

  /** Fills in a value; an empty object if there is none. */
  #fill<T = Json>(value: Json | undefined): T {
    return fill(value === undefined ? {} : value, this.#scope) as T;
  }

  async #next(): Promise<unknown> {
    return this.#early.shift() ?? await this.#stage.connection.received.next();
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
