/** The command gateway: the operations of a REST API as tools over standard input and output, or a list of them. */

import type { Platform } from "../../deps.ts";
import type { Description, Gateway } from "../gateway/mod.ts";
import type { Options } from "./options.ts";
import type { Log } from "./program.ts";
import { printable } from "../base/text.ts";
import { createGateway, GatewayError, parseOpenApi, readEndpoints, readOpenApi } from "../gateway/mod.ts";
import { createServer } from "../server/server.ts";
import { readTextFile } from "./files.ts";
import { createLog, given, toJson, UsageError, VERSION } from "./program.ts";
import { serveStdio } from "./serve.ts";
import { widest } from "./text.ts";

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
  if (options.get("list")) {
    platform.print("output", options.get("format") === "json" ? jsonOf(gateway) : textOf(gateway));
    return 0;
  }
  report(gateway, log);
  const server = createServer({
    info: { name: "architrave-gateway", title: "Architrave gateway", version: VERSION },
    tools: gateway.tools,
    onfailure: log.failure,
    ontransporterror: log.transportError,
  });
  return await serveStdio(
    platform,
    server,
    log,
    () => `${gateway.endpoints.length} operations of ${gateway.base}`,
  );
}

function build(platform: Platform, options: Options, log: Log): Gateway {
  const openapi = options.get<string>("openapi");
  const endpoints = options.get<string>("endpoints");
  const file = openapi ?? endpoints;
  if (file === undefined || (openapi !== undefined && endpoints !== undefined)) {
    throw new UsageError("A gateway takes either --openapi FILE or --endpoints FILE");
  }
  const secrets = (option: string) =>
    Object.fromEntries(
      options.pairs(option).map(([name, path]) => {
        return [name, readTextFile(platform, path, `the secret ${name}`, MAX_SECRET_BYTES)];
      }),
    );
  try {
    const description = openapi === undefined
      ? describeEndpoints(platform, file, options)
      : describeOpenApi(platform, file, options);
    for (const { operation, reason } of description.remarks) log.write("info", `${operation}: ${reason}`);
    return createGateway({
      description,
      base: options.get<string>("base"),
      filter: {
        tags: options.list("tag"),
        paths: options.list("path"),
        operations: options.list("operation"),
      },
      allowDestructive: options.get("allow-destructive") === true,
      safe: options.list("safe"),
      withoutCredentials: options.get("without-credentials") === true,
      secrets: secrets("auth-file"),
      secretHeaders: secrets("header-file"),
      ...given({
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
    throw new UsageError(printable(`${place}${cause.message}`), { cause });
  }
}

function describeOpenApi(platform: Platform, file: string, options: Options): Description {
  const text = readTextFile(platform, file, "the file of --openapi", MAX_DESCRIPTION_BYTES);
  return readOpenApi(parseOpenApi(text), {
    base: options.get<string>("base"),
    variables: Object.fromEntries(options.pairs("variable")),
    credentials: options.pairs("auth-file").map(([name]) => name),
  });
}

function describeEndpoints(platform: Platform, file: string, options: Options): Description {
  if (options.get("variable")) {
    throw new UsageError("--variable is for --openapi: an endpoint file has no variables");
  }
  const text = readTextFile(platform, file, "the file of --endpoints", MAX_DESCRIPTION_BYTES);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UsageError(printable(`Cannot read ${file}: it is not JSON (${(cause as Error).message})`), {
      cause,
    });
  }
  return readEndpoints(value);
}

function report({ skipped, withheld }: Gateway, log: Log): void {
  for (const { operation, reason } of skipped.slice(0, MAX_LOGGED)) {
    log.write("warning", `${operation} is not served: ${reason}`);
  }
  const rest = skipped.length - MAX_LOGGED;
  if (rest > 0) log.write("warning", `${rest} more operations are not served; --list shows all of them`);
  if (withheld.length > 0) {
    log.write(
      "info",
      `${withheld.length} operations can change something and are not served; --allow-destructive serves them`,
    );
  }
}

function textOf({ base, endpoints, isFolded, skipped, remarks, withheld }: Gateway): string {
  const width = widest(endpoints.map(({ name }) => name));
  return [
    `${endpoints.length} operations of ${base}${isFolded ? ", behind three tools" : ""}`,
    ...endpoints.map(({ name, method, path, isSafe }) =>
      `  ${name.padEnd(width)}  ${method} ${path}${isSafe ? "" : "  (confirmed)"}`
    ),
    `${withheld.length} operations withheld: they can change something (--allow-destructive)`,
    `${skipped.length} operations skipped`,
    ...skipped.map(lineOf),
    `${remarks.length} remarks on operations that are served`,
    ...remarks.map(lineOf),
  ].map((line) => `${printable(line)}\n`).join("");
}

function lineOf({ operation, reason }: Gateway["skipped"][number]): string {
  return `  ${operation}: ${reason}`;
}

function jsonOf({ base, endpoints, isFolded, skipped, remarks, withheld }: Gateway): string {
  const operations = endpoints.map(({ name, method, path, isSafe }) => ({ name, method, path, isSafe }));
  return toJson({ base, operations, isFolded, skipped, remarks, withheld });
}
