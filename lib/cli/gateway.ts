/** The command gateway: the operations of a REST API as tools over standard input and output, or a list of them. */

import type { Platform } from "../platform/platform.ts";
import type { Gateway, OpenApiFiles } from "../gateway/mod.ts";
import type { Log } from "./log.ts";
import type { OptionPair, Options } from "./options.ts";
import { compact } from "../base/json.ts";
import { printable, reasonOf } from "../base/text.ts";
import { createGateway, GatewayError, parseOpenApi, readEndpoints, readOpenApi } from "../gateway/mod.ts";
import { decodeText, readInside } from "../documents/files.ts";
import { createServer } from "../mcp/server/server.ts";
import { emit, readInput, readTextFile } from "./io.ts";
import { ConfigurationError, UsageError } from "./options.ts";
import { createLog } from "./log.ts";
import { serveStreams } from "./serve.ts";
import { PLAIN_TABLE, rowsText, safeText } from "./table.ts";
import { VERSION } from "./this_copy.ts";

/** Maximum size of the description of an API, in bytes. GitHub's has about 12 million. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Maximum length of a document that is read before the handshake, in UTF-16 units. A longer one takes a second or more. */
const MAX_READ_FIRST = 256 * 1024;
/** Maximum number of operations that the log names because they cannot be served. */
const MAX_LOGGED = 20;

/** The flags of options and readers that messages of the gateway name. */
const FLAGS: Readonly<Record<string, string>> = {
  "the option base": "--base",
  "the option variables": "--variable",
  "the option servers": "--server",
  "the option secrets": "--auth-file",
  "the option withoutCredentials": "--without-credentials",
  "the option allowDestructive": "--allow-destructive",
  "the option allowPlainHttp": "--allow-plain-http",
  readOpenApi: "--openapi",
  readEndpoints: "--endpoints",
};
const withFlags = (text: string): string =>
  text.replace(/\b(?:the option \w+|readOpenApi|readEndpoints)\b/g, (name) => FLAGS[name] ?? name);

export async function gateway(platform: Platform, options: Options): Promise<number> {
  const log = createLog(platform, options);
  const { text, build } = await prepare(platform, options, log);
  if (options.has("list")) {
    const gateway = build();
    const { base, endpoints, isFolded, skipped, remarks, withheld } = gateway;
    const operations = endpoints.map(({ name, method, path, isSafe }) => ({ name, method, path, isSafe }));
    const answer = { base, operations, isFolded, skipped, remarks, withheld };
    return emit(platform, options, answer, () => textOf(gateway));
  }
  let built: Gateway | undefined;
  const ready = () => built ??= logged(build(), log);
  if (text.length <= MAX_READ_FIRST) ready();
  const wanted = Promise.withResolvers<void>();
  const load = () => {
    wanted.resolve();
    return Promise.resolve(ready().tools);
  };
  const server = createServer({
    info: { name: "architrave-gateway", title: "Architrave gateway", version: VERSION },
    tools: [{ names: undefined, load }],
    onhandshake: () => void setTimeout(wanted.resolve, 0),
    ...log.hooks,
  });
  const serving = serveStreams(platform, server, log, () => {
    const { endpoints, base } = ready();
    return `${endpoints.length} operations of ${base}`;
  });
  await Promise.race([wanted.promise, serving]);
  ready();
  return await serving;
}

/** Logs what a gateway does not serve, and returns it. */
function logged(gateway: Gateway, log: Log): Gateway {
  const { skipped, withheld } = gateway;
  for (const { operation, reason } of skipped.slice(0, MAX_LOGGED)) {
    log.write("warning", `${operation} is not served: ${reason}`);
  }
  const rest = skipped.length - MAX_LOGGED;
  if (rest > 0) log.write("warning", `${rest} more operations are not served; --list shows all of them`);
  const { length } = withheld;
  if (length > 0) {
    log.write("info", `not served, because they can change something: ${length} (--allow-destructive)`);
  }
  return gateway;
}

/** Reads the files that the options name; `build` parses the description and makes a gateway of it. */
async function prepare(platform: Platform, options: Options, log: Log) {
  const openapi = options.get("openapi"), base = options.get("base");
  const file = openapi ?? options.get("endpoints");
  if (file === undefined || (openapi !== undefined && options.has("endpoints"))) {
    throw new UsageError("A gateway takes either --openapi FILE or --endpoints FILE");
  }
  const unfit = openapi === undefined ? ["variable", "server"].find((one) => options.has(one)) : undefined;
  if (unfit) throw new UsageError(`--${unfit} is for --openapi: an endpoint file has one server`);
  if (file === "-" && !options.has("list")) {
    throw new UsageError(
      "Standard input belongs to the client: - is for --list; serve the output of a command as <(COMMAND)",
    );
  }
  const secretsOf = (option: string): Readonly<Record<string, string>> => {
    const read = ([name, path]: OptionPair) => [name, readTextFile(platform, path, `the secret ${name}`)];
    return Object.fromEntries(options.list<OptionPair>(option).map(read));
  };
  const credentials = secretsOf("auth-file"), headers = secretsOf("header-file");
  const what = `the file of --${openapi === undefined ? "endpoints" : "openapi"}`;
  const text = file === "-" ? await readInput(platform) : readTextFile(platform, file, what, MAX_FILE_BYTES);
  const build = () => {
    const document = parseDocument(platform, file, text, log);
    try {
      const variables = Object.fromEntries(options.list<OptionPair>("variable"));
      const servers = options.list("server");
      const description = openapi === undefined
        ? readEndpoints(document)
        : readOpenApi(document, { base, variables, credentials: Object.keys(credentials), servers });
      for (const { operation, reason } of description.remarks) log.write("info", `${operation}: ${reason}`);
      const tags = options.list("tag"), paths = options.list("path");
      const built = createGateway({
        description,
        base,
        filter: { tags, paths, operations: options.list("operation") },
        allowDestructive: options.has("allow-destructive"),
        safe: options.list("safe"),
        withoutCredentials: options.has("without-credentials"),
        allowEmpty: options.has("list"),
        secrets: credentials,
        secretHeaders: headers,
        ...compact({
          maxTools: options.get<number>("max-tools"),
          timeoutMs: options.get<number>("timeout"),
          maxBytes: options.get<number>("max-bytes"),
          maxShown: options.get<number>("max-shown"),
          concurrency: options.get<number>("concurrency"),
        }),
        allowPlainHttp: options.has("allow-plain-http"),
        onfailure: (tool, reason) => log.write("warning", `${tool}: ${withFlags(reason)}`),
      });
      return { ...built, skipped: built.skipped.map((one) => ({ ...one, reason: withFlags(one.reason) })) };
    } catch (cause) {
      if (!(cause instanceof GatewayError)) throw cause;
      const place = cause.pointer === undefined ? "" : `${file}#`;
      throw new ConfigurationError(printable(`${place}${withFlags(cause.message)}`), { cause });
    }
  };
  return { text, build };
}

function parseDocument(platform: Platform, file: string, text: string, log: Log): unknown {
  try {
    return parseOpenApi(text, filesNear(platform, file, log));
  } catch (cause) {
    const reason = reasonOf(cause).replace(/^It/, "it");
    throw new ConfigurationError(printable(`Cannot read ${file}: ${reason}`), { cause });
  }
}

/** The files below the folder of a document; undefined for a document from a pipe. */
function filesNear({ files }: Platform, file: string, log: Log): OpenApiFiles | undefined {
  const end = Math.max(file.lastIndexOf("/"), file.lastIndexOf(files.separator)) + 1;
  const folder = file.slice(0, end) || "./";
  if (file === "-" || files.status(file).kind !== "file") return undefined;
  const within = files.realPath(folder);
  let left = MAX_FILE_BYTES;
  const read = (path: string): string => {
    const content = readInside(files, folder + path, within, left);
    const text = content && decodeText(content.bytes);
    left -= content?.bytes.length ?? 0;
    if (text !== undefined) return text;
    throw new GatewayError("It is missing, not text, too large, hidden, or outside of the document's folder");
  };
  const onskip = (path: string, { message }: GatewayError) =>
    log.write("warning", printable(`Cannot read ${path}: ${message.replace(/^It/, "it")}`));
  return { name: file.slice(end), read, onskip };
}

function textOf({ base, endpoints, isFolded, skipped, remarks, withheld }: Gateway): string {
  const rows = endpoints.map(({ name, method, path, isSafe }) => {
    return [name, `${method} ${path}${isSafe ? "" : "  (confirmed)"}`];
  });
  const section = (what: string, items: Gateway["skipped"]) => [
    `${what}: ${items.length}`,
    ...items.map(({ operation, reason }) => `  ${operation}: ${reason}`),
  ];
  return safeText(`operations of ${base}${isFolded ? ", through three tools" : ""}: ${rows.length}`) +
    rowsText(rows, PLAIN_TABLE) +
    safeText([
      `withheld, because they can change something (see --allow-destructive): ${withheld.length}`,
      ...section("skipped, because they cannot be called", skipped),
      ...section("remarks on operations that are served", remarks),
    ].join("\n"));
}
