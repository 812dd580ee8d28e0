/**
 * Is everything in a conversation what its revision allows? Followed in both directions, from its first message to its last,
 * however it was carried.
 */

import type { Asked, Message } from "./checks.ts";
import {
  answerProblems,
  batchProblems,
  META_PREFIX,
  notificationProblems,
  orphanProblems,
  questionProblems,
} from "./checks.ts";
import { LEGACY_REVISIONS, MODERN_REVISION } from "./schemas.ts";
import { Streams } from "./streams.ts";

/** One conversation, followed from its first line to its last. */
export class Conversation {
  readonly problems: string[] = [];
  answers = 0;
  readonly #streams = new Streams();
  readonly #asked = new Map<unknown, Asked>();
  /** What the program has asked. */
  readonly #questions = new Set<unknown>();
  #agreed: string | undefined;
  /** What was agreed before: an answer to what could not be read may be older than the last handshake. */
  #before: string | undefined;

  sent(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return;
    }
    const isBatch = Array.isArray(value);
    for (const message of isBatch ? value as never[] : [value] as never[]) {
      const { id, method } = (message ?? {}) as {
        id?: unknown;
        method?: unknown;
      };
      this.#streams.sent(message ?? {});
      const isAnswerable = typeof id === "string" || Number.isSafeInteger(id);
      if (typeof method === "string" && isAnswerable) {
        this.#ask(message, isBatch);
      }
    }
  }

  received(line: string): void {
    const value = JSON.parse(line) as Message | Message[];
    if (Array.isArray(value)) {
      this.problems.push(...batchProblems(value, this.#agreed));
    }
    for (const message of Array.isArray(value) ? value : [value]) {
      this.#receive(message);
    }
  }

  #ask(message: Message, isInBatch: boolean): void {
    const method = String(message["method"]);
    const params = message["params"] as Message | undefined;
    const meta = params?.["_meta"] as Message | undefined;
    const isModern = meta !== undefined &&
      Object.keys(meta).some((key) => key.startsWith(META_PREFIX));
    // A handshake in a batch is refused.
    if (
      method === "initialize" && !isModern && !isInBatch &&
      typeof params?.["protocolVersion"] === "string"
    ) {
      const version = params["protocolVersion"];
      this.#before = this.#agreed;
      this.#agreed = LEGACY_REVISIONS.find((revision) => revision === version) ?? "2025-11-25";
    }
    this.#asked.set(message["id"], {
      method,
      revision: isModern ? MODERN_REVISION : this.#agreed,
    });
  }

  #isOfRequest({ method, params }: Message): boolean {
    if (method === "notifications/cancelled") {
      return this.#questions.has((params as Message)["requestId"]);
    }
    return /^notifications\/(?:message|progress|elicitation\/complete)$/.test(
      String(method),
    );
  }

  #receive(message: Message): void {
    this.answers++;
    if ("method" in message && "id" in message) {
      this.#questions.add(message["id"]);
      return void this.problems.push(
        ...questionProblems(message, this.#agreed),
      );
    }
    // What belongs to a request is part of no stream.
    if (!this.#isOfRequest(message)) {
      this.problems.push(...this.#streams.received(message));
    }
    if ("method" in message) {
      return void this.problems.push(
        ...notificationProblems(message, this.#agreed),
      );
    }
    const asked = this.#asked.get(message["id"]);
    if (asked) {
      return void this.problems.push(...answerProblems(message, asked));
    }
    const found = orphanProblems(message, this.#agreed);
    if (found.length > 0 && orphanProblems(message, this.#before).length > 0) {
      this.problems.push(...found);
    }
  }
}
