/** What does the official conformance suite say of a server? Run as a process of its own, with what it writes down of each check. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { environment } from "./runtimes.ts";

const NODE = process.env["INTEROP_NODE"] ?? process.execPath;
const SUITE = fileURLToPath(
  new URL("node_modules/@modelcontextprotocol/conformance/", import.meta.url),
);
const RECORDER = new URL("conformance_recorder.ts", import.meta.url).href;

/** One check of a scenario. */
export interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  readonly description: string;
  readonly errorMessage?: string;
}

/** What came of a run. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
  /** The checks of each scenario that was run, by its name. */
  readonly scenarios: ReadonlyMap<string, readonly Check[]>;
  /** What the schemas say of all that the suite heard. */
  readonly heard: {
    readonly problems: readonly string[];
    readonly messages: number;
  };
}

/** Which scenarios a revision asks of servers, as the suite has frozen it. */
export interface Requirements {
  readonly scored: readonly string[];
  /** The others that are run, and why they do not count. */
  readonly notScored: ReadonlyMap<string, string>;
}

/** What a revision asks for. */
export function requirementsOf(revision: string): Requirements {
  const { server, not_scored } = parse(
    readFileSync(`${SUITE}requirements/${revision}.yaml`, "utf8"),
  ) as {
    server: string[];
    not_scored: { scenario: string; leg: string; reason: string }[];
  };
  const others = not_scored.filter(({ leg }) => leg === "server");
  return {
    scored: server,
    notScored: new Map(
      others.map(({ scenario, reason }) => [scenario, reason]),
    ),
  };
}

/** Runs everything that a revision asks for, and the rest that the suite has for it. */
export async function runSuite(
  url: string,
  revision: string,
): Promise<Outcome> {
  const folder = mkdtempSync(`${tmpdir()}/architrave-conformance-`);
  const verdict = `${folder}/verdict.json`;
  const results = `${folder}/results`;
  const asked = [
    "server",
    "--url",
    url,
    "--requirements",
    revision,
    "--output-dir",
    results,
  ];
  const flags = [
    "--experimental-strip-types",
    "--no-warnings",
    "--import",
    RECORDER,
  ];
  const schemas = process.env["INTEROP_SCHEMA"];
  const child = spawn(NODE, [...flags, `${SUITE}dist/index.js`, ...asked], {
    cwd: folder,
    env: {
      ...environment(),
      CONFORMANCE_VERDICT: verdict,
      ...(schemas === undefined ? {} : { INTEROP_SCHEMA: schemas }),
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => output += text);
  }
  try {
    const [code] = await once(child, "close");
    const scenarios = readdirSync(results).map((name) =>
      [
        nameOf(name),
        JSON.parse(readFileSync(`${results}/${name}/checks.json`, "utf8")),
      ] as const
    );
    return {
      code,
      output,
      scenarios: new Map(scenarios),
      heard: JSON.parse(readFileSync(verdict, "utf8")),
    };
  } catch (cause) {
    throw new Error(
      `The conformance suite left no results; it said: ${output}`,
      { cause },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The folders are called server-SCENARIO-TIME. */
function nameOf(folder: string): string {
  return folder.replace(/^server-/, "").replace(
    /-\d{4}-\d\d-\d\dT[\d-]+Z$/,
    "",
  );
}
