/** How this process was started, to build a command line that starts the program again. Loaded only by code that prints one. */

import { attempt } from "../base/text.ts";

/** The part of Deno that is used here, so that other compilers can check this file. */
declare const Deno: { build: { standalone: boolean }; mainModule: string; execPath(): string };

/** How this process was started. */
export interface Start {
  readonly os: "windows" | "darwin" | "linux";
  /** The path of the runtime, or its name if the path may not be read. */
  readonly command: string;
  /** The main module, a path or a URL; undefined for a program that includes its runtime. */
  readonly main: string | undefined;
  /** Where Node can keep compiled code, in the user's folder of caches; undefined on Deno, which has its own. */
  readonly cache?: string;
}

const CACHES = { windows: "AppData/Local", darwin: "Library/Caches", linux: ".cache" };

/** Reads how this process was started. Needs no permission. */
export async function readStart(): Promise<Start> {
  const process = await import("node:process");
  const { platform } = process;
  const os = platform === "win32" ? "windows" : platform === "darwin" ? platform : "linux";
  if (!("Deno" in globalThis)) {
    const { homedir } = await import("node:os");
    const cache = `${homedir()}/${CACHES[os]}/architrave`;
    return { os, command: process.execPath, main: process.argv[1], cache };
  }
  if (Deno.build.standalone) return { os, command: Deno.execPath(), main: undefined };
  // In a sandbox, older versions of Deno hide it.
  const command = attempt(() => Deno.execPath()) ?? "deno";
  const { fileURLToPath } = await import("node:url");
  const { mainModule } = Deno;
  return { os, command, main: mainModule.startsWith("file:") ? fileURLToPath(mainModule) : mainModule };
}
