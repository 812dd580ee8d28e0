/** The bare handler: read the body, parse it, put the id before a canned result, answer. The unit of every row of a runtime. */
import { announce, onDeno, readContent, serverInfo } from "../../peers/platform.mjs";

const [{ uri, text }] = readContent().documents;
const modern = {
  resultType: "complete",
  ttlMs: 0,
  cacheScope: "private",
  _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
};
const contents = [{ uri, mimeType: "text/markdown", text }];
const initialize = JSON.stringify({ protocolVersion: "2025-11-25", capabilities: {}, serverInfo });
const reads = [JSON.stringify({ contents }), JSON.stringify({ contents, ...modern })];

function answerTo(body) {
  const { id, method, params } = JSON.parse(body);
  let result = method === "initialize" ? initialize : "{}";
  if (method === "resources/read") result = reads[params._meta ? 1 : 0];
  if (method === "tools/call") {
    const content = [{ type: "text", text: params.arguments.text }];
    result = JSON.stringify(params._meta ? { content, ...modern } : { content });
  }
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

const headers = { "content-type": "application/json" };
if (onDeno) {
  const { addr } = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => new Response(answerTo(await request.text()), { headers }),
  );
  announce(addr.port);
} else {
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const answer = answerTo(chunks.length === 1 ? chunks[0].toString() : Buffer.concat(chunks).toString());
      response.writeHead(200, { ...headers, "content-length": Buffer.byteLength(answer) });
      response.end(answer);
    });
  });
  server.listen(0, "127.0.0.1", () => announce(server.address().port));
}
