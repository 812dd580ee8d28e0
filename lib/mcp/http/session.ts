/** A session of a legacy client, as this process serves it. */

import type { Connection } from "../../jsonrpc/connection.ts";
import type { Negotiated } from "../protocol/revisions.ts";
import type { Session } from "../server/session.ts";
import type { Server } from "../server/server.ts";
import type { LogLevel } from "../server/log_level.ts";
import type { ReplayStream } from "./replay.ts";
import type { Share } from "./shares.ts";

/**
 * Why a process no longer serves a session: it was ended, it has expired, it was idle, its client has begun others, or the
 * server closes. After the last three, the client may go on: then the session starts again, with an empty state.
 */
export type SessionEnd = "ended" | "expired" | "idle" | "evicted" | "closed";

/**
 * A session of a client up to 2025-11-25, as this process serves it. Its methods send on the notification stream; they return
 * false, and nothing is sent, when the client has none.
 */
export interface HttpSession {
  /** What handlers know as `sessionId`. */
  readonly id: string;
  /** Who began it; undefined without authentication. */
  readonly principal: string | undefined;
  /** The revision, and what the client says of itself. */
  readonly negotiated: Negotiated;
  /** What handlers know as `sessionState`. It is in the memory of this process only. */
  readonly state: Map<string, unknown>;
  /** Reports that a resource has changed, if the client has subscribed to it. */
  resourceUpdated(uri: string): boolean;
  /** Reports that a list has changed, if the server declares such changes. */
  listChanged(list: "resources" | "prompts"): boolean;
  /** Sends a log message; returns false also when the client does not want that level. */
  log(level: LogLevel, data: unknown, logger?: string): boolean;
}

/** A session with what this process needs to serve it. */
export interface ServedSession extends HttpSession {
  readonly expires: number;
  /** The `Mcp-Session-Id`. */
  readonly token: string;
  readonly share: Share;
  readonly mcp: Session;
  readonly connection: Connection;
  usedAt: number;
  /** Whether requests that have found it must not go on. */
  isEnded: boolean;
  /** The notification stream, while the client has one, and what reports changes on it. */
  notices?: ReplayStream | undefined;
  changes?: ReturnType<Server["reportChanges"]>;
}
