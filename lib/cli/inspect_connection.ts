/** How inspect reaches a server: the program that it starts, or a URL, with a token or a login. */

import type { Connectable, HttpOptions } from "../mcp/client/mod.ts";
import type { Platform } from "../platform/platform.ts";
import type { ServerTarget } from "./inspect_words.ts";
import type { Options } from "./options.ts";
import { discardBody } from "../base/responses.ts";
import { printable } from "../base/text.ts";
import { ClientError, ConnectError } from "../mcp/client/errors.ts";
import { ConfigurationError, UsageError } from "./options.ts";
import { readTextFile } from "./io.ts";

/** Loads what the target needs: no network for a program, and no programs for a URL. */
export async function connectable(
  platform: Platform,
  options: Options,
  target: ServerTarget,
): Promise<Connectable> {
  if (typeof target !== "string") {
    const { spawnTransport } = await import("../mcp/client/program.ts");
    const [command = "", ...args] = target;
    let exited: Promise<number | string> | undefined;
    // Called again when the program ended at the first request. Some old servers do that, and so does a command that fails.
    return async () => {
      const code = await exited ?? 0;
      if (code === 0) {
        const transport = await spawnTransport({ command, args });
        exited = transport.exited;
        return transport;
      }
      throw new ConnectError(
        `Cannot connect: "${command}" ended with ${code} before it answered; it may have said why, and an old server ` +
          "that ends at server/discover needs --era legacy",
      );
    };
  }
  const { httpTransport } = await import("../mcp/client/http.ts");
  return httpTransport(target, await authorize(platform, options, target));
}

/** Sends a token, or has the user or the client sign in, which may take longer than a connection. */
async function authorize(platform: Platform, options: Options, target: string): Promise<HttpOptions> {
  const token = options.get("token-file"), path = options.get("client-secret-file");
  const id = options.get("client-id"), issuer = options.get("issuer"), isUser = options.has("login");
  const others = ["client-id", "client-secret-file", "issuer", "scope"].filter((name) => options.has(name));
  if (!isUser && others.length > 0 && (path === undefined || id === undefined)) {
    throw new UsageError(`--${others[0]} needs --login, or both --client-id and --client-secret-file`);
  }
  if (token && isUser) throw new UsageError("--login gets a token itself: leave out --token-file");
  if (path !== undefined && id === undefined) throw new UsageError("--client-secret-file needs --client-id");
  const secret = path && readTextFile(platform, path, "the secret of the client").trim();
  if (token !== undefined) {
    const text = readTextFile(platform, token, "the token").trim();
    // Checked here, because a runtime that rejects the header field shows its value.
    if (/^[\x21-\x7e]+$/.test(text)) return { headers: { Authorization: `Bearer ${text}` } };
    throw new ConfigurationError(`Cannot use "${token}": the file must hold one token, without spaces in it`);
  }
  if (!isUser && path === undefined) return {};
  const { authorizedFetch, loopbackLogin } = await import("../mcp/client/authorization.ts");
  const login = loopbackLogin((url) => note(platform, `Open this address in a browser to sign in: ${url}`));
  const fetch = authorizedFetch(target, {
    ...isUser ? { login } : {},
    client: id === undefined ? undefined : { id, secret, issuer },
    ...platform.interactive && { confirmIssuer: (issuer) => confirm(platform, target, issuer) },
    clientName: "Architrave",
    scope: options.list("scope").join(" ") || undefined,
  });
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  await fetch(target, { method: "POST", headers, body, redirect: "manual" }).then(discardBody, (cause) => {
    // A server that cannot be reached is reported when the client connects.
    if (cause instanceof ClientError) throw cause;
  });
  return { fetch };
}

/** Asks a person at the terminal whether the secret of the client belongs to an authorization server. */
function confirm(platform: Platform, target: string, issuer: string): Promise<boolean> {
  const [server, host] = [target, issuer].map((url) => new URL(url).host);
  note(
    platform,
    `${server} asks for the secret of this client to be sent to ${host} (${issuer}). Send it? [y/N]`,
  );
  const { open, pause } = platform.standardStreams();
  const decoder = new TextDecoder();
  let text = "";
  return new Promise((resolve) => {
    const end = () => resolve((pause(), /^\s*y(?:es)?\s*$/i.test(text)));
    open({ data: (chunk) => (text += decoder.decode(chunk)).includes("\n") && end(), end, error: end });
  });
}

/** Prints a line on standard error. */
export function note(platform: Platform, text: string): void {
  platform.print("error", `${printable(text)}\n`);
}
