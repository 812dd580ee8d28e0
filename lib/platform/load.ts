/** Picks the adapter of the runtime. Apart from the types in `deps.ts`, which a program then need not read to start. */

import type { Platform } from "./platform.ts";

/** Loads the adapter of the current runtime. The other one never runs. */
export async function loadPlatform(): Promise<Platform> {
  const { platform } = "Deno" in globalThis ? await import("./deno.ts") : await import("./node.ts");
  return platform;
}
