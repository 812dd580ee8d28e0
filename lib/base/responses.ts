/** Reads responses of untrusted servers: each redirect is checked, and bodies are limited. */

import { concat } from "./bytes.ts";

/** A redirect after `hops` others. `target` is undefined if `Location` is missing or not a URL. */
type Redirect = Readonly<{ status: number; location: string | null; target: URL | undefined; hops: number }>;

/** Follows redirects. `send` requests a URL with `redirect: "manual"`; `next` returns the URL to follow, or throws. */
export async function followRedirects(
  url: URL,
  send: (url: URL) => Promise<Response>,
  next: (redirect: Redirect) => URL,
): Promise<Response> {
  for (let hops = 0, from = url;; hops++) {
    const response = await send(from);
    const { status } = response;
    // The status is 0 if the runtime hides redirects.
    if (![0, 301, 302, 303, 307, 308].includes(status)) return response;
    discardBody(response);
    const location = response.headers.get("location");
    const target = location === null ? undefined : URL.parse(location, from.href) ?? undefined;
    from = next({ status, location, target, hops });
  }
}

/** The chunks of a body. Leaving the loop early cancels the body. Aborting the signal cancels it too, and throws the reason. */
export async function* readChunks(
  { body }: Pick<Response, "body">,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const reader = body?.getReader();
  if (!reader) return;
  const stop = () => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", stop);
  try {
    while (true) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      // On Deno, a short chunk may be a view of a long buffer: copy it, so that the buffer is freed.
      yield value.length * 2 < value.buffer.byteLength ? value.slice() : value;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
  }
}

/** The whole body; undefined if it has more than `maxBytes` after decompression. */
export async function readBytes(
  response: Pick<Response, "body">,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of readChunks(response, signal)) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return concat(chunks);
}

/** Cancels an unread body, which frees its connection. */
export function discardBody({ body }: Response): void {
  body?.cancel().catch(() => {});
}

/** The media type of a response in lower case, without parameters; "" if it has none. */
export function mediaType({ headers }: Response): string {
  return (headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
}
