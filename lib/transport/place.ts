/** Where does something listen? What people write, as the platform takes it and as errors name it. */

import type { Address } from "../platform/tcp.ts";

/** The host unless it is said otherwise: nobody on another machine can connect to it. */
const LOOPBACK = "127.0.0.1";

/** A port, of this machine unless it is said otherwise, or the path of a Unix domain socket. */
export type Place =
  | { readonly port: number; readonly host?: string | undefined; readonly path?: undefined }
  | { readonly path: string; readonly port?: undefined; readonly host?: undefined };

/** @throws {TypeError} When it is neither or both; a `RangeError` when the port is none. */
export function toAddress({ port, host, path }: Place): Address {
  if ((port === undefined) === (path === undefined)) {
    throw new TypeError(
      "Cannot tell the place: name a port or the path of a Unix domain socket, and only one of them",
    );
  }
  if (path !== undefined) {
    if (host !== undefined) throw new TypeError(`Cannot use the host "${host}" with the path of a socket`);
    if (path === "") throw new TypeError("Cannot use an empty path for a socket");
    return { path };
  }
  if (!Number.isInteger(port) || port! < 0 || port! > 65_535) {
    throw new RangeError(`Cannot use the port ${port}: it must be an integer from 0 to 65535`);
  }
  return { host: host ?? LOOPBACK, port: port! };
}

/** As people write it. */
export function nameOf(address: Address): string {
  if (address.path !== undefined) return address.path;
  const { host, port } = address;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
