/** The command config: what to paste or run so that a client starts this server. */

import type { Platform } from "../platform/platform.ts";
import type { Start } from "../platform/self.ts";
import type { Folders } from "./folders.ts";
import type { OptionPair, Options } from "./options.ts";
import type { JsonObject } from "../base/json.ts";
import { toBase64 } from "../base/base64.ts";
import { compact, isObject } from "../base/json.ts";
import { readStart } from "../platform/self.ts";
import { ConfigurationError, flagsOf, SERVE_OPTIONS, UsageError } from "./options.ts";
import { exists, levelsOf } from "./find_folder.ts";
import { foldersOf, NAME_A_FOLDER } from "./folders.ts";
import { emit, toJsonText } from "./io.ts";
import { folderPaths } from "./paths.ts";
import { commandLine } from "./shell_word.ts";
import { safeText } from "./table.ts";

type Launch = {
  readonly command: string;
  readonly args: readonly string[];
  /** The variables of its environment; missing without any. */
  readonly env?: Readonly<Record<string, string>>;
};

/** A client. "{app}" in the path of the user's file is the folder of application data. */
type Client = readonly [title: string, key: string, userFile: string, projectFile?: string];

/** By name; the key is the member of the file that holds all servers. */
const CLIENTS: Readonly<Record<string, Client>> = {
  "claude-code": ["Claude Code", "mcpServers", "~/.claude.json", ".mcp.json"],
  "claude-desktop": ["Claude Desktop", "mcpServers", "{app}/Claude/claude_desktop_config.json"],
  "vscode": ["VS Code", "servers", "{app}/Code/User/mcp.json", ".vscode/mcp.json"],
  "cursor": ["Cursor", "mcpServers", "~/.cursor/mcp.json", ".cursor/mcp.json"],
  "copilot": ["Copilot CLI", "mcpServers", "~/.copilot/mcp-config.json", ".mcp.json"],
  "windsurf": ["Windsurf", "mcpServers", "~/.codeium/windsurf/mcp_config.json"],
  "codex": ["Codex", "mcp_servers", "~/.codex/config.toml", ".codex/config.toml"],
  "gemini": ["Gemini CLI", "mcpServers", "~/.gemini/settings.json", ".gemini/settings.json"],
  "zed": ["Zed", "context_servers", "~/.config/zed/settings.json", ".zed/settings.json"],
  "opencode": ["opencode", "mcp", "~/.config/opencode/opencode.jsonc", "opencode.jsonc"],
  "kiro": ["Kiro", "mcpServers", "~/.kiro/settings/mcp.json", ".kiro/settings/mcp.json"],
  "goose": ["Goose", "extensions", "~/.config/goose/config.yaml"],
  "jetbrains": [
    "JetBrains AI Assistant and Junie",
    "mcpServers",
    "Settings | Tools | AI Assistant | Model Context Protocol (MCP) | Add | As JSON",
    ".junie/mcp/mcp.json",
  ],
};

const WINDOWS_FILES: Readonly<Record<string, string>> = {
  zed: "{app}/Zed/settings.json",
  goose: "{app}/Block/goose/config/config.yaml",
};

/** Clients that this program does not know otherwise, and that read the form of one of `CLIENTS`, with their files. */
const OTHERS: Readonly<Record<string, readonly (readonly [title: string, file: string])[]>> = {
  mcpServers: [
    ["Antigravity", "~/.gemini/config/mcp_config.json"],
    ["Mastra Code", "~/.mastracode/mcp.json"],
    ["MCPorter", "~/.mcporter/mcporter.json"],
    ["Pi", "~/.pi/agent/mcp.json"],
  ],
  "claude-code": [["Copilot CLI", ".mcp.json"], ["VS Code with Copilot", ".mcp.json"]],
  copilot: [
    ["VS Code with Copilot", "~/.copilot/mcp-config.json, .mcp.json"],
    ["Claude Code", ".mcp.json"],
  ],
  codex: [["Grok Build", "~/.grok/config.toml"]],
  opencode: [["Kilo Code", "~/.config/kilo/kilo.json"]],
};

type ByClient<T> = Readonly<Record<string, (launch: Launch, name: string) => T>>;

/** The entry of a server in the file of a client, where it is more than a command with arguments. */
const ENTRIES: ByClient<JsonObject> = {
  // Otherwise, its tools are hidden until the model searches for them. Copilot, which may read the same file, needs the type.
  "claude-code": (launch) => ({ type: "stdio", ...launch, alwaysLoad: true }),
  vscode: (launch) => ({ type: "stdio", ...launch }),
  copilot: (launch) => ({ type: "stdio", ...launch, tools: ["*"] }),
  zed: (launch) => ({ source: "custom", env: {}, ...launch }),
  opencode: ({ command, args, env = {} }) => (
    { type: "local", command: [command, ...args], environment: env, enabled: true }
  ),
  goose: ({ command, args, env = {} }, name) => (
    { name, description: "", cmd: command, args, enabled: true, envs: env, type: "stdio", timeout: 300 }
  ),
};

/** The words of a command that adds a server by its name and its own command. */
const adding =
  (command: string) => ({ command: program, args, env = {} }: Launch, name: string): string[] => {
    const variables = Object.entries(env).flatMap(([key, value]) => ["--env", `${key}=${value}`]);
    return [...command.split(" "), name, ...variables, "--", program, ...args];
  };

/** The command that adds a server to a client. */
const RUNS: ByClient<readonly string[]> = {
  "claude-code": adding("claude mcp add"),
  vscode: (launch, name) => ["code", "--add-mcp", JSON.stringify({ name, ...launch })],
  codex: adding("codex mcp add"),
  copilot: adding("copilot mcp add"),
};

/** The link that adds a server to a client. */
const LINKS: ByClient<string> = {
  vscode: (launch, name) => `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...launch }))}`,
  cursor: (launch, name) => {
    const config = encodeURIComponent(toBase64(new TextEncoder().encode(JSON.stringify(launch))));
    return `cursor://anysphere.cursor-deeplink/mcp/install?name=${name}&config=${config}`;
  },
};

const APP_FOLDERS = { windows: "%APPDATA%", darwin: "~/Library/Application Support", linux: "~/.config" };

export async function config(platform: Platform, options: Options): Promise<number> {
  const id = options.operands[0]!;
  const name = options.get("name") ?? "architrave";
  if (!/^[A-Za-z0-9_-]{1,60}$/.test(name)) {
    throw new UsageError(`--name takes letters, digits, dashes and underscores, at most 60, not "${name}"`);
  }
  const folders = foldersOf(platform, options);
  if (folders.isSample) throw new ConfigurationError(`Cannot configure the sample: ${NAME_A_FOLDER}`);
  const start = await readStart();
  // From source, most of the start is the compilation of types and code.
  const env = /\.ts$/.test(start.main ?? "") && start.cache ? { NODE_COMPILE_CACHE: start.cache } : undefined;
  const code = options.has("hooks") ? repositoryOf(platform, folders) : undefined;
  const launch: Launch = compact({ ...toLaunch(platform, options, start, code), env });
  if (options.has("hooks")) return await hooksOf(platform, options, code, launch, start.os === "windows");
  const [title, key, userFile, projectFile] = CLIENTS[id]!;
  const onWindows = start.os === "windows";
  const toFile = (path: string) =>
    path.replace("{app}", APP_FOLDERS[start.os])
      .replaceAll("/", onWindows && /^[~{]/.test(path) ? "\\" : "/");
  const answer = compact({
    client: id,
    file: toFile(onWindows ? WINDOWS_FILES[id] ?? userFile : userFile),
    projectFile,
    alsoRead: readersOf(id).map(([title, file]) => ({ title, file: toFile(file) })),
    paste: toText(userFile, key, name, ENTRIES[id]?.(launch, name) ?? { ...launch }),
    run: commandLine(RUNS[id]?.(launch, name) ?? [], onWindows) || undefined,
    link: LINKS[id]?.(launch, name),
  });
  const { file, alsoRead, paste, run, link } = answer;
  const text = [`${title}: add this to ${placeText(file, projectFile)}`, paste.trimEnd()];
  if (run !== undefined) text.push("or run", run);
  if (link !== undefined) text.push("or open this link", link);
  if (alsoRead.length > 0) {
    text.push(
      ["These clients read the same form:", ...alsoRead.map(({ title, file }) => `  ${title}: ${file}`)].join(
        "\n",
      ),
    );
  }
  const { HOOK_SETTINGS } = await import("./config_hooks.ts");
  if (HOOK_SETTINGS[id]) text.push("With --hooks, this command prints the hooks: both work together.");
  return emit(platform, options, { ...answer, ...launch }, () => safeText(text.join("\n\n")));
}

/** Names the file of a project first: the documents are those of one. */
const placeText = (userFile: string, projectFile?: string) =>
  projectFile === undefined
    ? userFile
    : `${projectFile} of the project\n(or, for all projects, to ${userFile})`;

/** The other clients that read what is printed for a client, each with its file. */
function readersOf(id: string): readonly (readonly [title: string, file: string])[] {
  const isCommon = (one: string) => CLIENTS[one]![1] === "mcpServers" && !ENTRIES[one];
  if (!isCommon(id)) return OTHERS[id] ?? [];
  const known = Object.keys(CLIENTS).filter((one) => one !== id && isCommon(one));
  return [...known.map((one) => [CLIENTS[one]![0], CLIENTS[one]![2]] as const), ...OTHERS["mcpServers"]!];
}

/** Shows the settings of a client that call the command hook. */
async function hooksOf(
  platform: Platform,
  options: Options,
  code: string | undefined,
  { command, args, env = {} }: Launch,
  onWindows: boolean,
): Promise<number> {
  const client = options.operands[0]!;
  const { HOOK_SETTINGS } = await import("./config_hooks.ts");
  const known = HOOK_SETTINGS[client];
  if (!known) {
    const names = Object.keys(HOOK_SETTINGS).join(", ");
    throw new UsageError(`--hooks knows the hooks of ${names}, not of ${client}`);
  }
  const { userFile: file, projectFile } = known;
  // Shells of Windows have no such form.
  const before = onWindows ? [] : Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const toStart = (...words: string[]) => [...before, command, ...args, "hook", ...words, client];
  const read = code === undefined ? [] : ["--code", code];
  const paste = toJsonText(known.settings(toStart(...read), toStart("--start", ...read), onWindows));
  if (command === "npx") {
    const way = "install Deno (npm install --global deno) and run this command with it";
    platform.print("error", `architrave: npx takes about a second for each hook: ${way}.\n`);
  }
  const [title] = CLIENTS[client]!;
  return emit(
    platform,
    options,
    { client, file, projectFile, paste },
    () =>
      safeText(
        `${title}: add this to ${placeText(file, projectFile)}\n\n${paste.trimEnd()}`,
      ),
  );
}

/** The root of the repository of the documents: hooks read the files that an assistant reads or edits. */
function repositoryOf({ files }: Platform, folders: Folders): string | undefined {
  const top = levelsOf(files, folderPaths(folders)[0]!).at(-1)!;
  return exists(files, `${top}${files.separator}.git`) ? top : undefined;
}

/**
 * The command that starts this program as it was started, with the options of serve that are given. It may read their folders and
 * `code`.
 */
function toLaunch(
  { name: runtime, files }: Platform,
  options: Options,
  { command, main }: Start,
  code: string | undefined,
): Launch {
  const folders = code === undefined ? [] : [code];
  const given: string[] = [];
  for (const { name, label } of flagsOf(SERVE_OPTIONS).values()) {
    for (const one of options.list<string | number | OptionPair>(name)) {
      const [before, text] = Array.isArray(one) ? [`${one[0]}=`, one[1]] : ["", String(one)];
      const path = label?.endsWith("DIR") ? files.realPath(text) : undefined;
      if (path !== undefined) folders.push(path);
      given.push(`--${name}`, before + (path ?? text));
    }
  }
  if (main === undefined) return { command, args: given };
  const isFile = !/^[a-z]{2,}:/i.test(main);
  const program = isFile && runtime === "node" ? files.realPath(main) : main;
  if (runtime === "node") {
    // Node 22 warns of the types in the sources, and some clients show that as an error.
    return { command, args: [...program.endsWith(".ts") ? ["--no-warnings"] : [], program, ...given] };
  }
  const own = isFile ? [`${program.slice(0, /[^\\/]*$/.exec(program)!.index)}mcp`] : [];
  const readable = [...own, ...folders].map((path) => path.replaceAll(",", ",,")).join(",");
  const args = ["run", "--no-prompt", `--allow-read=${readable}`, program, ...given];
  // npx may delete what is in its cache.
  return /[\\/]_npx[\\/]/.test(command)
    ? { command: "npx", args: ["-y", "deno", ...args] }
    : { command, args };
}

/** A value in TOML. JSON is valid TOML, but for objects. */
function toToml(value: unknown): string {
  if (!isObject(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value).map(([name, one]) => `${name} = ${JSON.stringify(one)}`).join(", ")} }`;
}

/** Writes a server in the format of a file. JSON strings and lists are valid YAML. */
function toText(file: string, key: string, name: string, server: JsonObject): string {
  const isToml = file.endsWith(".toml"), isYaml = file.endsWith(".yaml");
  if (!isToml && !isYaml) return toJsonText({ [key]: { [name]: server } });
  const members = Object.entries(server).map(([member, value]) =>
    `${isToml ? `${member} =` : `    ${member}:`} ${isToml ? toToml(value) : JSON.stringify(value)}`
  );
  return [isToml ? `[${key}.${name}]` : `${key}:\n  ${name}:`, ...members, ""].join("\n");
}
