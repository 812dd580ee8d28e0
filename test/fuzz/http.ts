/** Fuzzes the program over HTTP: heads, bodies, sessions and streams, over bare connections, some of them cut off. */

import { Buffer } from "node:buffer";
import { connect } from "node:net";
import process from "node:process";
import { concat } from "../../lib/base/bytes.ts";
import { isObject, own, tryParse } from "../../lib/base/json.ts";
import { attempt } from "../../lib/base/text.ts";
import { encodeHeader } from "../../lib/mcp/protocol/headers.ts";
import { peakMemory } from "../harness/process.ts";
import { REPOSITORY } from "../harness/runtime.ts";
import { RawResponse, requestOf } from "../harness/http_client.ts";
import { problemOf } from "./answers.ts";
import type { Report } from "./exchange.ts";
import { Subject } from "./exchange.ts";
import { Generator } from "./generator.ts";
import { initialize, LEGACY, META, MODERN, PLAIN_META } from "./messages.ts";
import { Discrepancy, withoutNulls } from "./model.ts";
import { Random } from "./random.ts";
import type { Root } from "./root.ts";
import { unexpectedError } from "./root.ts";
import type { Json } from "./rules.ts";
import { modernMeta, textOf, verdictOn } from "./rules.ts";

/** How many connections are open at one time. */
const LANES = 8;
/** The maximum time until a connection has its answer and is closed, in milliseconds: far longer than it takes. */
const SILENCE_MS = 60_000;
/** The maximum memory of the program, in bytes. */
const MAX_MEMORY = 512 * 1024 * 1024;
/** How many sessions are used at one time. */
const SESSIONS = 8;
/** The last three are what Node and Deno answer by themselves to methods and encodings that are none. */
const STATUSES = "200 202 204 400 401 403 404 405 406 408 411 413 414 415 417 426 429 431 501 503 505".split(
  " ",
);
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
const latin = (text: string): Uint8Array => Buffer.from(text, "latin1");

/** What is sent on a connection, and what is known about it. */
interface Sent {
  readonly bytes: Uint8Array;
  /** How many responses there may be. */
  readonly most: number;
  /** The body that an honest head came with; undefined when the head is odd. */
  readonly body?: Uint8Array;
  readonly session?: Session | undefined;
  /** Closes the connection after this number of milliseconds, whatever has arrived. */
  readonly cutAfterMs?: number;
}

interface Session {
  readonly id: string;
  readonly revision: string;
}

type Fields = [name: string, value: string][];

const ODD_FIELDS: readonly (readonly [name: string, value: string])[] = Object.entries({
  "host": ["evil.example", "localhost:99999", "[::1", ""],
  "origin": ["https://evil.example", "null", "http://localhost"],
  "accept": ["text/html", "*/*;q=0", ",,;;"],
  "content-type": ["text/plain", "application/json; charset=latin1"],
  "content-encoding": ["gzip"],
  "transfer-encoding": ["chunked", "gzip, chunked", "chunked, identity"],
  "content-length": ["0", "-1", "+5", "1e3", "99999999999999999999"],
  "connection": ["upgrade"],
  "upgrade": ["websocket"],
  "expect": ["100-continue", "200-ok"],
  "authorization": ["Bearer ../../etc/passwd"],
  "mcp-session-id": ["x", "a.b.c"],
  "mcp-protocol-version": [MODERN, "1900-01-01", "\xff"],
  "mcp-method": ["tools/call"],
  "mcp-name": ["=?base64?4pyT?=", "=?base64?!!?="],
  "last-event-id": ["1-1", "99999999999999999999-0"],
  "x-forwarded-for": ["10.0.0.1"],
  "x-long": ["a".repeat(9000)],
  "cookie": ["__proto__=1"],
}).flatMap(([name, values]) => values.map((value) => [name, value] as const));
const METHODS = "GET POST PUT DELETE OPTIONS HEAD PATCH TRACE CONNECT FOO".split(" ");
const TARGETS =
  ("/ /mcp/ /mcp?x=1 //mcp /mcp#x /healthz /readyz /../mcp /%6dcp /mcp/../../etc/passwd http://localhost/mcp " +
    "http://evil.example/mcp * /.well-known/oauth-protected-resource /mcp\0 mcp").split(" ");

/** Makes exchanges; the same seed makes the same ones, as far as they do not depend on answers. */
class Exchanges {
  readonly #sessions: Session[] = [];
  readonly #random: Random;
  readonly #generator: Generator;
  readonly #port: number;

  constructor(seed: number, port: number) {
    this.#random = new Random(seed);
    this.#generator = new Generator(~seed, {});
    this.#port = port;
  }

  next(): Sent {
    const kinds = [[50, this.#post], [20, this.#odd], [8, this.#begin], [8, this.#stream], [
      4,
      this.#end,
    ]] as const;
    return this.#random.weighted([...kinds, [6, this.#cut], [4, this.#pipelined]]).call(this);
  }

  /** A message with the fields that belong to it. */
  #post(): Sent {
    const body = this.#generator.next();
    const session = this.#random.chance(0.5) ? this.#session() : undefined;
    const bytes = this.#bytes("POST", "/mcp", this.#fields(body, session), body);
    return { bytes, most: 1, body, session };
  }

  /** A message whose head has something odd about it. */
  #odd(): Sent {
    const random = this.#random;
    const body = random.chance(0.8) ? this.#generator.next() : new Uint8Array(0);
    const fields = this.#fields(body, random.chance(0.3) ? this.#session() : undefined);
    for (let count = random.weighted([[6, 1], [2, 2], [1, 5]]); count > 0; count--) {
      const at = random.below(fields.length);
      const odd: [string, string] = [...random.pick(ODD_FIELDS)];
      const change = random.below(5);
      if (change === 0) fields.splice(at, 1);
      else if (change === 1) fields.splice(at, 0, fields[at] ?? odd);
      else if (change === 2 && fields[at]) {
        fields[at][1] += random.pick([" ", "\t", "\0", "\x7f", "\xff", "\r\n x", ",,"]);
      } else fields.push(odd);
    }
    const method = random.chance(0.3) ? random.pick(METHODS) : "POST";
    const bytes = this.#bytes(method, random.chance(0.3) ? random.pick(TARGETS) : "/mcp", fields, body, true);
    if (random.chance(0.1)) bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
    // A length that says less or more than there is leaves the rest to be read as another request, or waited for.
    return { bytes, most: Infinity, cutAfterMs: 300 };
  }

  #begin(): Sent {
    const body = encoder.encode(JSON.stringify(initialize(1, this.#random)));
    return { bytes: this.#bytes("POST", "/mcp", this.#fields(body), body), most: 1, body };
  }

  /** A stream of a session, or of subscriptions, that is left after a while. */
  #stream(): Sent {
    const random = this.#random;
    const cutAfterMs = random.below(40);
    const session = this.#session();
    if (session && random.chance(0.7)) {
      const fields: Fields = [["host", "localhost"], ["accept", "text/event-stream"]];
      fields.push(["mcp-session-id", session.id]);
      const seen = random.pick(["", `${random.below(9)}-${random.below(9)}`, "0-0", "\xff"]);
      if (random.chance(0.4)) fields.push(["last-event-id", seen]);
      return { bytes: this.#bytes("GET", "/mcp", fields), most: 1, cutAfterMs };
    }
    const resourceSubscriptions = ["architecture://guidelines/naming"];
    const params = {
      notifications: { resourcesListChanged: true, resourceSubscriptions },
      _meta: PLAIN_META,
    };
    const message = { jsonrpc: "2.0", id: 7, method: "subscriptions/listen", params };
    const body = encoder.encode(JSON.stringify(message));
    return { bytes: this.#bytes("POST", "/mcp", this.#fields(body), body), most: 1, cutAfterMs };
  }

  #end(): Sent {
    const session = this.#session();
    if (session && this.#random.chance(0.7)) this.#sessions.splice(this.#sessions.indexOf(session), 1);
    const fields: Fields = [["host", "localhost"], ["mcp-session-id", session?.id ?? "none"]];
    return { bytes: this.#bytes("DELETE", "/mcp", fields), most: 1 };
  }

  /** A request of which only a part is sent. */
  #cut(): Sent {
    const { bytes } = this.#post();
    const length = this.#random.below(bytes.length);
    return { bytes: bytes.subarray(0, length), most: 1, cutAfterMs: this.#random.below(30) };
  }

  /** Several requests at once. */
  #pipelined(): Sent {
    const parts = Array.from({ length: this.#random.between(2, 4) }, (_, index) => {
      const body = this.#generator.next();
      const fields = this.#fields(body);
      if (index === 0) fields.push(["connection", "keep-alive"]);
      return this.#bytes("POST", "/mcp", fields, body);
    });
    return { bytes: concat(parts), most: parts.length, cutAfterMs: 500 };
  }

  /** Uses the session that a response has begun, if it has, in exchanges from here on. */
  keepSession({ headers, text: body }: RawResponse): void {
    const id = headers.get("mcp-session-id");
    const answer = id === undefined ? undefined : tryParse(/\{.*\}/s.exec(body)?.[0] ?? "");
    if (id === undefined || !isObject(answer) || !isObject(answer["result"])) return;
    this.#sessions.push({ id, revision: textOf(answer["result"]["protocolVersion"]) });
    if (this.#sessions.length > SESSIONS) this.#sessions.shift();
  }

  #session(): Session | undefined {
    return this.#sessions.length > 0 ? this.#random.pick(this.#sessions) : undefined;
  }

  #fields(body: Uint8Array, session?: Session): Fields {
    const fields: Fields = [["host", `localhost:${this.#port}`], ["content-type", "application/json"]];
    fields.push(["accept", "application/json, text/event-stream"]);
    const { method, params } = messageOf(body) ?? {};
    if (modernMeta(params)) {
      const version = own(modernMeta(params)!, `${META}protocolVersion`);
      const [uri, name] = ["uri", "name"].map((key) => isObject(params) ? own(params, key) : undefined);
      const named = ({ "resources/read": uri, "prompts/get": name, "tools/call": name })[textOf(method)];
      const all = { "mcp-protocol-version": version, "mcp-method": method, "mcp-name": named };
      for (const [field, value] of Object.entries(all)) {
        if (typeof value === "string") fields.push([field, encodeHeader(value)]);
      }
    } else if (session) {
      fields.push(["mcp-session-id", session.id], ["mcp-protocol-version", session.revision]);
    }
    return fields;
  }

  #bytes(
    method: string,
    target: string,
    fields: Fields,
    body: Uint8Array = new Uint8Array(0),
    isOdd = false,
  ): Uint8Array {
    const all = [...fields];
    if (!all.some(([name]) => name === "connection")) all.push(["connection", "close"]);
    const isChunked = all.some(([name]) => name === "transfer-encoding") || this.#random.chance(0.1);
    if (isChunked && !all.some(([name]) => name === "transfer-encoding")) {
      all.push(["transfer-encoding", "chunked"]);
    }
    if (!isChunked && body.length > 0) all.push(["content-length", String(body.length)]);
    const head = [`${method} ${target} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), "", ""]
      .join("\r\n");
    const size = isOdd && this.#random.chance(0.3)
      ? this.#random.pick(["zz", "-1", "ffffffffffffffff", "0"])
      : body.length.toString(16);
    const whole = isChunked ? [latin(`${size}\r\n`), body, latin("\r\n0\r\n\r\n")] : [body];
    return concat([latin(head), ...whole]);
  }
}

function messageOf(body: Uint8Array): Json | undefined {
  const text = attempt(() => decoder.decode(body));
  const value = text === undefined ? undefined : tryParse(text);
  return isObject(value) ? value : undefined;
}

/** Sends bytes on a connection of its own, and reads what comes until it is closed or cut. */
function exchange(port: number, { bytes, cutAfterMs }: Sent): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    const socket = connect(port, "127.0.0.1");
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(concat(parts));
    };
    const timer = setTimeout(() => {
      if (cutAfterMs !== undefined) return done();
      socket.destroy();
      reject(new Discrepancy("hang", "A request has no whole answer"));
    }, cutAfterMs ?? SILENCE_MS);
    socket.on("data", (chunk: Uint8Array) => parts.push(chunk)).on("error", done).on("close", done);
    socket.write(bytes);
  });
}

/** The responses in what came; the last one may be cut off, and is then left out. */
function responsesIn(bytes: Uint8Array, isHead = false): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let text = Buffer.from(bytes).toString("latin1"); text !== "";) {
    // A response to HEAD has a length and no body.
    const response = new RawResponse(isHead && responses.length === 0);
    response.add(text);
    const isToEnd = response.status > 0 && !response.headers.has("transfer-encoding") &&
      !response.headers.has("content-length");
    if (!response.isOver && !isToEnd) break;
    text = response.rest;
    if (response.status !== 100) responses.push(response);
  }
  return responses;
}

/** Throws a `Discrepancy` when a response is not what may come. Returns what kind it is. */
function check({ status, headers, text: body }: RawResponse, { body: sent, session }: Sent): string {
  const wrong = (what: string) => new Discrepancy("content", `${what}: ${status} ${body.slice(0, 300)}`);
  if (!STATUSES.includes(`${status}`)) throw wrong("A status that must not be");
  const isEvents = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const isJson = headers.get("content-type")?.startsWith("application/json") ?? false;
  const events = isEvents ? [...body.matchAll(/^data: (.+)$/gm)].map(([, text]) => text!) : [];
  const data = isJson && body !== "" ? [body] : events;
  let kind = String(status);
  for (const text of data) {
    const answer = tryParse(text);
    if (answer === undefined) throw wrong(`A message is no JSON: ${text.slice(-300)}`);
    if (!isObject(answer)) continue;
    const message = messageOf(sent ?? new Uint8Array(0));
    const error = answer["error"] as { code: number } | undefined;
    kind = error ? `${status} ${error.code}` : `${status} result`;
    if (error?.code === -32603) throw wrong("An internal error");
    if (status === 200 && (error?.code === -32020 || error?.code === -32022)) {
      throw wrong("Another status is due");
    }
    if (!message || error || answer["id"] === undefined) continue;
    if (answer["id"] !== message["id"]) {
      throw wrong(`The answer has another id than ${JSON.stringify(message["id"])}`);
    }
    const [method, params] = [textOf(message["method"]), withoutNulls(message["params"] ?? undefined)];
    const agreed = session?.revision ?? (method === "initialize" ? LEGACY.at(-1) : undefined);
    const due = { ...verdictOn(method, params, agreed, {}), method, params, batch: undefined };
    const problem = problemOf(answer, due, false, {});
    if (problem !== undefined) throw wrong(`The answer to ${method} ${problem}`);
    kind = `result of ${method}`;
  }
  return kind;
}

/** Fuzzes with this many exchanges until all are made or something is found. */
export async function fuzzHttp(root: Root, seed: number, count: number): Promise<Report> {
  const report: Report = { sent: 0, counts: new Map() };
  const found = (message: string, bytes: Uint8Array = new Uint8Array(0)) => {
    report.find ??= { message, bytes };
  };
  const subject = new Subject(root, () => {}, ["http", "--listen", "127.0.0.1:0"]);
  const secrets = [...root.secrets, REPOSITORY];
  try {
    const listening = () => / at http:\S+?:(\d+)\//.exec(subject.errors);
    if (!await subject.until(() => listening() !== null, SILENCE_MS)) throw new Error("It does not listen");
    const port = Number(listening()![1]);
    const exchanges = new Exchanges(seed, port);
    const run = async (sent: Sent) => {
      const bytes = await exchange(port, sent);
      const text = new TextDecoder().decode(bytes);
      const shown = secrets.find((secret) => text.includes(secret));
      if (shown !== undefined) throw new Discrepancy("secret", `A response shows "${shown}"`);
      const responses = responsesIn(bytes, sent.bytes[0] === 0x48);
      if (responses.length > sent.most) {
        throw new Discrepancy("split", `${responses.length} responses to ${sent.most} requests`);
      }
      for (const response of responses) {
        const kind = check(response, sent);
        report.counts.set(kind, (report.counts.get(kind) ?? 0) + 1);
        exchanges.keepSession(response);
      }
    };
    const work = async () => {
      for (; report.sent < count && !report.find; report.sent++) {
        const sent = exchanges.next();
        await run(sent).catch((cause) => found(String(cause), sent.bytes));
        if (subject.isOver) found(`exit: The program is gone: ${subject.errors}`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, work));
    // It still works, and leaves when it is told to.
    const ping = encoder.encode('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    const fields = { "host": "localhost", "content-type": "application/json", "accept": "application/json" };
    const last = { bytes: requestOf("POST", "/mcp", fields, ping), most: 1 };
    const [answer] = responsesIn(await exchange(port, last));
    if (answer?.status !== 200) found(`hang: The last ping was answered with ${answer?.status}`);
    const memory = peakMemory(subject.child.pid!) ?? 0;
    if (memory > MAX_MEMORY) found(`memory: ${memory} bytes`);
    // Deno takes every process that it is told to kill for killed.
    process.kill(subject.child.pid!, "SIGTERM");
    const silence = setTimeout(() => subject.child.kill("SIGKILL"), SILENCE_MS);
    const code = await subject.exited;
    clearTimeout(silence);
    // Windows has no signals: it ends a process with 1.
    if (code !== (process.platform === "win32" ? 1 : 0)) found(`exit: The program ended with ${code}`);
    const own = subject.errors.replaceAll(
      /^.*(?: serves .* at http:|Refused \d+ times|: stopp(?:ing|ed)$).*$/gm,
      "",
    );
    const unexpected = unexpectedError(own);
    if (unexpected !== undefined) found(`stderr: ${unexpected}`);
    report.counts.set("MiB at most", Math.round(memory / 2 ** 20));
  } finally {
    await subject.kill();
  }
  return report;
}
