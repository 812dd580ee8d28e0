/**
 * The server that has everything: over HTTP with `--port N` (0 takes one that is free), else over standard input and output.
 *
 * With a port, the URL is the first line on standard output. With `--token TOKEN` only clients with that token are let in;
 * the others are told that `--authorization-server URL` issues it.
 */

import { parseArgs } from "node:util";
import { loadPlatform, protectOutput, stdioTransport } from "../../mod.ts";
import { bearerToken, listenHttp } from "../../lib/http/mod.ts";
import { createEverythingServer } from "./everything.ts";

const { port, token, "authorization-server": authority = "" } = parseArgs({
  options: {
    port: { type: "string" },
    token: { type: "string" },
    "authorization-server": { type: "string" },
  },
}).values;
const server = createEverythingServer();
const platform = await loadPlatform();

if (port === undefined) {
  protectOutput();
  const conversation = await server.connect(stdioTransport(platform));
  platform.onInterrupt(() => conversation.end());
  await conversation.closed;
} else {
  const resource = `http://127.0.0.1:${port}/mcp`;
  const listening = await listenHttp(server, {
    port: Number(port),
    ...(token === undefined ? {} : {
      authenticate: bearerToken({ tokens: [token] }),
      resourceMetadata: { resource, authorization_servers: [authority] },
    }),
  });
  platform.print("output", `${listening.url}\n`);
  platform.onInterrupt(() => void listening.close());
}
