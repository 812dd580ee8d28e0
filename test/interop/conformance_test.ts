/**
 * Does the server that has everything pass the official conformance suite over HTTP? Every scenario that a revision asks of
 * servers, and of the others all that are not about an extension; each by its name, none expected to fail.
 */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Check, Outcome } from "./conformance.ts";
import type { HttpServer } from "./http_servers.ts";
import { requirementsOf, runSuite } from "./conformance.ts";
import { serveEverything } from "./http_servers.ts";
import { WELL } from "./official.ts";
import { RUNTIMES } from "./runtimes.ts";

/** The scenarios beside the scored ones that are held too; the suite must still have them. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  "2026-07-28": [
    "json-schema-2020-12",
    "http-header-validation",
    "http-custom-header-server-validation",
  ],
  "2025-11-25": [
    "server-session-lifecycle",
    "json-schema-2020-12",
    "server-sse-polling",
  ],
};

/** What is left out: tasks are an extension, which no server has to have, and this one has not. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  "2026-07-28": [
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-status-notifications",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
  ],
  "2025-11-25": [],
};

/** The checks that may say something else than that it passed, and why that is no missing fixture. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  // The tools of a server are fixed when it is built: it promises no notices of other ones.
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

for (const runtime of RUNTIMES) {
  describe(`the official conformance suite on ${runtime.name}`, {
    skip: runtime.skip,
  }, () => {
    let server: HttpServer;
    const outcomes = new Map<string, Outcome>();

    before(async () => {
      server = await serveEverything(runtime);
      for (const revision of Object.keys(MORE)) {
        outcomes.set(revision, await runSuite(server.url, revision));
      }
    });
    after(async () => assert.deepEqual(await server.stop(), WELL));

    for (const [revision, more] of Object.entries(MORE)) {
      const { scored, notScored } = requirementsOf(revision);

      it(`${revision}: runs what is asserted here or left out by name, and no more`, (t) => {
        const { code, output, scenarios } = outcomes.get(revision)!;
        assert.equal(code, 0, output);
        assert.deepEqual(
          [...notScored.keys()].sort(),
          [...more, ...LEFT_OUT[revision]!].sort(),
        );
        for (const name of LEFT_OUT[revision]!) {
          assert.equal(notScored.get(name), "extension", name);
        }
        assert.deepEqual(
          [...scenarios.keys()].sort(),
          [...scored, ...notScored.keys()].sort(),
        );
        const checks = [...scored, ...more].flatMap((name) => scenarios.get(name)!);
        t.diagnostic(
          `${checks.filter(({ status }) => status === "SUCCESS").length} checks passed`,
        );
      });

      for (const name of [...scored, ...more]) {
        it(`${revision}: ${name}`, () => {
          const checks = outcomes.get(revision)!.scenarios.get(name) ?? [];
          assert.deepEqual(checks.filter((check) => !isFine(name, check)), []);
          const passed = checks.filter(({ status }) => status === "SUCCESS")
            .map(({ id }) => id);
          assert.notEqual(passed.length, 0, "nothing was checked");
          for (const id of MUST_PASS[name] ?? []) {
            assert.ok(passed.includes(id), `${id} has not passed`);
          }
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
}

/** What the suite only recommends has passed too: a warning is not fine. */
function isFine(scenario: string, { id, status }: Check): boolean {
  return status === "SUCCESS" || NOT_APPLICABLE[`${scenario}/${id}`] === status;
}
