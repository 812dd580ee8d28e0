/** The command config: what to paste or run so that a client starts this server. */

import type { Platform } from "../../deps.ts";
import type { Start } from "../platform/self.ts";
import type { Options, Pair } from "./main.ts";
import type { JsonObject } from "../base/json.ts";
import { toBase64 } from "../base/bytes.ts";
import { compact } from "../base/json.ts";
import { printable } from "../base/text.ts";
import { readStart } from "../platform/self.ts";
import { flagsOf, SERVE_OPTIONS } from "./main.ts";
import { foldersOf, toJson, UsageError } from "./program.ts";

/** How a client starts the server. */
interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** One client. `{app}` in a path is the folder of the user's application data. */
interface Client {
  readonly title: string;
  /** The configuration of the user: a file, or the way to it in the menus. */
  readonly user: string;
  /** Where Windows has it elsewhere. */
  readonly windows?: string;
  /** The file for one project, from its folder. */
  readonly project?: string;
  readonly format?: "toml" | "yaml";
  /** The member that holds all servers. */
  readonly key: string;
  /** The server in the words of the client. @default {command and args} */
  entry?(launch: Launch, name: string): JsonObject;
  /** A command that does the same. */
  run?(launch: Launch, name: string): readonly string[];
  /** A link that does the same. */
  link?(launch: Launch, name: string): string;
}

const CLIENTS: Readonly<Record<string, Client>> = {
  "claude-code": {
    title: "Claude Code",
    user: "~/.claude.json",
    project: ".mcp.json",
    key: "mcpServers",
    run: (
      { command, args },
      name,
    ) => ["claude", "mcp", "add", "--scope", "user", name, "--", command, ...args],
  },
  "claude-desktop": {
    title: "Claude Desktop",
    user: "{app}/Claude/claude_desktop_config.json",
    key: "mcpServers",
  },
  "vscode": {
    title: "VS Code",
    user: "{app}/Code/User/mcp.json",
    project: ".vscode/mcp.json",
    key: "servers",
    entry: (launch) => ({ type: "stdio", ...launch }),
    run: (launch, name) => ["code", "--add-mcp", JSON.stringify({ name, ...launch })],
    link: (launch, name) => `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...launch }))}`,
  },
  "cursor": {
    title: "Cursor",
    user: "~/.cursor/mcp.json",
    project: ".cursor/mcp.json",
    key: "mcpServers",
    link: (launch, name) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${name}&config=${
        encodeURIComponent(toBase64(new TextEncoder().encode(JSON.stringify(launch))))
      }`,
  },
  "windsurf": { title: "Windsurf", user: "~/.codeium/windsurf/mcp_config.json", key: "mcpServers" },
  "codex": {
    title: "Codex",
    user: "~/.codex/config.toml",
    project: ".codex/config.toml",
    format: "toml",
    key: "mcp_servers",
    run: ({ command, args }, name) => ["codex", "mcp", "add", name, "--", command, ...args],
  },
  "gemini": {
    title: "Gemini CLI",
    user: "~/.gemini/settings.json",
    project: ".gemini/settings.json",
    key: "mcpServers",
  },
  "zed": {
    title: "Zed",
    user: "~/.config/zed/settings.json",
    windows: "{app}/Zed/settings.json",
    project: ".zed/settings.json",
    key: "context_servers",
    entry: (launch) => ({ source: "custom", ...launch, env: {} }),
  },
  "opencode": {
    title: "opencode",
    user: "~/.config/opencode/opencode.jsonc",
    project: "opencode.jsonc",
    key: "mcp",
    entry: ({ command, args }) => (
      { type: "local", command: [command, ...args], environment: {}, enabled: true }
    ),
  },
  "kiro": {
    title: "Kiro",
    user: "~/.kiro/settings/mcp.json",
    project: ".kiro/settings/mcp.json",
    key: "mcpServers",
  },
  "goose": {
    title: "Goose",
    user: "~/.config/goose/config.yaml",
    windows: "{app}/Block/goose/config/config.yaml",
    format: "yaml",
    key: "extensions",
    entry: ({ command, args }, name) => (
      { name, description: "", cmd: command, args, enabled: true, envs: {}, type: "stdio", timeout: 300 }
    ),
  },
  "jetbrains": {
    title: "JetBrains AI Assistant and Junie",
    user: "Settings | Tools | AI Assistant | Model Context Protocol (MCP) | Add | As JSON",
    project: ".junie/mcp/mcp.json",
    key: "mcpServers",
  },
};

/** Folders of application data, by operating system. */
const APP_FOLDERS = { windows: "%APPDATA%", darwin: "~/Library/Application Support", linux: "~/.config" };

/** Prints how the client is configured for the folders that the options name. */
export async function config(platform: Platform, options: Options): Promise<number> {
  const id = options.operands[0]!;
  const client = CLIENTS[id]!;
  const name = options.get("name") ?? "architrave";
  if (!/^[A-Za-z0-9_-]{1,60}$/.test(name)) {
    throw new UsageError(`--name takes letters, digits, dashes and underscores, at most 60, not "${name}"`);
  }
  const { isSample } = foldersOf(platform, options);
  const start = await readStart();
  const launch = toLaunch(platform, options, start);
  const paste = toText(client, { [client.key]: { [name]: (client.entry ?? (() => launch))(launch, name) } });
  const answer = compact({
    client: id,
    file: (start.os === "windows" ? client.windows ?? client.user : client.user)
      .replace("{app}", APP_FOLDERS[start.os])
      .replaceAll("/", start.os === "windows" && /^[~{]/.test(client.user) ? "\\" : "/"),
    projectFile: client.project,
    paste,
    run: client.run?.(launch, name).map((word) => quotedWord(word, start.os)).join(" "),
    link: client.link?.(launch, name),
  });
  if (options.get("format") === "json") {
    platform.print("output", toJson({ ...answer, ...launch }));
    return 0;
  }
  const { file, projectFile, run, link } = answer;
  const where = projectFile === undefined ? file : `${file}\n(or, for one project, into its ${projectFile})`;
  const lines = [`${client.title}: add this to ${where}`, "", paste.trimEnd()];
  if (run !== undefined) lines.push("", "or run", "", run);
  if (link !== undefined) lines.push("", "or open this link", "", link);
  platform.print("output", `${lines.flatMap((text) => text.split("\n")).map(printable).join("\n")}\n`);
  if (isSample) {
    const advice = "name your own folder with --root DIR or --mount NAME=DIR";
    platform.print("error", `architrave: This serves the sample that comes with the program; ${advice}.\n`);
  }
  return 0;
}

/** The command that starts this program as it was started, with the options of serve that are given. */
function toLaunch({ name, files }: Platform, options: Options, { command, main }: Start): Launch {
  const folders: string[] = [];
  const folder = (path: string): string => {
    const real = files.realPath(path);
    folders.push(real);
    return real;
  };
  const given: string[] = [];
  for (const { name, label = "" } of new Set(flagsOf(SERVE_OPTIONS).values())) {
    if (!options.has(name)) continue;
    const isFolder = label.endsWith("DIR");
    const value = options.get<unknown>(name);
    for (const one of Array.isArray(value) ? value as (string | Pair)[] : [String(value)]) {
      const [key, text] = typeof one === "string" ? ["", one] : [`${one[0]}=`, one[1]];
      given.push(`--${name}`, ...label === "" ? [] : [`${key}${isFolder ? folder(text) : text}`]);
    }
  }
  if (main === undefined) return { command, args: given };
  const isFile = !/^[a-z]{2,}:/i.test(main);
  const program = isFile && name === "node" ? files.realPath(main) : main;
  if (name === "node") {
    // Node 22 warns of the types in the sources, and some clients show that as an error.
    return { command, args: [...program.endsWith(".ts") ? ["--no-warnings"] : [], program, ...given] };
  }
  const own = isFile ? [`${program.slice(0, /[^\\/]*$/.exec(program)!.index)}mcp`] : [];
  const readable = [...own, ...folders].map((path) => path.replaceAll(",", ",,")).join(",");
  const args = ["run", "--no-prompt", `--allow-read=${readable}`, program, ...given];
  // The cache of npx is no place to start programs from.
  return /[\\/]_npx[\\/]/.test(command)
    ? { command: "npx", args: ["-y", "deno", ...args] }
    : { command, args };
}

/** Writes a configuration in the format of its client. JSON strings and lists are TOML and YAML, too. */
function toText({ format }: Client, value: Readonly<Record<string, JsonObject>>): string {
  if (format === undefined) return toJson(value);
  const [[key, servers]] = Object.entries(value) as [[string, JsonObject]];
  const [[name, entry]] = Object.entries(servers) as [[string, JsonObject]];
  const lines = Object.entries(entry).map(([member, value]) =>
    format === "toml" ? `${member} = ${JSON.stringify(value)}` : `    ${member}: ${JSON.stringify(value)}`
  );
  const head = format === "toml" ? [`[${key}.${name}]`] : [`${key}:`, `  ${name}:`];
  return `${[...head, ...lines].join("\n")}\n`;
}

/** A word of a command line as a shell takes it. */
function quotedWord(word: string, os: Start["os"]): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return os === "windows" ? `"${word.replaceAll('"', '\\"')}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
