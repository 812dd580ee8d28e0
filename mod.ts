#!/usr/bin/env node
/**
 * Architrave serves a team's guidelines, patterns and decision records, and its prompt templates, to AI assistants over
 * the Model Context Protocol.
 *
 * Run directly, it is the program: an MCP server over standard input and output. Imported, it is what such a server is
 * made of; each folder of `lib/` has a subpath of its own.
 *
 * @example Serve a folder of decision records from a program of your own
 * ```ts
 * import {
 *   createServer,
 *   documentProvider,
 *   loadPlatform,
 *   protectOutput,
 *   stdioTransport,
 * } from "@architrave/architrave";
 *
 * protectOutput();
 * const platform = await loadPlatform();
 * const server = createServer({
 *   info: { name: "our-decisions", version: "1.0.0" },
 *   resources: [documentProvider(platform, { mounts: [{ name: "adr", path: "docs/decisions" }] })],
 * });
 * const connection = await server.connect(stdioTransport(platform));
 * platform.onInterrupt(() => connection.end());
 * await connection.closed;
 * platform.exit(0);
 * ```
 *
 * @module
 */

export type {
  ByteChannel,
  ByteEvents,
  DirectoryEntry,
  FileStatus,
  FileSystem,
  OpenFile,
  Platform,
  Watch,
} from "./deps.ts";
export type { MessageContext, Transport } from "./lib/jsonrpc/transport/transport.ts";
export type { DocumentOptions, DocumentProvider } from "./lib/documents/mod.ts";
export type { PromptOptions } from "./lib/documents/prompts/options.ts";
export type { Prompt, Resource } from "./lib/mcp/protocol/types.ts";
export type { Change } from "./lib/mcp/server/changes.ts";
export type { Extension, PromptProvider, ResourceProvider } from "./lib/mcp/server/provider.ts";
export type { Tool, ToolSet } from "./lib/mcp/server/tool.ts";
export type { Server } from "./lib/mcp/server/server.ts";
export type { ServerOptions } from "./lib/mcp/server/options.ts";
export { loadPlatform } from "./lib/platform/load.ts";
export { ErrorCode, RpcError } from "./lib/jsonrpc/message.ts";
export { memoryTransports } from "./lib/jsonrpc/transport/stream.ts";
export { protectOutput } from "./lib/jsonrpc/transport/protect_output.ts";
export { stdioTransport } from "./lib/jsonrpc/transport/stream.ts";
export { documentProvider, documentTools } from "./lib/documents/provider.ts";
export { promptProvider } from "./lib/documents/prompts/provider.ts";
export { createServer } from "./lib/mcp/server/server.ts";

if (isSupported() && import.meta.main) {
  const { main } = await import("./lib/cli/main.ts");
  await main(import.meta.dirname);
}

/**
 * Up to Node 24.2, `import.meta.main` is missing, or false in a file of types: the program would end without a word. Started
 * with this file, it prints a sentence; an importing program gets an error.
 */
function isSupported(): boolean {
  const { Deno: deno } = globalThis as { Deno?: DenoVersion };
  if (deno) {
    // These versions give an open file another identity than its path has.
    if (deno.build.os !== "windows" || !/^2\.[0-3]\./.test(deno.version.deno)) return true;
    throw new Error(
      `Cannot run on Deno ${deno.version.deno} on Windows: install Deno 2.4 or later, or Node 24.3 or later`,
    );
  }
  // Looked at after Deno, which has one too, but loads much of its Node for it.
  const { process: node } = globalThis as { process?: NodeProcess };
  const version = node?.versions.node;
  const [major = 0, minor = 0] = (version ?? "").split(".").map(Number);
  const isOld = major < 22 || major === 23 || (major === 22 && minor < 18) || (major === 24 && minor < 3);
  if (!node || major === 0 || !isOld) return true;
  const message = `Cannot run on Node ${version}: install Node 22.18, 24.3 or later, or Deno 2`;
  // Node also starts the file by a link, or without the end of its name.
  const [started, own] = [node.argv?.[1] ?? "", import.meta.url].map((path) =>
    /([^\\/]+?)(?:\.\w+)?$/.exec(path)?.[1]
  );
  if (started !== own) throw new Error(message);
  node.stderr.write(`architrave: ${message}.\n`);
  // A hook that fails refuses the edit in some clients.
  node.exitCode = node.argv!.includes("hook") ? 0 : 2;
  return false;
}

/** What is used of Deno. Its process claims to be a Node of its time, Node 20 in Deno 2.0. */
interface DenoVersion {
  readonly build: { readonly os: string };
  readonly version: { readonly deno: string };
}

/** What is used of Node's process. */
interface NodeProcess {
  readonly argv?: readonly string[];
  readonly stderr: { write(text: string): unknown };
  readonly versions: { readonly node?: string };
  exitCode?: number;
}
