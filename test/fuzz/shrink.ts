/** What is the least that still goes wrong? Takes lines away from a find for as long as a new process fails in the same way. */

import type { Find } from "./campaign.ts";
import type { Cursors } from "./messages.ts";
import type { Shelf } from "./shelf.ts";
import type { Transcript, Turn } from "./transcript.ts";
import { Exchange } from "./exchange.ts";
import { Discrepancy } from "./ledger.ts";
import { META, MODERN } from "./messages.ts";
import { toLines, toStream } from "./transcript.ts";

/** For how long it is tried, in milliseconds. */
const BUDGET_MS = 120_000;
/** How often the whole find is tried: what depends on time may not happen each time. */
const TRIES = 4;
/** Attempts wait a tenth as long as the real run: what does not come in time is what is looked for. */
const HASTE = 0.1;

const encoder = new TextEncoder();

/** How one attempt went. */
interface Attempt {
  /** What went wrong, in a word; undefined when nothing did. */
  readonly kind: string | undefined;
  readonly turns: readonly Turn[];
}

/** Finds the shortest conversation that it can; where the failure does not come again, the conversation is the whole one. */
export async function shrink(shelf: Shelf, find: Find, cursors: Cursors): Promise<Transcript> {
  const deadline = performance.now() + BUDGET_MS;
  const { kind, message } = find.discrepancy;
  let isLeftAtOnce = false;
  const attempt = (lines: readonly Uint8Array[]) =>
    converse(shelf, [opening(find), lines], cursors, isLeftAtOnce);
  const fails = async (lines: readonly Uint8Array[]) => (await attempt(lines)).kind === kind;
  let sent = toLines(find.bytes);
  let isRepeated = false;
  for (let tried = 0; tried < TRIES && !isRepeated; tried++) {
    isLeftAtOnce = !isLeftAtOnce && tried > 0;
    isRepeated = await fails(sent);
  }
  for (
    let size = Math.ceil(sent.length / 2);
    isRepeated && size >= 1;
    size = size > 1 ? Math.ceil(size / 2) : 0
  ) {
    for (let start = 0; start < sent.length && performance.now() < deadline;) {
      const fewer = sent.toSpliced(start, size);
      if (fewer.length > 0 && await fails(fewer)) sent = fewer;
      else start += size;
    }
  }
  const how = isRepeated ? "" : " (it did not go wrong again when only this was sent)";
  return { note: `${kind}: ${message}${how}`, isWhole: true, turns: (await attempt(sent)).turns };
}

/** What brings a new process to where the find began: everything is loaded, and a handshake has agreed on something. */
function opening({ line, agreed }: Find): Uint8Array[] {
  if (line === 0) return [];
  const meta = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} };
  const reference = { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "name", value: "" } };
  const requests: object[] = [
    { method: "resources/list", params: { _meta: meta } },
    { method: "prompts/list", params: { _meta: meta } },
    { method: "tools/list", params: { _meta: meta } },
    { method: "completion/complete", params: { ...reference, _meta: meta } },
  ];
  const params = { protocolVersion: agreed, capabilities: {}, clientInfo: { name: "fuzz", version: "1" } };
  if (agreed !== undefined) requests.push({ method: "initialize", params });
  return requests.map((request, id) =>
    encoder.encode(JSON.stringify({ jsonrpc: "2.0", id: `opening-${id}`, ...request }))
  );
}

/** Goes through the turns in a new process, and waits for all answers, or leaves it to the end of the input to bring them. */
async function converse(
  shelf: Shelf,
  all: readonly (readonly Uint8Array[])[],
  cursors: Cursors,
  isLeftAtOnce: boolean,
): Promise<Attempt> {
  const turns: { sent: readonly Uint8Array[]; received: string[] }[] = [];
  const onoutput = (line: string) => {
    if (!line.includes('"id":"fuzz-')) turns.at(-1)!.received.push(line);
  };
  const exchange = new Exchange(shelf, { cursors, haste: HASTE, onoutput });
  try {
    for (const sent of all.filter((lines) => lines.length > 0)) {
      turns.push({ sent, received: [] });
      await exchange.send(toStream(sent));
      if (!isLeftAtOnce) await exchange.settle();
    }
    await exchange.finish();
    return { kind: undefined, turns };
  } catch (cause) {
    if (!(cause instanceof Discrepancy)) throw cause;
    return { kind: cause.kind, turns };
  } finally {
    exchange.subject.kill();
    await exchange.subject.exited;
  }
}
