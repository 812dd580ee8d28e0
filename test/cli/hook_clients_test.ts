import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { cli } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";
import { command } from "../harness/program.ts";
import { ON_DENO, ON_WINDOWS, REPOSITORY } from "../harness/runtime.ts";

type Data = Record<string, unknown>;

const INPUTS = `${REPOSITORY}/test/cli/hooks`;
const CLIENTS = readdirSync(INPUTS).filter((name) => name !== "README.md");
const FOLDER = {
  "docs/0001-one-pool.md":
    '---\nstatus: accepted\napplies-to: ["**/*.{ts,ipynb}"]\n---\n\n# 1. Use one pool\n\n## Decision\n\nNever make a second pool.\n',
};
/** The inputs that touch no file. */
const SILENT = /shell-read|before-agent|before-shell|\/shell|terminal/;
const contextOf = (event: string, text: unknown) => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: text },
});
/** The answer that a client takes. */
function answerOf(client: string, event: string, text: unknown): Data {
  if (client === "cursor") return { additional_context: text };
  if (client !== "copilot") return contextOf(event, text);
  return event === "" ? { additionalContext: text } : { additionalContext: text, ...contextOf(event, text) };
}
const texts = ({ hookSpecificOutput, additionalContext, additional_context }: Data) =>
  [(hookSpecificOutput as Data | undefined)?.["additionalContext"], additionalContext, additional_context]
    .filter(Boolean);

for (const client of CLIENTS) {
  test(`hook answers what ${client} sends in the form of that client, whatever name it is given`, async (t) => {
    const root = makeFolder(t, FOLDER);
    for (const file of readdirSync(`${INPUTS}/${client}`)) {
      const name = `${client}/${file}`, input = readFileSync(`${INPUTS}/${name}`, "utf8");
      const { hook_event_name: event = "" } = JSON.parse(input) as { hook_event_name?: string };
      const start = /session-start/.test(file) ? "--start" : "";
      for (const given of new Set(["", client, "claude-code"])) {
        const { code, output, errors } = await cli(`hook ${given} ${start} --mount adr=DIR/docs`, root, {
          input,
        });
        assert.deepEqual([code, errors], [0, ""], name);
        if (SILENT.test(name)) {
          assert.equal(output, "", name);
          continue;
        }
        const answer = JSON.parse(output) as Data, [text] = texts(answer);
        assert.deepEqual(answer, answerOf(client, event, text), `${name}, named ${given}`);
        assert.match(
          String(text),
          start ? /0001-one-pool/ : /## 1\. Use one pool \(accepted\)\n\nForbidden:\n\n- Never make/,
          name,
        );
      }
    }
  });
}

test("hook --block refuses in the form of each client, and never after an edit", async (t) => {
  const rule = '---\nstatus: accepted\nforbids:\n  - text: ""\n---\n# 1. A\n'.replace('""', "retries");
  const root = makeFolder(t, { "docs/0001-a.md": rule });
  const rows: readonly (readonly [file: string, form: (reason: unknown) => Data])[] = [
    ["codex/patch-update-and-add", (reason) => nested("PreToolUse", reason)],
    ["vscode/patch", (reason) => nested("PreToolUse", reason)],
    ["copilot/pascal-patch", (reason) => ({ ...denial(reason), ...nested("PreToolUse", reason) })],
    ["copilot/patch", denial],
    ["gemini/before-replace", (reason) => ({ decision: "deny", reason })],
  ];
  for (const [file, form] of rows) {
    const input = withRetries(file);
    const { output } = await cli("hook --block --mount adr=DIR/docs", root, { input });
    const answer = JSON.parse(output) as Data;
    const reasons = [answer, answer["hookSpecificOutput"] ?? {}].flatMap(Object.values);
    const reason = reasons.find((one) =>
      /^The team's decisions forbid this edit:\n- .*retries/.test(String(one))
    );
    assert.deepEqual(answer, form(reason), file);
  }
  const input = withRetries("gemini/after-replace");
  const { output } = await cli("hook --block --mount adr=DIR/docs", root, { input });
  assert.match(output, /AfterTool.*This edit breaks decisions/);
  assert.doesNotMatch(output, /deny/);
});
/** An input in which the edit adds a word. */
const withRetries = (file: string) =>
  readFileSync(`${INPUTS}/${file}.json`, "utf8").replace(
    /((?:\+|"new_string": ")[^\\"]*)max: \d+/g,
    "$1retries",
  );
const denial = (reason: unknown) => ({ permissionDecision: "deny", permissionDecisionReason: reason });
const nested = (hookEventName: string, reason: unknown) => ({
  hookSpecificOutput: { hookEventName, ...denial(reason) },
});

test("config --hooks prints settings whose commands answer", { skip: ON_WINDOWS }, (t) => {
  const root = makeFolder(t, FOLDER);
  const config = (...words: string[]) => {
    const [file, args] = command([
      "config",
      ...words,
      "--hooks",
      "--format",
      "json",
      "--mount",
      `adr=${root}/docs`,
    ], {
      runtimeFlags: ON_DENO ? ["--no-prompt", "--allow-read", "--allow-sys"] : [],
    });
    return JSON.parse(
      execFileSync(file, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
    ) as Data;
  };
  const inputs: Record<string, string> = {
    "claude-code": "edit",
    codex: "patch-update-and-add",
    cursor: "write",
    vscode: "replace",
    copilot: "edit",
    gemini: "after-read",
  };
  assert.deepEqual(Object.keys(inputs).sort(), CLIENTS.sort());
  for (const [client, name] of Object.entries(inputs)) {
    const { hooks } = JSON.parse(config(client)["paste"] as string) as { hooks: Record<string, Data[]> };
    const [file, session] = Object.values(hooks).map(([hook]) =>
      ((hook!["hooks"] as Data[] | undefined) ?? [hook!])[0]!
    );
    for (const [hook, input] of [[file!, name], [session!, "session-start"]] as const) {
      const { command, args, bash } = hook as { command?: string; args?: string[]; bash?: string };
      const [program, words] = args ? [command!, args] : ["sh", ["-c", bash ?? command!]];
      const options = {
        input: readFileSync(`${INPUTS}/${client}/${input}.json`, "utf8"),
        encoding: "utf8",
        cwd: root,
      } as const;
      const output = execFileSync(program!, words, {
        ...options,
        stdio: ["pipe", "pipe", "inherit"],
        env: { PATH: process.env["PATH"], HOME: root },
      });
      assert.match(output, input === name ? /Never make a second pool/ : /0001-one-pool/, client);
    }
  }
});

test("config --hooks says which clients have hooks, and does not give the sample to assistants", async (t) => {
  const root = makeFolder(t, FOLDER);
  const other = await cli("config zed --hooks --mount adr=DIR/docs", root);
  assert.deepEqual([other.code, other.output], [2, ""]);
  assert.match(other.errors, /claude-code, codex, cursor, vscode, copilot, gemini, not of zed/);
  const sample = await cli("config codex --hooks");
  assert.deepEqual([sample.code, sample.output], [2, ""]);
  assert.match(sample.errors, /sample/);
});
