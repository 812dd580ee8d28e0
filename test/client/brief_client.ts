/** What does a program do that leaves its server? A client that connects over HTTP, closes, and says when it is kept after that. */

import process from "node:process";
import { setTimeout } from "node:timers";
import { connect, httpTransport } from "../../lib/client/mod.ts";
import { DISCOVERY } from "./http_server.ts";
import { INFO } from "./scripted_server.ts";

const transport = httpTransport("http://example.invalid/mcp", {
  fetch: (_, { body }) => {
    const { id } = JSON.parse(String(body));
    return Promise.resolve(Response.json({ jsonrpc: "2.0", id, result: DISCOVERY }));
  },
});
const client = await connect(transport, { info: INFO });
await client.close();
process.stdout.write("closed\n");
setTimeout(() => process.stdout.write("and still there\n"), 1000).unref();
