/**
 * What does a program of somebody else's hear over HTTP? Loaded before it, this holds everything that comes over its `fetch`
 * against the official schemas, and at the end writes what it found into the file that `RECORDER_VERDICT` names.
 */

import { writeFileSync } from "node:fs";
import process from "node:process";
import { HttpRecording } from "./http_recording.ts";

const recording = new HttpRecording(globalThis.fetch);
globalThis.fetch = recording.fetch as typeof globalThis.fetch;
process.once(
  "exit",
  () =>
    writeFileSync(
      process.env["RECORDER_VERDICT"]!,
      JSON.stringify(recording.found),
    ),
);
