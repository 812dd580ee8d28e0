/** Headers that no argument may set. */

/** Headers that belong to the connection, not to the request. */
export const CONNECTION_HEADERS: ReadonlySet<string> = new Set(
  "connection content-length expect host keep-alive te trailer transfer-encoding upgrade".split(" "),
);

/** Headers that the gateway sets itself, and headers that can change the meaning of a request. */
const GATEWAY_HEADERS = new Set(
  ("accept accept-encoding authorization content-type cookie forwarded origin referer via x-method x-method-override " +
    "x-http-method x-http-method-override x-original-url x-original-host x-rewrite-url x-real-ip").split(" "),
);

/** Whether arguments must not set this header. */
export function isReservedHeader(name: string): boolean {
  const plain = name.toLowerCase();
  return CONNECTION_HEADERS.has(plain) || GATEWAY_HEADERS.has(plain) ||
    /^(?:proxy|sec|x-forwarded)-/.test(plain);
}
