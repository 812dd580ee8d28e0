/** The program after its handshake, requests, and large documents to read with them. */

import type { TestContext } from "node:test";
import { linkSync } from "node:fs";
import { makeFolder } from "../harness/folder.ts";
import { until } from "../harness/process.ts";
import { handshake, Program } from "../harness/program.ts";
import type { RunOptions } from "../harness/runtime.ts";

/** The program after its handshake. */
export async function start(args: readonly string[] = [], options: RunOptions = {}): Promise<Program> {
  const program = new Program(args, options);
  await program.initialize();
  return program;
}

/** The program on a root, whose client stops to read with its first answer. */
export async function startUnread(root: string, requests: readonly object[]): Promise<Program> {
  const program = new Program(["--root", root]);
  program.child.stdout.once("data", () => program.child.stdout.pause());
  const opening = { jsonrpc: "2.0", id: "first", method: "initialize", params: handshake("2025-11-25") };
  // At once: the requests are taken before there is an index, and wait for it.
  program.send(opening, ...requests);
  await until("it answers", () => program.output !== "");
  return program;
}

/** A root with documents of this many bytes without words to index: d0, d1, and so on. */
export function makeLarge(t: TestContext, bytes: number, count = 1): string {
  const text = `# Large\n\n${"~".repeat(bytes - 9)}`;
  const root = makeFolder(t, { "resources/guidelines/d0.md": text });
  const path = (id: number) => `${root}/resources/guidelines/d${id}.md`;
  for (let id = 1; id < count; id++) linkSync(path(0), path(id));
  return root;
}

/** Reads one of them. */
export function read(id: number, document = 0): { readonly params: object } {
  const params = { uri: `architecture://guidelines/d${document}` };
  const request = { jsonrpc: "2.0", id, method: "resources/read", params };
  return request;
}

export function ping(id: string | number, params?: object): { readonly id: string | number } {
  const request = { jsonrpc: "2.0", id, method: "ping", ...(params && { params }) };
  return request;
}
