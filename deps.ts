/**
 * The seam to the platform, and the only thing this module depends on: there are no packages.
 *
 * The types say what is borrowed from the runtime; `loadPlatform` picks the adapter that lends it. Everything in
 * `lib/` takes a `Platform` (or a part of one) as an argument, so that it runs unchanged wherever an adapter does.
 */

/** What a folder holds. */
export interface DirectoryEntry {
  readonly name: string;
  /** What the entry itself is: a link is a link, whatever it leads to. */
  readonly kind: "file" | "directory" | "link" | "other";
}

/** What is known of a file, links followed. */
export interface FileStatus {
  readonly kind: "file" | "directory" | "other";
  /** In bytes. */
  readonly size: number;
  /** The time of the last change, in milliseconds since 1970. */
  readonly modified: number;
  /** Equal for two statuses exactly when they are of the same file. */
  readonly identity: string;
}

/** A file that is open for reading. Whoever opened it closes it. */
export interface OpenFile {
  status(): FileStatus;
  /** Everything from the start, or as much as `limit` bytes of it. */
  read(limit: number): Uint8Array;
  close(): void;
}

/**
 * Read access to files. All of it is synchronous: documents are small, local and read once, and a blocking read
 * costs a fraction of what a queued one does. Every call throws the runtime's own error when it fails.
 *
 * Needs read permission for the paths that it is given.
 */
export interface FileSystem {
  /** Between the segments of a real path: "/" or "\\". */
  readonly separator: string;
  list(path: string): DirectoryEntry[];
  status(path: string): FileStatus;
  /** The path with every link in it resolved. */
  realPath(path: string): string;
  open(path: string): OpenFile;
}

/** What a channel reports to whoever opened it. */
export interface ByteEvents {
  /** The next bytes. They are only valid during the call. */
  data(chunk: Uint8Array): void;
  /** The other side will send no more. Writing goes on. */
  end(): void;
  /** The channel is broken in either direction. */
  error(cause: unknown): void;
}

/** Bytes in both directions: standard streams, a socket, a pipe. */
export interface ByteChannel {
  /** Starts reading. Called once. */
  open(events: ByteEvents): void;
  /** Stops reading until `resume`: what is not read waits at the sender. */
  pause(): void;
  resume(): void;
  /** Writes all pieces in order; resolves when the system has taken them, and not before it is done with them. */
  write(pieces: readonly Uint8Array[]): Promise<void>;
  /** Lets go of the channel. What was written before still arrives. */
  close(): void;
}

/** What the arguments of a program say: its flags by name, and the words between them. */
export interface ReadArguments {
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
}

/** The flags that a program takes. */
export type Flags = Readonly<
  Record<
    string,
    { readonly type: "string" | "boolean"; readonly multiple?: boolean; readonly short?: string }
  >
>;

/** Reads arguments strictly: a flag that is not known or has no value is a `TypeError`. */
export type ArgumentReader = (args: readonly string[], flags: Flags) => Promise<ReadArguments>;

/** What the runtime lends us. */
export interface Platform {
  readonly name: "deno" | "node";
  /** The arguments of the program, without the runtime and the module. */
  readonly arguments: readonly string[];
  readonly readArguments: ArgumentReader;
  readonly files: FileSystem;
  /** True when a person is looking at standard input: nobody pipes anything in. */
  readonly interactive: boolean;
  /** The standard streams as one channel. Called once. */
  standardStreams(): ByteChannel;
  /** Writes text to standard output or standard error at once, and waits for it. */
  print(stream: "output" | "error", text: string): void;
  /** Calls back on what nothing else caught, in place of ending the process. */
  onUncaught(report: (cause: unknown) => void): void;
  /** Ends the process. */
  exit(code: number): never;
}

/** Loads the adapter for the runtime that this runs on; the other one is never loaded. */
export async function loadPlatform(): Promise<Platform> {
  const { platform } = "Deno" in globalThis
    ? await import("./lib/platform/deno.ts")
    : await import("./lib/platform/node.ts");
  return platform;
}
