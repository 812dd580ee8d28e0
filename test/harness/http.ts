/** Servers on a port of their own, and the messages of an answer over HTTP. */

import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";

/** Listens on a port of its own, and gives its origin. */
export async function listenLocally(server: Server): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes a server with all its connections. */
export function closeNow(server: HttpServer): void {
  server.close();
  server.closeAllConnections();
}

/**
 * The messages of an answer, as they come: the data of each event of a stream, or the whole body.
 *
 * @throws {SyntaxError} When a stream ends within an event.
 */
export async function* dataOf(response: Response): AsyncGenerator<string> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const text = await response.text();
    if (text !== "") yield text;
    return;
  }
  let rest = "";
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (rest + text).split("\n\n");
    rest = events.pop()!;
    for (const event of events) {
      const data = event.split("\n").filter((line) => line.startsWith("data: ")).map((line) => line.slice(6))
        .join("\n");
      if (data !== "") yield data;
    }
  }
  if (rest !== "") throw new SyntaxError(`half an event: ${rest}`);
}
