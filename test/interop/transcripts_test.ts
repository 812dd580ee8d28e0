/**
 * Every line that the program wrote in the rest of the test suite is what its revision allows. The other tests write their
 * conversations into the folder `ARCHITRAVE_TRANSCRIPTS`.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { Conversation } from "../harness/conformance.ts";
import "./rules.ts";

const FOLDER = process.env["ARCHITRAVE_TRANSCRIPTS"];

test("every line of the recorded conversations fits the schema of its revision", { skip: !FOLDER }, (t) => {
  let answers = 0;
  const files = readdirSync(FOLDER!);
  for (const file of files) {
    const conversation = new Conversation();
    for (const line of readFileSync(`${FOLDER}/${file}`, "utf8").trimEnd().split("\n")) {
      const { sent, received } = JSON.parse(line) as { sent?: string; received?: string };
      if (sent !== undefined) conversation.sent(sent);
      if (received !== undefined) conversation.received(received);
    }
    assert.deepEqual(conversation.problems, [], file);
    answers += conversation.answers;
  }
  t.diagnostic(`${answers} lines in ${files.length} conversations`);
  assert.ok(answers > 0, "no conversation was recorded");
});
