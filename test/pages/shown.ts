/** The command `page` during a test. */

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { runHere } from "../harness/command.ts";
import { makeFolder } from "../harness/folder.ts";
import { mountsOf } from "./documents.ts";
import type { Read } from "./html.ts";
import { readHtml } from "./html.ts";

export interface Shown {
  readonly url: string;
  readonly port: number;
  /** Reads a page, which has this status. */
  get(path: string, status?: number): Promise<Read>;
  /** What the command has printed. */
  printed(): string;
}

/** Serves the pages of a folder until the end of the test. */
export async function show(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<Shown & { readonly folder: string }> {
  const folder = makeFolder(t, files);
  return { folder, ...await start(t, "--listen", "127.0.0.1:0", ...mountsOf(folder, files), ...args) };
}

/** Runs the command `page` until the end of the test. */
export async function start(t: TestContext, ...args: string[]): Promise<Shown> {
  const end = Promise.withResolvers<void>();
  const shown = Promise.withResolvers<string>();
  let printed = "";
  const onprint = (text: string) => {
    printed += text;
    const url = / at (http:\S+)/.exec(text)?.[1];
    if (url !== undefined) shown.resolve(url);
  };
  const running = runHere(["page", ...args], { interrupted: end.promise, onprint });
  running.then(({ errors }) => shown.reject(new Error(errors)), shown.reject);
  const url = await shown.promise;
  t.after(async () => {
    end.resolve();
    assert.equal((await running).code, 0);
  });
  const get = async (path: string, status = 200): Promise<Read> => {
    const response = await fetch(new URL(path, url));
    assert.equal(response.status, status, path);
    return readHtml(await response.text(), path);
  };
  return { url, port: Number(new URL(url).port), get, printed: () => printed };
}
