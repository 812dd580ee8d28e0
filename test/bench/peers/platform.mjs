/**
 * What the peers share: the documents and prompts of their root as plain values, lines in, text out, and HTTP.
 *
 * On Deno only Deno's own API is used: a `node:` module costs more than the rest of a start.
 */

export const onDeno = "Deno" in globalThis;
export const args = onDeno ? Deno.args : process.argv;
/** The folder given by `--root`. */
export const root = args[args.indexOf("--root") + 1];
/** What every peer announces, so that their `initialize` answers have one size. */
export const serverInfo = { name: "bench-peer", version: "1.0.0" };

const { readdirSync, readFileSync } = onDeno
  ? {
    readdirSync: (path) => Array.from(Deno.readDirSync(path), ({ name }) => name),
    readFileSync: Deno.readTextFileSync,
  }
  : process.getBuiltinModule("node:fs");

/** Reads every document and prompt of the root into memory. */
export function readContent() {
  const textsOf = (folder) =>
    readdirSync(`${root}/${folder}`).sort().map((
      name,
    ) => [name, readFileSync(`${root}/${folder}/${name}`, "utf8")]);
  const documents = textsOf("resources/guidelines").map(([file, text]) => {
    const name = file.slice(0, -".md".length);
    return { uri: `architecture://guidelines/${name}`, name, title: titleOf(text), text };
  });
  const prompts = textsOf("prompts").map(([, json]) => {
    const { name, description, arguments: parameters, messages } = JSON.parse(json);
    const [before, after] = messages[0].content.text.split("<<topic>>");
    return { name, description, arguments: parameters, before, after };
  });
  return { documents, prompts };
}

/** The title of front matter, else the first heading: both stand within the first characters of a document. */
function titleOf(text) {
  const head = text.slice(0, 500);
  return (/^title: (.+)$/m.exec(head) ?? /^# (.+)$/m.exec(head))?.[1] ?? "";
}

/** Calls back with each line of stdin, without its newline. */
export async function eachLine(callback) {
  let pending = "";
  const take = (text) => {
    const lines = (pending + text).split("\n");
    pending = lines.pop();
    for (const line of lines) callback(line);
  };
  if (!onDeno) return void process.stdin.setEncoding("utf8").on("data", take);
  // What a pipe holds on Linux.
  const buffer = new Uint8Array(65_536);
  const decoder = new TextDecoder();
  for (let count; (count = await Deno.stdin.read(buffer)) !== null;) {
    take(decoder.decode(buffer.subarray(0, count), { stream: true }));
  }
}

const encoder = new TextEncoder();

/** Writes text to stdout; on Node bytes too. */
export function write(text) {
  if (!onDeno) return void process.stdout.write(text);
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
}

/** Says where an HTTP server is. */
export function announce(port) {
  console.log(`port ${port}`);
}

/** Listens with a function from requests to answers, as each runtime does it best. */
export async function serveFetch(handler) {
  if (onDeno) {
    const { addr } = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => handler(request),
    );
    return announce(addr.port);
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
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
      return void outgoing.end(await response.text());
    }
    for await (const chunk of response.body) outgoing.write(chunk);
    outgoing.end();
  });
  server.listen(0, "127.0.0.1", () => announce(server.address().port));
}
