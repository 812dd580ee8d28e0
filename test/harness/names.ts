/** Stands in for the network: host names have the given addresses, and requests are answered by a function. */

import type { TestContext } from "node:test";
import dns from "node:dns/promises";

/** Replaces lookups and `fetch` until the test ends. `addresses` may change meanwhile. */
export function replaceNetwork(
  t: TestContext,
  addresses: Readonly<Record<string, readonly string[]>>,
  answer: (url: string, init?: RequestInit) => Promise<Response>,
): void {
  const { fetch } = globalThis, { lookup } = dns;
  t.after(() => Object.assign(globalThis, { fetch }) && Object.assign(dns, { lookup }));
  const find = (host: string) => (addresses[host] ?? []).map((address) => ({ address, family: 0 }));
  dns.lookup = ((host: string) => Promise.resolve(find(host))) as never;
  globalThis.fetch = ((url: string | URL, init: RequestInit) => answer(String(url), init)) as typeof fetch;
}
