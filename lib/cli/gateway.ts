/** The command gateway: the operations of a REST API as tools over standard input and output, or a list of them. */

import type { Platform } from "../../deps.ts";
import type { Description, Gateway } from "../gateway/mod.ts";
import type { Options, Pair } from "./main.ts";
import type { Log } from "./program.ts";
import { compact } from "../base/json.ts";
import { printable } from "../base/text.ts";
import { createGateway, GatewayError, parseOpenApi, readEndpoints, readOpenApi } from "../gateway/mod.ts";
import { createServer } from "../server/server.ts";
import { ConfigurationError, createLog, readTextFile, toJson, UsageError, VERSION } from "./program.ts";
import { serveStdio } from "./serve.ts";
import { PLAIN_TABLE, rowsText } from "./text.ts";

/** The largest description of an API, in bytes: GitHub's has some 12 million. */
const MAX_DESCRIPTION_BYTES = 64 * 1024 * 1024;
/** More than any secret has, in bytes. */
const MAX_SECRET_BYTES = 16 * 1024;
/** How many operations that cannot be served are named in the log. */
const MAX_LOGGED = 20;

/** Runs the command; 0 is the exit code. */
export async function gateway(platform: Platform, options: Options): Promise<number> {
  const log = createLog(platform, options);
  const gateway = build(platform, options, log);
  const { base, endpoints, tools } = gateway;
  if (options.has("list")) {
    platform.print("output", options.get("format") === "json" ? jsonOf(gateway) : textOf(gateway));
    return 0;
  }
  report(gateway, log);
  const server = createServer({
    info: { name: "architrave-gateway", title: "Architrave gateway", version: VERSION },
    tools,
    onfailure: log.failure,
    ontransporterror: log.transportError,
  });
  return await serveStdio(platform, server, log, () => `${endpoints.length} operations of ${base}`);
}

function build(platform: Platform, options: Options, log: Log): Gateway {
  const openapi = options.get("openapi");
  const file = openapi ?? options.get("endpoints");
  if (file === undefined || (openapi !== undefined && options.has("endpoints"))) {
    throw new UsageError("A gateway takes either --openapi FILE or --endpoints FILE");
  }
  const secrets = (option: string) =>
    Object.fromEntries(
      options.list<Pair>(option).map(([name, path]) => {
        return [name, readTextFile(platform, path, `the secret ${name}`, MAX_SECRET_BYTES)];
      }),
    );
  try {
    const kind = openapi === undefined ? "--endpoints" : "--openapi";
    const text = readTextFile(platform, file, `the file of ${kind}`, MAX_DESCRIPTION_BYTES);
    const description = openapi === undefined
      ? describeEndpoints(text, file, options)
      : readOpenApi(parseOpenApi(text), {
        base: options.get("base"),
        variables: Object.fromEntries(options.list<Pair>("variable")),
        credentials: options.list<Pair>("auth-file").map(([name]) => name),
      });
    for (const { operation, reason } of description.remarks) log.write("info", `${operation}: ${reason}`);
    return createGateway({
      description,
      base: options.get("base"),
      filter: {
        tags: options.list("tag"),
        paths: options.list("path"),
        operations: options.list("operation"),
      },
      allowDestructive: options.has("allow-destructive"),
      safe: options.list("safe"),
      withoutCredentials: options.has("without-credentials"),
      secrets: secrets("auth-file"),
      secretHeaders: secrets("header-file"),
      ...compact({
        maxTools: options.get<number>("max-tools"),
        timeoutMs: options.get<number>("timeout"),
        maxBytes: options.get<number>("max-bytes"),
        concurrency: options.get<number>("concurrency"),
      }),
      onfailure: (tool, reason) => log.write("info", `${tool}: ${reason}`),
    });
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    const place = cause.pointer === undefined ? "" : `${file}#`;
    throw new ConfigurationError(printable(`${place}${cause.message}`), { cause });
  }
}

function describeEndpoints(text: string, file: string, options: Options): Description {
  if (options.has("variable")) {
    throw new UsageError("--variable is for --openapi: an endpoint file has no variables");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const message = `Cannot read ${file}: it is not JSON (${(cause as Error).message})`;
    throw new ConfigurationError(printable(message), { cause });
  }
  return readEndpoints(value);
}

function report({ skipped, withheld }: Gateway, log: Log): void {
  for (const { operation, reason } of skipped.slice(0, MAX_LOGGED)) {
    log.write("warning", `${operation} is not served: ${reason}`);
  }
  const rest = skipped.length - MAX_LOGGED;
  if (rest > 0) log.write("warning", `${rest} more operations are not served; --list shows all of them`);
  if (withheld.length === 0) return;
  log.write(
    "info",
    `${withheld.length} operations can change something and are not served; --allow-destructive serves them`,
  );
}

function textOf({ base, endpoints, isFolded, skipped, remarks, withheld }: Gateway): string {
  const lines = (heading: string, operations: Gateway["skipped"] = []) =>
    [heading, ...operations.map(({ operation, reason }) => `  ${operation}: ${reason}`)]
      .map((line) => `${printable(line)}\n`).join("");
  return [
    lines(`${endpoints.length} operations of ${base}${isFolded ? ", behind three tools" : ""}`),
    rowsText(
      endpoints.map(({ name, method, path, isSafe }) =>
        [name, `${method} ${path}${isSafe ? "" : "  (confirmed)"}`] as const
      ),
      PLAIN_TABLE,
      [],
      "  ",
    ),
    lines(`${withheld.length} operations withheld: they can change something (--allow-destructive)`),
    lines(`${skipped.length} operations skipped`, skipped),
    lines(`${remarks.length} remarks on operations that are served`, remarks),
  ].join("");
}

function jsonOf({ base, endpoints, isFolded, skipped, remarks, withheld }: Gateway): string {
  const operations = endpoints.map(({ name, method, path, isSafe }) => ({ name, method, path, isSafe }));
  return toJson({ base, operations, isFolded, skipped, remarks, withheld });
}
