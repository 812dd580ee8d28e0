/**
 * Sets the level of log messages for legacy clients; modern ones state it in each request.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#setting-log-level
 */

import type { AcceptedCall } from "./accepted.ts";
import type { ExecutionContext } from "./context.ts";
import type { Services } from "./services.ts";
import { andThen } from "../../base/async.ts";
import { methodNotFound, stringParam } from "../protocol/errors.ts";
import { readLevel } from "./log_level.ts";

/** Answers `logging/setLevel`. */
export function setLevel(
  context: ExecutionContext,
  { logging }: Services,
  { accepted: { session } }: AcceptedCall,
): unknown {
  if (!logging) throw methodNotFound(context.method);
  const level = stringParam(context.params, "level");
  session.logLevel = readLevel(level);
  return andThen(session.store?.("logLevel", level), () => ({}));
}
