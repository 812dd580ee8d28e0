/**
 * What do server-sent events say? Cuts a body into events, however it arrives, and holds back one event at most.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */

import { ProtocolError } from "./errors.ts";

/** What is found in a stream of events. */
export interface EventSink {
  /** The data of an event that is a message; empty when it carries an id alone. */
  data(text: string): void | Promise<void>;
  /** The id that the stream is taken up again after. */
  id(id: string): void;
  /** How long to wait before it is taken up again, in milliseconds. */
  retry(ms: number): void;
}

/** Reads events out of a stream of text. */
export class EventParser {
  readonly #sink: EventSink;
  readonly #maxSize: number;
  /** The line that has no end yet, in the pieces that it came in, and how much that is in UTF-16 units. */
  #pieces: string[] = [];
  #piecesSize = 0;
  /** The data of the event that has no end yet, and how much that is. */
  #data: string[] = [];
  #dataSize = 0;
  #type = "";
  #id: string | undefined;
  #endedWithReturn = false;
  #isFirst = true;

  /** @param maxSize The largest event, in UTF-16 units. */
  constructor(sink: EventSink, maxSize: number) {
    this.#sink = sink;
    this.#maxSize = maxSize;
  }

  /**
   * Takes the next text.
   *
   * @throws {ProtocolError} When an event is too large.
   */
  async push(text: string): Promise<void> {
    let rest = text;
    if (this.#isFirst && rest !== "") {
      this.#isFirst = false;
      if (rest.startsWith("\ufeff")) rest = rest.slice(1);
    }
    if (rest === "") return;
    const isRestOfEnd = this.#endedWithReturn && rest.startsWith("\n");
    this.#endedWithReturn = rest.endsWith("\r");
    if (isRestOfEnd) rest = rest.slice(1);
    const lines = rest.split(/\r\n|\n|\r/);
    const last = lines.pop()!;
    for (const line of lines) {
      const whole = this.#pieces.length === 0 ? line : [...this.#pieces, line].join("");
      this.#pieces = [];
      this.#piecesSize = 0;
      await this.#line(whole);
    }
    if (last !== "") this.#pieces.push(last);
    this.#piecesSize += last.length;
    if (this.#piecesSize + this.#dataSize > this.#maxSize) {
      throw new ProtocolError(`The server sent an event with more than ${this.#maxSize} characters`);
    }
  }

  async #line(line: string): Promise<void> {
    if (line === "") return await this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") {
      this.#data.push(value);
      this.#dataSize += value.length;
    } else if (field === "event") this.#type = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    else if (field === "retry" && /^\d{1,9}$/.test(value)) this.#sink.retry(Number(value));
  }

  async #dispatch(): Promise<void> {
    const [data, type, id] = [this.#data, this.#type, this.#id];
    this.#data = [];
    this.#type = "";
    this.#id = undefined;
    this.#dataSize = 0;
    if (id !== undefined) this.#sink.id(id);
    // Events of other types are for others.
    if (data.length > 0 && (type === "" || type === "message")) await this.#sink.data(data.join("\n"));
  }
}
