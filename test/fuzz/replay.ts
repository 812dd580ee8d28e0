/** Does a conversation that was kept go the same way again? Says it once more, turn by turn, to a new process. */

import type { Shelf } from "./shelf.ts";
import type { Transcript, Turn } from "./transcript.ts";
import { pause, Subject } from "./subject.ts";
import { toStream } from "./transcript.ts";

/** How long the program may take for a turn, in milliseconds: far more than it needs. */
const PATIENCE_MS = 30_000;

/** How many pieces of a turn are given time to arrive by themselves. */
const MAX_PAUSES = 100;

/** How a conversation went this time. */
export interface Replay {
  readonly code: number | null;
  readonly errors: string;
  /** What came back in each turn; what came after the last was answered is in the last. */
  readonly turns: readonly Turn[];
}

/**
 * Says each turn once more, and waits for as many lines as came back then before the next one is said.
 *
 * @param cut How a turn is cut into chunks. @default {not at all}
 */
export async function replay(
  shelf: Shelf,
  transcript: Transcript,
  cut: (bytes: Uint8Array) => readonly Uint8Array[] = (bytes) => [bytes],
): Promise<Replay> {
  const turns: { sent: readonly Uint8Array[]; received: string[] }[] = [];
  let heard: () => void = () => {};
  const subject = new Subject(shelf.root, {
    line: (text) => void turns.at(-1)!.received.push(text),
    progress: () => heard(),
  });
  const timer = setTimeout(() => subject.kill(), PATIENCE_MS);
  for (const { sent, received } of transcript.turns) {
    const now = { sent, received: [] as string[] };
    turns.push(now);
    for (const [index, chunk] of cut(toStream(sent)).entries()) {
      await subject.write(chunk);
      if (index < MAX_PAUSES) await pause();
    }
    while (now.received.length < received.length && !subject.isOver) {
      await new Promise<void>((resolve) => heard = resolve);
    }
  }
  subject.end();
  const code = await subject.exited;
  clearTimeout(timer);
  return { code, errors: subject.errors, turns };
}
