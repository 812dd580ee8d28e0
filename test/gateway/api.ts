/** A real HTTP server on this machine, as the API that a test calls. */

import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { once } from "node:events";
import { createServer } from "node:http";

/** One request as it came. */
export interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** A running server. */
export interface Api {
  readonly origin: string;
  /** The requests, in order. */
  readonly asked: Asked[];
}

/** Answers one request. */
export type Answering = (response: ServerResponse, asked: Asked) => void;

/** Starts a server that is gone after the test. */
export async function startApi(test: Pick<TestContext, "after">, answer: Answering = json({})): Promise<Api> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    request.resume().on("end", () => {
      asked.push({ method, url, headers });
      answer(response, { method, url, headers });
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
  return (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}
