/** How this process was started, for a command line that starts the program again. Loaded only by code that prints one. */

/** The part of Deno that is used here, so that other compilers can check this file. */
declare const Deno: {
  build: { os: string; standalone: boolean };
  mainModule: string;
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
    return { os: osOf(platform), command: execPath, main: argv[1] };
  }
  const os = osOf(Deno.build.os);
  if (Deno.build.standalone) return { os, command: Deno.execPath(), main: undefined };
  let command = "deno";
  try {
    command = Deno.execPath();
  } catch {
    // The sandbox hides it.
  }
  const main = Deno.mainModule;
  if (!main.startsWith("file:")) return { os, command, main };
  const path = decodeURIComponent(new URL(main).pathname);
  return { os, command, main: os === "windows" ? path.slice(1).replaceAll("/", "\\") : path };
}

function osOf(platform: string): Start["os"] {
  return platform.startsWith("win") ? "windows" : platform === "darwin" ? platform : "linux";
}
