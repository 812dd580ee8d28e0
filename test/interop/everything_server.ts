/**
 * The server that has everything: over HTTP with `--port N` (0 takes one that is free), else over standard input and output.
 *
 * With a port, the URL is the first line on standard output.
 */

import { parseArgs } from "node:util";
import { loadPlatform, protectOutput, stdioTransport } from "../../mod.ts";
import { listenHttp } from "../../lib/http/mod.ts";
import { createEverythingServer } from "./everything.ts";

const { port } = parseArgs({ options: { port: { type: "string" } } }).values;
const server = createEverythingServer();
const platform = await loadPlatform();

if (port === undefined) {
  protectOutput();
  const conversation = await server.connect(stdioTransport(platform));
  platform.onInterrupt(() => conversation.end());
  await conversation.closed;
} else {
  const listening = await listenHttp(server, { port: Number(port) });
  platform.print("output", `${listening.url}\n`);
  platform.onInterrupt(() => void listening.close());
}
