/** How is a REST API served as tools over standard input and output? Or shown, with what is not served and why. */

import type { Platform } from "../../deps.ts";
import type { Description, Gateway } from "../gateway/mod.ts";
import type { Log } from "./log.ts";
import type { GatewayCommand } from "./gateway_options.ts";
import { createGateway, GatewayError, parseOpenApi, readEndpoints, readOpenApi } from "../gateway/mod.ts";
import { createServer } from "../server/server.ts";
import { protectOutput, stdioTransport } from "../transport/stream.ts";
import { describe } from "./assemble.ts";
import { readGatewayOptions } from "./gateway_options.ts";
import { createLog, oneLine } from "./log.ts";
import { withOpened } from "./opened.ts";
import { UsageError } from "./options.ts";
import { VERSION } from "./version.ts";

/** The largest description of an API, in bytes: GitHub's has some 12 million. */
const MAX_FILE = 64 * 1024 * 1024;
/** More than any secret has, in bytes. */
const MAX_SECRET = 16 * 1024;
/** How many operations that cannot be served are named in the log. */
const MAX_LOGGED = 20;

/** Serves until the client closes its side, or shows what would be served; 0 is the exit code. */
export async function gateway(platform: Platform, args: readonly string[]): Promise<number> {
  const command = await readGatewayOptions(args, platform.readArguments);
  if (!command) {
    platform.print("output", (await import("./gateway_help.ts")).GATEWAY_HELP);
    return 0;
  }
  const log = createLog(platform, command.logLevel ?? "warning", command.logFormat);
  const built = build(platform, command, log);
  if (command.isList) {
    platform.print("output", command.format === "json" ? toJson(built) : toText(built));
    return 0;
  }
  report(built, log);
  return await serve(platform, built, log);
}

function build(platform: Platform, command: GatewayCommand, log: Log): Gateway {
  try {
    const description = read(platform, command);
    for (const { operation, reason } of description.remarks) log.write("info", `${operation}: ${reason}`);
    const secrets = (files: ReadonlyMap<string, string>) =>
      Object.fromEntries(
        [...files].map(([name, path]) => [name, readText(platform, path, `the secret ${name}`, MAX_SECRET)]),
      );
    const {
      base,
      filter,
      allowDestructive,
      safe,
      withoutCredentials,
      maxTools,
      timeoutMs,
      maxBytes,
      concurrency,
    } = command;
    return createGateway({
      description,
      base,
      filter,
      allowDestructive,
      safe,
      withoutCredentials,
      secrets: secrets(command.authFiles),
      secretHeaders: secrets(command.headerFiles),
      ...(maxTools === undefined ? {} : { maxTools }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(maxBytes === undefined ? {} : { maxBytes }),
      ...(concurrency === undefined ? {} : { concurrency }),
      onfailure: (tool, reason) => log.write("info", `${tool}: ${reason}`),
    });
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    const place = cause.pointer === undefined ? "" : `${command.file}#`;
    throw new UsageError(oneLine(`${place}${cause.message}`), { cause });
  }
}

function read(platform: Platform, command: GatewayCommand): Description {
  const { kind, file, variables, base, authFiles } = command;
  const text = readText(platform, file, `the file of --${kind}`, MAX_FILE);
  if (kind === "openapi") {
    return readOpenApi(parseOpenApi(text), {
      base,
      variables: Object.fromEntries(variables),
      credentials: [...authFiles.keys()],
    });
  }
  if (variables.size > 0) {
    throw new UsageError("--variable is for --openapi: an endpoint file has no variables");
  }
  return readEndpoints(parse(text, file));
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(oneLine(`Cannot read ${file}: it is not JSON (${(cause as Error).message})`), {
      cause,
    });
  }
}

function readText({ files }: Platform, path: string, what: string, most: number): string {
  let bytes: Uint8Array;
  try {
    bytes = withOpened(files, path, (file) => {
      const { kind, size } = file.status();
      if (kind !== "file") throw new UsageError(`Cannot read ${what}: "${path}" is no file`);
      if (size > most) throw new UsageError(`Cannot read ${what}: it has ${size} bytes, and ${most} may be`);
      return file.read(size);
    });
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`Cannot read ${what}: "${path}" is not there, or may not be read`, { cause });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new UsageError(`Cannot read ${what}: "${path}" is not UTF-8`, { cause });
  }
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

async function serve(platform: Platform, { tools, base, endpoints }: Gateway, log: Log): Promise<number> {
  protectOutput();
  platform.onUncaught((cause) => log.write("error", `Nothing caught: ${describe(cause)}`));
  const server = createServer({
    info: { name: "architrave-gateway", title: "Architrave gateway", version: VERSION },
    tools,
    onfailure: (cause, reference) =>
      log.write("error", `A request failed: ${describe(cause)}`, { reference }),
    ontransporterror: (error) => log.write("debug", `The carrier reports: ${error.message}`),
  });
  const peer = await server.connect(stdioTransport(platform));
  platform.onInterrupt(() => peer.end());
  if (platform.interactive) {
    platform.print(
      "error",
      `architrave ${VERSION} serves ${endpoints.length} operations of ${base} and waits for an MCP client on standard ` +
        `input. Ctrl-D ends it; "gateway --list" is for people.\n`,
    );
  }
  await peer.closed;
  return 0;
}

function toText({ base, endpoints, isFolded, skipped, remarks, withheld }: Gateway): string {
  const width = Math.max(...endpoints.map(({ name }) => name.length));
  return [
    `${endpoints.length} operations of ${base}${isFolded ? ", behind three tools" : ""}`,
    ...endpoints.map(({ name, method, path, isSafe }) =>
      `  ${name.padEnd(width)}  ${method} ${path}${isSafe ? "" : "  (confirmed)"}`
    ),
    `${withheld.length} operations withheld: they can change something (--allow-destructive)`,
    `${skipped.length} operations skipped`,
    ...skipped.map(told),
    `${remarks.length} remarks on operations that are served`,
    ...remarks.map(told),
  ].map((line) => `${oneLine(line)}\n`).join("");
}

function told({ operation, reason }: Gateway["skipped"][number]): string {
  return `  ${operation}: ${reason}`;
}

function toJson({ base, endpoints, isFolded, skipped, remarks, withheld }: Gateway): string {
  const operations = endpoints.map(({ name, method, path, isSafe }) => ({ name, method, path, isSafe }));
  return `${JSON.stringify({ base, operations, isFolded, skipped, remarks, withheld }, null, 2)}\n`;
}
