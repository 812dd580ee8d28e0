/** What a client may use, by the scopes of its credential. */

import { asArray, asObject, own } from "../../base/json.ts";
import { insufficientScope } from "../protocol/errors.ts";

/** The scopes that a client needs, in addition to what its transport asks. No scope implies another. */
export interface ScopePolicy {
  /** By tool: all that a call needs. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  /** By category of documents: all that a document needs to be read, found or embedded. */
  readonly categories?: Readonly<Record<string, readonly string[]>>;
}

/** What a client may use by the scopes of its credential. What it may not use is not shown to it. */
export class Access {
  readonly #policy: ScopePolicy;
  readonly #scopes: readonly unknown[];

  /** Takes the scopes of what the transport has found out about the client; see `MessageContext`. */
  constructor(policy: ScopePolicy, authentication?: unknown) {
    this.#policy = policy;
    this.#scopes = asArray(asObject(authentication)["scopes"]);
  }

  /** Whether the client has all scopes for a tool or a category. */
  allows(kind: keyof ScopePolicy, name: string): boolean {
    return this.#needs(kind, name).every((scope) => this.#scopes.includes(scope));
  }

  /** Throws an error that names all scopes for these, unless the client has them. @throws {RpcError} With status 403. */
  demand(kind: keyof ScopePolicy, names: readonly string[]): void {
    if (names.every((name) => this.allows(kind, name))) return;
    throw insufficientScope([...new Set(names.flatMap((name) => this.#needs(kind, name)))]);
  }

  #needs(kind: keyof ScopePolicy, name: string): readonly string[] {
    return own(this.#policy[kind] ?? {}, name) as readonly string[] | undefined ?? [];
  }
}

/** The categories of documents that a URI belongs to, whether there is such a document or not. */
export function categoriesOf(
  uri: string,
  resources: readonly { categoryOf?(uri: string): string | undefined }[],
): string[] {
  return resources.flatMap((provider) => provider.categoryOf?.(uri) ?? []);
}
