/** How do the official clients listen? What they are told, put in one queue, and a shelf that changes under them. */

import type { Ending } from "./official.ts";
import type { Launch } from "./runtimes.ts";
import type { ClientOptions } from "@modelcontextprotocol/client";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as TransportV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { endInput, watch } from "./official.ts";

/** How long a test waits for what it should be told, in milliseconds. */
const PATIENCE_MS = 20_000;

/** What a client was told and nobody has looked at: URIs, and lists as the client fetched them. */
export class Told {
  readonly #lines: string[] = [];
  #wake: (() => void) | undefined;

  readonly updated = (uri: string): void => this.#add(`updated ${uri}`);

  /** The options of a client that fetches a list whenever it is told that it has changed. */
  listChanged<T>(list: string, nameOf: (item: T) => string) {
    return {
      // At once: the client would wait for more of them.
      debounceMs: 0,
      onChanged: (error: Error | null, items: readonly T[] | null): void =>
        this.#add(error ? String(error) : `${list} ${items?.map(nameOf).join(" ")}`),
    };
  }

  /** What comes next. */
  async next(): Promise<string> {
    while (this.#lines.length === 0) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(() => reject(new Error("The client was told nothing")), PATIENCE_MS);
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
    }
    return this.#lines.shift()!;
  }

  /** What came and nobody has looked at. */
  rest(): string[] {
    return this.#lines.splice(0);
  }

  #add(line: string): void {
    this.#lines.push(line);
    this.#wake?.();
  }
}

/** What both generations are configured with, to hear of lists. */
function listChangedOf(told: Told) {
  return {
    resources: told.listChanged<{ uri: string }>(
      "resources",
      ({ uri }) => uri.replace("architecture://", ""),
    ),
    prompts: told.listChanged<{ name: string }>("prompts", ({ name }) => name),
  };
}

/** A client that listens. */
export interface Listening<C> {
  readonly client: C;
  readonly told: Told;
  readonly complaints: readonly Error[];
  /** Ends the input of the program, as if its client had nothing more to say, and waits for its end. */
  endInput(): Promise<Ending>;
  /** Closes the client and waits for the end of the program. */
  close(): Promise<Ending>;
}

/** A client of the first generation, which is told of lists as it comes. */
export async function listenWithV1(launch: Launch): Promise<Listening<ClientV1>> {
  const told = new Told();
  const client = new ClientV1({ name: "interop-v1", version: "1" }, { listChanged: listChangedOf(told) });
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => told.updated(params.uri));
  return await connected(client, new TransportV1({ ...launch, stderr: "pipe" }), told);
}

/** A client of the second generation. In 2026-07-28 it opens a stream of its own for the lists. */
export async function listenWithV2(
  launch: Launch,
  mode: NonNullable<ClientOptions["versionNegotiation"]>["mode"],
  withLists = true,
): Promise<Listening<ClientV2>> {
  const told = new Told();
  const client = new ClientV2({ name: "interop-v2", version: "1" }, {
    ...(mode === undefined ? {} : { versionNegotiation: { mode } }),
    ...(withLists ? { listChanged: listChangedOf(told) } : {}),
  });
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => told.updated(params.uri));
  return await connected(client, new TransportV2({ ...launch, stderr: "pipe" }), told);
}

interface Connectable<T> {
  onerror?: ((error: Error) => void) | undefined;
  connect(transport: T): Promise<void>;
  close(): Promise<void>;
}

async function connected<T, C extends Connectable<T>>(
  client: C,
  transport: T,
  told: Told,
): Promise<Listening<C>> {
  const complaints: Error[] = [];
  client.onerror = (error) => void complaints.push(error);
  await client.connect(transport);
  const ended = watch(transport);
  return {
    client,
    told,
    complaints,
    async endInput() {
      endInput(transport);
      return await ended;
    },
    async close() {
      await client.close();
      return await ended;
    },
  };
}

/** A folder that is served and changed. */
export interface ChangingShelf {
  readonly root: string;
  /** Writes a guideline with a title and a text; the title is listed. */
  document(name: string, title: string, text: string): void;
  /** Writes the definition of a prompt. */
  prompt(name: string): void;
  remove(): void;
}

/** Makes one with the guideline "a" and the prompt "p" in it. */
export function changingShelf(): ChangingShelf {
  const root = realpathSync(mkdtempSync(`${tmpdir()}/architrave-listening-`));
  const put = (path: string, text: string) => {
    mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    writeFileSync(path, text);
  };
  const shelf: ChangingShelf = {
    root,
    document: (name, title, text) =>
      put(`${root}/resources/guidelines/${name}.md`, `# ${title}\n\nWhat it is about.\n\n${text}\n`),
    prompt: (name) =>
      put(
        `${root}/prompts/${name}.json`,
        JSON.stringify({ name, messages: [{ role: "user", content: { type: "text", text: "Say it." } }] }),
      ),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  shelf.document("a", "A", "As it was.");
  shelf.prompt("p");
  return shelf;
}
