/** Which API does a test speak to? A real HTTP server on this machine that remembers what it was asked. */

import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { createServer } from "node:http";

/** One request as it came. */
export interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A running server. */
export interface Api {
  readonly origin: string;
  /** What it was asked, in order. */
  readonly asked: Asked[];
}

/** Answers one request. */
export type Answering = (response: ServerResponse, asked: Asked) => void;

/** Starts a server that is gone after the test. */
export async function startApi(test: Pick<TestContext, "after">, answer: Answering = json({})): Promise<Api> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const one = { method, url, headers, body: new TextDecoder().decode(joined(chunks)) };
      asked.push(one);
      answer(response, one);
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Always answers with the same JSON. */
export function json(value: unknown, status = 200): Answering {
  return (response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** Always answers with the same status, headers and body. */
export function plain(
  status: number,
  headers: Record<string, string> = {},
  body: string | Uint8Array = "",
): Answering {
  return (response) => void response.writeHead(status, headers).end(body);
}

/** Answers by path. */
export function routes(table: Readonly<Record<string, Answering>>): Answering {
  return (response, asked) => {
    const found = table[asked.url.split("?", 1)[0]!];
    if (found) found(response, asked);
    else response.writeHead(404).end();
  };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
