/** Looks up the addresses of hosts as `fetch` does. Deno has this module of Node, too. */

import dns from "node:dns/promises";

/** The addresses of a host name; none if it has none. */
export async function addressesOf(host: string): Promise<readonly string[]> {
  return (await dns.lookup(host, { all: true }).catch(() => [])).map(({ address }) => address);
}
