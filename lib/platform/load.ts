/** Picks the adapter of the runtime. Apart from `deps.ts`, so that the program need not load that to start. */

import type { Platform } from "./platform.ts";

/** Loads the adapter of the current runtime. The other one never runs. */
export async function loadPlatform(): Promise<Platform> {
  const { platform } = "Deno" in globalThis ? await import("./deno.ts") : await import("./node.ts");
  return platform;
}
