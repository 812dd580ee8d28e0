/** What the servers borrow from Node and Deno: their one document, and a port that a function from requests to answers is behind. */

const onDeno = "Deno" in globalThis;
const { readFiles, root } = await import(onDeno ? "../../peers/platform_deno.ts" : "../../peers/platform_node.mjs");

export { onDeno, root };

/** The document that is read. */
export function onlyDocument() {
  const [{ name, text }] = readFiles().documents.toSorted((left, right) => left.name < right.name ? -1 : 1);
  return { uri: `architecture://guidelines/${name}`, name, text };
}

/** Says where the server is. */
export function tell(port) {
  console.log(`port ${port}`);
}

/** Listens with a function from requests to answers, as both runtimes do it best. */
export async function serveFetch(handler) {
  if (onDeno) {
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => handler(request));
    return tell(server.addr.port);
  }
  const { createServer } = await import("node:http");
  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD";
    const response = await handler(
      new Request(`http://${incoming.headers.host}${incoming.url}`, {
        method: incoming.method,
        headers: incoming.headers,
        ...(hasBody ? { body: Buffer.concat(chunks) } : {}),
      }),
    );
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
      for await (const chunk of response.body) outgoing.write(chunk);
      outgoing.end();
    } else outgoing.end(await response.text());
  });
  server.listen(0, "127.0.0.1", () => tell(server.address().port));
}
