/** Where do requests go? Below one address, which whoever starts the gateway chose and nobody changes afterwards. */

import { GatewayError } from "./gateway_error.ts";

/** The address that everything lies under. */
export class BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path in front of every path, without a slash at its end. */
  readonly prefix: string;

  /**
   * Reads an address.
   *
   * @throws {GatewayError} When it is no plain http or https address.
   */
  constructor(text: string) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:$/.test(url.protocol)) {
      throw new GatewayError(
        `The base must be an address that begins with https:// or http://, not "${text}"`,
      );
    }
    if (url.username !== "" || url.password !== "") {
      throw new GatewayError("The base must not hold a user or a password: credentials come from files");
    }
    if (url.search !== "" || url.hash !== "" || /[?#]/.test(text)) {
      throw new GatewayError(`The base must have no query and no fragment, and "${text}" has`);
    }
    this.origin = url.origin;
    this.prefix = url.pathname.replace(/\/+$/, "");
    Object.freeze(this);
  }

  /** The address of an encoded path and query; undefined when it is another one than it says, or not below the base. */
  resolve(target: string): URL | undefined {
    const text = this.origin + this.prefix + target;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    // What the parser changes was not what it looked like.
    return url?.href === text && this.covers(url) ? url : undefined;
  }

  /** Whether an address lies below the base. */
  covers(url: URL): boolean {
    return url.origin === this.origin && url.username === "" && url.password === "" &&
      (url.pathname === this.prefix || url.pathname.startsWith(`${this.prefix}/`));
  }

  /** For people. */
  toString(): string {
    return this.origin + this.prefix;
  }
}

/** Whether a host is one that only this machine or its network knows. Addresses are read as the URL parser writes them. */
export function isPrivate({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (/^(?:localhost|.*\.localhost|.*\.local|.*\.internal)$/.test(host) || !/[.:]/.test(host)) return true;
  if (/^(?:::1?|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*|::ffff:.*)$/.test(host)) return true;
  return /^(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./
    .test(host);
}
