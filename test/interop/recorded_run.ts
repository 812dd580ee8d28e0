/** How is a program of the official packages run that hears a server over HTTP? With its `fetch` recorded, in a folder of its own. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { environment } from "./runtimes.ts";

const NODE = process.env["INTEROP_NODE"] ?? process.execPath;
const RECORDER = new URL("fetch_recorder.ts", import.meta.url).href;

/** What came of a run. */
export interface RecordedRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What the schemas say of all that it heard over HTTP. */
  readonly heard: {
    readonly problems: readonly string[];
    readonly messages: number;
  };
}

/**
 * Runs a program to its end.
 *
 * @param program Where it is below `node_modules`.
 * @param look Called with its folder before that is removed.
 */
export async function runRecorded(
  program: string,
  args: readonly string[],
  look: (folder: string) => void = () => {},
): Promise<RecordedRun> {
  const folder = mkdtempSync(`${tmpdir()}/architrave-recorded-`);
  const verdict = `${folder}/verdict.json`;
  const schemas = process.env["INTEROP_SCHEMA"];
  const flags = [
    "--experimental-strip-types",
    "--no-warnings",
    "--import",
    RECORDER,
  ];
  const script = fileURLToPath(
    new URL(`node_modules/${program}`, import.meta.url),
  );
  const child = spawn(NODE, [...flags, script, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...environment(),
      // What it keeps for the next time goes with the folder.
      HOME: folder,
      RECORDER_VERDICT: verdict,
      ...(schemas === undefined ? {} : { INTEROP_SCHEMA: schemas }),
    },
  });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on(
      "data",
      (text: string) => said[name] += text,
    );
  }
  try {
    const [code] = await once(child, "close");
    if (!existsSync(verdict)) {
      throw new Error(
        `${program} has not ended by itself; it said: ${said.stderr}`,
      );
    }
    look(folder);
    return { code, ...said, heard: JSON.parse(readFileSync(verdict, "utf8")) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
