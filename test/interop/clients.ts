/**
 * The official clients of both generations, told how to open, with one interface. They answer
 * everything that a server may ask, and keep what they are notified of.
 */

import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { tmpdir } from "node:os";
import { pathToFileURL } from "node:url";
import type { ClientOptions, CompleteResult, ListResourcesResult } from "@modelcontextprotocol/client";
import type { Prompt, Resource, Tool } from "@modelcontextprotocol/client";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as v1 from "@modelcontextprotocol/sdk/types.js";
import { Inbox } from "../harness/lines.ts";
import type { Fetch } from "./conversation.ts";
import { HttpRecording } from "./conversation.ts";
import type { Ending, Launch } from "./programs.ts";
import { WELL } from "./programs.ts";
import { LEGACY_REVISIONS, MODERN_REVISION } from "../harness/conformance.ts";

/** What a completion is asked for. */
export type Reference = { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };

/** The result of a tool, with its structured content where the revision has it. */
export interface CallResult {
  readonly isError: boolean;
  readonly texts: readonly string[];
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

/** What both generations let a caller say of one request. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number }) => void;
}

interface AnyTransport {
  readonly sessionId?: string;
  readonly protocolVersion?: string;
  /** The process, which only the transport has. */
  readonly _process?: ChildProcess;
  terminateSession(): Promise<void>;
}

/** A program to start, or the URL of a server. */
export type Target = Launch | string;

/** How a client connects. */
export interface ConnectOptions {
  /** Whether it fetches a list whenever that has changed, which some open a stream for. */
  readonly withLists?: boolean;
  readonly requestInit?: RequestInit;
  /** Where a token comes from; each generation has a type of its own for it. */
  readonly authProvider?: object;
  readonly fetch?: Fetch;
}

/** One of the official clients, told how to open, and the revision that it must end up with. */
export interface Opening {
  readonly name: string;
  readonly revision: string;
  connect(target: Target, options?: ConnectOptions): Promise<OfficialClient>;
}

/** The transport of the second generation opens a process of its own to probe, unless it is not exactly that class. */
export class InPlace extends StdioV2 {}

function v2Opening(name: string, revision: string, options: ClientOptions, Stdio = StdioV2): Opening {
  return {
    name: `client v2, ${name}`,
    revision,
    connect: (target, connecting) => OfficialClient.connect(target, connecting, options, Stdio),
  };
}

const negotiating = (mode: "auto" | "legacy" | { pin: string }) => ({ versionNegotiation: { mode } });
const AUTO = negotiating("auto");
export const V1: Opening = {
  name: "client v1",
  revision: "2025-11-25",
  connect: (target, options) => OfficialClient.connect(target, options),
};
export const V2_LEGACY: Opening = v2Opening("legacy", "2025-11-25", negotiating("legacy"));
export const V2_MODERN: Opening = v2Opening(
  "2026-07-28",
  MODERN_REVISION,
  negotiating({ pin: MODERN_REVISION }),
);
export const V2_AUTO: Opening = v2Opening("probing", MODERN_REVISION, AUTO);
export const V2_AUTO_IN_PLACE: Opening = v2Opening("probing on one pipe", MODERN_REVISION, AUTO, InPlace);
/** The client as it would be if a legacy revision were the only one it knew. */
export const V2_EACH_LEGACY: readonly Opening[] = LEGACY_REVISIONS.map((revision) =>
  v2Opening(revision, revision, { supportedProtocolVersions: [revision] })
);
/** The client as it would be if it knew an older or a later revision in addition to 2026-07-28. */
export const V2_MIXED: readonly Opening[] = ([
  ["with one old revision", [MODERN_REVISION, "2024-11-05"], StdioV2],
  ["with a revision to come", ["2027-01-01", MODERN_REVISION, "2025-11-25"], StdioV2],
  ["with a revision to come, on one pipe", ["2027-01-01", MODERN_REVISION, "2025-11-25"], InPlace],
] as const).map(([name, known, Stdio]) =>
  v2Opening(name, MODERN_REVISION, { ...AUTO, supportedProtocolVersions: [...known] }, Stdio)
);

/** What the user fills in: every field for any text, or to be ticked, with something that can only come from here. */
export function filledIn({ params }: { params: unknown }): {
  action: "accept";
  content: Record<string, string | boolean>;
} {
  const { requestedSchema } = params as {
    requestedSchema?: { properties: Record<string, { type: string; format?: string; enum?: string[] }> };
  };
  const fields = Object.entries(requestedSchema?.properties ?? {});
  const known = fields.filter(([, { type, format, enum: values }]) =>
    type === "boolean" || (type === "string" && format === undefined && values === undefined)
  );
  const content = known.map(([name, { type }]) => [name, type === "boolean" ? true : `the ${name}`]);
  return { action: "accept", content: Object.fromEntries(content) };
}

export const SAMPLED = {
  role: "assistant",
  content: { type: "text", text: "what the model says" },
  model: "a model",
} as const;
export const ROOT: { readonly uri: string; readonly name: string } = {
  uri: pathToFileURL(tmpdir()).href,
  name: "the root",
};

/** An official client that is connected. */
export class OfficialClient {
  /** The client itself, of either generation: what is used here is the same for both. */
  readonly raw: ClientV2;
  /** The client itself, where it is of the second generation. */
  readonly v2: ClientV2 | undefined;
  readonly transport: AnyTransport;
  /** What was said and heard over HTTP. */
  readonly recording: HttpRecording;
  /** What it was notified of: URIs, and lists as it fetched them. */
  readonly notified: Inbox<string> = new Inbox();
  /** What was logged. */
  readonly logs: unknown[] = [];
  /** Everything the client reported in addition to its answers; must stay empty. */
  readonly complaints: Error[] = [];
  /** The revision that client and server speak. */
  revision = "";
  #ended: Promise<Ending> | undefined;

  private constructor(
    target: Target,
    { withLists, fetch, ...http }: ConnectOptions,
    v2: ClientOptions | undefined,
    Stdio: typeof StdioV2,
  ) {
    this.recording = new HttpRecording(fetch);
    const listChanged = { resources: this.#fetching("resources"), prompts: this.#fetching("prompts") };
    // Ours fills in the defaults of a form without being told.
    const capabilities = { sampling: {}, elicitation: { form: { applyDefaults: true }, url: {} }, roots: {} };
    const options = { capabilities, ...(withLists ? { listChanged } : {}) };
    // The default gives up after 64 pages, which depends on the client and not on the server.
    const client = v2
      ? new ClientV2({ name: "interop-v2", version: "1" }, { listMaxPages: 0, ...options, ...v2 })
      : new ClientV1({ name: "interop-v1", version: "1" }, options);
    this.raw = client as unknown as ClientV2;
    this.v2 = client instanceof ClientV2 ? client : undefined;
    this.raw.onerror = (error) => void this.complaints.push(error);
    this.#answerServer(client);
    const [Program, Http] = v2 ? [Stdio, HttpV2] as const : [StdioV1, HttpV1] as const;
    const transport = typeof target === "string"
      ? new Http(new URL(target), { ...http, fetch: this.recording.fetch } as object)
      : new Program({ ...target, stderr: "pipe" });
    this.transport = transport as unknown as AnyTransport;
  }

  /** @param v2 The options of a client of the second generation; without them it is one of the first. */
  static async connect(
    target: Target,
    options: ConnectOptions = {},
    v2?: ClientOptions,
    Stdio: typeof StdioV2 = StdioV2,
  ): Promise<OfficialClient> {
    const client = new OfficialClient(target, options, v2, Stdio);
    const { raw, transport } = client;
    const isProgram = typeof target !== "string";
    // The first generation keeps the negotiated revision to itself and tells only its transport.
    if (isProgram && !v2) {
      Object.assign(transport, { setProtocolVersion: (agreed: string) => client.revision = agreed });
    }
    await raw.connect(transport as never);
    client.revision ||= client.v2?.getNegotiatedProtocolVersion() ?? transport.protocolVersion ?? "";
    if (isProgram) client.#ended = watch(transport);
    return client;
  }

  /** Fetches a list whenever it is told that it has changed. */
  #fetching(list: string) {
    return {
      // At once: the client would wait for more of them.
      debounceMs: 0,
      onChanged: (error: Error | null, items: readonly { uri?: string; name: string }[] | null): void => {
        const names = items?.map(({ uri, name }) => uri?.replace("architecture://", "") ?? name);
        this.notified.add(error ? String(error) : `${list} ${names?.join(" ")}`);
      },
    };
  }

  /** Both generations name what they handle in their own way. */
  #answerServer(client: ClientV1 | ClientV2): void {
    const updated = ({ params }: { params: { uri: string } }) => this.notified.add(`updated ${params.uri}`);
    const log = ({ params }: { params: { data?: unknown } }) => void this.logs.push(params.data);
    if (client instanceof ClientV2) {
      client.setRequestHandler("elicitation/create", filledIn);
      client.setRequestHandler("sampling/createMessage", () => SAMPLED);
      client.setRequestHandler("roots/list", () => ({ roots: [ROOT] }));
      client.setNotificationHandler("notifications/message", log);
      client.setNotificationHandler("notifications/resources/updated", updated);
    } else {
      client.setRequestHandler(v1.ElicitRequestSchema, filledIn);
      client.setRequestHandler(v1.CreateMessageRequestSchema, () => SAMPLED);
      client.setRequestHandler(v1.ListRootsRequestSchema, () => ({ roots: [ROOT] }));
      client.setNotificationHandler(v1.LoggingMessageNotificationSchema, log);
      client.setNotificationHandler(v1.ResourceUpdatedNotificationSchema, updated);
    }
  }

  /** Every resource, page by page. */
  async resources(signal?: AbortSignal): Promise<readonly Resource[]> {
    const all: Resource[] = [];
    for (let params: { cursor?: string } | undefined = {}; params;) {
      const page: ListResourcesResult = await this.raw.listResources(params, signal ? { signal } : {});
      all.push(...page.resources);
      // The second generation turns the pages itself.
      params = this.v2 || page.nextCursor === undefined ? undefined : { cursor: page.nextCursor };
    }
    return all;
  }

  templates = async (): Promise<readonly { uriTemplate: string }[]> =>
    (await this.raw.listResourceTemplates()).resourceTemplates;
  prompts = async (): Promise<readonly Prompt[]> => (await this.raw.listPrompts()).prompts;
  /** From then on the client holds what is called against what was listed. */
  tools = async (): Promise<readonly Tool[]> => (await this.raw.listTools()).tools;

  /** Calls a tool; rejects when its result is not what the client thinks that was promised. */
  async call(
    name: string,
    args: Record<string, unknown> = {},
    options: CallOptions = {},
    _meta: Record<string, unknown> = {},
  ): Promise<CallResult> {
    const params = { name, arguments: args, _meta };
    const result = this.v2
      ? this.v2.callTool(params, options)
      : (this.raw as unknown as ClientV1).callTool(params, undefined, options);
    const { isError = false, content, structuredContent: data } = await result as {
      isError?: boolean;
      content: readonly { text?: string }[];
      structuredContent?: Record<string, unknown>;
    };
    return { isError, texts: content.map(({ text }) => text ?? ""), data };
  }

  /** The text that a tool answers with. */
  async textOf(...args: Parameters<OfficialClient["call"]>): Promise<string> {
    const { isError, texts } = await this.call(...args);
    assert.equal(isError, false, texts.join("\n"));
    return texts.join("\n");
  }

  /** The text of a resource and the URI that it came under. */
  async read(uri: string, signal?: AbortSignal): Promise<{ readonly uri: string; readonly text: string }> {
    const { contents } = await this.raw.readResource({ uri }, signal ? { signal } : {});
    return contents[0] as { uri: string; text: string };
  }

  /** The messages of a prompt: the role and the text of each. */
  async prompt(name: string, args?: Record<string, string>): Promise<readonly (readonly [string, string])[]> {
    const { messages } = await this.raw.getPrompt({ name, ...(args ? { arguments: args } : {}) });
    return messages.map(({ role, content }) => [role, (content as { text: string }).text]);
  }

  async complete(ref: Reference, name: string, value: string): Promise<CompleteResult["completion"]> {
    return (await this.raw.complete({ ref, argument: { name, value } })).completion;
  }

  /** Ends the input of the program, as if its client had nothing more to say, and waits for its end. */
  async endInput(): Promise<Ending> {
    this.transport._process!.stdin!.end();
    return await this.#ended!;
  }

  /**
   * Closes the client. The program must then end well, and nothing may be left that was wrong or not expected.
   *
   * @param allowed What the client may have complained of.
   */
  async close(allowed: RegExp = /^$/): Promise<void> {
    await this.raw.close();
    const isHttp = this.recording.exchanges.length > 0;
    assert.deepEqual(await this.#ended ?? WELL, WELL, "the process ends by itself, silently, with 0");
    const { problems, messages } = await this.recording.finish();
    assert.deepEqual(problems, []);
    assert.equal(messages > 0, isHttp, "what comes over HTTP is recorded");
    // Closing cuts the streams that the client has open, which it reports.
    const complaints = this.complaints.filter(({ name, message }) =>
      !allowed.test(message) && !(isHttp && /Abort/.test(`${name} ${message}`))
    );
    assert.deepEqual(complaints, [], "the client has nothing to complain of");
    assert.deepEqual(this.notified.items, []);
  }
}

/** Watches the process of a transport whose standard error is piped. */
function watch(transport: object): Promise<Ending> {
  const { stderr: stream, _process: child } = transport as {
    stderr: NodeJS.ReadableStream;
    _process?: ChildProcess;
  };
  assert.ok(child, "the transport of the official client has its process where it always had it");
  let stderr = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => stderr += chunk);
  return new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal, stderr })));
}

/** The error that a request fails with, less what the client puts around the message. */
export async function errorOf(
  request: Promise<unknown>,
): Promise<{ code: number; message: string; data: unknown }> {
  try {
    await request;
  } catch (error) {
    const { code, message, data } = error as { code: number; message: string; data?: unknown };
    if (typeof code !== "number") throw error;
    return { code, message: message.replace(/^MCP error -?\d+: /, ""), data };
  }
  throw new assert.AssertionError({ message: "The request was answered, and should have failed" });
}

/** The code for what is not there: the second generation knows both codes of the revisions, as the same error. */
export const notFoundCode = ({ v2 }: OfficialClient): number => v2 ? -32602 : -32002;
