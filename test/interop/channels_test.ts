/**
 * What is made for registries, MCPB clients, plugins, Docker's catalogue, GitHub and pre-commit is what these expect: by
 * their own schemas and programs where they have some, and by running it.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import process from "node:process";
import { after, test } from "node:test";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { parse } from "yaml";
import { compileSchema } from "../../lib/formats/schema/mod.ts";
import { filesOf, makeFolder, writeFiles } from "../harness/folder.ts";
import { modern, Program } from "../harness/program.ts";
import { HERE, PACKAGES, REPOSITORY, run, succeed } from "./programs.ts";

const NODE = process.execPath;
const HOME = "https://github.com/someone/architrave";
/** A record, and the file that it applies to. */
const RECORD = `---
status: accepted
applies-to:
  - "src/payments/**"
---

# 1. Retry payments

## Context

Payments fail now and then.

## Decision

We retry them.
`;

// deno-lint-ignore no-explicit-any
type Json = any;

const fixture = () => makeFolder({ after });
const jsonOf = (file: string): Json => JSON.parse(readFileSync(file, "utf8"));

/** What the command makes, before and after the day of publishing. */
const [before, published] = [fixture(), fixture()];
succeed(NODE, [`${REPOSITORY}.ci/bundle.mjs`, before, "--channels"]);
const clone = fixture();
for (const file of ["package.json", "README.md", "mcp", ".ci", "LICENSE", "test/deploy"]) {
  cpSync(`${REPOSITORY}${file}`, `${clone}/${file}`, { recursive: true });
}
succeed(NODE, [`${clone}/.ci/publish.mjs`, HOME]);
copyProgram(published);
const git = (cwd: string, ...args: string[]) =>
  succeed("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd });
git(clone, "init", "--quiet");
git(clone, "add", "-A");
git(clone, "commit", "--quiet", "-m", "all");
const { makeChannels } = await import(`${clone}/.ci/channels.mjs`) as { makeChannels(target: string): void };
makeChannels(published);

/** Copies the single file and its documents. */
function copyProgram(to: string): void {
  for (const name of ["architrave.mjs", "mcp"]) {
    cpSync(`${before}/${name}`, `${to}/${name}`, { recursive: true });
  }
}

/** Starts a server, and gives the result of one request. */
function ask(
  command: string,
  args: readonly string[],
  method: string,
  env: Record<string, string> = {},
): Json {
  const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: modern() })}\n`;
  return JSON.parse(succeed(command, args, { env, input })).result;
}

function resourcesOf(
  ...[command, args, env]: [string, readonly string[], Record<string, string>?]
): string[] {
  return ask(command, args, "resources/list", env).resources.map(({ uri }: { uri: string }) => uri);
}

test("server.json fits the schema of the registry, by two validators, before and after publishing", () => {
  const schema = jsonOf(`${HERE}server.schema.json`);
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  const validators: ((value: unknown) => unknown[])[] = [
    // Draft-07 and 2020-12 agree on what it says.
    compileSchema({ ...schema, $schema: undefined }, { formats: true }),
    (value) => (ajv.validate(schema, value) ? [] : ajv.errors!),
  ];
  const [draft, entry] = [before, published].map((folder) => jsonOf(`${folder}/server.json`));
  const wrong = [
    { ...entry, name: "architrave" },
    { ...entry, description: "x".repeat(101) },
    { ...entry, packages: [{ ...entry.packages[0], version: "latest" }] },
    { ...entry, packages: [{ ...entry.packages[1], fileSha256: "0" }] },
  ];
  for (const problems of validators) {
    for (const right of [draft, entry]) assert.deepEqual(problems(right), []);
    for (const value of wrong) assert.notDeepEqual(problems(value), []);
  }
});

test("server.json names no package until there is one, and then what package.json and the MCPB file are", () => {
  const members = ["$schema", "name", "title", "description", "version"];
  assert.deepEqual(Object.keys(jsonOf(`${before}/server.json`)), members);
  const manifest = jsonOf(`${clone}/package.json`);
  const entry = jsonOf(`${published}/server.json`);
  assert.equal(manifest.private, undefined);
  assert.equal(entry.name, "io.github.someone/architrave");
  assert.equal(entry.name, manifest.mcpName);
  assert.deepEqual(entry.repository, { url: HOME, source: "github" });
  const [npm, mcpb] = entry.packages;
  assert.deepEqual([npm.identifier, npm.version], [manifest.name, manifest.version]);
  assert.equal(mcpb.identifier, `${HOME}/releases/download/v${manifest.version}/architrave.mcpb`);
  const bytes = readFileSync(`${published}/architrave.mcpb`);
  assert.equal(mcpb.fileSha256, createHash("sha256").update(bytes).digest("hex"));
});

test("the arguments of server.json start the server with the folder of the user", () => {
  const [{ packageArguments: [argument] }] = jsonOf(`${published}/server.json`).packages;
  const folder = fixture();
  writeFiles(folder, { "0001-retry-payments.md": RECORD });
  const value = argument.value.replace("{folder}", folder);
  const uris = resourcesOf(NODE, [`${published}/architrave.mjs`, `${argument.name}=${value}`]);
  assert.ok(uris.includes("architecture://adr/0001-retry-payments"), uris.join(" "));
});

test("the MCPB file is valid, has what the official program packs, and starts with the folder of the user", () => {
  const mcpb = (...args: string[]) =>
    succeed(NODE, [`${PACKAGES}@anthropic-ai/mcpb/dist/cli/cli.js`, ...args]);
  const [draft, ours, theirs] = [fixture(), fixture(), fixture()];
  mcpb("unpack", `${before}/architrave.mcpb`, draft);
  mcpb("unpack", `${published}/architrave.mcpb`, ours);
  for (const folder of [draft, ours]) assert.match(mcpb("validate", `${folder}/manifest.json`), /passes/);
  const archive = `${fixture()}/architrave.mcpb`;
  mcpb("pack", ours, archive);
  mcpb("unpack", archive, theirs);
  assert.deepEqual(filesOf(ours), filesOf(theirs));
  for (const file of filesOf(ours)) {
    assert.deepEqual(readFileSync(`${ours}/${file}`), readFileSync(`${theirs}/${file}`), file);
  }
  const records = fixture();
  writeFiles(records, { "0001-retry-payments.md": RECORD });
  const { server, tools } = jsonOf(`${ours}/manifest.json`);
  const args = server.mcp_config.args.map((argument: string) =>
    argument.replace("${__dirname}", ours).replace("${user_config.folder}", records)
  );
  assert.ok(resourcesOf(NODE, args).includes("architecture://adr/0001-retry-payments"));
  const namesOf = (tools: { name: string }[]) => tools.map(({ name }) => name).sort();
  assert.deepEqual(namesOf(tools), namesOf(ask(NODE, args, "tools/list").tools));
});

test("the same sources give the same MCPB file", () => {
  const again = fixture();
  copyProgram(again);
  makeChannels(again);
  assert.deepEqual(readFileSync(`${again}/architrave.mcpb`), readFileSync(`${published}/architrave.mcpb`));
});

test("the plugin has one manifest for each host and a skill, and names the version of the package", () => {
  const { name, version } = jsonOf(`${REPOSITORY}package.json`);
  const claude = jsonOf(`${before}/plugin/.claude-plugin/plugin.json`);
  const copilot = jsonOf(`${before}/plugin/plugin.json`);
  const { plugins: [listed], ...marketplace } = jsonOf(`${before}/.claude-plugin/marketplace.json`);
  for (const manifest of [claude, copilot, listed]) {
    assert.deepEqual([manifest.name, manifest.version], [name, version]);
    assert.match(manifest.name, /^[a-z0-9-]{1,64}$/);
  }
  // Copilot starts servers of plugins where the project is not, and takes none of the other manifest if this has a list.
  const { mcpServers, hooks: _, ...rest } = claude;
  assert.deepEqual({ ...rest, mcpServers: {}, hooks: copilot.hooks }, copilot);
  assert.deepEqual(Object.keys(mcpServers), ["architecture"]);
  assert.equal(mcpServers.architecture.alwaysLoad, true);
  // These files are for all hosts.
  for (const file of [".mcp.json", "hooks.json", "hooks/hooks.json"]) {
    assert.ok(!existsSync(`${before}/plugin/${file}`), file);
  }
  assert.equal(listed.source, "./plugin");
  assert.deepEqual(Object.keys(marketplace), ["name", "owner", "metadata"]);
  const skill = readFileSync(`${before}/plugin/skills/team-decisions/SKILL.md`, "utf8");
  const { name: skillName, description } = parse(skill.split("---\n")[1]!);
  assert.equal(skillName, "team-decisions");
  assert.ok(description.length <= 1024, description);
});

test("the plugin serves the records of the project, and nothing in a project without any", () => {
  const { mcpServers: { architecture } } = jsonOf(`${before}/plugin/.claude-plugin/plugin.json`);
  const rows: [Record<string, string>, string[]][] = [
    [{ "docs/adr/0001-retry-payments.md": RECORD }, ["architecture://adr/0001-retry-payments"]],
    [
      {
        ".adr-dir": "architecture/log\n",
        "architecture/log/0002-b.md": RECORD,
        "docs/adr/0001-a.md": RECORD,
      },
      ["architecture://adr/0002-b"],
    ],
    [{ "docs/other.md": "# Other\n" }, []],
    // A repository cannot name a folder of its reader.
    [{ ".adr-dir": `${fixture()}\n` }, []],
    [{ ".adr-dir": "..\n" }, []],
  ];
  for (const [files, expected] of rows) {
    const project = fixture();
    writeFiles(project, files);
    const args = architecture.args.map((argument: string) =>
      argument.replace("${CLAUDE_PLUGIN_ROOT}", `${before}/plugin`)
    );
    const uris = resourcesOf(architecture.command, args, { CLAUDE_PROJECT_DIR: project });
    assert.deepEqual(uris.filter((uri) => uri.startsWith("architecture://adr/")), expected);
    if (expected.length === 0) assert.deepEqual(uris, []);
  }
});

test("the plugin reads no device and no large file as the name of the folder", () => {
  const { mcpServers: { architecture } } = jsonOf(`${before}/plugin/.claude-plugin/plugin.json`);
  const args = architecture.args.map((argument: string) =>
    argument.replace("${CLAUDE_PLUGIN_ROOT}", `${before}/plugin`)
  );
  for (const device of ["/dev/zero", "/dev/stdin", "/dev/full", undefined]) {
    const project = fixture();
    writeFiles(project, {
      "docs/adr/0001-a.md": RECORD,
      ...!device && { ".adr-dir": "docs/adr".padEnd(1e5) },
    });
    if (device) symlinkSync(device, `${project}/.adr-dir`);
    const uris = resourcesOf(architecture.command, args, { CLAUDE_PROJECT_DIR: project });
    assert.deepEqual(uris, ["architecture://adr/0001-a"], device ?? "a long file");
  }
});

// --- The hooks of the plugin

/** Applies to the file in the recorded inputs of hooks, and forbids what one of them writes. */
const FORBIDDING = `---
status: accepted
applies-to: ["src/db/**"]
forbids:
  - text: retries
    instead: the retries of the pool
---

# 1. Use one pool

## Context

Connections are few.

## Decision

We use one pool of connections, which is made in one place of the program and has at most twenty clients at a time.

- Never create a client elsewhere.
`;
const PLUGIN = `${before}/plugin`;
const [claudeHooks, copilotHooks] = [".claude-plugin/plugin.json", "plugin.json"]
  .map((file) => jsonOf(`${PLUGIN}/${file}`).hooks);
/** What a client sends to its hooks, as recorded; see `test/cli/hooks`. */
const recorded = (client: string, name: string): Json =>
  jsonOf(`${REPOSITORY}test/cli/hooks/${client}/${name}.json`);

/** Fills members of the input of a hook into its settings, as Claude Code does: what is missing becomes "". */
function fillIn(value: Json, input: Json): Json {
  if (Array.isArray(value)) return value.map((one) => fillIn(one, input));
  if (typeof value !== "string") {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillIn(one, input)]));
  }
  return value.replace(/\$\{([\w.]+)\}/g, (_, path: string) => {
    const found = path.split(".").reduce((object: Json, name) => object?.[name], input) ?? "";
    return typeof found === "string" ? found : JSON.stringify(found);
  });
}

test("the plugin has hooks for all tools of its hosts that read or write a file", () => {
  assert.deepEqual(Object.keys(claudeHooks), ["PreToolUse", "SessionStart"]);
  assert.deepEqual(Object.keys(copilotHooks), ["preToolUse", "sessionStart"]);
  const [claude, copilot] = [claudeHooks.PreToolUse[0].matcher, copilotHooks.preToolUse[0].matcher]
    .map((matcher) => new RegExp(`^(?:${matcher})$`));
  for (const name of ["read", "edit", "write", "notebook-edit"]) {
    assert.match(recorded("claude-code", name).tool_name, claude!);
  }
  for (const name of ["view", "edit", "create", "patch"]) {
    assert.match(recorded("copilot", name).toolName, copilot!);
  }
  // Copilot refuses an edit if a hook fails.
  for (const { bash, powershell } of Object.values<Json[]>(copilotHooks).flat()) {
    assert.match(bash, /^node "\$PLUGIN_ROOT\/start\.mjs" hook .*copilot \|\| true$/);
    assert.match(powershell, /^node "\$env:PLUGIN_ROOT\/start\.mjs" hook .*copilot; exit 0$/);
  }
});

test("the server of the plugin tells Claude Code a decision in full once in a session and in each subagent", async () => {
  const { name: plugin, mcpServers } = jsonOf(`${PLUGIN}/.claude-plugin/plugin.json`);
  const [{ hooks: [{ type, server, tool, input, timeout }] }] = claudeHooks.PreToolUse;
  assert.deepEqual([type, timeout], ["mcp_tool", 5]);
  assert.equal(server, `plugin:${plugin}:${Object.keys(mcpServers)[0]}`);
  const full = /^Decisions of .*\n\n## 1\. Use one pool \(accepted\)\n\nForbidden:\n\n- Never create/;
  const line = /^Decisions of .*\n\n?- 1\. Use one pool \(accepted\): Never create .*\]$/;
  const read = recorded("claude-code", "read");
  const rows: [call: Json, expected: RegExp | undefined][] = [
    [read, full],
    [read, line],
    [recorded("claude-code", "edit"), line],
    [
      recorded("claude-code", "write"),
      /^The text breaks decisions:\n- src\/db\/retry\.ts: .*the retries of the pool\n\nDecisions of .*\n\n?- 1\./,
    ],
    [recorded("claude-code", "notebook-edit"), undefined],
    [{ ...read, tool_input: {} }, undefined],
    [{ ...read, agent_id: "a1" }, full],
    [{ ...read, agent_id: "a1" }, line],
    [{ ...read, session_id: "other" }, full],
  ];
  const project = fixture();
  for (const hasRecords of [false, true]) {
    if (hasRecords) writeFiles(project, { "docs/adr/0001-one-pool.md": FORBIDDING });
    const env = { CLAUDE_PROJECT_DIR: project };
    const program = new Program([], { module: `${PLUGIN}/start.mjs`, runtimeFlags: [], env });
    for (const [call, expected] of rows) {
      const { result } = await program.ask(
        "tools/call",
        modern({ name: tool, arguments: fillIn(input, call) }),
      );
      const [{ text }] = result!["content"] as Json;
      const { hookSpecificOutput: { hookEventName, additionalContext } = {} as Json } = JSON.parse(text);
      assert.equal(
        hookEventName,
        hasRecords ? expected && "PreToolUse" : undefined,
        JSON.stringify(call.tool_input) + text,
      );
      if (expected && hasRecords) assert.match(additionalContext, expected);
    }
    await program.close();
  }
});

test("the commands of the plugin's hooks answer what clients send, are silent without records, and never fail", () => {
  const [{ hooks: [{ command, args, timeout }] }] = claudeHooks.SessionStart;
  assert.equal(timeout, 10);
  const claude = [command, ...args.map((one: string) => one.replace("${CLAUDE_PLUGIN_ROOT}", PLUGIN))];
  const [{ bash: onFile }] = copilotHooks.preToolUse, [{ bash: onStart }] = copilotHooks.sessionStart;
  const toBash = (script: string) => ["bash", "-c", script];
  const index = /0001-one-pool\.md: Use one pool: /, applies = /## 1\. Use one pool \(accepted\)/;
  const rows: [words: string[], client: string, name: string, member: string, expected: RegExp][] = [
    [claude, "claude-code", "session-start", "hookSpecificOutput", index],
    [toBash(onStart), "copilot", "session-start", "additionalContext", index],
    [toBash(onFile), "copilot", "view", "additionalContext", applies],
    [toBash(onFile), "copilot", "edit", "additionalContext", applies],
    [
      toBash(onFile),
      "copilot",
      "create",
      "additionalContext",
      /^This edit breaks .*\n- src\/db\/retry\.ts: /,
    ],
    [toBash(onFile), "copilot", "patch", "additionalContext", applies],
  ];
  const [project, empty] = [fixture(), fixture()];
  writeFiles(project, { "docs/adr/0001-one-pool.md": FORBIDDING });
  const link = `${fixture()}/link`;
  symlinkSync(project, link);
  for (const [[program, ...args], client, name, member, expected] of rows) {
    // Copilot runs the hooks of a plugin in the folder of the plugin.
    const start = (folder: string, plugin: string) => {
      const input = JSON.stringify(recorded(client, name)).replaceAll("/repo", folder);
      const env = { PLUGIN_ROOT: plugin, CLAUDE_PROJECT_DIR: folder };
      const { status, stdout, stderr } = run(program!, args, { cwd: PLUGIN, input, env });
      return { status, stdout, stderr };
    };
    for (const folder of [project, link]) {
      const { stdout, ...rest } = start(folder, PLUGIN);
      assert.deepEqual(rest, { status: 0, stderr: "" });
      const answer = JSON.parse(stdout);
      assert.deepEqual(Object.keys(answer), [member]);
      const text = answer[member].additionalContext ?? answer[member];
      assert.match(text, expected);
      assert.match(text, /docs\/adr\//);
    }
    assert.deepEqual(start(empty, PLUGIN), { status: 0, stdout: "", stderr: "" });
    if (program === "bash") {
      const { status, stdout } = start(project, empty);
      assert.deepEqual([status, stdout], [0, ""]);
    }
  }
});

test("the entry of Docker's catalogue has the members that its validator reads", () => {
  const entry = parse(readFileSync(`${published}/server.yaml`, "utf8"));
  assert.match(entry.name, /^[a-z0-9-]+$/);
  assert.equal(entry.type, "server");
  assert.doesNotMatch(entry.about.title, /MCP|Server/);
  assert.equal(entry.source.project, HOME);
  assert.equal(entry.source.commit, git(clone, "rev-parse", "HEAD").trim());
  assert.ok(existsSync(`${REPOSITORY}${entry.source.dockerfile}`));
  assert.equal(entry.run.disableNetwork, true);
  const parameters = Object.keys(entry.config.parameters.properties);
  for (const [, parameter] of entry.run.volumes[0].matchAll(/\{\{architrave\.(\w+)\}\}/g)) {
    assert.ok(parameters.includes(parameter), parameter);
  }
  assert.match(entry.run.volumes[0], new RegExp(`:${entry.run.command[1].split("=")[1]}:ro$`));
  assert.equal(parse(readFileSync(`${before}/server.yaml`, "utf8")).source, undefined);
});

test("the published documents start from the package, and name its repository", () => {
  const readme = readFileSync(`${clone}/README.md`, "utf8");
  assert.match(readme, /^npx -y architrave list$/m);
  assert.doesNotMatch(readme, /until it is published|npx -y deno run .*mod\.ts [a-z]+ /);
  const guideline = readFileSync(`${clone}/mcp/resources/guidelines/continuous-integration.md`, "utf8");
  assert.match(guideline, /uses: someone\/architrave\/test\/deploy\/action@COMMIT/);
  assert.doesNotMatch(guideline, /OWNER/);
});

test("publishing twice, or to no repository, changes nothing", () => {
  const manifest = readFileSync(`${clone}/package.json`, "utf8");
  for (const url of [HOME, "", "http://github.com/a/b", "https://github.com/a"]) {
    const { status, stderr } = run(NODE, [`${clone}/.ci/publish.mjs`, url]);
    assert.notEqual(status, 0, stderr);
  }
  assert.equal(readFileSync(`${clone}/package.json`, "utf8"), manifest);
});

// --- The action and the hooks

/** A repository with a record, and a commit that changes a file to which it applies. */
function makeProject(files: Record<string, string> = {}): { folder: string; base: string } {
  const folder = fixture();
  writeFiles(folder, { "docs/adr/0001-retry-payments.md": RECORD, "src/payments/api.ts": "1\n", ...files });
  git(folder, "init", "--quiet");
  git(folder, "add", "-A");
  git(folder, "commit", "--quiet", "-m", "base");
  const base = git(folder, "rev-parse", "HEAD").trim();
  writeFiles(folder, { "src/payments/api.ts": "2\n", "src/payments/größe.ts": "1\n" });
  git(folder, "add", "-A");
  git(folder, "commit", "--quiet", "-m", "change");
  return { folder, base };
}

const action = parse(readFileSync(`${REPOSITORY}test/deploy/action/action.yml`, "utf8"));

/** Runs a step of the action as GitHub does, with these values for its expressions. */
function runStep(index: number, cwd: string, values: Record<string, string>) {
  const { run: script, env } = action.runs.steps[index];
  const temporary = fixture();
  const variables: Record<string, string> = { RUNNER_TEMP: temporary };
  for (const name of ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"]) {
    variables[name] = `${temporary}/${name}`;
    writeFiles(temporary, { [name]: "" });
  }
  const all: Record<string, string> = { "github.action_path": `${REPOSITORY}test/deploy/action`, ...values };
  for (const [name, text] of Object.entries<string>(env)) {
    variables[name] = text.replace(/\$\{\{ (.*?) \}\}/g, (_, expression) => {
      assert.ok(expression in all, expression);
      return all[expression]!;
    });
  }
  writeFiles(temporary, { "step.sh": script });
  const shell = ["--noprofile", "--norc", "-eo", "pipefail", `${temporary}/step.sh`];
  const { status, stdout, stderr } = run("bash", shell, { cwd, env: variables });
  return { status, stdout, stderr, output: readFileSync(variables["GITHUB_OUTPUT"]!, "utf8"), temporary };
}

const INPUTS = { "inputs.documents": "--mount=adr=docs/adr\n", "inputs.check": "" };

test("the action puts no expression into a script, and each input that it uses is declared", () => {
  const text = readFileSync(`${REPOSITORY}test/deploy/action/action.yml`, "utf8");
  for (const { run, shell } of action.runs.steps) {
    assert.equal(shell, "bash");
    assert.ok(!run.includes("${{"), run);
  }
  const used = [...text.matchAll(/inputs\.(\w+)/g)].map(([, name]) => name);
  assert.deepEqual([...new Set(used)].sort(), Object.keys(action.inputs).sort());
});

test("the action annotates what check finds, and fails for errors", () => {
  const good = runStep(0, makeProject().folder, INPUTS);
  assert.equal(good.status, 0, good.stderr);
  const broken = `${RECORD}\nSee [the other](0009-missing.md).\n`;
  const { folder } = makeProject({ "docs/adr/0002-broken.md": broken.replace("# 1. Retry", "# 2. Lose") });
  const bad = runStep(0, folder, INPUTS);
  assert.equal(bad.status, 1, bad.stderr);
  assert.match(bad.stdout, /^::error file=docs\/adr\/0002-broken\.md,line=\d+/m);
});

test("the action writes the decisions for the changed files as one comment", () => {
  const { folder, base } = makeProject();
  const { status, stderr, output, temporary } = runStep(1, folder, { ...INPUTS, "inputs.base": base });
  assert.equal(status, 0, stderr);
  const comment = readFileSync(`${temporary}/decisions.md`, "utf8");
  assert.match(comment, /^<!-- architrave -->\n### .*\n\n {4}/);
  assert.match(comment, /Retry payments/);
  assert.match(comment, /src\/payments\/api\.ts/);
  assert.match(comment, /src\/payments\/größe\.ts/);
  // All that is from documents is code.
  for (const line of comment.split("\n").slice(2)) assert.match(line, /^(?: {4}.*)?$/);
  const [, file, end] = /^file=(.*)\ncomment<<(\w{32})\n/.exec(output)!;
  assert.equal(readFileSync(file!, "utf8"), comment);
  assert.ok(output.endsWith(`\n${comment}${end}\n`) || output.includes(`${comment}${end}\n`));
});

test(
  "the action has no comment where nothing has changed, and fetches a base that a shallow clone lacks",
  () => {
    const { folder, base } = makeProject();
    const head = git(folder, "rev-parse", "HEAD").trim();
    assert.equal(runStep(1, folder, { ...INPUTS, "inputs.base": head }).output, "");
    const shallow = fixture();
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true");
    git(shallow, "clone", "--quiet", "--depth=1", `file://${folder}`, "clone");
    const { output, stderr } = runStep(1, `${shallow}/clone`, { ...INPUTS, "inputs.base": base });
    assert.match(output, /Retry payments/, stderr);
  },
);

test("the action passes on this repository, and every pattern of its documents fits a file", () => {
  const { status, stdout } = runStep(0, REPOSITORY, {
    "inputs.documents": "--root=mcp",
    "inputs.check": "--code=.",
  });
  assert.equal(status, 0, stdout);
  assert.doesNotMatch(stdout, /^::/m);
});

test("the action names the decisions of this repository for its last change of lib", (t) => {
  const base = git(REPOSITORY, "log", "-1", "--format=%P", "--", "lib").trim().split(" ")[0]!;
  if (base === "") return t.skip("a shallow clone has no change");
  const { status, stderr, output } = runStep(1, REPOSITORY, {
    "inputs.documents": "--root=mcp",
    "inputs.base": base,
  });
  assert.equal(status, 0, stderr);
  assert.match(output, /architecture:\/\/adr\/022-/);
});

const hooks: Json[] = parse(readFileSync(`${REPOSITORY}.pre-commit-hooks.yaml`, "utf8"));

/** Runs a hook as pre-commit does for the language `script`. */
function runHook(id: string, cwd: string, args: readonly string[]) {
  const hook = hooks.find((one) => one.id === id);
  assert.equal(hook.language, "script");
  const [script, ...first] = hook.entry.split(" ");
  return run(`${REPOSITORY}${script}`, [...first, ...args], { cwd });
}

test("the hook checks the documents that its arguments name", () => {
  const { folder } = makeProject();
  const args = ["--mount=adr=docs/adr"];
  assert.equal(runHook("architrave-check", folder, args).status, 0);
  writeFiles(folder, {
    "docs/adr/0002-lose.md": "# 2. Lose payments\n\nSee [the other](0009-missing.md).\n",
  });
  const { status, stdout } = runHook("architrave-check", folder, args);
  assert.equal(status, 1);
  assert.match(stdout, /0009-missing\.md/);
});

test("the hook names the decisions for the files that pre-commit passes", () => {
  const { folder } = makeProject();
  const files = ["src/payments/api.ts"];
  const { status, stdout } = runHook("architrave-decisions", folder, ["--mount=adr=docs/adr", ...files]);
  assert.equal(status, 0);
  assert.match(stdout, /Retry payments/);
});
