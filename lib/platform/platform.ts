/** The platform interface: what the code in `lib/` needs from a runtime. Functions take a `Platform`, or a part of one. */

/** An entry of a folder. */
export interface DirectoryEntry {
  /** The last segment of its path. */
  readonly name: string;
  /** "link" for every symbolic link, whatever its target is. */
  readonly kind: "file" | "directory" | "link" | "other";
}

/** The status of a file; links are followed. */
export interface FileStatus {
  /** For a link, the kind of its target. */
  readonly kind: "file" | "directory" | "other";
  /** In bytes. */
  readonly size: number;
  /** The time of the last change, in milliseconds since 1970. */
  readonly modified: number;
  /** The same for two statuses if and only if they describe the same file. */
  readonly identity: string;
}

/** A file that is open for reading. The code that opened it closes it. */
export interface OpenFile {
  /** The status of the open file, even if another file has taken its path since. */
  status(): FileStatus;
  /** The first `length` bytes; fewer when the file has fewer. */
  read(length: number): Uint8Array;
  /** Closes the file. Called once, and last. */
  close(): void;
}

/** A watch on folders. */
export interface Watch {
  /** Stops watching; nothing is reported after this. */
  close(): void;
}

/**
 * Read access to files. It is synchronous: documents are small, local and read once, and a blocking read costs a fraction
 * of an asynchronous one. A call that fails throws the runtime's own error.
 *
 * Needs read permission for the paths.
 */
export interface FileSystem {
  /** Separates the segments of a real path: "/" or "\\". */
  readonly separator: string;
  /** The entries of a folder in no particular order, including hidden ones but not "." and "..". */
  list(path: string): DirectoryEntry[];
  /** The status of a path. */
  status(path: string): FileStatus;
  /** The path with all links resolved. */
  realPath(path: string): string;
  /** Opens a file for reading. The caller closes it. */
  open(path: string): OpenFile;
  /**
   * Watches folders, but not their subfolders; folders that do not exist are skipped. Reports are hints: a report may come
   * without a change, and a change without a report.
   *
   * @param onhint Called when something may have changed.
   * @param onfailure Receives the error that ends the watch later. An error before it begins rejects.
   */
  watch?(
    folders: Iterable<string>,
    onhint: () => void,
    onfailure: (cause: unknown) => void,
  ): Promise<Watch>;
}

/** The events of a channel. */
export interface ByteEvents {
  /** The next bytes, valid only during the call. */
  data(chunk: Uint8Array): void;
  /** The peer has ended its output. It may still read. */
  end(): void;
  /** The channel is broken, in either direction. */
  error(cause: unknown): void;
}

/** Bytes in both directions: standard streams, a socket, a pipe. */
export interface ByteChannel {
  /** Starts reading. Called once. */
  open(events: ByteEvents): void;
  /** Stops reading until `resume`, so that the sender has to wait. */
  pause(): void;
  /** Continues after `pause`; does nothing when not paused. */
  resume(): void;
  /** Writes all pieces in order; resolves when the system has taken them. Then they may be reused. */
  write(pieces: readonly Uint8Array[]): Promise<void>;
  /** Closes the channel. Bytes that were written before still arrive. */
  close(): void;
}

/** A runtime. */
export interface Platform {
  /** Which adapter this is. */
  readonly name: "deno" | "node";
  /** The command-line arguments, without the runtime and the module. */
  readonly arguments: readonly string[];
  /** Read access to the files that this process may read. */
  readonly files: FileSystem;
  /** Whether standard input is a terminal. */
  readonly interactive: boolean;
  /** Whether standard output is a terminal. */
  readonly showsOutput: boolean;
  /** Whether the user wants output without colours (`NO_COLOR`). */
  readonly noColor: boolean;
  /** Whether the runtime restricts which files can be read. */
  readonly sandboxed: boolean;
  /** The standard streams as one channel. Called once. */
  standardStreams(): ByteChannel;
  /** Writes text to standard output or standard error, synchronously. `level` is for a log as JSON. @default {"info"} */
  print(stream: "output" | "error", text: string, level?: "info" | "error"): void;
  /** Reports uncaught errors instead of ending the process. */
  onUncaught(report: (cause: unknown) => void): void;
  /** Calls back on the first signal that asks the process to end; the second one ends it at once. */
  onInterrupt(end: () => void): void;
  /** Ends the process. */
  exit(code: number): void;
}
