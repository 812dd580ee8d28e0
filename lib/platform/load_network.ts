/** Picks the network adapter of the runtime, at the first use of a network. Imported only by code that listens or connects. */

import type { Network } from "./network.ts";

/** Loads the network adapter of the current runtime. The other one never runs. */
export async function loadNetwork(): Promise<Network> {
  const { network } = "Deno" in globalThis ? await import("./deno_net.ts") : await import("./node_net.ts");
  return network;
}
