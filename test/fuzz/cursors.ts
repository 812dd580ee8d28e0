/** Which cursors does the program give out? Asked page by page: they are opaque, so nobody else can make one. */

import type { Cursors } from "./messages.ts";
import type { Json } from "./rules.ts";
import type { Shelf } from "./shelf.ts";
import { META, MODERN } from "./messages.ts";
import { Subject } from "./subject.ts";

const PAGED = ["resources/list", "resources/templates/list", "prompts/list", "tools/list"];
const encoder = new TextEncoder();

/** Walks every list to its end; the cursors of each are in the order of its pages. */
export async function readCursors(shelf: Shelf): Promise<Cursors> {
  let answered: ((answer: Json) => void) | undefined;
  const subject = new Subject(shelf.root, {
    line: (text) => answered?.(JSON.parse(text)),
    progress: () => {},
  });
  const ask = (method: string, cursor: unknown) => {
    const answer = new Promise<Json>((resolve, reject) => {
      answered = resolve;
      void subject.exited.then((code) =>
        reject(new Error(`The program ended with ${code}: ${subject.errors}`))
      );
    });
    const _meta = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} };
    const params = cursor === undefined ? { _meta } : { cursor, _meta };
    void subject.write(encoder.encode(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`));
    return answer;
  };
  const cursors: Record<string, string[]> = {};
  for (const method of PAGED) {
    const found: string[] = cursors[method] = [];
    for (let next: unknown = undefined; found.length < 100;) {
      next = ((await ask(method, next))["result"] as Json)["nextCursor"];
      if (typeof next !== "string") break;
      found.push(next);
    }
  }
  subject.end();
  await subject.exited;
  return cursors;
}
