/**
 * The official conformance suite: every scenario that a revision asks of servers and of clients, with authorization and its
 * extensions, and of the others all that are not about an extension but skills; each by its name, none expected to fail.
 */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import process from "node:process";
import { before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";
import { filesOf } from "../harness/folder.ts";
import type { HttpRecording } from "./conversation.ts";
import type { Runtime } from "./programs.ts";
import { environment, HERE, NODE_RUNTIME, PACKAGES, RUNTIMES, STRIP } from "./programs.ts";
import { serveEverything, serveProgram, serving } from "./programs.ts";

const SUITE = "@modelcontextprotocol/conformance";

/** One check of a scenario. */
interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
}

/** What a revision asks for, as the suite has frozen it. */
interface Requirements {
  readonly server: readonly string[];
  readonly client: readonly string[];
  /** The others that are run, and why they do not count. */
  readonly not_scored: readonly { scenario: string; leg: "server" | "client"; reason: string }[];
}

function requirementsOf(revision: string): Requirements {
  return parse(readFileSync(`${PACKAGES}${SUITE}/requirements/${revision}.yaml`, "utf8"));
}

/** What came of a scenario. */
interface Outcome {
  readonly checks: readonly Check[];
  /** What the client printed; nothing for a server. */
  readonly printed: string;
}

/**
 * Runs the suite in a folder of its own, with its `fetch` recorded. Gives the outcome of each scenario by its name, which the
 * folders of results begin with, and what the schemas say of all that it heard over HTTP.
 */
async function runSuite(...args: string[]) {
  const folder = mkdtempSync(`${tmpdir()}/architrave-suite-`);
  const verdict = `${folder}/verdict.json`;
  const schemas = process.env["INTEROP_SCHEMA"];
  // What it keeps for the next time goes with the folder.
  const own = { HOME: folder, RECORDER_VERDICT: verdict, ...(schemas ? { INTEROP_SCHEMA: schemas } : {}) };
  const env = { ...environment(), ...own };
  const recorder = pathToFileURL(`${HERE}conversation.ts`).href;
  const line = [...STRIP, "--import", recorder, `${PACKAGES}${SUITE}/dist/index.js`, ...args];
  try {
    const options = { cwd: folder, env, maxBuffer: 2 ** 26 };
    const ran = await new Promise<{ code: number; said: string }>((resolve) =>
      execFile(
        NODE_RUNTIME.command,
        [...line, "--output-dir", "results"],
        options,
        (error, stdout, stderr) => {
          resolve({ code: Number(error?.code ?? 0), said: stdout + stderr });
        },
      ).stdin!.end()
    );
    assert.ok(existsSync(verdict), `the suite has not ended by itself: ${ran.said}`);
    const heard: HttpRecording["found"] = JSON.parse(readFileSync(verdict, "utf8"));
    const scenarios = new Map<string, Outcome>();
    // A name with a slash is a folder in a folder.
    for (const path of filesOf(`${folder}/results`)) {
      const name = path.replace(/\/checks\.json$/, "");
      if (name === path) continue;
      const checks = JSON.parse(readFileSync(`${folder}/results/${path}`, "utf8"));
      const printed = `${folder}/results/${name}/stdout.txt`;
      scenarios.set(name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ""), {
        checks,
        printed: existsSync(printed) ? readFileSync(printed, "utf8") : "",
      });
    }
    return { ...ran, heard, scenarios };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The revisions whose scenarios are run. */
const TESTED = ["2026-07-28", "2025-11-25"];
const NEWEST_LEGACY = "2025-11-25";
/** Authorization as 2025-03-26 had it: no metadata of the resource, or none at all. */
const OLD_AUTHORIZATION = ["metadata-backcompat", "endpoint-fallback"].map((name) =>
  `auth/2025-03-26-oauth-${name}`
);
/** The suite runs all scenarios of a revision at once. Three at a time leave each the time that it needs. */
const QUEUE = process.platform === "linux" ? ["flock", "$HOME/$(($$%3))"] : [];

/** The scenarios of a server that must not be trusted: the client gives up with an error. */
const GIVEN_UP = new Set([
  "auth/scope-retry-limit",
  "auth/resource-mismatch",
  "auth/metadata-issuer-mismatch",
  ...["supported-missing", "wrong-issuer", "unexpected", "normalized"].map((name) => `auth/iss-${name}`),
]);

/** The checks that may have another status than success, and why that is no missing fixture. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  // The tools of a server are fixed when it is built: it promises no notifications of other ones.
  "server-stateless/sep-2575-server-sends-tools-list-changed-on-subscription": "SKIPPED",
  // A list of tools has nothing to tell before its answer, so that is JSON, as the specification allows.
  "server-sse-multiple-streams/server-sse-streams-functional": "INFO",
  // What the suite writes down of how it went is no check.
  "server-sse-polling/outgoing-request": "INFO",
  "server-sse-polling/incoming-response": "INFO",
  "server-sse-polling/incoming-sse-event": "INFO",
  "server-sse-polling/stream-closed": "INFO",
};

/** What must have passed in scenarios that are content with less. */
const MUST_PASS: Readonly<Record<string, readonly string[]>> = {
  "server-sse-polling": [
    "server-sse-priming-event",
    "server-sse-retry-field",
    "server-sse-disconnect-resume",
  ],
};

/** The command of our client for a scenario, and how long it may take. */
function clientOf({ command, line }: Runtime): string[] {
  const args = line(["--allow-net", "--allow-env"], `${HERE}everything_client.ts`);
  return ["client", "--command", [...QUEUE, command, ...args].join(" "), "--timeout", "240000"];
}

/** The scenarios of skills for servers, and how many checks of each pass at least. */
const SKILLS = { directory: 6, enumeration: 28, manifest: 3 } as const;
/** A skill is not listed among the resources, which have each document once: its metadata shows in its directory. */
const NOT_LISTED = ["name", "description"].map((id) => `WARNING sep-2640-skillmd-metadata-${id}`);

for (const runtime of RUNTIMES) {
  describe(`the scenarios of skills on ${runtime.name}`, { skip: runtime.skip }, () => {
    const url = serving(() => serveProgram(runtime));

    for (const [name, least] of Object.entries(SKILLS)) {
      it(`sep-2640-skills-${name}`, async () => {
        const scenario = `sep-2640-skills-${name}`;
        // The suite has no extension on its line of revisions.
        const flags = ["--url", url(), "--spec-version", "2026-07-28", "--force"];
        const run = await runSuite("server", "--scenario", scenario, ...flags);
        assert.equal(run.code, 0, run.said);
        const { checks } = run.scenarios.get(scenario)!;
        const others = checks.filter(({ status }) => status !== "SUCCESS");
        assert.ok(checks.length - others.length >= least, `${checks.length} checks`);
        const expected = name === "manifest" ? NOT_LISTED : [];
        assert.deepEqual(others.map(({ id, status }) => `${status} ${id}`), expected);
        assert.deepEqual(run.heard.problems, []);
      });
    }

    for (const name of ["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"]) {
      it(`sep-2640-client-${name}`, async () => {
        const scenario = `sep-2640-client-${name}`;
        const run = await runSuite(...clientOf(runtime), "--scenario", scenario);
        assert.equal(run.code, 0, run.said);
        assert.deepEqual(run.scenarios.get(scenario)!.checks.map(({ status }) => status), ["SUCCESS"]);
      });
    }
  });

  describe(`the official conformance suite for servers on ${runtime.name}`, { skip: runtime.skip }, () => {
    const url = serving(() => serveEverything(runtime));
    const outcomes = new Map<string, Awaited<ReturnType<typeof runSuite>>>();

    before(async () => {
      for (const revision of TESTED) {
        outcomes.set(revision, await runSuite("server", "--url", url(), "--requirements", revision));
      }
    });

    for (const revision of TESTED) {
      const { server: scored, not_scored } = requirementsOf(revision);
      const others = not_scored.filter(({ leg }) => leg === "server");
      const extensions = others.filter(({ reason }) => reason === "extension").map(({ scenario }) =>
        scenario
      );
      const more = others.map(({ scenario }) => scenario).filter((name) => !extensions.includes(name));

      it(`${revision}: runs what is asserted here or about tasks, which a server need not have, and no more`, () => {
        const { code, said, scenarios } = outcomes.get(revision)!;
        assert.equal(code, 0, said);
        assert.equal(more.length, 3, more.join(", "));
        for (const name of extensions) assert.match(name, /^tasks-/);
        assert.deepEqual([...scenarios.keys()].sort(), [...scored, ...more, ...extensions].sort());
      });

      for (const name of [...scored, ...more]) {
        it(`${revision}: ${name}`, () => {
          const { checks = [] } = outcomes.get(revision)!.scenarios.get(name) ?? {};
          // What the suite only recommends has passed too: a warning is not fine.
          const isFine = ({ id, status }: Check) =>
            status === "SUCCESS" || NOT_APPLICABLE[`${name}/${id}`] === status;
          assert.deepEqual(checks.filter((check) => !isFine(check)), []);
          const passed = checks.filter(({ status }) => status === "SUCCESS").map(({ id }) => id);
          assert.notEqual(passed.length, 0, "nothing was checked");
          for (const id of MUST_PASS[name] ?? []) assert.ok(passed.includes(id), `${id} has not passed`);
        });
      }

      it(`${revision}: hears nothing that the schemas do not allow`, (t) => {
        const { problems, messages } = outcomes.get(revision)!.heard;
        assert.deepEqual(problems, []);
        assert.ok(messages > scored.length, `${messages} messages`);
        t.diagnostic(`${messages} messages`);
      });
    }
  });

  for (const revision of TESTED) {
    describe(`the official conformance suite for clients on ${runtime.name}, in ${revision}`, {
      skip: runtime.skip,
    }, () => {
      const { client, not_scored } = requirementsOf(revision);
      const others = not_scored.filter(({ leg }) => leg === "client");
      const extensions = others.filter(({ reason }) => reason === "extension").map(({ scenario }) =>
        scenario
      );
      const older = revision === NEWEST_LEGACY ? OLD_AUTHORIZATION : [];
      const scenarios = [...client, ...others.map(({ scenario }) => scenario), ...older];
      const outcomes = new Map<string, Outcome>();

      before(async () => {
        const runs = [["--requirements", revision]];
        for (const name of older) runs.push(["--scenario", name, "--spec-version", "2025-03-26"]);
        for (const flags of runs) {
          const { code, said, scenarios } = await runSuite(...clientOf(runtime), ...flags);
          assert.equal(code, 0, said);
          for (const [name, outcome] of scenarios) outcomes.set(name, outcome);
        }
      });

      it("runs what is asserted here, and no more", () => {
        assert.deepEqual([...outcomes.keys()].sort(), [...scenarios].sort());
        assert.ok(scenarios.includes("tools_call") && scenarios.length >= 5, scenarios.join(", "));
        const authorization = scenarios.filter((name) => name.startsWith("auth/"));
        assert.equal(authorization.length - older.length, revision === NEWEST_LEGACY ? 20 : 31);
        assert.equal(extensions.filter((name) => name.startsWith("auth/")).length, 6);
        assert.equal(extensions.length, 6);
      });

      for (const name of scenarios) {
        it(extensions.includes(name) ? `${name} (an extension)` : name, () => {
          const { checks, printed } = outcomes.get(name)!;
          const failed = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
          assert.deepEqual(failed, []);
          assert.ok(checks.some(({ status }) => status === "SUCCESS"), "something was checked");
          assert.equal(printed, GIVEN_UP.has(name) ? "" : "done\n");
        });
      }
    });
  }
}
