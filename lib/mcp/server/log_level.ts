/**
 * The levels of log messages.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 */

/** The severity of a log message, from the least severe (RFC 5424). */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

export const LEVELS = "debug info notice warning error critical alert emergency"
  .split(" ") as readonly LogLevel[];

/** Whether a client that has asked for a level gets messages of another one. */
export function isLogged(level: LogLevel, threshold: LogLevel | undefined): boolean {
  return threshold !== undefined && LEVELS.indexOf(level) >= LEVELS.indexOf(threshold);
}
