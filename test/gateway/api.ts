/** A real HTTP server on this machine, as the API that a test calls. */

import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { createServer } from "node:http";

/** One request as it came; `url` is the path and the query. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request. */
export type Answering = (response: ServerResponse, asked: Asked) => void;

/** Starts a server that is gone after the test, and records the requests in order. */
export async function startApi(
  test: Pick<TestContext, "after">,
  answer: Answering = json({}),
): Promise<{ readonly origin: string; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    const chunks: Uint8Array[] = [];
    request.on("data", (chunk: Uint8Array) => void chunks.push(chunk)).on("end", () => {
      asked.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      answer(response, asked.at(-1)!);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Always answers with the same JSON. */
export function json(value: unknown): Answering {
  const headers = { "content-type": "application/json" };
  return (response) => void response.writeHead(200, headers).end(JSON.stringify(value));
}
