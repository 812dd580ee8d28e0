/** How does Deno listen for HTTP? One of the places that spell a runtime's name. */

import type { FetchInfo } from "./fetch_exchange.ts";
import type { Listening, ListenOptions } from "./http.ts";
import { fetchListener } from "./fetch_exchange.ts";

/** As much of Deno as is borrowed, so that other compilers can check this file too. */
declare const Deno: {
  serve(
    options: {
      hostname: string;
      port: number;
      signal: AbortSignal;
      onListen(): void;
      onError(cause: unknown): Response;
    },
    handler: (request: Request, info: DenoInfo) => Promise<Response>,
  ): {
    readonly addr: { hostname: string; port: number };
    readonly finished: Promise<void>;
    shutdown(): Promise<void>;
  };
};

interface DenoInfo {
  readonly remoteAddr: { readonly hostname?: string; readonly port?: number };
}

/** Listens. Rejects when the port cannot be had. */
// deno-lint-ignore require-await -- what it throws is to be rejected with
export async function listen({ hostname, port, respond }: ListenOptions): Promise<Listening> {
  hushDeno();
  const controller = new AbortController();
  const answer = fetchListener(respond);
  const server = Deno.serve({
    hostname,
    port,
    signal: controller.signal,
    onListen: () => {},
    onError: () => new Response(null, { status: 500 }),
  }, (request, info) => answer(request, new Info(info)));
  return {
    hostname: server.addr.hostname,
    port: server.addr.port,
    close: () => server.shutdown(),
    cut: () => controller.abort(),
  };
}

/** The address is looked at when it is asked for: that costs as much as a small answer. */
class Info implements FetchInfo {
  readonly #info: DenoInfo;

  constructor(info: DenoInfo) {
    this.#info = info;
  }

  get remoteAddress(): string | undefined {
    const { hostname: name, port } = this.#info.remoteAddr;
    return name && `${name.includes(":") ? `[${name}]` : name}:${port}`;
  }
}

let isHushed = false;

/** Deno says once, on the console, that the signal of a request is aborted after the answer too. It may be, here. */
function hushDeno(): void {
  if (isHushed) return;
  isHushed = true;
  const { console } = globalThis;
  const { warn } = console;
  const filter = (...words: unknown[]) => {
    if (!String(words[0]).startsWith("Deno.serve: request.signal aborts")) return warn.apply(console, words);
    if (console.warn === filter) console.warn = warn;
  };
  console.warn = filter;
}
