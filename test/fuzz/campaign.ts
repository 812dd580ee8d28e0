/**
 * Fuzzes the program in many short lives, each of which is asked much before anything is ready and then left at once, and
 * one long life. Whether memory grows is measured by `wire/flow_test.ts` and `http/leaks_test.ts`.
 */

import { concat } from "../../lib/base/bytes.ts";
import type { Json } from "./rules.ts";
import type { Report } from "./exchange.ts";
import { Exchange, Subject } from "./exchange.ts";
import { Generator } from "./generator.ts";
import type { Cursors } from "./messages.ts";
import { PLAIN_META } from "./messages.ts";
import { Discrepancy } from "./model.ts";
import { Random } from "./random.ts";
import type { Root } from "./root.ts";

/** The most lines between two looks at whether everything is there. */
const MAX_STRETCH = 400;
/** How many lines a short life is sent. */
const SHORT_LIFE = 100;
/** How many short lives there are. */
const LIVES = 4;

/** Asks the program for its cursors, which are opaque. */
async function readCursors(root: Root): Promise<Cursors> {
  let answered: (answer: Json) => void;
  const subject = new Subject(root, (line) => answered(JSON.parse(line)));
  const ask = (method: string, cursor: unknown) => {
    const request = { jsonrpc: "2.0", id: 1, method, params: { cursor, _meta: PLAIN_META } };
    void subject.write(new TextEncoder().encode(`${JSON.stringify(request)}\n`));
    return new Promise<Json>((resolve) => answered = resolve);
  };
  const cursors: Record<string, string[]> = {};
  for (const method of ["resources/list", "resources/templates/list", "prompts/list", "tools/list"]) {
    const found: string[] = cursors[method] = [];
    while (true) {
      const { nextCursor } = (await ask(method, found.at(-1)))["result"] as { nextCursor?: string };
      if (nextCursor === undefined) break;
      found.push(nextCursor);
    }
  }
  await subject.kill();
  return cursors;
}

/** Fuzzes with this many lines until all are sent or something is found. */
export async function fuzz(root: Root, seed: number, count: number): Promise<Report> {
  const cursors = await readCursors(root);
  const report: Report = { sent: 0, counts: new Map() };
  for (let life = 0; life <= LIVES && !report.find; life++) {
    const isLong = life === LIVES;
    const seedOfLife = Math.imul(seed, 0x9e3779b1) + life;
    const generator = new Generator(seedOfLife, cursors);
    // Decides about lengths and chunks; what is in the lines is decided apart from it.
    const random = new Random(~seedOfLife);
    const exchange = new Exchange(root, cursors, report.counts);
    const { model } = exchange;
    const total = isLong ? Math.max(1, count - LIVES * SHORT_LIFE) : SHORT_LIFE;
    let [sent, where, bytes] = [0, "", new Uint8Array(0) as Uint8Array];
    try {
      while (sent < total) {
        const length = isLong ? Math.min(random.between(1, MAX_STRETCH), total - sent) : total;
        bytes = concat(Array.from({ length }, () => generator.next()));
        where = `in life ${life}, after line ${sent}, with ${model.agreed}`;
        await exchange.send(bytes, random);
        sent += length;
        if (isLong) await exchange.settle();
      }
      await exchange.finish();
    } catch (cause) {
      if (!(cause instanceof Discrepancy)) throw cause;
      report.find = { message: `${cause.message}, ${where}`, bytes };
    } finally {
      report.sent += model.lines;
      await exchange.subject.kill();
    }
  }
  return report;
}
