/** What does an operator get to see? Lines on standard error: none while all is well, one for each thing that is not. */

import type { Platform } from "../../deps.ts";
import type { Finding } from "../documents/finding.ts";

/** From the quietest to the most talkative. */
export const LOG_LEVELS = ["silent", "error", "warning", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** How a line is written. */
export const LOG_FORMATS = ["text", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Writes what is at least as grave as its level. */
export interface Log {
  write(
    level: Exclude<LogLevel, "silent">,
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ): void;
  /** Writes what was found wrong with a file. */
  finding(finding: Finding): void;
}

/** The most findings that are written in a minute: a client may never read them, and `check` shows all. */
const MAX_FINDINGS = 50;
const MINUTE_MS = 60_000;

/** A log on standard error. */
export function createLog(platform: Platform, threshold: LogLevel, format: LogFormat): Log {
  let findings = 0;
  let minute = performance.now();
  const write: Log["write"] = (level, message, fields = {}) => {
    if (LOG_LEVELS.indexOf(level) > LOG_LEVELS.indexOf(threshold)) return;
    const pairs = Object.entries(fields).map(([key, value]) => ` ${key}=${value}`);
    const line = format === "json"
      ? JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })
      : oneLine(`architrave: ${level}: ${message}${pairs.join("")}`);
    platform.print("error", `${line}\n`);
  };
  return {
    write,
    finding({ file, line, severity, rule, message, help }): void {
      if (performance.now() - minute > MINUTE_MS) {
        minute = performance.now();
        findings = 0;
      }
      if (++findings > MAX_FINDINGS) {
        if (findings === MAX_FINDINGS + 1) write("warning", "There is more; run check to see all of it");
        return;
      }
      const place = line === undefined ? file : `${file}:${line}`;
      if (format === "text") write(severity, `${place}: ${message}. ${help}`);
      else write(severity, message, { file, line, rule, help });
    },
  };
}

/** Spells out what would end the line or steer a terminal: names of files and texts of documents may hold anything. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}
