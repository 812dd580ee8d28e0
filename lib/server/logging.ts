/**
 * Which log messages does a client want? Those of the level that it set for its connection up to 2025-11-25, or stated in
 * the request since.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 */

import type { Session } from "./session.ts";
import type { ExecutionContext } from "./context.ts";
import type { Exchange, Services } from "./methods.ts";
import { invalidParams, methodNotFound } from "../protocol/errors.ts";
import { quoted } from "../base/text.ts";
import { isObject, own } from "../base/json.ts";
import { stringParam } from "./params.ts";

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

/** From the most talkative to the quietest, as RFC 5424 has them. */
const LEVELS: readonly LogLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** How grave a message is. */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** Answers `logging/setLevel`. */
export function setLevel(context: ExecutionContext, services: Services, { connection }: Exchange): unknown {
  if (!services.logging) throw methodNotFound(context.method);
  connection.logLevel = levelOf(stringParam(context.params, "level"));
  return {};
}

/**
 * The lowest level that is told; undefined when nothing is.
 *
 * @throws {RpcError} -32602 when the request states a level that does not exist.
 */
export function logThreshold(context: ExecutionContext, connection: Session): LogLevel | undefined {
  if (context.revision.era === "legacy") return connection.logLevel;
  const meta = own(context.params, "_meta");
  const stated = isObject(meta) ? own(meta, LOG_LEVEL) : undefined;
  return stated === undefined ? undefined : levelOf(stated);
}

/** Whether a message of one level is told where another one is the lowest. */
export function reaches(level: LogLevel, threshold: LogLevel): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(threshold);
}

function levelOf(text: unknown): LogLevel {
  const level = LEVELS.find((known) => known === text);
  if (level) return level;
  throw invalidParams(
    `There is no log level ${quoted(JSON.stringify(text) ?? "", 40)}; there are ${LEVELS.join(", ")}`,
  );
}
