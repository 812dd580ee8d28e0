/**
 * What must come back for each line: a second opinion on JSON-RPC 2.0 and on what the project promises of lines, batches,
 * ids and handshakes. It reads the bytes that were really sent and counts what is due, for one stretch of lines, at whose
 * end everything that is due must have come.
 *
 * An id that is used for several requests leaves open which of them are answered: while one is unfinished, the next is
 * refused without an id. So ids are counted, and what is short on one side must be found on the other.
 */

import { isObject, own } from "../../lib/base/json.ts";
import type { Cursors } from "./messages.ts";
import type { Json, Verdict } from "./rules.ts";
import { modernMeta, verdictOn } from "./rules.ts";

const MAX_DEPTH = 64;
const MAX_BATCH = 100;

/** The program did something that it must not, or did not do what it must; `kind` says what in a word. */
export class Discrepancy extends Error {
  override readonly name = "Discrepancy";

  constructor(kind: string, message: string) {
    super(`${kind}: ${message}`);
  }
}

/** A batch that was sent; its answers come together. */
interface Batch {
  /** How many of its messages can have an answer. */
  answerable: number;
  /** How many of those can be cancelled. */
  cancelled: number;
}

/** One answer that is due. */
export interface Due extends Verdict {
  readonly method: string;
  readonly params: unknown;
  readonly batch: Batch | undefined;
}

/** What was asked under one id. */
interface Account {
  readonly dues: Due[];
  /** How many of those were cancelled. */
  cancelled: number;
  answered: number;
}

/** Names an id: 1 and "1" are two, 0 and -0 are one. */
export function keyOf(id: string | number): string {
  return typeof id === "string" ? `s${id}` : `n${id}`;
}

/** Follows a conversation from the client's side. */
export class Model {
  /** What the last handshake agreed on; undefined before the first. */
  agreed: string | undefined;
  /** How many lines were read. */
  lines = 0;
  /** Whether a handshake, or the end of one, must be seen before more can be foretold. */
  mustLook = false;
  readonly #cursors: Cursors;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  readonly #handshakes = new Set<string>();
  #accounts = new Map<string, Account>();
  /** Accounts of the stretch before that are short of answers which may still come, because they were cancelled. */
  #late = new Map<string, Account>();
  /** Answers without an id that are due, less those that have come, by code and form: "-32700 null". */
  readonly #nameless = new Map<string, number>();
  /** Parse errors that may come or not: nothing says what is blank beyond the blanks of JSON. */
  #optional = 0;
  readonly #batches: Batch[] = [];
  #arrays = 0;

  constructor(cursors: Cursors) {
    this.#cursors = cursors;
  }

  /** Reads one line without its end. */
  readLine(bytes: Uint8Array): void {
    this.lines++;
    let value: unknown;
    let text = "";
    try {
      text = this.#decoder.decode(bytes).replace(/^\ufeff/, "");
      // Blanks of JSON alone are no message; other blanks may be taken for one that is no JSON.
      if (/^[ \t\r]*$/.test(text)) return;
      if (text.trim() === "") return void this.#optional++;
      value = JSON.parse(text);
    } catch {
      return this.#oweNameless(-32700);
    }
    const repeated = repeatedNames(text);
    if (!Array.isArray(value)) return this.#readMessage(value, undefined, repeated);
    const isServed = this.agreed === "2025-03-26" && value.length > 0 && value.length <= MAX_BATCH &&
      repeated.length === 0;
    if (!isServed) return this.#oweNameless(-32600);
    const batch: Batch = { answerable: 0, cancelled: 0 };
    this.#batches.push(batch);
    for (const message of value) this.#readMessage(message, batch);
  }

  /** Begins a new stretch: everything before is settled. */
  turnPage(): void {
    const isShort = ({ cancelled, answered, dues }: Account) => cancelled > 0 && answered < dues.length;
    this.#late = new Map([...this.#accounts].filter(([, account]) => isShort(account)));
    this.#accounts = new Map();
    this.#nameless.clear();
    this.#handshakes.clear();
    this.#batches.length = this.#arrays = this.#optional = 0;
    this.mustLook = false;
  }

  #readMessage(value: unknown, batch?: Batch, repeated: readonly string[] = []): void {
    if (!isObject(value)) return this.#oweNameless(-32600, batch);
    const has = (name: string) => Object.hasOwn(value, name);
    // Whatever is wrong with an answer: it is not answered.
    if (!has("method") && (has("result") || has("error"))) return;
    // Some clients send null for what they leave out.
    if (value["params"] === null) return this.#readMessage({ ...value, params: undefined }, batch, repeated);
    const { id, method } = value as { id?: string | number; method: string };
    const isId = has("id") && (typeof id === "string" || Number.isSafeInteger(id)) &&
      !repeated.includes("/id");
    if (repeated.length > 0 || !isCall(value) || (has("id") && !isId)) {
      if (!isId) return this.#oweNameless(-32600, batch);
      return this.#owe(id!, {
        outcomes: [-32600],
        revision: this.agreed,
        method: "",
        params: undefined,
        batch,
      });
    }
    const params = withoutNulls(own(value, "params"));
    if (!has("id")) return this.#cancel(method, params);
    const isModern = modernMeta(params) !== undefined;
    // Neither a handshake nor what knows no batches may be part of one.
    const verdict: Verdict = batch && (method === "initialize" || isModern)
      ? { outcomes: [-32600], revision: this.agreed }
      : verdictOn(method, params, this.agreed, this.#cursors);
    this.#owe(id!, { ...verdict, method, params, batch });
    if (method !== "initialize" || !verdict.outcomes.includes("result")) return;
    this.#handshakes.add(keyOf(id!));
    this.mustLook = true;
  }

  #owe(id: string | number, due: Due): void {
    const account = this.#accounts.get(keyOf(id));
    if (account) account.dues.push(due);
    else this.#accounts.set(keyOf(id), { dues: [due], cancelled: 0, answered: 0 });
    if (due.batch) due.batch.answerable++;
  }

  /** What has no readable id is answered with null in the older revisions, and with none in the newest of them. */
  #oweNameless(code: -32700 | -32600, batch?: Batch): void {
    this.#count(`${code} ${this.agreed === "2025-11-25" ? "none" : "null"}`, 1);
    if (batch) batch.answerable++;
  }

  /** From here on the requests that were sent under an id before need not be answered. */
  #cancel(method: string, params: unknown): void {
    const id = method === "notifications/cancelled" && isObject(params)
      ? own(params, "requestId")
      : undefined;
    if (typeof id !== "string" && typeof id !== "number") return;
    const account = this.#accounts.get(keyOf(id));
    if (!account) return;
    account.cancelled = account.dues.length;
    for (const { batch } of account.dues) if (batch) batch.cancelled++;
    if (this.#handshakes.has(keyOf(id))) this.mustLook = true;
  }

  /** Takes an answer with an id, and gives what it may be the answer to. */
  receive(key: string): readonly Due[] {
    const [account, late] = [this.#accounts.get(key), this.#late.get(key)];
    for (const one of [account, late]) {
      if (!one || one.answered >= one.dues.length) continue;
      one.answered++;
      return [...one.dues, ...account?.dues ?? []];
    }
    throw account
      ? new Discrepancy(
        "twice",
        `${account.dues.length} requests had the id ${key}, and there is one more answer`,
      )
      : new Discrepancy("stray", `Nothing was asked under the id ${key}`);
  }

  receiveNameless(code: number, form: "null" | "none"): void {
    if (code !== -32700 && code !== -32600) throw new Discrepancy("form", `${code} has no id`);
    this.#count(`${code} ${form}`, -1);
  }

  /** Takes the answers to a batch, each of which was received before by itself. */
  receiveArray(answers: readonly Json[]): void {
    const isOf = (batch: Batch, { id }: Json) =>
      (typeof id !== "string" && typeof id !== "number") ||
      this.#accounts.get(keyOf(id))!.dues.some((due) => due.batch === batch);
    const isCommon = this.#batches.some((batch) =>
      answers.length <= batch.answerable && answers.every((answer) => isOf(batch, answer))
    );
    if (!isCommon) throw new Discrepancy("batch", "Answers came together that are not due to one batch");
    this.#arrays++;
  }

  /** What has not come, or came and was not due; undefined when everything is even. */
  problem(): Discrepancy | undefined {
    let [short, excused, refused] = [0, 0, 0];
    for (const [key, { dues, cancelled, answered }] of this.#accounts) {
      if (answered === 0 && dues.length > cancelled) {
        return new Discrepancy("missing", `The id ${key} has no answer`);
      }
      short += dues.length - answered;
      excused += Math.min(cancelled, dues.length - answered);
    }
    for (const [kind, open] of this.#nameless) {
      if (open > 0) return new Discrepancy("missing", `${open} errors ${kind} without an id are missing`);
      const isParseError = kind.startsWith("-32700");
      if (-open > (isParseError ? this.#optional : short)) {
        return new Discrepancy("stray", `There are ${-open} errors ${kind} too many`);
      }
      if (!isParseError) refused -= open;
    }
    // Errors about ids that were taken make up for the answers that these ids are short of, less what was cancelled.
    if (refused > short || short - refused > excused) {
      return new Discrepancy(
        "missing",
        `${short} answers are missing: ${refused} refused, ${excused} cancelled`,
      );
    }
    const most = this.#batches.filter(({ answerable }) => answerable > 0).length;
    const least = this.#batches.filter(({ answerable, cancelled }) => answerable > cancelled).length;
    if (this.#arrays >= least && this.#arrays <= most) return undefined;
    return new Discrepancy("batch", `${this.#arrays} batches were answered, not ${least} to ${most}`);
  }

  #count(kind: string, change: number): void {
    this.#nameless.set(kind, (this.#nameless.get(kind) ?? 0) + change);
  }
}

/** Whether it is a request or a notification by JSON-RPC 2.0 and by the limits of the project, its id aside. */
function isCall(value: Json): boolean {
  const { jsonrpc, params = {} } = value;
  return jsonrpc === "2.0" && typeof own(value, "method") === "string" &&
    !Object.hasOwn(value, "result") &&
    !Object.hasOwn(value, "error") && typeof params === "object" && params !== null && isHarmless(value);
}

/** Params without the members that some clients send as null for what they leave out. */
export function withoutNulls(params: unknown): unknown {
  if (!isObject(params)) return params;
  const isLeftOut = ([name, value]: [string, unknown]) =>
    value === null && /^(?:cursor|arguments)$/.test(name);
  return Object.fromEntries(Object.entries(params).filter((member) => !isLeftOut(member)));
}

/** Whether code that merges objects would change what every object has. */
function isHarmful(value: object): boolean {
  const made = own(value as Json, "constructor");
  return Object.hasOwn(value, "__proto__") || (isObject(made) && Object.hasOwn(made, "prototype"));
}

/** No level beyond the last one, and no member that is called like a part of every object. Without recursion. */
function isHarmless(whole: Json): boolean {
  let level: object[] = [whole];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return false;
    if (level.some(isHarmful)) return false;
    level = level.flatMap((value) => Object.values(value))
      .filter((inner): inner is object => typeof inner === "object" && inner !== null);
  }
  return true;
}

/** The names that occur twice in one object of a JSON text; "/id" for the id of the message. */
function repeatedNames(text: string): readonly string[] {
  const repeated: string[] = [];
  const open: (Set<string> | undefined)[] = [];
  let last = "";
  for (const [token] of text.matchAll(/"(?:[^"\\]+|\\.)*"|[{}[\]:]/g)) {
    if (token === "{" || token === "[") open.push(token === "{" ? new Set() : undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token !== ":") last = token;
    else {
      const name: string = JSON.parse(last);
      const names = open.at(-1)!;
      if (names.has(name)) repeated.push(open.length === 1 && name === "id" ? "/id" : name);
      names.add(name);
    }
  }
  return repeated;
}
