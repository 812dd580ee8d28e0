/** How this process was started, for a command line that starts the program again. Loaded only by code that prints one. */

/** The part of Deno that is used here, so that other compilers can check this file. */
declare const Deno: {
  readonly build: { readonly os: string; readonly standalone: boolean };
  readonly mainModule: string;
  execPath(): string;
};

/** The start of this process. */
export interface Start {
  readonly os: "windows" | "darwin" | "linux";
  /** Path of the runtime, or its name when it must not be read. */
  readonly command: string;
  /** The main module, a path or a URL; undefined for a program that is its own runtime. */
  readonly main: string | undefined;
}

/** Reads how this process was started; it needs no permission. */
export async function readStart(): Promise<Start> {
  if (!("Deno" in globalThis)) {
    const { platform, execPath, argv } = await import("node:process");
    const os = platform === "win32" ? "windows" : platform === "darwin" ? "darwin" : "linux";
    return { os, command: execPath, main: argv[1] };
  }
  const { os } = Deno.build;
  const known = os === "windows" || os === "darwin" ? os : "linux";
  if (Deno.build.standalone) return { os: known, command: Deno.execPath(), main: undefined };
  let command = "deno";
  try {
    command = Deno.execPath();
  } catch {
    // The sandbox hides it.
  }
  const main = Deno.mainModule;
  if (!main.startsWith("file:")) return { os: known, command, main };
  const path = decodeURIComponent(new URL(main).pathname);
  return { os: known, command, main: os === "windows" ? path.slice(1).replaceAll("/", "\\") : path };
}
