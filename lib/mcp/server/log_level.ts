/**
 * The levels of log messages.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 */

import { quoted } from "../../base/text.ts";
import { invalidParams } from "../protocol/errors.ts";

/** The severity of a log message, from the least severe (RFC 5424). */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

const LEVELS = "debug info notice warning error critical alert emergency"
  .split(" ") as readonly LogLevel[];

/** Whether a client that asked for the level `threshold` gets messages of `level`; none if it asked for no level. */
export function isLogged(level: LogLevel, threshold: LogLevel | undefined): boolean {
  return threshold !== undefined && LEVELS.indexOf(level) >= LEVELS.indexOf(threshold);
}

/** Reads a level of a client; undefined without one. @throws {RpcError} -32602 when there is no such level. */
export function readLevel(text: unknown): LogLevel | undefined {
  const level = LEVELS.find((known) => known === text);
  if (level || text === undefined) return level;
  throw invalidParams(
    `There is no log level ${quoted(JSON.stringify(text) ?? "", 40)}; there are ${LEVELS.join(", ")}`,
  );
}
