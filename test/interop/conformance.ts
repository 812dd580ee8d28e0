/** What does the official conformance suite say of a server? Run as a process of its own, with what it writes down of each check. */

import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { runRecorded } from "./recorded_run.ts";

const SUITE = "@modelcontextprotocol/conformance";

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
  const file = new URL(
    `node_modules/${SUITE}/requirements/${revision}.yaml`,
    import.meta.url,
  );
  const { server, not_scored } = parse(
    readFileSync(file, "utf8"),
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
  const scenarios = new Map<string, readonly Check[]>();
  const args = [
    "server",
    "--url",
    url,
    "--requirements",
    revision,
    "--output-dir",
    "results",
  ];
  const { code, stdout, stderr, heard } = await runRecorded(
    `${SUITE}/dist/index.js`,
    args,
    (folder) => {
      for (const name of readdirSync(`${folder}/results`)) {
        const checks = readFileSync(
          `${folder}/results/${name}/checks.json`,
          "utf8",
        );
        scenarios.set(nameOf(name), JSON.parse(checks));
      }
    },
  );
  return { code, output: stdout + stderr, scenarios, heard };
}

/** The folders are called server-SCENARIO-TIME. */
function nameOf(folder: string): string {
  return folder.replace(/^server-/, "").replace(
    /-\d{4}-\d\d-\d\dT[\d-]+Z$/,
    "",
  );
}
