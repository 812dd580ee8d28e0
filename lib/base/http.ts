/** HTTP with servers that are not trusted: redirects one by one, bodies with a limit, addresses of this machine. */

import { concat } from "./bytes.ts";

/** A redirect after `hops` others; without a target where `Location` is missing or no URL. */
interface Redirect {
  readonly status: number;
  readonly location: string | null;
  readonly target: URL | undefined;
  readonly hops: number;
}

/** The status is 0 where the runtime hides the response. */
const REDIRECTS: ReadonlySet<number> = new Set([0, 301, 302, 303, 307, 308]);

/** Follows redirects: `send` sends to one URL with `redirect: "manual"`; `next` gives the next URL, or throws. */
export async function followRedirects(
  url: URL,
  send: (url: URL) => Promise<Response>,
  next: (redirect: Redirect) => URL,
): Promise<Response> {
  for (let hops = 0, from = url;; hops++) {
    const response = await send(from);
    const { status } = response;
    if (!REDIRECTS.has(status)) return response;
    discardBody(response);
    const location = response.headers.get("location");
    const target = location === null ? undefined : URL.parse(location, from) ?? undefined;
    from = next({ status, location, target, hops });
  }
}

/** The chunks of a body. Leaving the loop closes the connection; the signal stops it, and its reason is thrown. */
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
      // Deno gives short ones in long buffers.
      yield value.length * 2 < value.buffer.byteLength ? value.slice() : value;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    stop();
  }
}

/** The whole body; undefined when it has more than `maxBytes` after decompression. */
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

/** Closes a body that is not read. */
export function discardBody({ body }: Response): void {
  body?.cancel().catch(() => {});
}

/** The media type of a response in lower case, without parameters; "" where it has none. */
export function mediaType({ headers }: Response): string {
  return (headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** Whether an address is only reachable from this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}
