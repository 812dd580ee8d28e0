/**
 * What connects us to a server? Two real pipes.
 *
 * `spawn` with `stdio: "pipe"` gives the child Unix sockets, whose buffers and rules differ from the pipes that a
 * shell or a client written in Python, Go or Rust gives it. Node cannot make a pipe, so `mkfifo` does.
 */
import { spawnSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How much is read at a time, in bytes: what a pipe holds on Linux. */
const READ_BYTES = 65_536;

/** The two ends of one pipe, as file descriptors. */
interface Pipe {
  readEnd: number;
  writeEnd: number;
}

/** A server's standard input and output, seen from both sides. */
export interface Pipes {
  /** File descriptors for the child; to be closed here once it has them. */
  child: { stdin: number; stdout: number };
  /** Where we write requests. */
  toServer: Socket;
  /** Where answers arrive; they go to the callback given. */
  fromServer: Socket;
}

/**
 * Opens the pipes for one server.
 *
 * @param onChunk Gets every chunk of output. The memory is used again for the next chunk: what is kept must be copied.
 */
export function openPipes(onChunk: (chunk: Buffer) => void): Pipes {
  const folder = mkdtempSync(join(tmpdir(), "architrave-pipes-"));
  try {
    const paths = [join(folder, "stdin"), join(folder, "stdout")] as const;
    const made = spawnSync("mkfifo", paths);
    if (made.status !== 0) {
      throw new Error("Cannot make pipes: the benchmark needs mkfifo, as Linux and macOS have it");
    }
    const [input, output] = [openPipe(paths[0]), openPipe(paths[1])];
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    const callback = (count: number) => (onChunk(buffer.subarray(0, count)), true);
    return {
      child: { stdin: input.readEnd, stdout: output.writeEnd },
      toServer: new Socket({ fd: input.writeEnd, readable: false, writable: true }),
      fromServer: new Socket({
        fd: output.readEnd,
        readable: true,
        writable: false,
        onread: { buffer, callback },
      }),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Opens both ends; the end for both directions keeps the openings from waiting for each other. */
function openPipe(path: string): Pipe {
  const keeper = openSync(path, constants.O_RDWR);
  const pipe = { readEnd: openSync(path, constants.O_RDONLY), writeEnd: openSync(path, constants.O_WRONLY) };
  closeSync(keeper);
  return pipe;
}
