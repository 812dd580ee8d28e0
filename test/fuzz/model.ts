/**
 * What must come back for each line? A second opinion on JSON-RPC 2.0 and on what the project says of lines, batches,
 * ids and handshakes: it reads the bytes that were really sent, and enters what is due into a ledger.
 */

import type { Batch, IdForm } from "./ledger.ts";
import type { Cursors } from "./messages.ts";
import type { Json } from "./rules.ts";
import { MAX_LINE_BYTES } from "./framing.ts";
import { Discrepancy, keyOf, Ledger } from "./ledger.ts";
import { has, isObject, member, metaOf, negotiated, textOf, verdictOn } from "./rules.ts";
import { DOCUMENTS } from "./shelf.ts";

const MAX_DEPTH = 64;
const MAX_BATCH = 100;
/**
 * How much may be due before a handshake, in bytes. What a client sends before it has the answer to its handshake is
 * certain to follow it only while answers can leave; with more than this the program may hold them back.
 */
const MAX_WEIGHT: number = 512 * 1024;

/** About how long an answer is that holds no document, in bytes. */
const ORDINARY = 500;

/** Follows a conversation from the client's side. */
export class Model {
  /** What the last handshake agreed on; undefined before the first. */
  agreed: string | undefined;
  /** The ledger of the lines since it was last taken. */
  ledger: Ledger = new Ledger();
  /** How many lines were read. */
  lines = 0;
  /** How many requests to call a tool were read. */
  calls = 0;
  /**
   * Whether it has to be seen what comes back before more can be foretold: a handshake that may be refused, or taken
   * back, decides about what follows.
   */
  mustLook = false;
  readonly #cursors: Cursors;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  /** What was agreed before the first line of the stretch. */
  #before: string | undefined;
  /** The ids of the handshakes in the stretch. */
  readonly #handshakes = new Set<string>();
  /** What the last handshake that was answered says was agreed. */
  #seen: string | undefined;
  /** About how long the answers of the stretch are together, in bytes. */
  #weight = 0;

  constructor(cursors: Cursors, agreed?: string) {
    this.#cursors = cursors;
    this.agreed = this.#before = agreed;
  }

  /** Reads one line without its end. */
  readLine(bytes: Uint8Array): void {
    this.lines++;
    this.#weight += bytes.length;
    if (bytes.length > MAX_LINE_BYTES) return this.ledger.oweNameless(-32600, this.#form);
    const text = this.#decode(bytes);
    // Blanks of JSON alone are no message; other blanks may be taken for one that is no JSON.
    if (text !== undefined && /^[ \t\r]*$/.test(text)) return;
    if (text?.trim() === "") return this.ledger.allowParseError();
    const value = text === undefined ? undefined : parsed(text);
    if (value === undefined) return this.ledger.oweNameless(-32700, this.#form);
    if (Array.isArray(value)) this.#readBatch(value);
    else this.#readMessage(value, undefined);
  }

  /** Takes note of a handshake that went well. */
  handshakeSeen(version: string): void {
    this.#seen = version;
  }

  /** Begins a new stretch: everything before is settled. */
  turnPage(): void {
    const seen = this.#seen ?? this.#before;
    if (!this.mustLook && seen !== this.agreed) {
      throw new Discrepancy(
        "handshake",
        `${this.agreed} was the last handshake, and ${seen} was answered last`,
      );
    }
    this.agreed = this.#before = seen;
    this.#seen = undefined;
    this.ledger = new Ledger(this.ledger);
    this.#handshakes.clear();
    this.#weight = 0;
    this.mustLook = false;
  }

  /** Answers to what has no readable id: null in the older revisions, nothing in the newest legacy one. */
  get #form(): IdForm {
    return this.agreed === "2025-11-25" ? "none" : "null";
  }

  #decode(bytes: Uint8Array): string | undefined {
    try {
      const text = this.#decoder.decode(bytes);
      return text.startsWith("\ufeff") ? text.slice(1) : text;
    } catch {
      return undefined;
    }
  }

  #readBatch(values: readonly unknown[]): void {
    if (this.agreed !== "2025-03-26" || values.length === 0 || values.length > MAX_BATCH) {
      return this.ledger.oweNameless(-32600, this.#form);
    }
    const batch: Batch = { answerable: 0, cancelled: 0 };
    this.ledger.oweBatch(batch);
    for (const value of values) this.#readMessage(value, batch);
  }

  #readMessage(value: unknown, batch: Batch | undefined): void {
    if (!isObject(value)) return this.ledger.oweNameless(-32600, this.#form, batch);
    // Whatever is wrong with an answer: it is not answered.
    if (!has(value, "method") && (has(value, "result") || has(value, "error"))) return;
    const id = member(value, "id");
    const isId = typeof id === "string" || Number.isSafeInteger(id);
    if (!isCall(value) || (has(value, "id") && !isId)) {
      return this.#refuse(isId ? id as string : undefined, batch);
    }
    if (!has(value, "id")) return this.#readNotification(value);
    this.#readRequest(value, id as string | number, batch);
  }

  #refuse(id: string | number | undefined, batch: Batch | undefined): void {
    if (id === undefined) return this.ledger.oweNameless(-32600, this.#form, batch);
    this.#owe(id, "", undefined, { outcomes: [-32600], revision: this.agreed }, batch);
  }

  #readNotification(value: Json): void {
    const params = member(value, "params");
    if (value["method"] !== "notifications/cancelled" || !isObject(params)) return;
    const id = member(params, "requestId");
    if (typeof id !== "string" && typeof id !== "number") return;
    this.ledger.cancel(keyOf(id));
    if (this.#handshakes.has(keyOf(id))) this.mustLook = true;
  }

  #readRequest(value: Json, id: string | number, batch: Batch | undefined): void {
    const method = value["method"] as string;
    const params = member(value, "params");
    const { isModern } = metaOf(params);
    // Neither a handshake nor what knows no batches may be part of one.
    const refused = batch && (method === "initialize" || isModern);
    const verdict = refused
      ? { outcomes: [-32600] as const, revision: this.agreed }
      : verdictOn(method, params, this.agreed, this.#cursors);
    this.#weight += weightOf(method, params);
    if (method === "tools/call") this.calls++;
    const isTaken = this.ledger.mayBeUnfinished(keyOf(id));
    this.#owe(id, method, params, verdict, batch);
    if (method !== "initialize" || isModern || refused || !verdict.outcomes.includes("result")) return;
    const version = negotiated((params as { protocolVersion: string }).protocolVersion);
    this.#handshakes.add(keyOf(id));
    if (isTaken || verdict.outcomes.length > 1 || this.#weight > MAX_WEIGHT) this.mustLook = true;
    else this.agreed = version;
  }

  #owe(
    id: string | number,
    method: string,
    params: unknown,
    verdict: ReturnType<typeof verdictOn>,
    batch: Batch | undefined,
  ): void {
    this.ledger.owe({ key: keyOf(id), method, params, ...verdict, batch });
  }
}

function weightOf(method: string, params: unknown): number {
  if (method === "tools/call") return callWeight(params);
  if (method !== "resources/read" || !isObject(params)) return ORDINARY;
  return ORDINARY + (DOCUMENTS.get(textOf(member(params, "uri")))?.length ?? 0);
}

/** A part of a document goes out as text and as data. */
function callWeight(params: unknown): number {
  const given = isObject(params) ? member(params, "arguments") : undefined;
  const size = isObject(given) ? DOCUMENTS.get(textOf(member(given, "uri")))?.length ?? 0 : 0;
  return 10 * ORDINARY + 2 * size;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether it is a request or a notification by JSON-RPC 2.0 and by the limits of the project, its id aside. */
function isCall(value: Json): boolean {
  const isShaped = value["jsonrpc"] === "2.0" && typeof member(value, "method") === "string" &&
    !has(value, "result") && !has(value, "error");
  if (!isShaped) return false;
  const params = member(value, "params");
  if (has(value, "params") && (typeof params !== "object" || params === null)) return false;
  return isHarmless(value);
}

/** No level beyond the last one, and no member that is called like a part of every object. Without recursion. */
function isHarmless(whole: Json): boolean {
  let level: object[] = [whole];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return false;
    const below: object[] = [];
    for (const value of level) {
      if (Object.hasOwn(value, "__proto__") || Object.hasOwn(value, "constructor")) return false;
      for (const inner of Object.values(value)) {
        if (typeof inner === "object" && inner !== null) below.push(inner);
      }
    }
    level = below;
  }
  return true;
}
