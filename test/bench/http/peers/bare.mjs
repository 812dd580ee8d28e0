/**
 * The bare handler: read the body, parse it, put the id before a canned result, answer. The unit of every row of a runtime.
 *
 * With `--unread` it does not even parse the body, and answers everything with the same bytes.
 */
import { onDeno, onlyDocument, tell } from "./platform.mjs";

const { uri, text } = onlyDocument();
const modern = {
  resultType: "complete",
  ttlMs: 0,
  cacheScope: "private",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "bench-peer", version: "1.0.0" } },
};
const contents = [{ uri, mimeType: "text/markdown", text }];
const results = {
  "initialize": JSON.stringify({
    protocolVersion: "2025-11-25",
    capabilities: {},
    serverInfo: { name: "bench-peer", version: "1.0.0" },
  }),
  "resources/read": [JSON.stringify({ contents }), JSON.stringify({ contents, ...modern })],
};
const isUnread = (onDeno ? Deno.args : process.argv).includes("--unread");
const canned = Buffered(`{"jsonrpc":"2.0","id":1,"result":${results["resources/read"][0]}}`);

function Buffered(json) {
  return onDeno ? json : Buffer.from(json);
}

function answerTo(body) {
  if (isUnread) return canned;
  const { id, method, params } = JSON.parse(body);
  let result = results[method] ?? "{}";
  if (method === "resources/read") result = results[method][params._meta ? 1 : 0];
  if (method === "tools/call") {
    const content = [{ type: "text", text: params.arguments.text }];
    result = JSON.stringify(params._meta ? { content, ...modern } : { content });
  }
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

const fields = { "content-type": "application/json" };
if (onDeno) {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => new Response(answerTo(await request.text()), { headers: fields }),
  );
  tell(server.addr.port);
} else {
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const answer = answerTo(chunks.length === 1 ? chunks[0].toString() : Buffer.concat(chunks).toString());
      response.writeHead(200, { ...fields, "content-length": Buffer.byteLength(answer) });
      response.end(answer);
    });
  });
  server.listen(0, "127.0.0.1", () => tell(server.address().port));
}
