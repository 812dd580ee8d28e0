/** What do the programs of these tests serve, and how is it changed while they run? */

import type { TestContext } from "node:test";
import type { Answer } from "../harness/program.ts";
import { makeFolder, writeFiles } from "../harness/folder.ts";
import { Program } from "../harness/program.ts";
import { brief } from "../harness/streams.ts";

/** A decision record with a status, and a text that is not listed. */
export function record(status: string, text: string): string {
  return `---\nstatus: ${status}\ndate: 2024-01-01\n---\n# Use it\n\n## Context\n\nWhy.\n\n## Decision\n\n${text}\n`;
}

/** A guideline with a title, and a text that is not listed. */
export function guideline(title: string, text: string): string {
  return `# ${title}\n\nWhat it is about.\n\n${text}\n`;
}

/** The definition of a prompt with a description, and a text that is not listed. */
export function prompt(name: string, description: string, text: string): string {
  return JSON.stringify({ name, description, messages: [{ role: "user", content: { type: "text", text } }] });
}

const FILES = {
  "resources/adr/0007-use-it.md": record("proposed", "As it was."),
  "resources/guidelines/a.md": guideline("A", "As it was."),
  "resources/guidelines/b.md": guideline("B", "As it was."),
  "prompts/p.json": prompt("p", "What it does.", "As it was."),
};

/** The program, and the folder that it serves. */
export interface Served {
  readonly program: Program;
  readonly root: string;
  /** Writes files into the folder. */
  write(files: Readonly<Record<string, string>>): void;
}

/** Makes a folder with a few documents and a prompt in it, and whatever a test adds. */
export function makeShelf(
  test: Pick<TestContext, "after">,
  files: Readonly<Record<string, string>> = {},
): string {
  return makeFolder(test, { ...FILES, ...files });
}

/** Starts the program on a folder of its own. */
export function start(
  test: Pick<TestContext, "after">,
  files: Readonly<Record<string, string>> = {},
): Served {
  const root = makeShelf(test, files);
  return { root, program: new Program(["--root", root]), write: (files) => writeFiles(root, files) };
}

/** Starts the program and looks at everything that it lists, so that each change from then on is one. */
export async function startLooking(test: Pick<TestContext, "after">): Promise<Served> {
  const served = start(test);
  await served.program.askModern("resources/list");
  await served.program.askModern("prompts/list");
  return served;
}

/** The same after a handshake. */
export async function startInitialized(test: Pick<TestContext, "after">, version?: string): Promise<Served> {
  const served = await startLooking(test);
  await served.program.initialize(version);
  return served;
}

/** What is told until a resource has another content, and what had to be told by then, in short. */
export async function toldUntil(program: Program, uri: string): Promise<string[]> {
  const told: Answer[] = [];
  while (!told.some(({ params }) => (params as { uri?: string } | undefined)?.uri === uri)) {
    told.push(await program.notice());
  }
  return brief([...told, ...await program.notices()]);
}
