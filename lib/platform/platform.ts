/** The platform interface: what the code in `lib/` needs of a runtime. It takes a `Platform`, or a part of one, as an argument. */

/** An entry of a folder. */
export interface DirectoryEntry {
  /** The last segment of its path. */
  readonly name: string;
  /** A link is a link, whatever it leads to. */
  readonly kind: "file" | "directory" | "link" | "other";
}

/** The status of a file, links followed. */
export interface FileStatus {
  /** The kind of the link's target, for a link. */
  readonly kind: "file" | "directory" | "other";
  /** In bytes. */
  readonly size: number;
  /** The time of the last change, in milliseconds since 1970. */
  readonly modified: number;
  /** Equal for two statuses exactly when they are of the same file. */
  readonly identity: string;
}

/** A file that is open for reading. The code that opened it closes it. */
export interface OpenFile {
  /** The status of the open file, whatever is at its path by now. */
  status(): FileStatus;
  /** The first `length` bytes; fewer when the file has fewer. */
  read(length: number): Uint8Array;
  /** Closes the file. Called once, and last. */
  close(): void;
}

/** Folders that are being watched. */
export interface Watch {
  /** Stops watching; nothing is reported afterwards. */
  close(): void;
}

/**
 * Read access to files. It is synchronous: documents are small, local and read once, and a blocking read costs a fraction
 * of a queued one. Every call throws the runtime's own error when it fails.
 *
 * Needs read permission for the paths that it is given.
 */
export interface FileSystem {
  /** Between the segments of a real path: "/" or "\\". */
  readonly separator: string;
  /** The entries of a folder in no particular order, with hidden ones, without "." and "..". */
  list(path: string): DirectoryEntry[];
  /** The status of a path. */
  status(path: string): FileStatus;
  /** The path with all links resolved. */
  realPath(path: string): string;
  /** Opens a file for reading. The caller closes it. */
  open(path: string): OpenFile;
  /**
   * Watches folders, without the folders in them; those that do not exist are passed over. Reports are hints: nothing may
   * have happened, and something may happen without a report.
   *
   * @param onfailure Receives what ends the watching later; what keeps it from beginning rejects.
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
  /** The peer sends no more. It may still read. */
  end(): void;
  /** The channel is broken, in either direction. */
  error(cause: unknown): void;
}

/** Bytes in both directions: standard streams, a socket, a pipe. */
export interface ByteChannel {
  /** Starts reading. Called once. */
  open(events: ByteEvents): void;
  /** Stops reading until `resume`: what is not read waits at the sender. */
  pause(): void;
  /** Continues after `pause`; does nothing when not paused. */
  resume(): void;
  /** Writes all pieces in order; resolves when the system has taken them, and they may be reused. */
  write(pieces: readonly Uint8Array[]): Promise<void>;
  /** Closes the channel. What was written before still arrives. */
  close(): void;
}

/** A runtime. */
export interface Platform {
  /** Which adapter this is. */
  readonly name: "deno" | "node";
  /** The arguments of the program, without the runtime and the module. */
  readonly arguments: readonly string[];
  /** Read access to files, as far as this process is permitted. */
  readonly files: FileSystem;
  /** Whether standard input is a terminal. */
  readonly interactive: boolean;
  /** Whether standard output is a terminal. */
  readonly showsOutput: boolean;
  /** Whether the user asks for output without colours (`NO_COLOR`). */
  readonly noColor: boolean;
  /** Whether the runtime restricts which files can be read. */
  readonly sandboxed: boolean;
  /** The standard streams as one channel. Called once. */
  standardStreams(): ByteChannel;
  /** Writes text to standard output or standard error, synchronously. */
  print(stream: "output" | "error", text: string): void;
  /** Reports what nothing else has caught, in place of ending the process. */
  onUncaught(report: (cause: unknown) => void): void;
  /** Calls back on a signal that asks the process to end; a second one ends it at once. */
  onInterrupt(end: () => void): void;
  /** Ends the process. */
  exit(code: number): void;
}
