/**
 * What do the official clients have in common? One interface over both generations, so that one test can use either, and
 * a look at how the process ended, which neither of them gives.
 */

import type { ChildProcess } from "node:child_process";
import type { Launch } from "./runtimes.ts";
import assert from "node:assert/strict";

/** A resource as a client hands it over. */
export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly size?: number | undefined;
  readonly annotations?: { readonly lastModified?: string | undefined } | undefined;
}

export interface ListedTemplate {
  readonly uriTemplate: string;
  readonly name: string;
}

export interface ListedPrompt {
  readonly name: string;
  readonly arguments?:
    | readonly { readonly name: string; readonly required?: boolean | undefined }[]
    | undefined;
}

/** What a completion is asked for. */
export type Reference =
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string };

export interface Completion {
  readonly values: readonly string[];
  readonly total?: number | undefined;
  readonly hasMore?: boolean | undefined;
}

/** As much of a tool as is looked at. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
  readonly outputSchema?: unknown;
}

/** The result of a tool whose content is text. */
export interface CallResult {
  readonly isError: boolean;
  readonly texts: readonly string[];
  /** Its structured content, where the revision has it. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

/** Reads the result of a call. */
export function toCallResult(result: unknown): CallResult {
  const { isError = false, content, structuredContent } = result as {
    isError?: boolean;
    content: readonly { type: string; text: string }[];
    structuredContent?: Record<string, unknown>;
  };
  assert.deepEqual([...new Set(content.map(({ type }) => type))], ["text"]);
  return { isError, texts: content.map(({ text }) => text), data: structuredContent };
}

/** An official client that is connected to a server. */
export interface OfficialClient {
  /** The revision that client and server speak. */
  readonly revision: string;
  readonly serverName: string | undefined;
  readonly instructions: string | undefined;
  /** Everything the client reported beside its answers; must stay empty. */
  readonly complaints: readonly Error[];
  /** Every resource, page by page. */
  resources(signal?: AbortSignal): Promise<readonly ListedResource[]>;
  /** One page, from a cursor. */
  page(cursor: string): Promise<unknown>;
  templates(): Promise<readonly ListedTemplate[]>;
  prompts(): Promise<readonly ListedPrompt[]>;
  /** Every tool; from then on the client holds what is called against what was listed. */
  tools(): Promise<readonly ListedTool[]>;
  /** Calls a tool; rejects when its result is not what the client thinks that was promised. */
  call(name: string, args: Record<string, unknown>): Promise<CallResult>;
  /** The text of a resource and the URI that it came under. */
  read(uri: string, signal?: AbortSignal): Promise<{ readonly uri: string; readonly text: string }>;
  /** The messages of a prompt: the role and the text of each. */
  prompt(name: string, args?: Record<string, string>): Promise<readonly (readonly [string, string])[]>;
  complete(ref: Reference, argument: string, value: string): Promise<Completion>;
  ping(): Promise<void>;
  /** Any request at all, with whatever result. */
  request(method: string, params?: Record<string, unknown>): Promise<unknown>;
  /** Closes the client, and looks at how the process ended. */
  close(): Promise<Ending>;
}

/** How a process ended, and what it said on its standard error meanwhile. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

/** One of the official clients, told how to open. */
export interface Opening {
  readonly name: string;
  /** The revision that it must end up with. */
  readonly revision: string;
  connect(launch: Launch): Promise<OfficialClient>;
}

/** How a process ends that ends well. */
export const WELL: Ending = Object.freeze({ code: 0, signal: null, stderr: "" });

/** What both transports of both generations have inside: the process, which only they know. */
interface Inside {
  readonly stderr: unknown;
  readonly _process?: ChildProcess;
}

/** Watches the process of a transport whose standard error is piped; to be called once it runs. */
export function watch(transport: unknown): Promise<Ending> {
  const { stderr, _process: child } = transport as Inside;
  assert.ok(child, "the transport of the official client has its process where it always had it");
  let text = "";
  (stderr as NodeJS.ReadableStream).setEncoding("utf8").on("data", (chunk: string) => text += chunk);
  return new Promise((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal, stderr: text }))
  );
}

/** Ends the input of the process of a transport, and goes on reading what it writes. */
export function endInput(transport: unknown): void {
  const { _process: child } = transport as Inside;
  assert.ok(child?.stdin, "the transport of the official client has its process where it always had it");
  child.stdin.end();
}

/** What the server refused a request with, less what the client puts around the message. */
export async function refusal(
  request: Promise<unknown>,
): Promise<{ code: number; message: string; data: unknown }> {
  try {
    await request;
  } catch (error) {
    const { code, message, data } = error as { code: number; message: string; data?: unknown };
    if (typeof code !== "number") throw error;
    return { code, message: message.replace(/^MCP error -?\d+: /, ""), data };
  }
  throw new assert.AssertionError({ message: "The request was answered, and should have been refused" });
}
