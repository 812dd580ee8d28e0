/** Runs commands in the process of the tests. No runtime starts for them; all but the exit is the code of the program. */

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import type { ByteEvents, OpenFile } from "../../deps.ts";
import { loadPlatform } from "../../deps.ts";
import { run } from "../../lib/cli/main.ts";
import { modern, REPOSITORY } from "./program.ts";

/** How the command is started. By default its input is an empty pipe. */
interface StartOptions {
  /** The text on standard input. */
  readonly input?: string | Uint8Array;
  /** Whether standard output is a terminal. */
  readonly showsOutput?: boolean;
  readonly noColor?: boolean;
  /** Whether standard input is a terminal. */
  readonly interactive?: boolean;
  readonly sandboxed?: boolean;
  /** Opens files, instead of the platform. */
  readonly open?: (path: string, open: (path: string) => OpenFile) => OpenFile;
  /** The folder of `mod.ts`. */
  readonly home?: string | undefined;
  /** Interrupts the command when it settles. */
  readonly interrupted?: Promise<void>;
  /** Receives what is printed. */
  readonly onprint?: (text: string) => void;
}

/** Runs a command to its end, as `run` of `program.ts` does with a process of its own. */
export async function runHere(
  args: readonly string[],
  { input = "", showsOutput = false, noColor = false, interactive = false, sandboxed = false, ...rest }:
    StartOptions = {},
): Promise<{ code: number; output: string; errors: string }> {
  const printed = { output: "", error: "" };
  const real = await loadPlatform();
  const { files } = real;
  const { open, interrupted, onprint } = rest;
  const platform = Object.create(
    real,
    Object.getOwnPropertyDescriptors({
      files: open ? { ...files, open: (path: string) => open(path, files.open) } : files,
      arguments: args,
      showsOutput,
      noColor,
      interactive,
      sandboxed,
      onUncaught() {},
      onInterrupt: (end: () => void) => void interrupted?.then(end),
      standardStreams: () => ({
        open: ({ data, end }: ByteEvents) => {
          data(typeof input === "string" ? new TextEncoder().encode(input) : input);
          end();
        },
        pause() {},
        resume() {},
        close() {},
        write(pieces: readonly Uint8Array[]) {
          for (const piece of pieces) printed.output += new TextDecoder().decode(piece);
          return Promise.resolve();
        },
      }),
      print(stream: keyof typeof printed, text: string) {
        printed[stream] += text;
        onprint?.(text);
      },
    }),
  );
  const code = await run(platform, "home" in rest ? rest.home : REPOSITORY);
  return { code, output: printed.output, errors: printed.error };
}

/**
 * Runs a command line several times while another program edits a file. The first run meets the edit at its second read of the
 * file, the next run at its third read, and so on, until a run does not read the file that often. Calls back with the result of
 * each run that met an edit, then restores the file. Returns how often a run reads the file.
 */
export async function editMeanwhile(
  line: Line,
  folder: string,
  file: string,
  met: (result: Awaited<ReturnType<typeof runHere>>) => void,
): Promise<number> {
  const path = `${folder}/${file}`, before = readFileSync(path);
  for (let reads = 2;; reads++) {
    let left = reads;
    const open: StartOptions["open"] = (opened, open) => {
      if (opened.endsWith(file) && --left === 0) writeFileSync(path, "# Edited\n");
      return open(opened);
    };
    const result = await cli(line, folder, { open });
    if (left > 0) {
      assert.equal(result.code, 0, result.errors);
      return reads - 1;
    }
    met(result);
    writeFileSync(path, before);
  }
}

/** A command line: its words, or a text with spaces between them. "DIR" stands for a folder. */
type Line = string | readonly string[];

/** Runs a command line. */
export function cli(line: Line, folder = "", options: StartOptions = {}): ReturnType<typeof runHere> {
  const words = typeof line === "string" ? line.split(" ").filter(Boolean) : line;
  return runHere(words.map((word) => word.replaceAll("DIR", folder)), options);
}

/** The answer of a command as JSON. */
// deno-lint-ignore no-explicit-any
export async function cliJson(line: string, folder = ""): Promise<any> {
  return JSON.parse((await cli(`${line} --format json`, folder)).output);
}

/** Runs command lines that end with a code other than 0: they print one line on standard error, which matches, and no output. */
export async function assertFails(
  rows: readonly (readonly [line: Line, code: number, message: RegExp])[],
  folder = "",
): Promise<void> {
  for (const [line, code, message] of rows) {
    const { errors, ...rest } = await cli(line, folder);
    assert.deepEqual(rest, { code, output: "" }, `${line}: ${errors}`);
    assert.match(errors, message, String(line));
    assert.match(errors, /^architrave: [^\n]+\n$/, "one line");
  }
}

/** Sends modern requests to `serve`; returns its answers in their order, and what it prints. */
export async function serveHere(
  line: Line,
  folder: string,
  requests: readonly (readonly [method: string, params?: object])[],
  options: StartOptions = {},
  // deno-lint-ignore no-explicit-any
): Promise<{ output: string; errors: string; answers: any[] }> {
  const messages = requests.map(([method, params], id) => ({
    jsonrpc: "2.0",
    id,
    method,
    params: modern(params),
  }));
  const input = messages.map((message) => `${JSON.stringify(message)}\n`).join("");
  const printed = await cli(line, folder, { ...options, input });
  assert.equal(printed.code, 0, printed.errors);
  const answers = printed.output.trimEnd().split("\n").map((text) => JSON.parse(text));
  return { ...printed, answers: answers.sort((one, other) => one.id - other.id) };
}
