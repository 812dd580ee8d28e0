/** HTTP with servers that are not trusted: redirects one by one, bodies with a limit, addresses of this machine. */

import { concat } from "./bytes.ts";

/** A redirect after `hops` others; without a target where `Location` is missing or not a URL. */
type Redirect = { readonly status: number; location: string | null; target: URL | undefined; hops: number };

/** Follows redirects: `send` sends to one URL with `redirect: "manual"`; `next` gives the next URL, or throws. */
export async function followRedirects(
  url: URL,
  send: (url: URL) => Promise<Response>,
  next: (redirect: Redirect) => URL,
): Promise<Response> {
  for (let hops = 0, from = url;; hops++) {
    const response = await send(from);
    const { status } = response;
    // The status is 0 where the runtime hides the response.
    if (![0, 301, 302, 303, 307, 308].includes(status)) return response;
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
      // Deno may give a short chunk in a long buffer, which would stay in memory with it.
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

/** The version of IP and the bits of an address, written as by the URL parser: "40111…"; "" for a name. */
function bitsOf(host: string): string {
  const toBits = (parts: readonly string[], radix: number, width: number) =>
    parts.map((part) => parseInt(part, radix).toString(2).padStart(width, "0")).join("");
  if (/^[\d.]+$/.test(host)) return `4${toBits(host.split("."), 10, 8)}`;
  return host.includes(":") ? `6${toBits(groupsOf(host), 16, 16)}` : "";
}

/** The eight groups of an IPv6 address, those included that "::" stands for. */
export function groupsOf(address: string): string[] {
  const [head = [], tail = []] = address.split("::").map((half) => half === "" ? [] : half.split(":"));
  const zeros = Array<string>(Math.max(0, 8 - head.length - tail.length)).fill("0");
  return [...head, ...zeros, ...tail];
}

/** Makes a test of hosts: by a pattern for names, and by blocks of addresses. */
function hostTest(names: RegExp, blocks: string): (hostname: string) => boolean {
  const prefixes = blocks.trim().split(/\s+/).map((block) => {
    const [address, length] = block.split("/");
    return bitsOf(address!).slice(0, Number(length) + 1);
  });
  return (hostname) => {
    const host = hostname.replace(/^\[|\.?\]?$/g, "");
    const bits = bitsOf(host);
    return bits === "" ? names.test(host) : prefixes.some((prefix) => bits.startsWith(prefix));
  };
}

/** Whether a host is this machine. */
export const isLoopback: (hostname: string) => boolean = hostTest(
  /(?:^|\.)localhost$/i,
  "127.0.0.0/8 ::1/128",
);

/** Whether secrets may be sent to a URL: over https, or to this machine. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

/**
 * Whether a host is known to this machine or its network alone: names without a dot, in special-use domains or in those of routers
 * and firms; addresses in IANA's special-purpose registries, IPv4 in IPv6 (compatible, mapped, NAT64, Teredo, 6to4), multicast.
 */
export const isPrivate: (hostname: string) => boolean = hostTest(
  /^[^.:]*$|(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|test|alt|home\.arpa)$/i,
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
  192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  ::/96 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20
  5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8`,
);
