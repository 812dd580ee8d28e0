/**
 * The seam to the platform, and the only thing this module depends on: there are no packages.
 *
 * The types say what is borrowed from the runtime; `loadPlatform` picks the adapter that lends it. Everything in
 * `lib/` takes a `Platform` (or a part of one) as an argument, so that it runs unchanged wherever an adapter does.
 */

/** What a folder holds. */
export interface DirectoryEntry {
  /** The last segment of its path. */
  readonly name: string;
  /** What the entry itself is: a link is a link, whatever it leads to. */
  readonly kind: "file" | "directory" | "link" | "other";
}

/** What is known of a file, links followed. */
export interface FileStatus {
  /** What is there in the end: never a link. */
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
  /** What is known of the file that is open, whatever lies at its path by now. */
  status(): FileStatus;
  /** As much as `length` bytes from the start; fewer when the file has fewer. */
  read(length: number): Uint8Array;
  /** Lets go of the file. Called once, and last. */
  close(): void;
}

/** Some folders that are being watched. */
export interface Watch {
  /** Stops watching; nothing is reported afterwards. */
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
  /** What a folder holds, in no particular order; hidden files are in it, the folders above it are not. */
  list(path: string): DirectoryEntry[];
  /** What a path leads to. */
  status(path: string): FileStatus;
  /** The path with every link in it resolved. */
  realPath(path: string): string;
  /** Opens a file for reading. It belongs to the caller, who closes it. */
  open(path: string): OpenFile;
  /**
   * Watches these folders, and not what is in the folders in them; those that are not there are passed over. What is
   * reported is a hint: something happened, or perhaps nothing did, and it may happen without a report.
   *
   * @param onfailure Takes what ends the watching after it began; what keeps it from beginning is rejected with.
   */
  watch?(
    folders: Iterable<string>,
    onhint: () => void,
    onfailure: (cause: unknown) => void,
  ): Promise<Watch>;
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
  /** Goes on reading after `pause`; does nothing when nothing is paused. */
  resume(): void;
  /** Writes all pieces in order; resolves when the system has taken them, and not before it is done with them. */
  write(pieces: readonly Uint8Array[]): Promise<void>;
  /** Lets go of the channel. What was written before still arrives. */
  close(): void;
}

/** What the arguments of a program say: its flags by name, and the words between them. */
export interface ReadArguments {
  /** By the long name of the flag: true or a text, a list where the flag may come more than once. */
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  /** The words between the flags, in order. */
  readonly positionals: readonly string[];
}

/** The flags that a program takes, by long name; `short` is one letter. */
export type Flags = Readonly<
  Record<
    string,
    { readonly type: "string" | "boolean"; readonly multiple?: boolean; readonly short?: string }
  >
>;

/** Reads arguments strictly: it rejects with a `TypeError` for a flag that is not known or lacks its value. */
export type ArgumentReader = (args: readonly string[], flags: Flags) => Promise<ReadArguments>;

/** What the runtime lends us. */
export interface Platform {
  /** Which adapter this is. */
  readonly name: "deno" | "node";
  /** The arguments of the program, without the runtime and the module. */
  readonly arguments: readonly string[];
  /** Tells flags from words, in `arguments` or any other list of them. */
  readonly readArguments: ArgumentReader;
  /** Read access to files, as far as this process is permitted. */
  readonly files: FileSystem;
  /** True when a person is looking at standard input: nobody pipes anything in. */
  readonly interactive: boolean;
  /** The standard streams as one channel. Called once. */
  standardStreams(): ByteChannel;
  /** Writes text to standard output or standard error at once, and waits for it. */
  print(stream: "output" | "error", text: string): void;
  /** Calls back on what nothing else caught, in place of ending the process. */
  onUncaught(report: (cause: unknown) => void): void;
  /** Calls back when somebody asks the process to end; who asks a second time ends it at once. */
  onInterrupt(end: () => void): void;
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
