/**
 * The manifests of the places where the program can be had: the MCP registry, MCPB clients such as Claude Desktop, plugins
 * of Claude Code and Copilot, and Docker's catalogue. All are made of `package.json`, so names and versions agree.
 *
 * While `package.json` is private, nothing is published: no manifest then names a package or a repository, because a
 * stranger could own that name. `publish.mjs` changes this, in one step.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeZip } from "./zip.mjs";

const repository = fileURLToPath(new URL("..", import.meta.url));
const TITLE = "Architrave";
const AUTHOR = { name: "The Architrave authors" };
const FOLDER = "The folder with your decision records, as markdown";
/** Their descriptions for people; the program has its own for models. */
const TOOLS = [
  { name: "decisions_for", description: "Names the decisions that apply to files" },
  { name: "search_documents", description: "Searches all documents" },
  { name: "read_document", description: "Reads a document or one of its sections" },
  { name: "list_documents", description: "Lists all documents by category and status" },
];

/** The entry of the MCP registry, `server.json`. The hash is that of the MCPB file. */
export function registryEntry(manifest, sha256) {
  const { name, mcpName, version, description } = manifest;
  const transport = { type: "stdio" };
  const home = homeOf(manifest);
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: mcpName,
    title: TITLE,
    description,
    version,
    ...(home && {
      repository: { url: home, source: new URL(home).hostname.split(".").at(-2) },
      packages: [
        {
          registryType: "npm",
          registryBaseUrl: "https://registry.npmjs.org",
          identifier: name,
          version,
          runtimeHint: "npx",
          transport,
          packageArguments: [{
            type: "named",
            name: "--mount",
            description: FOLDER,
            isRequired: true,
            value: "adr={folder}",
            variables: { folder: { description: FOLDER, format: "filepath", isRequired: true } },
          }],
        },
        {
          registryType: "mcpb",
          identifier: `${home}/releases/download/v${version}/architrave.mcpb`,
          fileSha256: sha256,
          transport,
        },
      ],
    }),
  };
}

/** The manifest of the MCPB file, version 0.4. */
export function mcpbManifest(manifest) {
  const { name, version, description, license, keywords, engines } = manifest;
  const home = homeOf(manifest);
  return {
    manifest_version: "0.4",
    name,
    display_name: TITLE,
    version,
    description,
    author: AUTHOR,
    ...(home && { repository: { type: "git", url: home } }),
    license,
    keywords,
    server: {
      type: "node",
      entry_point: "architrave.mjs",
      mcp_config: {
        command: "node",
        args: ["${__dirname}/architrave.mjs", "--mount", "adr=${user_config.folder}"],
      },
    },
    tools: TOOLS,
    prompts_generated: true,
    compatibility: { platforms: ["darwin", "win32", "linux"], runtimes: { node: engines.node } },
    user_config: {
      folder: { type: "directory", title: "Decision records", description: FOLDER, required: true },
    },
  };
}

/** How long a hook waits for the server, which runs already, and for a program, which has to start. In seconds. */
const TOOL_SECONDS = 5, PROGRAM_SECONDS = 10;

/**
 * The hooks of Claude Code. The one for files calls the server, so no program starts. Members that an input lacks become "".
 * A subagent has a context of its own, so it counts as a session.
 */
function claudeHooks(server) {
  const input = {
    paths: ["${tool_input.file_path}", "${tool_input.notebook_path}"],
    text: "${tool_input.new_string}${tool_input.content}${tool_input.new_source}",
    hook: "${session_id}${agent_id}",
  };
  const forFile = { type: "mcp_tool", server, tool: "decisions_for", input, timeout: TOOL_SECONDS };
  const forSession = {
    type: "command",
    command: "node",
    args: ["${CLAUDE_PLUGIN_ROOT}/start.mjs", "hook", "--start", "claude-code"],
    timeout: PROGRAM_SECONDS,
  };
  return {
    PreToolUse: [{ matcher: "Read|Edit|Write|MultiEdit|NotebookEdit", hooks: [forFile] }],
    SessionStart: [{ hooks: [forSession] }],
  };
}

/** The hooks of Copilot CLI. It refuses the edit if a hook fails in any way, for example without Node. */
function copilotHooks() {
  const run = (...words) => ({
    type: "command",
    bash: `node "$PLUGIN_ROOT/start.mjs" ${words.join(" ")} || true`,
    powershell: `node "$env:PLUGIN_ROOT/start.mjs" ${words.join(" ")}; exit 0`,
    timeoutSec: PROGRAM_SECONDS,
  });
  return {
    preToolUse: [{ ...run("hook", "copilot"), matcher: "view|edit|create|apply_patch" }],
    sessionStart: [run("hook", "--start", "copilot")],
  };
}

/**
 * The manifests of the plugin by path, and that of the marketplace above it. Both hosts find `skills/` by themselves. The
 * server is for Claude Code alone, which tells it where the project is. Copilot starts servers of plugins somewhere else.
 * Copilot takes the first manifest only, and it takes no hooks at all from a file with a hook that calls a server. So each
 * manifest has the hooks of its host, and there is no `hooks/hooks.json`, which is for both.
 */
export function pluginManifests(manifest) {
  const { name, version, description, license, keywords } = manifest;
  const home = homeOf(manifest);
  const plugin = {
    name,
    version,
    description,
    author: AUTHOR,
    ...(home && { homepage: home, repository: home }),
    license,
    keywords,
  };
  const architecture = {
    command: "node",
    args: ["${CLAUDE_PLUGIN_ROOT}/start.mjs"],
    env: { CLAUDE_PROJECT_DIR: "${CLAUDE_PROJECT_DIR}" },
    // Its tools are not hidden until the model searches for them, except those that say so themselves.
    alwaysLoad: true,
  };
  const plugins = [{ name, source: "./plugin", description, version, license, category: "process" }];
  return {
    "plugin/plugin.json": { ...plugin, mcpServers: {}, hooks: copilotHooks() },
    "plugin/.claude-plugin/plugin.json": {
      ...plugin,
      mcpServers: { architecture },
      hooks: claudeHooks(`plugin:${name}:architecture`),
    },
    ".claude-plugin/marketplace.json": { name, owner: AUTHOR, metadata: { description, version }, plugins },
  };
}

/** The entry of Docker's catalogue, `server.yaml`, which builds the container from a commit. */
export function dockerEntry(manifest, commit) {
  const home = homeOf(manifest);
  const source = home && `source:
  project: ${home}
  commit: ${commit}
  dockerfile: test/deploy/Dockerfile
`;
  return `name: architrave
image: mcp/architrave
type: server
meta:
  category: documentation
  tags:
    - architecture
    - documentation
about:
  title: ${TITLE}
  description: ${manifest.description}
${source ?? ""}run:
  command:
    - --mount
    - adr=/documents
  volumes:
    - "{{architrave.folder}}:/documents:ro"
  disableNetwork: true
config:
  description: The server reads this folder and nothing else.
  parameters:
    type: object
    properties:
      folder:
        type: string
        description: ${FOLDER}
    required:
      - folder
`;
}

/** Makes all of it in a folder that has the single file: `architrave.mcpb`, `plugin/`, `server.json`, `server.yaml`. */
export function makeChannels(target) {
  const manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
  const program = ["architrave.mjs", ...filesBelow(target, "mcp")];
  const read = (file) => [file, readFileSync(join(target, file))];
  const license = readFileSync(join(repository, "LICENSE"));
  const mcpb = makeZip([
    ["manifest.json", toJson(mcpbManifest(manifest))],
    ["LICENSE", license],
    ...program.map(read),
  ]);
  write(target, "architrave.mcpb", mcpb);
  for (const folder of ["plugin", ".claude-plugin"]) {
    rmSync(join(target, folder), { recursive: true, force: true });
  }
  cpSync(join(repository, "test/deploy/plugin"), join(target, "plugin"), { recursive: true });
  for (const file of program) write(target, `plugin/${file}`, read(file)[1]);
  write(target, "plugin/LICENSE", license);
  for (const [file, value] of Object.entries(pluginManifests(manifest))) write(target, file, toJson(value));
  const sha256 = createHash("sha256").update(mcpb).digest("hex");
  write(target, "server.json", toJson(registryEntry(manifest, sha256)));
  const commit = homeOf(manifest) &&
    execFileSync("git", ["rev-parse", "HEAD"], { cwd: repository, encoding: "utf8" }).trim();
  write(target, "server.yaml", dockerEntry(manifest, commit));
}

/** Where the sources are published; undefined until they are. */
function homeOf({ private: isPrivate, repository }) {
  return isPrivate ? undefined : repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
}

function filesBelow(target, folder) {
  return readdirSync(join(target, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(target, `${folder}/${entry.name}`) : [`${folder}/${entry.name}`]
  ).sort();
}

function write(target, file, content) {
  const path = join(target, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function toJson(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}
