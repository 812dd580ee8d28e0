/** The log: lines on standard error, as text or JSON. Nothing while all is well. */

import type { Finding } from "../documents/mod.ts";
import type { ServerOptions } from "../mcp/server/options.ts";
import type { Platform } from "../platform/platform.ts";
import type { Options } from "./options.ts";
import { Throttle } from "../base/async.ts";
import { asObject, asString, compact, visibleJson } from "../base/json.ts";
import { printable, shortened } from "../base/text.ts";

const LEVELS = ["silent", "error", "warning", "info", "debug"] as const;
type Level = (typeof LEVELS)[number];

export interface Log {
  /** Whether everything is written. */
  readonly isVerbose: boolean;
  write(level: Level, message: string, fields?: object): void;
  /** Writes a finding about a file. At most 50 are written in a minute. */
  finding(finding: Finding): void;
  failure(...given: Partial<Parameters<NonNullable<ServerOptions["onfailure"]>>>): void;
  uncaught(cause: unknown): void;
  /** The events of a server: failures, broken transports, and refused requests, these at most once in a second. */
  readonly hooks: Pick<ServerOptions, "onfailure" | "onrefused" | "ontransporterror">;
  /** Writes what is held back. */
  end(): void;
}

/** Maximum findings in a minute; `check` shows all. */
const MAX_FINDINGS = 50;
/** Time until findings count from zero, in milliseconds. */
const MINUTE_MS = 60_000;
/** Time between lines about refusals, in milliseconds. */
const REFUSED_MS = 1000;
/** Maximum length of a URI or reason in it, in UTF-16 units. */
const MAX_REFUSED = 300;

export function createLog(platform: Platform, options: Options, defaultLevel: Level = "warning"): Log {
  const threshold = LEVELS.indexOf(options.get<Level>("log-level") ?? defaultLevel);
  const asJson = options.get("log-format") === "json", { print } = platform;
  const json = (entry: object) => `${visibleJson({ time: new Date().toISOString(), ...entry })}\n`;
  // Lines that do not come from the log are JSON too.
  const toJson = (text: string, level = "info") =>
    text[0] === "{" ? text : json({ level, message: text.trim().replace(/^architrave: /, "") });
  if (asJson) platform.print = (to, text, level) => print(to, to === "error" ? toJson(text, level) : text);
  const write: Log["write"] = (level, message, fields = {}) => {
    if (LEVELS.indexOf(level) > threshold) return;
    const pairs = Object.entries(fields).map(([key, value]) => ` ${key}=${value}`).join("");
    const text = () => printable(`architrave: ${level}: ${message}${pairs}`) + "\n";
    print("error", asJson ? json({ level, message, ...fields }) : text());
  };
  let findings = 0, minute = -Infinity, last = "", count = 0, trace: object = {};
  const refused = new Throttle(REFUSED_MS, () => {
    write("info", `Refused ${last}${count > 1 ? ` (the last of ${count} refused requests)` : ""}`, trace);
    count = 0;
  });
  const failure: Log["failure"] = (cause, reference, call) =>
    write(
      "error",
      `A request failed: ${stackOf(cause)}`,
      traced(call?.request.params, call?.context.header, reference),
    );
  return {
    isVerbose: threshold === LEVELS.indexOf("debug"),
    write,
    failure,
    uncaught: (cause) => write("error", `Uncaught error: ${stackOf(cause)}`),
    hooks: {
      onfailure: failure,
      onrefused({ method, params }, reason, context) {
        const { uri, name } = asObject(params), cut = (text: string) => shortened(text, MAX_REFUSED);
        last = `${cut(method)} "${cut(asString(uri ?? name) ?? "")}": ${cut(reason)}`;
        [trace, count] = [traced(params, context.header), count + 1];
        refused.request();
      },
      ontransporterror: ({ message }) => write("debug", `Transport error: ${message}`),
    },
    finding(finding) {
      const { file, line, severity, rule, message } = finding, help = adviceOf(finding, platform);
      if (performance.now() - minute > MINUTE_MS) [minute, findings] = [performance.now(), 0];
      if (++findings > MAX_FINDINGS) {
        if (findings === MAX_FINDINGS + 1) write("warning", "There are more findings: run check to see all");
      } else if (asJson) write(severity, message, { file, line, rule, help });
      else write(severity, `${placeOf(finding)}: ${message}. ${help}`);
    },
    end: () => (refused.flush(), refused.stop()),
  };
}

/** The stack in one line, for the operator. */
const stackOf = (cause: unknown): string =>
  `${cause instanceof Error ? cause.stack ?? cause.message : cause}`.replaceAll(/\s*\n\s*/g, " | ");

/** The reference and the trace of a request. */
function traced(params: unknown, header?: (name: string) => string | undefined, reference?: string): object {
  const given = asObject(asObject(params)["_meta"])["traceparent"] ?? header?.("traceparent");
  const [traceparent] = /^[\da-f]{2}-[\da-f-]{52}$/.exec(asString(given) ?? "") ?? [];
  return compact({ reference, traceparent });
}

/** The place of a finding. */
export const placeOf = ({ file, line }: Finding): string => line === undefined ? file : `${file}:${line}`;

/** How to fix a finding. A sandbox may hide a file. */
export function adviceOf({ rule, help }: Finding, { sandboxed }: Platform): string {
  const isHidden = sandboxed && (rule === "unreadable" || rule === "folder-missing");
  return isHidden ? `${help} The sandbox must allow reading it.` : help;
}
