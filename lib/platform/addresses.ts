/** Finds out where a host name leads. Deno has this module of Node, too. */

import dns from "node:dns/promises";
import { isPrivate } from "../base/hosts.ts";

/**
 * Whether a host is private, or has a private address, looked up as `fetch` does. A name without an address, or one that a
 * sandbox does not let us look up, is not. By the time it is requested, the name may have another address.
 */
export async function leadsInside(host: string): Promise<boolean> {
  if (isPrivate(host)) return true;
  const found = await dns.lookup(host, { all: true }).catch(() => []);
  return found.some(({ address }) => isPrivate(address));
}
