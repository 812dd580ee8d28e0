/** Sends requests that `fetch` refuses, GET and HEAD with a body, with `node:http`, which Deno has too. Loaded when needed. */

import * as http from "node:http";
import * as https from "node:https";
import { Readable } from "node:stream";

/** Sends a request with a body. It follows no redirects and decompresses nothing. */
export async function requestWithBody(
  url: URL,
  { method, headers, body, signal }: RequestInit,
): Promise<Response> {
  const { request } = url.protocol === "https:" ? https : http;
  const bytes = body as Uint8Array<ArrayBuffer>;
  const fields = { ...headers as Record<string, string>, "content-length": `${bytes.length}` };
  const options = { method: method!, headers: fields, agent: false, signal: signal! };
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request(url, options, resolve).on("error", reject).end(bytes);
  });
  try {
    const { statusCode: status = 0, rawHeaders } = answer;
    const received = new Headers();
    for (let index = 0; index < rawHeaders.length; index += 2) {
      received.append(rawHeaders[index]!, rawHeaders[index + 1]!);
    }
    const isEmpty = method === "HEAD" || [204, 205, 304].includes(status);
    const content = isEmpty ? null : Readable.toWeb(answer) as ReadableStream<Uint8Array<ArrayBuffer>>;
    return new Response(content, { status, headers: received });
  } catch (cause) {
    answer.destroy();
    throw cause;
  }
}
