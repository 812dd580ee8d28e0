/** What a client may use, by the scopes of its credential. */

import { asArray, asObject, own } from "../../base/json.ts";
import { insufficientScope } from "../protocol/errors.ts";

/** The scopes that a client needs, in addition to those that its transport requires. No scope implies another. */
export interface ScopePolicy {
  /** By tool: all scopes that a call needs. */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  /** By category of documents: all scopes that are needed to read, find or embed one. */
  readonly categories?: Readonly<Record<string, readonly string[]>>;
}

/** What a client may use by the scopes of its credential. What it may not use is not shown to it. */
export class Access {
  readonly #policy: ScopePolicy;
  readonly #scopes: readonly unknown[];

  /** Takes the scopes from the result of the transport's authentication; see `MessageContext`. */
  constructor(policy: ScopePolicy, authentication?: unknown) {
    this.#policy = policy;
    this.#scopes = asArray(asObject(authentication)["scopes"]);
  }

  /** Whether the client has all scopes for a tool or a category. */
  allows(kind: keyof ScopePolicy, name: string): boolean {
    return this.#needs(kind, name).every((scope) => this.#scopes.includes(scope));
  }

  /** Demands all scopes for these tools or categories. @throws {RpcError} With status 403 and the scopes, when one is missing. */
  demand(kind: keyof ScopePolicy, names: readonly string[]): void {
    if (names.every((name) => this.allows(kind, name))) return;
    throw insufficientScope([...new Set(names.flatMap((name) => this.#needs(kind, name)))]);
  }

  #needs(kind: keyof ScopePolicy, name: string): readonly string[] {
    return own(this.#policy[kind] ?? {}, name) as readonly string[] | undefined ?? [];
  }
}

/** The categories of documents that a URI belongs to, even if there is no such document. */
export function categoriesOf(
  uri: string,
  resources: readonly { categoryOf?(uri: string): string | undefined }[],
): string[] {
  return resources.flatMap((provider) => provider.categoryOf?.(uri) ?? []);
}
