/** The base URL of an API. All requests stay below it. */

import { refuse } from "./errors.ts";

/** An http or https URL without user, password, query and fragment. */
export class BaseUrl {
  readonly origin: string;
  readonly #prefix: string;

  constructor(text: string) {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol)) {
      refuse(
        `The base URL must begin with https:// or http://, and "${text.replace(/\?.*/s, "?…")}" does not`,
      );
    }
    if (url.username !== "" || url.password !== "" || /[?#]/.test(text)) {
      refuse("The base URL must not have a user, password, query or fragment");
    }
    this.origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, "");
  }

  /** The URL of an encoded path and query; undefined if a URL parser would change it or it is not below the base. */
  resolve(target: string): URL | undefined {
    const text = this.toString() + target;
    const url = URL.parse(text);
    return url?.href === text && this.covers(url) ? url : undefined;
  }

  /** Whether a URL is below the base. */
  covers(url: URL): boolean {
    return this.hasOrigin(url) && `${url.pathname}/`.startsWith(`${this.#prefix}/`);
  }

  hasOrigin({ origin, username, password }: URL): boolean {
    return origin === this.origin && username === "" && password === "";
  }

  toString(): string {
    return this.origin + this.#prefix;
  }
}
