/**
 * Fuzzes the program in many short lives, each of which is asked much before anything is ready and then left at once, and
 * one long life. Whether memory grows is measured by the soak benchmark.
 */

import type { Json } from "./rules.ts";
import { Exchange, Subject } from "./exchange.ts";
import { Generator, joined } from "./generator.ts";
import type { Cursors } from "./messages.ts";
import { META, MODERN } from "./messages.ts";
import { Discrepancy } from "./model.ts";
import { Random } from "./random.ts";
import type { Root } from "./root.ts";

/** The most lines between two looks at whether everything is there. */
const MAX_STRETCH = 400;
/** How many lines a short life is sent. */
const SHORT_LIFE = 100;
/** How many short lives there are. */
const LIVES = 4;

/** What was found: which life it was, and the stretch in which it happened. */
export interface Find {
  readonly discrepancy: Discrepancy;
  readonly life: number;
  /** How many lines of that life were drawn before. */
  readonly line: number;
  /** What had been agreed before. */
  readonly agreed: string | undefined;
  readonly bytes: Uint8Array;
}

/** How it went. */
export interface Report {
  lines: number;
  /** How many answers came back, by kind. */
  readonly counts: ReadonlyMap<string, number>;
  find?: Find;
}

/** Asks the program for its cursors, which are opaque. */
async function readCursors(root: Root): Promise<Cursors> {
  let answered: (answer: Json) => void;
  const subject = new Subject(root, (line) => answered(JSON.parse(line)));
  const ask = (method: string, cursor: unknown) => {
    const _meta = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} };
    const request = {
      jsonrpc: "2.0",
      id: 1,
      method,
      params: { ...(cursor === undefined ? {} : { cursor }), _meta },
    };
    void subject.write(new TextEncoder().encode(`${JSON.stringify(request)}\n`));
    return new Promise<Json>((resolve) => answered = resolve);
  };
  const cursors: Record<string, string[]> = {};
  for (const method of ["resources/list", "resources/templates/list", "prompts/list", "tools/list"]) {
    const found: string[] = cursors[method] = [];
    for (let next: unknown = undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
      const result = (await ask(method, next))["result"] as Json;
      next = result["nextCursor"];
      if (typeof next === "string") found.push(next);
    }
  }
  await subject.kill();
  return cursors;
}

/** Fuzzes with this many lines until all are sent or something is found. */
export async function fuzz(root: Root, seed: number, count: number): Promise<Report> {
  const cursors = await readCursors(root);
  const counts = new Map<string, number>();
  const report: Report = { lines: 0, counts };
  for (let life = 0; life <= LIVES && !report.find; life++) {
    const isLong = life === LIVES;
    const seedOfLife = Math.imul(seed, 0x9e3779b1) + life;
    const generator = new Generator(seedOfLife, cursors);
    // Decides about lengths and chunks; what is in the lines is decided apart from it.
    const random = new Random(~seedOfLife);
    const exchange = new Exchange(root, { cursors, counts });
    const total = isLong ? Math.max(1, count - LIVES * SHORT_LIFE) : SHORT_LIFE;
    let find: Omit<Find, "discrepancy"> = { life, line: 0, agreed: undefined, bytes: new Uint8Array(0) };
    try {
      for (let sent = 0; sent < total;) {
        const length = isLong ? Math.min(random.between(1, MAX_STRETCH), total - sent) : total;
        const bytes = joined(Array.from({ length }, () => generator.next()));
        find = { life, line: sent, agreed: exchange.model.agreed, bytes };
        await exchange.send(bytes, random);
        sent += length;
        if (!isLong) break;
        await exchange.settle();
      }
      await exchange.finish();
    } catch (cause) {
      if (!(cause instanceof Discrepancy)) throw cause;
      report.find = { discrepancy: cause, ...find };
    } finally {
      report.lines += exchange.model.lines;
      await exchange.subject.kill();
    }
  }
  return report;
}
