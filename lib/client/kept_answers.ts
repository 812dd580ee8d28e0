/** Which store does an answer belong in? One of this client alone, or one that clients of the same server share. */

import type { ChangeEvent } from "./changes.ts";
import type { Members } from "./value.ts";
import { AnswerStore } from "./answers.ts";

/** Asks the server; tells each time that a request leaves. */
type Ask = (onsent: () => void) => Promise<Members>;

/** The answers that one client keeps. */
export class KeptAnswers {
  readonly #own: AnswerStore = new AnswerStore();
  /** Answers that the server calls public. */
  readonly #shared: AnswerStore;
  readonly #isOff: boolean;

  constructor(shared: AnswerStore | undefined, isOff: boolean) {
    this.#shared = shared ?? this.#own;
    this.#isOff = isOff;
  }

  /** Grows with everything that is dropped. */
  get generation(): number {
    return this.#own.generation;
  }

  /** An answer that is still good, or else a new one. */
  async find(method: string, params: Members, ask: Ask): Promise<Members> {
    if (this.#isOff) return await ask(() => {});
    const found = this.#own.find(method, params) ?? this.#shared.find(method, params);
    if (found) return found;
    const [own, shared] = [this.#own.generation, this.#shared.generation];
    let rounds = 0;
    const result = await ask(() => rounds++);
    // What was answered after questions depends on more than what was asked.
    if (rounds !== 1) return result;
    if (result["cacheScope"] === "public") this.#shared.keep(method, params, result, shared);
    else this.#own.keep(method, params, result, own);
    return result;
  }

  /** Drops what a change has made wrong. */
  drop({ type, uri }: ChangeEvent): void {
    for (const store of new Set([this.#own, this.#shared])) {
      if (type === "resource") store.drop("resources/read", uri);
      else store.drop(`${type}/list`);
      if (type === "resources") store.drop("resources/templates/list");
    }
  }
}
