/**
 * Fuzzes the program over HTTP: heads, bodies, sessions and streams, over bare connections, some of them cut off.
 *
 *     node --experimental-strip-types test/fuzz/http.ts [--seed N] [--count N]
 *     deno run --allow-all test/fuzz/http.ts [--seed N] [--count N]
 *
 * The program runs on the runtime that runs this. After a find, the exit code is 1.
 */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import process from "node:process";
import { parseArgs } from "node:util";
import { pause } from "../harness/process.ts";
import { command, ON_DENO, REPOSITORY } from "../harness/runtime.ts";
import { problemOf } from "./answers.ts";
import { Generator, joined } from "./generator.ts";
import { LEGACY, META, MODERN } from "./messages.ts";
import { Discrepancy } from "./model.ts";
import { Random } from "./random.ts";
import type { Root } from "./root.ts";
import { makeRoot, PAGE_SIZE, unexpectedError } from "./root.ts";
import type { Json } from "./rules.ts";
import { isObject, member, modernMeta, textOf, verdictOn } from "./rules.ts";

/** How many connections are open at one time. */
const LANES = 8;
/** The longest time until a connection has its answer and is closed, in milliseconds: far more than it takes. */
const SILENCE_MS = 20_000;
/** The most memory that the program may have, in bytes. */
const MAX_MEMORY = 512 * 1024 * 1024;
/** How many sessions are used at one time. */
const SESSIONS = 8;
const STATUSES = new Set([
  200,
  202,
  204,
  400,
  401,
  403,
  404,
  405,
  406,
  408,
  411,
  413,
  414,
  415,
  417,
  426,
  429,
  431,
]);
// What Node and Deno answer by themselves to methods and encodings that are none.
STATUSES.add(501).add(503).add(505);
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
const latin = (text: string): Uint8Array => Uint8Array.from(text, (unit) => unit.charCodeAt(0));

/** What is sent on a connection, and what is known about it. */
interface Sent {
  readonly bytes: Uint8Array;
  /** How many responses there may be. */
  readonly most: number;
  /** The body that an honest head came with; undefined when the head is odd. */
  readonly body?: Uint8Array;
  readonly session?: Session | undefined;
  /** Closes the connection after so many milliseconds, whatever has arrived. */
  readonly cutAfterMs?: number;
}

interface Session {
  readonly id: string;
  readonly revision: string;
}

interface Response {
  readonly status: number;
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

/** How it went. */
export interface HttpReport {
  exchanges: number;
  /** How many responses there were, by status and by kind of answer. */
  readonly counts: Map<string, number>;
  find?: string;
}

type Fields = [name: string, value: string][];

const ODD_FIELDS: readonly (readonly [string, string])[] = [
  ["host", "evil.example"],
  ["host", "localhost:99999"],
  ["host", "[::1"],
  ["host", ""],
  ["origin", "https://evil.example"],
  ["origin", "null"],
  ["origin", "http://localhost"],
  ["accept", "text/html"],
  ["accept", "*/*;q=0"],
  ["accept", ",,;;"],
  ["content-type", "text/plain"],
  ["content-type", "application/json; charset=latin1"],
  ["content-encoding", "gzip"],
  ["transfer-encoding", "chunked"],
  ["transfer-encoding", "gzip, chunked"],
  ["transfer-encoding", "chunked, identity"],
  ["content-length", "0"],
  ["content-length", "-1"],
  ["content-length", "+5"],
  ["content-length", "1e3"],
  ["content-length", "99999999999999999999"],
  ["connection", "upgrade"],
  ["upgrade", "websocket"],
  ["expect", "100-continue"],
  ["expect", "200-ok"],
  ["authorization", "Bearer ../../etc/passwd"],
  ["mcp-session-id", "x"],
  ["mcp-session-id", "a.b.c"],
  ["mcp-protocol-version", MODERN],
  ["mcp-protocol-version", "1900-01-01"],
  ["mcp-protocol-version", "\xff"],
  ["mcp-method", "tools/call"],
  ["mcp-name", "=?base64?4pyT?="],
  ["mcp-name", "=?base64?!!?="],
  ["last-event-id", "1-1"],
  ["last-event-id", "99999999999999999999-0"],
  ["x-forwarded-for", "10.0.0.1"],
  ["x-long", "a".repeat(9000)],
  ["cookie", "__proto__=1"],
];
const METHODS = "GET POST PUT DELETE OPTIONS HEAD PATCH TRACE CONNECT FOO".split(" ");
const TARGETS = [
  ...[
    "/",
    "/mcp/",
    "/mcp?x=1",
    "//mcp",
    "/mcp#x",
    "/healthz",
    "/readyz",
    "/../mcp",
    "/%6dcp",
    "/mcp/../../etc/passwd",
  ],
  ...[
    "http://localhost/mcp",
    "http://evil.example/mcp",
    "*",
    "/.well-known/oauth-protected-resource",
    "/mcp\0",
    "mcp",
  ],
];

/** Makes exchanges; the same seed makes the same ones, as far as they do not depend on answers. */
class Exchanges {
  readonly sessions: Session[] = [];
  readonly #random: Random;
  readonly #generator: Generator;
  readonly #port: number;

  constructor(seed: number, port: number) {
    this.#random = new Random(seed);
    this.#generator = new Generator(~seed, {});
    this.#port = port;
  }

  next(): Sent {
    return this.#random.weighted<() => Sent>([
      [50, () => this.#post()],
      [20, () => this.#odd()],
      [8, () => this.#begin()],
      [8, () => this.#stream()],
      [4, () => this.#end()],
      [6, () => this.#cut()],
      [4, () => this.#pipelined()],
    ])();
  }

  /** A message with the fields that belong to it. */
  #post(): Sent {
    const body = this.#generator.next();
    const session = this.#random.chance(0.5) ? this.#session() : undefined;
    return {
      bytes: this.#bytes("POST", "/mcp", this.#fields(body, session), body),
      most: 1,
      body,
      session,
    };
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
    const params = {
      protocolVersion: this.#random.pick(LEGACY),
      capabilities: {},
      clientInfo: { name: "f", version: "1" },
    };
    const body = encoder.encode(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
    return { bytes: this.#bytes("POST", "/mcp", this.#fields(body), body), most: 1, body };
  }

  /** A stream of a session, or of subscriptions, that is left after a while. */
  #stream(): Sent {
    const random = this.#random;
    const cutAfterMs = random.below(40);
    const session = this.#session();
    if (session && random.chance(0.7)) {
      const fields: Fields = [["host", "localhost"], ["accept", "text/event-stream"], [
        "mcp-session-id",
        session.id,
      ]];
      const seen = random.pick(["", `${random.below(9)}-${random.below(9)}`, "0-0", "\xff"]);
      if (random.chance(0.4)) fields.push(["last-event-id", seen]);
      return { bytes: this.#bytes("GET", "/mcp", fields), most: 1, cutAfterMs };
    }
    const _meta = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} };
    const notifications = {
      resourcesListChanged: true,
      resourceSubscriptions: ["architecture://guidelines/naming"],
    };
    const message = {
      jsonrpc: "2.0",
      id: 7,
      method: "subscriptions/listen",
      params: { notifications, _meta },
    };
    const body = encoder.encode(JSON.stringify(message));
    return { bytes: this.#bytes("POST", "/mcp", this.#fields(body), body), most: 1, cutAfterMs };
  }

  #end(): Sent {
    const session = this.#session();
    if (session && this.#random.chance(0.7)) this.sessions.splice(this.sessions.indexOf(session), 1);
    const fields: Fields = [["host", "localhost"], ["mcp-session-id", session?.id ?? "none"]];
    return { bytes: this.#bytes("DELETE", "/mcp", fields), most: 1 };
  }

  /** A request of which only a part is sent. */
  #cut(): Sent {
    const { bytes } = this.#post();
    return {
      bytes: bytes.subarray(0, this.#random.below(bytes.length)),
      most: 1,
      cutAfterMs: this.#random.below(30),
    };
  }

  /** Several requests at once. */
  #pipelined(): Sent {
    const parts = Array.from({ length: this.#random.between(2, 4) }, (_, index) => {
      const body = this.#generator.next();
      const fields = this.#fields(body);
      return this.#bytes(
        "POST",
        "/mcp",
        index === 0 ? [...fields, ["connection", "keep-alive"]] : fields,
        body,
      );
    });
    return { bytes: joined(parts), most: parts.length, cutAfterMs: 500 };
  }

  #session(): Session | undefined {
    return this.sessions.length > 0 ? this.#random.pick(this.sessions) : undefined;
  }

  #fields(body: Uint8Array, session?: Session): Fields {
    const fields: Fields = [["host", `localhost:${this.#port}`], ["content-type", "application/json"]];
    fields.push(["accept", "application/json, text/event-stream"]);
    const { method, params } = messageOf(body) ?? {};
    if (modernMeta(params)) {
      const version = member(modernMeta(params)!, `${META}protocolVersion`);
      const [uri, name] = ["uri", "name"].map((key) => isObject(params) ? member(params, key) : undefined);
      const named = method === "resources/read"
        ? uri
        : /^(?:prompts\/get|tools\/call)$/.test(textOf(method))
        ? name
        : undefined;
      const all = { "mcp-protocol-version": version, "mcp-method": method, "mcp-name": named };
      for (const [field, value] of Object.entries(all)) {
        if (typeof value === "string") fields.push([field, encodedField(value)]);
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
    return joined([latin(head), ...whole]);
  }
}

/** How a text is written in a field of the newest revision. */
function encodedField(value: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value)) {
    return value;
  }
  return `=?base64?${btoa(String.fromCharCode(...encoder.encode(value)))}?=`;
}

function messageOf(body: Uint8Array): Json | undefined {
  try {
    const value: unknown = JSON.parse(decoder.decode(body));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Sends bytes on a connection of its own, and reads what comes until it is closed or cut. */
function exchange(port: number, { bytes, cutAfterMs }: Sent): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    const socket = connect(port, "127.0.0.1");
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(joined(parts));
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
function responsesIn(bytes: Uint8Array, isHead = false): Response[] {
  const responses: Response[] = [];
  let text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  while (text !== "") {
    const end = text.indexOf("\r\n\r\n");
    if (end < 0) break;
    const [first = "", ...lines] = text.slice(0, end).split("\r\n");
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1]);
    if (Number.isNaN(status)) {
      throw new Discrepancy("form", `What comes is no response: ${JSON.stringify(text.slice(0, 80))}`);
    }
    const fields = new Map(
      lines.map((line) => [line.split(":", 1)[0]!.toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
    );
    text = text.slice(end + 4);
    if (status === 100) continue;
    let body = "";
    if (fields.get("transfer-encoding") === "chunked") {
      for (let size = Infinity; size > 0;) {
        const line = /^([\da-f]+)\r\n/i.exec(text);
        if (!line) return responses;
        size = parseInt(line[1]!, 16);
        body += text.slice(line[0].length, line[0].length + size);
        text = text.slice(line[0].length + size + 2);
      }
    } else {
      // A response to HEAD has a length and no body.
      const isEmpty = status === 204 || (isHead && responses.length === 0);
      const length = isEmpty ? 0 : Number(fields.get("content-length") ?? text.length);
      if (text.length < length && text !== "") return responses;
      [body, text] = [text.slice(0, length), text.slice(length)];
    }
    responses.push({ status, fields, body: new TextDecoder().decode(latin(body)) });
  }
  return responses;
}

/** Throws a `Discrepancy` when a response is not what may come. Returns what kind it is. */
function check({ status, fields, body }: Response, { body: sent, session }: Sent): string {
  const wrong = (what: string) => new Discrepancy("content", `${what}: ${status} ${body.slice(0, 300)}`);
  if (!STATUSES.has(status)) throw wrong("A status that must not be");
  const isEvents = fields.get("content-type")?.startsWith("text/event-stream") ?? false;
  const isJson = fields.get("content-type")?.startsWith("application/json") ?? false;
  const data = isEvents
    ? [...body.matchAll(/^data: (.+)$/gm)].map(([, text]) => text!)
    : isJson && body !== ""
    ? [body]
    : [];
  let kind = String(status);
  for (const text of data) {
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch {
      throw wrong(
        `A message is no JSON: ${text.length} ${JSON.stringify(text.slice(-300))} ${
          JSON.stringify([...fields])
        }`,
      );
    }
    const message = isObject(answer) ? messageOf(sent ?? new Uint8Array(0)) : undefined;
    if (!isObject(answer)) continue;
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
    const [method, params] = [textOf(message["method"]), message["params"]];
    const agreed = session?.revision ?? (method === "initialize" ? LEGACY.at(-1) : undefined);
    const due = { ...verdictOn(method, params, agreed, {}), method, params, batch: undefined };
    const problem = problemOf(answer, due, false, {});
    if (problem !== undefined) throw wrong(`The answer to ${method} ${problem}`);
    kind = `result of ${method}`;
  }
  return kind;
}

/** Fuzzes with this many exchanges until all are made or something is found. */
export async function fuzzHttp(root: Root, seed: number, count: number): Promise<HttpReport> {
  const flags = ON_DENO
    ? ["--no-prompt", "--allow-read", "--allow-net=127.0.0.1"]
    : ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];
  const [file, args] = command([
    "http",
    "--listen",
    "127.0.0.1:0",
    "--root",
    root.path,
    "--page-size",
    String(PAGE_SIZE),
  ], {
    runtimeFlags: flags,
  });
  const child = spawn(file, args, { stdio: ["ignore", "ignore", "pipe"] });
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  let [errors, memory] = ["", 0];
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors = (errors + text).slice(-200_000));
  const report: HttpReport = { exchanges: 0, counts: new Map() };
  const secrets = [...root.secrets, REPOSITORY];
  try {
    for (const started = Date.now(); !/ at http:\S+:\d+\//.test(errors); await pause(20)) {
      if (Date.now() - started > SILENCE_MS) {
        throw new Discrepancy("hang", `The program does not listen: ${errors}`);
      }
    }
    const port = Number(/ at http:\S+?:(\d+)\//.exec(errors)![1]);
    const exchanges = new Exchanges(seed, port);
    const work = async () => {
      while (report.exchanges < count && report.find === undefined) {
        report.exchanges++;
        const sent = exchanges.next();
        try {
          await one(port, sent, exchanges, report.counts, secrets);
        } catch (cause) {
          if (!(cause instanceof Discrepancy)) throw cause;
          report.find ??= `${cause.kind}: ${cause.message}\n${
            JSON.stringify(new TextDecoder("latin1").decode(sent.bytes))
          }`;
        }
        if (report.exchanges % 500 === 0) memory = Math.max(memory, memoryOf(child.pid!));
        if (child.exitCode !== null) report.find ??= `exit: The program is gone: ${errors}`;
      }
    };
    await Promise.all(Array.from({ length: LANES }, work));
    // It still works, and leaves when it is told to.
    const ping = encoder.encode('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    const head =
      `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\naccept: application/json\r\n`;
    const last = {
      bytes: joined([latin(`${head}content-length: ${ping.length}\r\nconnection: close\r\n\r\n`), ping]),
      most: 1,
    };
    const [answer] = responsesIn(await exchange(port, last));
    if (answer?.status !== 200) report.find ??= `hang: The last ping was answered with ${answer?.status}`;
    if (memory > MAX_MEMORY) report.find ??= `memory: ${memory} bytes`;
    // Deno takes every process that it is told to kill for killed.
    process.kill(child.pid!, "SIGTERM");
    const silence = setTimeout(() => child.kill("SIGKILL"), SILENCE_MS);
    const code = await exited;
    clearTimeout(silence);
    // Windows has no signals: it ends a process with 1.
    if (code !== (process.platform === "win32" ? 1 : 0)) {
      report.find ??= `exit: The program ended with ${code}`;
    }
    const own = errors.split("\n").filter((line) => !/ serves .* at http:|Refused \d+ times/.test(line)).join(
      "\n",
    );
    const unexpected = unexpectedError(own);
    if (unexpected !== undefined) report.find ??= `stderr: ${unexpected}`;
    report.counts.set("MiB at most", Math.round(memory / 2 ** 20));
  } finally {
    child.kill("SIGKILL");
    await exited;
  }
  return report;
}

async function one(
  port: number,
  sent: Sent,
  { sessions }: Exchanges,
  counts: Map<string, number>,
  secrets: readonly string[],
): Promise<void> {
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
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const id = response.fields.get("mcp-session-id");
    const result = id === undefined
      ? undefined
      : JSON.parse(/\{.*\}/s.exec(response.body)?.[0] ?? "{}").result;
    if (id === undefined || !isObject(result)) continue;
    sessions.push({ id, revision: textOf(result["protocolVersion"]) });
    if (sessions.length > SESSIONS) sessions.shift();
  }
}

/** The memory of a process in bytes; 0 where the system does not say. */
function memoryOf(pid: number): number {
  try {
    return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);
  } catch {
    return 0;
  }
}

if (import.meta.main) {
  const options = {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "100000" },
  } as const;
  const { values } = parseArgs({ options });
  const started = performance.now();
  let remove = (): void => {};
  const root = makeRoot({ after: (clean) => void (remove = clean as () => void) });
  try {
    const { exchanges, counts, find } = await fuzzHttp(root, Number(values.seed), Number(values.count));
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(`seed ${values.seed}: ${exchanges} exchanges in ${seconds} s\n`);
    for (const [kind, number] of [...counts].sort()) {
      process.stdout.write(`${String(number).padStart(10)}  ${kind}\n`);
    }
    if (find !== undefined) {
      process.stdout.write(`FOUND ${find}\n`);
      process.exitCode = 1;
    }
  } finally {
    remove();
  }
}
