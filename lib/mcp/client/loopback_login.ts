/** The sign-in of a user with a browser on this machine. */

import type { Login } from "./authorization_options.ts";
import { abortable } from "../../base/async.ts";
import { AuthorizationError, forMessage } from "./authorization_errors.ts";
import { rootCause } from "./http.ts";

/** The timeout of a request from the browser, in milliseconds. */
const REQUEST_TIMEOUT_MS = 30_000;
/** The timeout for sending the page that ends a sign-in, in milliseconds. */
const CLOSE_MS = 1000;

/**
 * Signs users in with a redirect to this machine. Listens on a free port of 127.0.0.1 until the redirect. Needs the permission
 * to listen there.
 *
 * @param show Called with the URL that the user has to open.
 */
export function loopbackLogin(show: (url: string) => void): (signal: AbortSignal) => Promise<Login> {
  return async (signal) => {
    const { loadNetwork } = await import("../../platform/load_network.ts");
    const network = await loadNetwork();
    const back = Promise.withResolvers<URL>();
    let expected: string | null = null;
    const where = {
      hostname: "127.0.0.1",
      port: 0,
      connect: () => () => {},
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
    };
    const listening = await network.listenHttp(where, (exchange) => {
      // Not every target can be parsed: "//".
      const url = URL.parse(exchange.target, "http://127.0.0.1");
      // Any web page can send requests here, but only the authorization server knows the state.
      const isBack = exchange.method === "GET" && url?.pathname === "/callback" &&
        url.searchParams.get("state") === expected;
      const fields = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" };
      const text = isBack ? "You can close this page, and return to the program." : "Not found.";
      exchange.respond(isBack ? 200 : 404, { ...fields, "referrer-policy": "no-referrer" }, [text]);
      if (isBack) back.resolve(url);
    }).catch((cause) => {
      throw new AuthorizationError(
        `Cannot listen on 127.0.0.1 for the sign-in: ${forMessage(rootCause(cause))}`,
      );
    });
    return {
      redirectUri: `http://127.0.0.1:${listening.port}/callback`,
      open(url) {
        expected = url.searchParams.get("state");
        show(url.href);
        return abortable(back.promise, signal);
      },
      close() {
        listening.stop();
        void listening.close(CLOSE_MS);
      },
    };
  };
}
