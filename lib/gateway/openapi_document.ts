/** Where does a reference lead? Within the document, and nowhere else. */

import { isObject } from "../base/json.ts";
import { UnservableError } from "./gateway_error.ts";

/** An object of a document. */
export type Part = Readonly<Record<string, unknown>>;

/** A document, to be looked up in. */
export class OpenApiDocument {
  /** All of it. */
  readonly root: Part;
  /** By its first two numbers. */
  readonly version: "3.0" | "3.1";

  /** Takes a document of one of the versions that are read. */
  constructor(root: Part, version: "3.0" | "3.1") {
    this.root = root;
    this.version = version;
  }

  /**
   * An object that may be a reference to one.
   *
   * @param what What it is, for the reason.
   * @throws {UnservableError} When it is none in the end.
   */
  object(value: unknown, what: string): Part {
    let found = value;
    const seen = new Set<unknown>();
    while (isObject(found) && typeof found["$ref"] === "string") {
      if (seen.has(found)) throw new UnservableError(`The reference of ${what} leads in a circle`);
      seen.add(found);
      found = this.at(found["$ref"]);
    }
    if (isObject(found)) return found;
    throw new UnservableError(`What is said of ${what} is no object`);
  }

  /**
   * What a reference leads to.
   *
   * @throws {UnservableError} When it leads out, or to nothing.
   */
  at(reference: string): unknown {
    let value: unknown = this.root;
    for (const token of tokensOf(reference)) {
      value = typeof value === "object" && value !== null && Object.hasOwn(value, token)
        ? (value as Part)[token]
        : undefined;
    }
    if (value === undefined) {
      throw new UnservableError(`The reference "${shown(reference)}" leads to nothing`);
    }
    return value;
  }
}

/**
 * The steps of a reference within the document.
 *
 * @throws {UnservableError} When it leads out.
 */
export function tokensOf(reference: string): string[] {
  if (reference === "#") return [];
  if (!reference.startsWith("#/")) {
    throw new UnservableError(
      `The reference "${shown(reference)}" leads out of the document, or to a name in it`,
    );
  }
  try {
    return reference.slice(2).split("/")
      .map((token) => decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch (cause) {
    throw new UnservableError(`The reference "${shown(reference)}" is not encoded as it must be`, { cause });
  }
}

function shown(reference: string): string {
  return reference.slice(0, 200);
}
