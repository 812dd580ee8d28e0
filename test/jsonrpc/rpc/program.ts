/**
 * A server of methods as a program. It takes its options as JSON, prints its address, and stops the server when its input
 * ends. It does not call exit, so the process ends only when nothing of the server is left.
 */

import process from "node:process";
import { createJsonRpcServer } from "../../../lib/jsonrpc/rpc/mod.ts";
import { usedHeap } from "../../harness/process.ts";

const { server, stop } = await createJsonRpcServer({
  ...JSON.parse(process.argv[2]!),
  handlers: {
    echo: (params) => params,
    memory: () => ({ heapUsed: usedHeap(), rss: process.memoryUsage().rss }),
    connections: () => server.connections,
  },
});
process.stdout.write(`${JSON.stringify(server.address)}\n`);
process.stdin.resume().once("end", () => void stop());
