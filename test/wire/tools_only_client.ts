/** What is on the shelf of a client that has tools and nothing else, and how does it ask? */

import assert from "node:assert/strict";
import type { Answer } from "../harness/program.ts";
import { Program } from "../harness/program.ts";

/** A document in several scripts, whose lines end in the other way. */
export const AWKWARD: string =
  "# 見出し 😀\r\n\r\n日本語の文章です。\r\n\r\n## Überblick\r\n\r\nä👩‍👩‍👧‍👦é\r\n\r\n" +
  "漢字😀\r\n".repeat(20);
/** Documents of every kind. */
export const FILES: Readonly<Record<string, string>> = {
  "resources/adr/001-old.md":
    '---\nstatus: superseded\nsuperseded-by: 002-new.md\ndate: 2024-01-01\napplies-to: ["src/**"]\n---\n# Old\n\n## Context\n\nWhy.\n',
  "resources/adr/002-new.md":
    '---\nstatus: accepted\ndate: 2024-02-01\napplies-to: ["src/**"]\n---\n# New\n\n## Context\n\nWhy not.\n\n## Decision\n\nDo.\n',
  "resources/adr/003-one.md": "# One\n",
  "resources/adr/003-two.md": "# Two\n",
  "resources/guidelines/api.md": '---\napplies-to: ["src/api/*.ts", "*.proto"]\n---\n# API\n\nAbout it.\n',
  "resources/guidelines/awkward.md": AWKWARD,
  "resources/guidelines/bom.md": "\uFEFF# Marked\n\nText.\n",
  "resources/guidelines/empty.md": "",
};

/** What a tool answers as data. */
// deno-lint-ignore no-explicit-any
export type Data = Record<string, any>;

/** A client. */
export interface Client {
  readonly program: Program;
  ask(method: string, params?: object): Promise<Answer>;
  call(name: string, args?: object): Promise<Record<string, unknown>>;
  data(name: string, args?: object): Promise<Data>;
  /** Words for the model that say what went wrong. */
  refused(name: string, args: object): Promise<string>;
}

/** Starts the program and connects to it. */
export async function client(
  root: string,
  version = "2025-11-25",
  runtimeFlags: readonly string[] | undefined = undefined,
): Promise<Client> {
  const program = new Program(["--root", root], runtimeFlags ? { runtimeFlags } : {});
  const isModern = version === "2026-07-28";
  if (!isModern) await program.initialize(version);
  const ask = (method: string, params: object = {}) =>
    isModern ? program.askModern(method, params) : program.ask(method, params);
  const call = async (name: string, args: object = {}) => {
    const answer = await ask("tools/call", { name, arguments: args });
    assert.ok(answer.result, JSON.stringify(answer.error));
    return answer.result;
  };
  return {
    program,
    ask,
    call,
    async data(name, args) {
      const result = await call(name, args);
      assert.equal(result["isError"], undefined, JSON.stringify(result));
      return result["structuredContent"] as Record<string, unknown>;
    },
    async refused(name, args) {
      const { isError, content } = await call(name, args);
      assert.equal(isError, true);
      return (content as { text: string }[])[0]!.text;
    },
  };
}

/** The texts of a result. */
export const textsOf = (result: Record<string, unknown>): string[] =>
  (result["content"] as { text: string }[]).map(({ text }) => text);
