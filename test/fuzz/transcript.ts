/**
 * How is a conversation kept? As JSON lines, `{"sent": line}` and `{"received": line}` in the order in which they went, the
 * way the rest of the tests keep theirs, with two things more: `{"note": text}` says what it shows, and
 * `{"sentBytes": base64}` is a line that is not UTF-8.
 */

import { Buffer } from "node:buffer";
import { joined } from "./framing.ts";

/** What was sent without waiting, and what came back before anything else was sent. */
export interface Turn {
  /** Lines without their ends. */
  readonly sent: readonly Uint8Array[];
  readonly received: readonly string[];
}

/** A conversation. */
export interface Transcript {
  /** What it shows. */
  readonly note: string;
  /** True when it only goes like this if each turn arrives in one piece. */
  readonly isWhole: boolean;
  readonly turns: readonly Turn[];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const LINE_END = encoder.encode("\n");

/** Writes a conversation down. */
export function writeTranscript({ note, isWhole, turns }: Transcript): string {
  const entries = turns.flatMap(({ sent, received }) => [
    ...sent.map(toEntry),
    ...received.map((line) => ({ received: line })),
  ]);
  const head = isWhole ? { note, whole: true } : { note };
  return [head, ...entries].map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

function toEntry(line: Uint8Array): object {
  try {
    return { sent: decoder.decode(line) };
  } catch {
    return { sentBytes: Buffer.from(line).toString("base64") };
  }
}

interface Entry {
  readonly note?: string;
  readonly whole?: boolean;
  readonly sent?: string;
  readonly sentBytes?: string;
  readonly received?: string;
}

/** Reads a conversation. */
export function readTranscript(text: string): Transcript {
  const entries = text.trimEnd().split("\n").map((line) => JSON.parse(line) as Entry);
  const turns: { sent: Uint8Array[]; received: string[] }[] = [];
  for (const { sent, sentBytes, received } of entries) {
    const line = sentBytes === undefined
      ? sent && encoder.encode(sent)
      : new Uint8Array(Buffer.from(sentBytes, "base64"));
    // What is sent after something was received opens the next turn.
    if (turns.length === 0 || (line && turns.at(-1)!.received.length > 0)) {
      turns.push({ sent: [], received: [] });
    }
    if (line) turns.at(-1)!.sent.push(line);
    if (received !== undefined) turns.at(-1)!.received.push(received);
  }
  const [head] = entries;
  return { note: head?.note ?? "", isWhole: head?.whole ?? false, turns };
}

/** The lines as a stream, each with an end. */
export function toStream(lines: readonly Uint8Array[]): Uint8Array {
  return joined(lines.flatMap((line) => [line, LINE_END]));
}

/** The lines of a stream without their ends; what stands behind the last end is a line too. */
export function toLines(stream: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let end = stream.indexOf(LINE_END[0]!); end >= 0; end = stream.indexOf(LINE_END[0]!, start)) {
    lines.push(stream.subarray(start, end));
    start = end + 1;
  }
  return start < stream.length ? [...lines, stream.subarray(start)] : lines;
}

/** What matters of a line that came back: the ids and how each was answered, the answers to a batch in any order. */
export function gistOf(line: string): string {
  const value = JSON.parse(line) as unknown;
  if (Array.isArray(value)) return `[${value.map(gistOfOne).sort().join(", ")}]`;
  return gistOfOne(value);
}

function gistOfOne(message: unknown): string {
  const { id, error } = message as { id?: unknown; error?: { code: number } };
  return `${id === undefined ? "no id" : JSON.stringify(id)}: ${error ? error.code : "result"}`;
}
