/** `config` prints for each client what add-mcp, which installs servers into clients, writes for the same server. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { test } from "node:test";
import { parse as parseYaml } from "yaml";
import { makeFolder } from "../harness/folder.ts";
import { handshake } from "../harness/program.ts";
import type { Runtime } from "./programs.ts";
import { onEachRuntime, PACKAGES, succeed } from "./programs.ts";

const ADD_MCP = `${PACKAGES}add-mcp/dist/index.js`;
const { parse: parseToml } = createRequire(ADD_MCP)("@iarna/toml") as { parse(text: string): unknown };

/** Our name of a client, that of add-mcp, and the file that add-mcp writes on Linux. */
const CLIENTS: readonly (readonly [ours: string, theirs: string, file: string])[] = [
  ["claude-code", "claude-code", ".claude.json"],
  ["claude-desktop", "claude-desktop", ".config/Claude/claude_desktop_config.json"],
  ["vscode", "vscode", ".config/Code/User/mcp.json"],
  ["cursor", "cursor", ".cursor/mcp.json"],
  ["windsurf", "windsurf", ".codeium/windsurf/mcp_config.json"],
  ["copilot", "github-copilot-cli", ".copilot/mcp-config.json"],
  ["codex", "codex", ".codex/config.toml"],
  ["gemini", "gemini-cli", ".gemini/settings.json"],
  ["zed", "zed", ".config/zed/settings.json"],
  ["opencode", "opencode", ".config/opencode/opencode.jsonc"],
  ["kiro", "kiro-cli", ".kiro/settings/mcp.json"],
  ["goose", "goose", ".config/goose/config.yaml"],
];

/** A client that is not ours and reads what we print for one of ours: its title, the name of add-mcp, and its file. */
const OTHERS: readonly (readonly [ours: string, title: string, theirs: string])[] = [
  ["cursor", "Antigravity", "antigravity"],
  ["cursor", "Mastra Code", "mastracode"],
  ["cursor", "MCPorter", "mcporter"],
  ["cursor", "Pi", "pi"],
  ["codex", "Grok Build", "grok-build"],
  ["opencode", "Kilo Code", "kilo-code"],
];

/** What `config --format json` prints. */
interface Answer {
  readonly alsoRead: readonly { readonly title: string; readonly file: string }[];
  readonly file: string;
  readonly paste: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly link?: string;
}

function ask(runtime: Runtime, root: string, args: readonly string[]): Answer {
  const start = runtime.launch(root, ["config", ...args, "--format", "json"]);
  const { command, cwd, env } = start;
  return JSON.parse(succeed(command, start.args, { cwd, env }));
}

function parse(file: string, text: string): unknown {
  return file.endsWith(".toml")
    ? parseToml(text)
    : file.endsWith(".yaml")
    ? parseYaml(text)
    : JSON.parse(text);
}

/** The settings without the cache of Node, and without what only Claude Code knows. */
function withoutCache(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      // An empty one is written by some.
      const isCache = name === "env" &&
        ("NODE_COMPILE_CACHE" in (member as object) || Object.keys(member).length === 0);
      if (isCache || name === "NODE_COMPILE_CACHE" || name === "alwaysLoad") return [];
      return [[name, withoutCache(member)]];
    }),
  );
}

const FILES = { "our docs/resources/adr/0001-x.md": "# X\n" };

onEachRuntime("config", (runtime) => {
  const skip = process.platform !== "linux" && "add-mcp has other files on this system";

  for (const [ours, theirs, file] of CLIENTS) {
    test(`prints for ${ours} what add-mcp writes`, { skip }, (t) => {
      const home = makeFolder(t, FILES);
      const root = `${home}/our docs`;
      const { paste, command, args, file: named } = ask(runtime, root, [ours, "--poll", "500"]);
      assert.equal(named, `~/${file}`);
      assert.deepEqual(args.slice(-4), ["--root", root, "--poll", "500"]);
      const words = [command, ...args.map((arg) => `--args=${arg}`)];
      const line = [ADD_MCP, ...words, "--agent", theirs, "--name", "architrave", "--global", "--yes"];
      succeed(process.execPath, line, { cwd: home, env: { HOME: home } });
      const written = parse(file, readFileSync(`${home}/${file}`, "utf8"));
      // We name the transport for VS Code and Claude Code; add-mcp leaves it to be guessed. It knows neither our cache nor what Claude Code loads at once.
      const isTyped = ["vscode", "claude-code"].includes(ours);
      const known = withoutCache(parse(file, isTyped ? paste.replace('"type": "stdio",', "") : paste));
      assert.deepEqual(known, withoutCache(JSON.parse(JSON.stringify(written))));
    });
  }

  for (const [ours, title, theirs] of OTHERS) {
    test(`prints for ${ours} what add-mcp writes for ${title}`, { skip }, (t) => {
      const home = makeFolder(t, FILES);
      const { paste, command, args, alsoRead, file: own } = ask(runtime, `${home}/our docs`, [ours]);
      const file = alsoRead.find((one) => one.title === title)!.file.replace("~", home);
      const words = [command, ...args.map((arg) => `--args=${arg}`)];
      const line = [ADD_MCP, ...words, "--agent", theirs, "--name", "architrave", "--global", "--yes"];
      succeed(process.execPath, line, { cwd: home, env: { HOME: home } });
      const written = JSON.parse(JSON.stringify(parse(file, readFileSync(file, "utf8"))));
      assert.deepEqual(withoutCache(parse(own, paste)), withoutCache(written));
    });
  }

  test("prints a command that starts the server, and links and commands that hold it", (t) => {
    const root = `${makeFolder(t, FILES)}/our docs`;
    const { command, args, env, link, run } = ask(runtime, root, ["vscode"]);
    const launch = { name: "architrave", command, args, ...(env && { env }) };
    assert.deepEqual(JSON.parse(decodeURIComponent(link!.replace("vscode:mcp/install?", ""))), launch);
    assert.equal(run, `code --add-mcp '${JSON.stringify(launch)}'`);
    const cursor = new URL(ask(runtime, root, ["cursor"]).link!).searchParams;
    assert.equal(cursor.get("name"), "architrave");
    assert.deepEqual(JSON.parse(atob(cursor.get("config")!)), { command, args, ...(env && { env }) });
    const claude = ask(runtime, root, ["claude-code", "--name", "ours"]).run!;
    assert.match(claude, /^claude mcp add ours (?:--env \S+ )?-- \S+ .*--root '.*our docs'$/);
    const params = handshake("2025-06-18");
    const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;
    const output = succeed(command, args, { input });
    assert.equal(JSON.parse(output).result.serverInfo.name, "architrave");
  });
});
